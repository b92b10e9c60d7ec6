//! Encoding and writing.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use certificate_spec::Digest;
use certificate_spec::about;
use certificate_spec::claim::{Claim, Question, Value};
use certificate_spec::leaves::{self, Leaf};
use certificate_spec::manifest::{Kind, Manifest, Object, ObjectHeader};
use certificate_spec::nodes::{self, Node, WirePosition, kind};
use thiserror::Error;

use super::prune::{Kept, Proof, prune};
use super::read::Stored;
use crate::board::{Board, Position, Side};
use crate::egdb::UNFINISHED;
use crate::proof::{Tree, unpack};
use crate::search::{KeyMap, StrategyError, pack};

/// Nodes of an object.
const NODES_PER_OBJECT: usize = 1 << 16;
/// What a certificate says that was to be of the value, and may be of half of it.
const FOR_THE_VALUE: &str = "option --claim value";
/// Leaves of an object.
const LEAVES_PER_OBJECT: usize = 1 << 12;

/// What can go wrong with a certificate.
#[derive(Debug, Error)]
pub enum EmitError {
    /// The tree does not prove its root: a mistake of the prover.
    #[error("the proof tree does not hold")]
    Tree,
    /// A strategy does not stand up to its replay: a mistake of the prover.
    #[error("a leaf strategy does not hold: {0}")]
    Strategy(#[from] StrategyError),
    /// The system says no.
    #[error("{path}: {source}")]
    Io {
        /// The file or directory.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// It would take the place of the directory that the process is in.
    #[error("{path}: expected a directory for the certificate, found the one this runs in")]
    Here {
        /// The directory.
        path: PathBuf,
    },
    /// There is something there already, and it is not this certificate.
    #[error(
        "{path}: expected nothing, an empty directory or this very certificate, found something else; \
         name another directory or remove this one"
    )]
    Occupied {
        /// The directory.
        path: PathBuf,
    },
}

/// The nodes and leaves of one question.
#[derive(Debug)]
pub struct Section {
    question: Question,
    nodes: Vec<Node>,
    leaves: Vec<Leaf<Vec<u8>>>,
    /// How it was answered.
    about: Vec<String>,
}

impl Section {
    /// Encodes what a decided tree proves; frontier nodes that count as decided at its threshold become
    /// Assumed nodes. Every strategy is replayed as the checker will do it.
    ///
    /// # Errors
    /// [`EmitError`] if the tree or a strategy does not hold.
    pub fn new(tree: &Tree<'_>) -> Result<Self, EmitError> {
        let (kept, won) = prune(tree).ok_or(EmitError::Tree)?;
        let question = match (won, tree.attacker()) {
            (true, Side::Black) => Question::BlackWins,
            (true, Side::White) => Question::WhiteWins,
            (false, Side::White) => Question::BlackNotLost,
            (false, Side::Black) => Question::WhiteNotLost,
        };
        let ranks: KeyMap<u32> = kept.iter().map(|k| (k.position.key(), k.rank)).collect();
        let entry = |node: &Kept<'_>| {
            let closes =
                |p: &Position| ranks.get(&p.key()).is_some_and(|&rank| !won || rank < node.rank);
            let record = match node.proof {
                Proof::Or(choice) => Record::Or(choice),
                Proof::And => Record::And,
                Proof::Leaf(leaf) => {
                    let (board, database) = (tree.board(), tree.database());
                    let position = &node.position;
                    let strategy = unpack(leaf, won, tree.attacker(), position, board, database)?;
                    Record::Leaf(pack(&strategy, board, database, position, closes)?)
                }
                Proof::Assumed(score) => Record::Assumed(score),
            };
            Ok(Entry { position: node.position, rank: node.rank, record })
        };
        let entries = kept.iter().map(entry).collect::<Result<Vec<_>, EmitError>>()?;
        Ok(Section::of(question, tree.board(), entries))
    }

    /// A question from its nodes, in ascending order of their positions.
    pub(super) fn of(question: Question, board: &Board, entries: Vec<Entry>) -> Self {
        let mut section =
            Section { nodes: Vec::with_capacity(entries.len()), ..Section::empty(question) };
        for Entry { position, rank, record } in entries {
            let (kind, data) = match record {
                Record::Or(choice) => (kind::OR, choice),
                Record::And => (kind::AND, 0),
                Record::Leaf(leaf) => {
                    section.leaves.push(leaf);
                    (kind::LEAF, section.leaves.len() as u32 - 1)
                }
                Record::Assumed(score) => (kind::ASSUMED, score.cast_unsigned()),
            };
            let position = wire(board, &position);
            section.nodes.push(Node { position, rank, data, kind, reserved: 0 });
        }
        section
    }

    /// A question whose start needs no node: the database or the rules decide it.
    pub fn empty(question: Question) -> Self {
        Section { question, nodes: Vec::new(), leaves: Vec::new(), about: Vec::new() }
    }

    /// The same with lines that say how it was answered (`SPEC.md` §7.1).
    pub fn about(self, about: Vec<String>) -> Self {
        Section { about, ..self }
    }

    /// The question that is answered.
    pub fn question(&self) -> Question {
        self.question
    }

    /// The number of Assumed nodes.
    pub fn assumed(&self) -> usize {
        self.nodes.iter().filter(|n| n.kind == kind::ASSUMED).count()
    }

    /// Numbers of nodes and of leaves.
    pub fn size(&self) -> (usize, usize) {
        (self.nodes.len(), self.leaves.len())
    }
}

/// A node ready to be written.
pub(super) struct Entry {
    pub(super) position: Position,
    pub(super) rank: u32,
    pub(super) record: Record,
}

/// What its record says.
pub(super) enum Record {
    Or(u32),
    And,
    Leaf(Leaf<Vec<u8>>),
    /// With the claimant's score in hundredths of a man.
    Assumed(i32),
}

fn wire(board: &Board, position: &Position) -> WirePosition {
    WirePosition {
        black: board.to_dense(position.black),
        white: board.to_dense(position.white),
        kings: board.to_dense(position.kings),
        turn: position.turn as u8,
    }
}

/// A certificate, ready to be written.
pub struct Certificate {
    claim: String,
    manifest: Vec<u8>,
    objects: Vec<(Digest, Vec<u8>)>,
    /// How it was made, if it has Assumed nodes.
    assumes: Option<Making>,
}

/// How a certificate was made: with which options, but for those that say when to end, and how many thresholds were
/// done.
struct Making {
    options: Vec<String>,
    iterations: usize,
}

impl Making {
    fn of<'a>(about: impl Iterator<Item = &'a String> + Clone) -> Self {
        let ends = |line: &&String| {
            ["option --max-nodes ", "option --until-threshold "]
                .iter()
                .any(|end| line.starts_with(end))
        };
        let options = about.clone().filter(|line| line.starts_with("option ") && !ends(line));
        let iterations = about.filter(|line| line.starts_with("iteration ")).count();
        Making { options: options.cloned().collect(), iterations }
    }

    /// Whether this comes later in the same proof, or is the same.
    fn goes_on_from(&self, before: &Making) -> bool {
        self.options == before.options && self.iterations >= before.iterations
    }
}

impl Certificate {
    /// Puts the sections of a claim together. They must be those of its value, in order.
    pub fn new(claim: &Claim, sections: &[Section]) -> Self {
        let claim = claim.encode();
        let about = sections.iter().flat_map(|section| &section.about);
        let assumes = sections.iter().any(|s| s.assumed() > 0).then(|| Making::of(about));
        let (manifest, objects) = (Vec::new(), Vec::new());
        let mut certificate = Certificate { claim, manifest, objects, assumes };
        let mut objects = Vec::new();
        for section in sections {
            let mut first = 0;
            for nodes in section.nodes.chunks(NODES_PER_OBJECT) {
                let header = header(section, first, nodes.len());
                let bytes = nodes::encode(&header, nodes);
                objects.push(certificate.add(Kind::Nodes, header, bytes));
                first += nodes.len();
            }
        }
        for section in sections {
            let mut first = 0;
            for leaves in section.leaves.chunks(LEAVES_PER_OBJECT) {
                let header = header(section, first, leaves.len());
                let bytes = leaves::encode(&header, leaves);
                objects.push(certificate.add(Kind::Leaves, header, bytes));
                first += leaves.len();
            }
        }
        for section in sections.iter().filter(|section| !section.about.is_empty()) {
            let header = header(section, 0, section.about.len());
            let bytes = about::encode(&header, &section.about);
            objects.push(certificate.add(Kind::About, header, bytes));
        }
        let claim = certificate.claim.as_bytes();
        let (claim_length, claim_digest) = (claim.len() as u64, Digest::of(claim));
        certificate.manifest = Manifest { claim_length, claim_digest, objects }.encode();
        certificate
    }

    fn add(&mut self, kind: Kind, header: ObjectHeader, bytes: Vec<u8>) -> Object {
        let ObjectHeader { question, first, count } = header;
        let (length, digest) = (bytes.len() as u64, Digest::of(&bytes));
        self.objects.push((digest, bytes));
        Object { kind, question, first, count, length, digest }
    }

    /// The certificate's root.
    pub fn root(&self) -> Digest {
        Digest::certificate_root(&self.manifest)
    }

    /// Bytes of all files.
    pub fn bytes(&self) -> u64 {
        let objects: usize = self.objects.iter().map(|(_, bytes)| bytes.len()).sum();
        (self.claim.len() + self.manifest.len() + objects) as u64
    }

    /// Whether `directory` holds exactly these files, as far as the certificate goes.
    fn is_at(&self, directory: &Path) -> bool {
        let holds = |name: &str, bytes: &[u8]| {
            fs::read(directory.join(name)).is_ok_and(|found| found == bytes)
        };
        holds("CLAIM", self.claim.as_bytes())
            && holds("MANIFEST", &self.manifest)
            && self.objects.iter().all(|(digest, bytes)| holds(&format!("objects/{digest}"), bytes))
    }

    /// Whether there is a certificate of the same game and start that was emitted before the proof was finished, and
    /// that this one takes the place of. It has Assumed nodes, or it is half of the value that it was to be; and
    /// this one is finished, or comes later in the same proof.
    fn may_replace(&self, directory: &Path) -> bool {
        let (Ok(stored), Ok(claim)) =
            (Stored::read(directory), Claim::decode(self.claim.as_bytes()))
        else {
            return false;
        };
        let about = stored.parts.iter().flat_map(|part| &part.about);
        let is_half = matches!(stored.claim.value, Value::BlackNotLost | Value::WhiteNotLost)
            && about.clone().any(|line| line == FOR_THE_VALUE);
        (&claim.game, &claim.start) == (&stored.claim.game, &stored.claim.start)
            && (stored.assumed() > 0 || is_half)
            && self.assumes.as_ref().is_none_or(|this| this.goes_on_from(&Making::of(about)))
    }

    /// Writes the certificate to `target`. It appears there all at once; where this very certificate
    /// is there already, nothing is written.
    ///
    /// # Errors
    /// [`EmitError::Occupied`] or [`EmitError::Io`]; nothing is overwritten then.
    pub fn write(&self, target: Target) -> Result<(), EmitError> {
        let Target { directory } = target;
        if self.is_at(&directory) {
            return Ok(());
        }
        if !self.may_replace(&directory) {
            require_free(&directory)?;
        }
        let unfinished = unfinished(&directory)?;
        let write = |name: &str, bytes: &[u8]| {
            let path = unfinished.path().join(name);
            fs::File::create_new(&path)
                .and_then(|mut file| file.write_all(bytes).and_then(|()| file.sync_all()))
                .map_err(io_at(&path))
        };
        let objects = unfinished.path().join("objects");
        fs::create_dir(&objects).map_err(io_at(&objects))?;
        for (digest, bytes) in &self.objects {
            write(&format!("objects/{digest}"), bytes)?;
        }
        write("CLAIM", self.claim.as_bytes())?;
        write("MANIFEST", &self.manifest)?;
        let sync =
            |path: &Path| fs::File::open(path).and_then(|d| d.sync_all()).map_err(io_at(path));
        sync(&objects)?;
        sync(unfinished.path())?;
        let aside = match self.may_replace(&directory) {
            true => Some(set_aside(&directory)?),
            false => None,
        };
        fs::rename(unfinished.path(), &directory).map_err(io_at(&directory))?;
        if let Some(aside) = aside {
            fs::remove_dir_all(&aside).map_err(io_at(&aside))?;
        }
        sync(parent_of(&directory))?;
        // It is no longer there to be removed.
        let _ = unfinished.keep();
        Ok(())
    }
}

/// Where a certificate is to be written: a directory that is free.
pub struct Target {
    directory: PathBuf,
}

impl Target {
    /// Makes sure that a certificate can be written to `directory`, better before the work than
    /// after it.
    ///
    /// # Errors
    /// [`EmitError::Occupied`] if something else than a certificate is there, [`EmitError::Io`] if
    /// its parent cannot be written to.
    pub fn new(directory: &Path) -> Result<Self, EmitError> {
        // It takes the place of what is there, so a link, or a directory that is its own name, has to be looked through.
        let directory = match directory.symlink_metadata() {
            Err(_) => directory.to_path_buf(),
            Ok(_) => fs::canonicalize(directory).map_err(io_at(directory))?,
        };
        if std::env::current_dir().is_ok_and(|here| here.starts_with(&directory)) {
            return Err(EmitError::Here { path: directory });
        }
        if !directory.join("MANIFEST").exists() {
            require_free(&directory)?;
        }
        let parent = parent_of(&directory);
        fs::create_dir_all(parent).map_err(io_at(parent))?;
        // Another process may be at the same certificate; so nothing is there to be written in before it is time.
        tempfile::tempdir_in(parent).map_err(io_at(parent))?;
        Ok(Target { directory })
    }
}

/// A directory beside that of a certificate, to write in. It is removed when dropped.
fn unfinished(directory: &Path) -> Result<tempfile::TempDir, EmitError> {
    let name = directory.file_name().unwrap_or_default().to_string_lossy();
    let (parent, name) = (parent_of(directory), format!("{UNFINISHED}{name}"));
    // What a killed run has left.
    let left = parent.join(&name);
    match fs::remove_dir_all(&left) {
        Err(e) if e.kind() != io::ErrorKind::NotFound => return Err(io_at(&left)(e)),
        _ => {}
    }
    let unfinished = tempfile::Builder::new().prefix(&name).rand_bytes(0).tempdir_in(parent);
    let unfinished = unfinished.map_err(io_at(&left))?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = fs::Permissions::from_mode(0o755);
        fs::set_permissions(unfinished.path(), mode).map_err(io_at(&left))?;
    }
    Ok(unfinished)
}

/// Renames a certificate that is about to be replaced.
fn set_aside(directory: &Path) -> Result<PathBuf, EmitError> {
    let name = directory.file_name().unwrap_or_default().to_string_lossy();
    let aside = parent_of(directory).join(format!("{UNFINISHED}old-{name}"));
    match fs::remove_dir_all(&aside) {
        Err(e) if e.kind() != io::ErrorKind::NotFound => return Err(io_at(&aside)(e)),
        _ => {}
    }
    fs::rename(directory, &aside).map_err(io_at(directory))?;
    Ok(aside)
}

/// A directory is free when it does not exist or is empty.
fn require_free(directory: &Path) -> Result<(), EmitError> {
    match fs::read_dir(directory).map(|mut entries| entries.next().is_none()) {
        Ok(true) => Ok(()),
        Ok(false) => Err(EmitError::Occupied { path: directory.into() }),
        Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(e) => Err(io_at(directory)(e)),
    }
}

fn io_at(path: &Path) -> impl FnOnce(io::Error) -> EmitError + use<> {
    let path = path.to_path_buf();
    move |source| EmitError::Io { path, source }
}

fn header(section: &Section, first: usize, count: usize) -> ObjectHeader {
    ObjectHeader { question: section.question, first: first as u64, count: count as u64 }
}

fn parent_of(directory: &Path) -> &Path {
    match directory.parent() {
        Some(parent) if parent != Path::new("") => parent,
        _ => Path::new("."),
    }
}

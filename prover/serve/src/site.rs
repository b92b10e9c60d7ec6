//! The data that is served: boards, each with its database and certificates.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use certificate_notes::Note;
use certificate_notes::keys::PublicKey;
use certificate_spec::Digest;
use certificate_spec::database::DatabaseManifest;
use draughtproof_play::lookup::{Found, Lookup, ProvedPositions};
use draughtproof_proof::certificate::{BrokenProof, Stored};
use draughtproof_proof::search::Lemmas;

use super::checks::{Checks, NoteError, NotedCheck, Subject, checks};
use super::estimates::Estimates;
use super::metrics::Metrics;
use super::verification::{Verification, Verifications, Verifier};
use crate::board::{Board, Game, Position, Side};
use crate::egdb::numbers::counted;
use crate::egdb::stats::Counts;
use crate::egdb::{Depths, Slice, Store, StoreError, Values};

/// The most bytes that finding depths may take, for each board: enough for most five pieces on 8x8.
const FINDER_MEMORY: u64 = 32 << 20;

/// A certificate that is served, all of it in memory.
pub struct ServedCertificate {
    /// The certificate as it was read.
    pub stored: Stored,
    /// The positions that it proves.
    pub proved: Arc<ProvedPositions>,
}

impl ServedCertificate {
    /// Prepares a certificate for serving.
    ///
    /// # Errors
    /// [`BrokenProof`] if the replay of a leaf fails.
    pub fn new(stored: Stored) -> Result<Self, BrokenProof> {
        let proved = Arc::new(ProvedPositions::new(&stored)?);
        Ok(ServedCertificate { stored, proved })
    }

    /// The root of the certificate.
    pub fn root(&self) -> &Digest {
        &self.stored.root
    }
}

/// A database on disk that is open.
pub struct Database {
    /// The store of the database.
    pub store: Store,
    /// The MANIFEST of the database.
    pub manifest: DatabaseManifest,
    /// The depths of the database, as far as they are stored.
    pub depths: Depths,
}

/// A board that is served.
pub struct BoardSite {
    /// The game that is played unless a request names another one.
    game: Game,
    values: Values,
    pub(super) database: Option<Database>,
    certificates: Vec<Arc<ServedCertificate>>,
    /// The positions of these certificates.
    proofs: Vec<Arc<ProvedPositions>>,
    /// The positions that they decide for searches whether White wins, and whether Black wins.
    lemmas: [OnceLock<Lemmas>; 2],
    /// The depths and the solved positions of earlier answers.
    pub(super) found: Found,
    pub(super) estimates: Estimates,
    /// The counts of the slices that were counted so far.
    pub(super) counts: Mutex<BTreeMap<[u8; 4], Counts>>,
}

impl BoardSite {
    /// A board with the values of its database, which may be empty.
    pub fn new(game: Game, values: Values, database: Option<Database>) -> Self {
        let found = Found::new(&game.board, FINDER_MEMORY);
        BoardSite {
            game,
            values,
            database,
            certificates: Vec::new(),
            proofs: Vec::new(),
            lemmas: Default::default(),
            found,
            estimates: Estimates::default(),
            counts: Mutex::default(),
        }
    }

    /// The game that is played unless a request names another one.
    pub fn game(&self) -> &Game {
        &self.game
    }

    /// The board.
    pub fn board(&self) -> &Board {
        &self.game.board
    }

    /// A line of text: the positions that its database has, and how many the certificates prove.
    pub fn description(&self) -> String {
        let database = match self.values.cover() {
            cover if cover.is_empty() => "no database".into(),
            cover => format!("database of {cover} pieces"),
        };
        let proved: usize = self.certificates().map(|c| c.proved.len()).sum();
        format!("{database}, {} in certificates", counted(proved, "position"))
    }

    /// The root of its database, if it has one.
    pub fn database_root(&self) -> Option<Digest> {
        self.database.as_ref().map(|database| database.manifest.root())
    }

    pub(super) fn values(&self) -> &Values {
        &self.values
    }

    pub(super) fn lookup(&self) -> Lookup<'_> {
        let depths = self.database.as_ref().map(|database| &database.depths);
        let (board, found) = (&self.game.board, Some(&self.found));
        Lookup { board, values: &self.values, depths, proofs: &self.proofs, found }
    }

    /// Whether a value is known without the searches of this server.
    pub(super) fn is_known(&self, position: &Position) -> Result<bool, StoreError> {
        let known = self.values.known(position)?;
        let proved = Lookup { found: None, ..self.lookup() }.proved(position);
        Ok(known.narrowed(proved).value().is_some())
    }

    pub(super) fn certificates(&self) -> impl Iterator<Item = &ServedCertificate> {
        self.certificates.iter().map(Arc::as_ref)
    }

    /// Returns the positions that the certificates decide for a search whether `attacker` wins.
    pub(super) fn lemmas(&self, attacker: Side) -> &Lemmas {
        let lemmas = &self.lemmas[usize::from(attacker == Side::Black)];
        lemmas.get_or_init(|| {
            let mut lemmas = Lemmas::default();
            for certificate in self.certificates() {
                let decided = certificate.proved.decided(attacker);
                lemmas.add(decided);
            }
            lemmas
        })
    }

    /// The slice with a name such as `2,0,1,1`, if the database has it, and the bytes of its file.
    pub(super) fn slice(&self, name: &str) -> Option<(Slice, u64)> {
        let numbers: Vec<u8> = name.split(',').map(|n| n.parse().ok()).collect::<Option<_>>()?;
        let name: [u8; 4] = numbers.try_into().ok()?;
        let records = &self.database.as_ref()?.manifest.slices;
        let record = records.iter().find(|record| record.name.0 == name)?;
        Some((record.name.into(), record.length))
    }
}

/// All boards and certificates that are served.
pub struct Site {
    boards: BTreeMap<String, BoardSite>,
    certificates: Vec<Arc<ServedCertificate>>,
    checks: Checks,
    verifications: Verifications,
    pub(super) metrics: Metrics,
}

impl Site {
    /// A site of boards, by their names. The first certificate of a board decides which game is
    /// played there.
    pub fn new(boards: Vec<BoardSite>, certificates: Vec<ServedCertificate>) -> Self {
        let certificates: Vec<_> = certificates.into_iter().map(Arc::new).collect();
        let mut sites = BTreeMap::new();
        for mut site in boards {
            for certificate in &certificates {
                if certificate.stored.game.board == site.game.board {
                    site.certificates.push(Arc::clone(certificate));
                    site.proofs.push(Arc::clone(&certificate.proved));
                }
            }
            sites.insert(site.board().name(), site);
        }
        Site {
            boards: sites,
            certificates,
            checks: Checks::new(),
            verifications: Verifications::default(),
            metrics: Metrics::default(),
        }
    }

    /// Adds notes of what has been checked. A note counts if one of these keys has signed it.
    ///
    /// # Errors
    /// [`NoteError`] if a note is about nothing that is served, or has a signature that is not
    /// valid.
    pub fn with_notes(self, notes: &[Note], keys: &[PublicKey]) -> Result<Self, NoteError> {
        let certificates = self.certificates().map(|c| Subject::certificate(&c.stored));
        let databases = self.boards().filter_map(|board| {
            let manifest = &board.database.as_ref()?.manifest;
            Some(Subject::database(&board.board().name(), &manifest.cover, manifest.root()))
        });
        let subjects: Vec<_> = certificates.chain(databases).collect();
        Ok(Site { checks: checks(notes, keys, &subjects)?, ..self })
    }

    /// The notes about the certificate or database with this root.
    pub fn checks(&self, root: &Digest) -> &[NotedCheck] {
        self.checks.get(root).map_or(&[], Vec::as_slice)
    }

    /// Whether a trusted key has signed that the whole of it was verified.
    pub fn is_checked(&self, root: &Digest) -> bool {
        self.checks(root).iter().any(|check| check.objection.is_none())
    }

    /// Prepares a check of each certificate by the program `check`, whose databases are in a
    /// folder. The site shows what is found.
    pub fn verifier(&self, program: PathBuf, databases: PathBuf) -> Verifier {
        let tasks = self.certificates().map(|certificate| {
            let stored = &certificate.stored;
            (stored.directory.clone(), Subject::certificate(stored))
        });
        Verifier::new(program, databases, tasks.collect(), Arc::clone(&self.verifications))
    }

    /// Returns the verdict of the program `check` here about the certificate with this root; `None`
    /// if it does not run.
    pub fn verification(&self, root: &Digest) -> Option<Verification> {
        let found = self.verifications.lock().unwrap_or_else(PoisonError::into_inner);
        found.get(root).cloned()
    }

    /// The boards, by name.
    pub fn boards(&self) -> impl Iterator<Item = &BoardSite> {
        self.boards.values()
    }

    pub(super) fn board(&self, name: &str) -> Option<&BoardSite> {
        self.boards.get(name)
    }

    /// The certificates, in the order in which they were given.
    pub fn certificates(&self) -> impl Iterator<Item = &ServedCertificate> {
        self.certificates.iter().map(Arc::as_ref)
    }

    pub(super) fn certificate(&self, root: &str) -> Option<&ServedCertificate> {
        self.certificates().find(|certificate| certificate.root().to_string() == root)
    }
}

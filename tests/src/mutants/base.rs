//! The certificates and databases that mutants are made from.

use crate::draft::{self, DraftObject};
use crate::positions;
use crate::prelude::*;

/// All files of a certificate and its database, by their paths: `cert/CLAIM`, `egdb/4x4/MANIFEST`,
/// …
pub type Files = BTreeMap<String, Arc<[u8]>>;

/// A valid certificate with its database.
pub struct Base {
    pub name: &'static str,
    pub directory: PathBuf,
    pub files: Files,
    /// The certificate, decoded.
    pub draft: Draft,
    /// The rules, and the values of all positions with as many pieces as the start. They do not
    /// come from the database of the certificate.
    pub rules: Arc<Rules>,
}

/// The bases that a run uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Selection {
    /// The bases that are made and checked within a moment.
    Small,
    All,
}

/// The name of a base, the options of `prove`, and whether the base takes little time.
const BASES: [(&str, &str, bool); 15] = [
    ("draw", "--game 4x4 --pieces 3 --leaf-nodes 3", true),
    ("draw-of-nodes", "--game 4x4 --pieces 0 --leaf-nodes 1", true),
    ("draw-of-leaves", "--game 4x4 --pieces 0 --leaf-nodes 100000", true),
    ("bound", "--game 4x4 --claim white-not-lost --pieces 2 --leaf-nodes 2", true),
    ("win-of-nodes", "--game 6x4 --fen B:W9,10,11,12:B1,2 --pieces 0 --leaf-nodes 1", true),
    ("win-of-black", "--game 6x4 --fen W:W11,12:B1,2,3,4 --pieces 3 --leaf-nodes 5", true),
    ("draw-6x4", "--game 6x4 --fen B:W10,11,12:B1,2,3 --pieces 3 --leaf-nodes 10", true),
    ("draw-of-sides", "--game 6x4 --fen B:W10,11,12:B1,2,3 --pieces 4:2 --leaf-nodes 5", true),
    (
        "draw-of-clauses",
        "--game 4x4 --fen W:W3,K4,8:B1,K2,K5,6 --pieces 5,6:3 --leaf-nodes 1",
        true,
    ),
    ("part-of-a-database", "--game 4x4 --pieces 2 --leaf-nodes 2", true),
    ("win", "--game 6x4 --pieces 3 --leaf-nodes 40", false),
    ("win-of-sides", "--game 6x4 --pieces 4:2 --leaf-nodes 20", false),
    ("win-of-a-leaf", "--game 6x4 --pieces 0 --leaf-nodes 100000", false),
    ("draw-5x5", "--game 5x5/2 --fen B:W10,11,12:B1,2,3 --pieces 3 --leaf-nodes 10", false),
    ("win-6x6", "--game 6x6 --fen B:W13,16,17,18:B1,3 --pieces 4 --leaf-nodes 10", false),
];

/// The bases whose certificates rest on a part of a database, with the options of the whole one.
const WIDER: [(&str, &str); 1] = [("part-of-a-database", "--game 4x4 --pieces 4:2")];

/// Makes the bases under `root`.
pub fn bases(root: &Path, selection: Selection) -> Vec<Base> {
    let wanted = BASES.iter().filter(|(_, _, small)| *small || selection == Selection::All);
    let mut made: Vec<(&str, PathBuf, Draft)> = Vec::new();
    for (name, options, _) in wanted {
        let directory = root.join(name);
        fs::create_dir_all(&directory).expect("a directory");
        if let Some((_, wider)) = WIDER.iter().find(|(base, _)| base == name) {
            let build = ["db"].into_iter().chain(wider.split(' ')).chain(["--quiet"]);
            prove(&build.collect::<Vec<_>>(), &directory);
        }
        let common = ["--emit", "cert", "--db", "egdb", "--quiet"];
        prove(&options.split(' ').chain(common).collect::<Vec<_>>(), &directory);
        let draft = Draft::read(&directory.join("cert"));
        made.push((name, directory, draft));
    }
    let board =
        |draft: &Draft| -> Board { draft.claim.game.parse::<Game>().expect("a game").board };
    let pieces = |draft: &Draft| {
        let start = board(draft).read_fen(&draft.claim.start).expect("a start");
        u8::try_from(start.pieces()).expect("few pieces")
    };
    // One database for each board, with as many pieces as any base of it begins with.
    let mut most: BTreeMap<String, u8> = BTreeMap::new();
    for (_, _, draft) in &made {
        let most = most.entry(board(draft).name()).or_default();
        // All positions of 4x4, whatever start a mutant may have.
        let all = if board(draft).squares() <= 8 { board(draft).squares() } else { 0 };
        *most = (*most).max(pieces(draft)).max(all);
    }
    let mut rules: BTreeMap<String, Arc<Rules>> = BTreeMap::new();
    made.into_iter()
        .map(|(name, directory, draft)| {
            let board = board(&draft);
            let rules = rules.entry(board.name()).or_insert_with(|| {
                Arc::new(Rules::new(positions::database(&board, most[&board.name()])))
            });
            let all = read_all(&directory).into_iter();
            let mut files: Files = all.map(|(path, bytes)| (path, bytes.into())).collect();
            // Files that `prove` keeps beside the databases for its own use are not checked.
            files.retain(|path, _| path.split('/').count() > 2 || path.starts_with("cert/"));
            let base = Base { name, directory, files, draft, rules: rules.clone() };
            base.compare_database();
            base
        })
        .collect()
}

impl Base {
    pub fn database_path(&self, file: &str) -> String {
        format!("egdb/{}/{file}", self.rules.board.name())
    }

    /// The manifest of the database that the certificate rests on, or `None`.
    pub fn database(&self) -> Option<DatabaseManifest> {
        self.draft.claim.database?;
        DatabaseManifest::decode(self.files.get(&self.database_path("MANIFEST"))?).ok()
    }

    /// The bytes of a slice of the database.
    pub fn slice(&self, name: SliceName) -> Vec<u8> {
        self.files[&self.database_path(&name.file_name())].to_vec()
    }

    /// The files of the same database with another certificate.
    pub fn with_draft(&self, draft: &Draft) -> Files {
        self.with_objects(draft.claim.encode().as_bytes(), &draft.objects())
    }

    /// The files of the same database with a certificate of these objects.
    pub fn with_objects(&self, claim: &[u8], objects: &[DraftObject]) -> Files {
        let database = self.files.iter().filter(|(path, _)| path.starts_with("egdb/"));
        let mut files: Files = database.map(|(path, b)| (path.clone(), b.clone())).collect();
        let certificate = draft::files(claim, objects).into_iter();
        files.extend(certificate.map(|(name, bytes)| (format!("cert/{name}"), bytes.into())));
        files
    }

    /// The files with another slice file; manifest of the database, claim and certificate are
    /// corrected.
    pub fn with_slice(&self, name: SliceName, bytes: Vec<u8>) -> Option<Files> {
        let mut manifest = self.database()?;
        let record = manifest.slices.iter_mut().find(|record| record.name == name)?;
        (record.length, record.digest) = (bytes.len() as u64, Digest::of(&bytes));
        let mut files = self.with_manifest(&manifest, &self.draft.claim.cover);
        files.insert(self.database_path(&name.file_name()), bytes.into());
        Some(files)
    }

    /// The files with another manifest of the database, and a claim that rests on this part of it.
    pub fn with_manifest(&self, manifest: &DatabaseManifest, cover: &Cover) -> Files {
        let mut draft = self.draft.clone();
        let root = manifest.restricted_to(cover).root();
        draft.claim.database = (!cover.is_empty()).then_some(root);
        draft.claim.cover = cover.clone();
        let mut files = self.with_draft(&draft);
        files.insert(self.database_path("MANIFEST"), manifest.encode().into());
        files
    }

    /// Checks that the files have the values that the builder in memory comes to.
    fn compare_database(&self) {
        let board = &self.rules.board;
        for record in self.database().iter().flat_map(|manifest| &manifest.slices) {
            let slice = Slice::from(record.name);
            let table = decode_slice(board, slice, &self.slice(record.name)).expect("a slice");
            for index in 0..table.indices() {
                let position = position_at(board, slice, index);
                if let Some(p) = position.filter(|p| !board.can_capture(p)) {
                    let value = self.rules.value(&self.rules.wire(&p));
                    assert_eq!(Some(table.value(index)), value, "{} {index}", self.name);
                }
            }
        }
    }
}

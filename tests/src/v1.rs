//! Certificates and databases of format 1 that are kept for ever, in `corpus/v1`: every checker of
//! this format must give the verdicts that were given when they were made. `cargo run -p tests
//! --bin corpus -- v1 DIR` made them; no test makes them again.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use certificate_spec::claim::Question;
use certificate_spec::cover::Cover;
use certificate_spec::manifest::Kind;
use certificate_spec::nodes::kind;
use certificate_spec::provenance::{Mode, Resources};
use certificate_spec::value::Value;
use certificate_spec::wire::HEAD;
use draughtproof_game::Board;

use crate::consistent;
use crate::corpus::slices::{edit_values, index_with};
use crate::corpus::{drop_leftovers, rows};
use crate::draft::{Draft, copy, edit_slice, write_objects};
use crate::encoding::pad;
use crate::programs::{Said, check_with, prove};

/// A row of `VERDICTS.tsv`: the verdict that a checker must give on a certificate or database, with
/// these arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kept {
    /// The name of the folder of the certificate or database.
    pub name: String,
    /// The checker's arguments, relative to the folder.
    pub arguments: Vec<String>,
    /// The verdict and exit status that a checker must give.
    pub said: Said,
}

/// The folder of the corpus in the repository.
pub fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../corpus/v1")
}

/// Reads `VERDICTS.tsv`.
///
/// # Panics
/// If the file does not exist, or is not such a table.
pub fn read(root: &Path) -> Vec<Kept> {
    let table = fs::read_to_string(root.join("VERDICTS.tsv")).expect("VERDICTS.tsv");
    let row = |row: Vec<&str>| {
        let [name, arguments, status, verdict] = row[..] else { panic!("{row:?}") };
        let arguments = arguments.split(' ').map(String::from).collect();
        let said = Said { verdict: verdict.into(), status: status.parse().ok() };
        Kept { name: name.into(), arguments, said }
    };
    rows(&table).map(row).collect()
}

/// Lets a checker judge the corpus; returns a line for each verdict that differs.
pub fn judge(kept: &[Kept], root: &Path, checker: &Path) -> Vec<String> {
    let wrong = |kept: &Kept| {
        let arguments: Vec<&str> = kept.arguments.iter().map(String::as_str).collect();
        let said = check_with(checker, &arguments, &root.join(&kept.name));
        let result = said.and_then(|said| {
            let same = said.normative() == kept.said.normative() && said.status == kept.said.status;
            if same { Ok(()) } else { Err(format!("expected {:?}, found {said:?}", kept.said)) }
        });
        result.err().map(|e| format!("{} {}: {e}", kept.name, kept.arguments.join(" ")))
    };
    kept.iter().filter_map(wrong).collect()
}

/// Makes the corpus in a new folder, with the verdicts of a checker.
///
/// # Panics
/// If a certificate or database cannot be made.
pub fn make(root: &Path, checker: &Path) {
    fs::create_dir(root).expect("a new folder");
    let mut maker = Maker { root, checker, rows: Vec::new() };
    maker.accepted();
    maker.refuted();
    maker.declined();
    maker.databases();
    let mut table = String::from("name\targuments\tstatus\tverdict\n");
    for Kept { name, arguments, said } in &maker.rows {
        let status = said.status.expect("a status");
        let arguments = arguments.join(" ");
        writeln!(table, "{name}\t{arguments}\t{status}\t{}", said.verdict).expect("text");
    }
    fs::write(root.join("VERDICTS.tsv"), table).expect("VERDICTS.tsv");
}

struct Maker<'a> {
    root: &'a Path,
    checker: &'a Path,
    rows: Vec<Kept>,
}

/// The arguments for a certificate with its database.
const BOTH: &str = "cert --db egdb";

impl Maker<'_> {
    /// Makes a folder, which `fill` fills, and records the checker's verdict for each of the
    /// arguments; it must begin with the words after them.
    fn add(&mut self, name: &str, wanted: &[(&str, &str)], fill: impl FnOnce(&Path)) {
        let folder = self.root.join(name);
        fs::create_dir(&folder).expect(name);
        fill(&folder);
        drop_leftovers(&folder.join("egdb"));
        for (arguments, words) in wanted {
            let arguments: Vec<&str> = arguments.split(' ').collect();
            let said = check_with(self.checker, &arguments, &folder).expect(name);
            assert!(said.verdict.starts_with(&format!("s {words} ")), "{name}: {said:?}");
            let arguments = arguments.into_iter().map(String::from).collect();
            self.rows.push(Kept { name: name.into(), arguments, said });
        }
    }

    /// Adds a certificate that `prove` makes with these options.
    fn prove(&mut self, name: &str, words: &str, options: &str) {
        self.add(name, &[(BOTH, words)], |folder| emit(folder, options));
    }

    /// Adds a certificate that is changed after `prove` has made it; its hashes are right.
    fn change(&mut self, name: &str, words: &str, options: &str, edit: impl FnOnce(&mut Draft)) {
        self.add(name, &[(BOTH, words)], |folder| {
            emit(folder, options);
            let mut draft = Draft::read(&folder.join("cert"));
            edit(&mut draft);
            draft.write(&folder.join("cert"));
        });
    }

    fn accepted(&mut self) {
        let draw = "VERIFIED DRAW 4x4";
        self.prove("draw-of-nodes", draw, "--game 4x4 --pieces 0 --leaf-nodes 1");
        self.prove("draw-of-leaves", draw, "--game 4x4 --pieces 0 --leaf-nodes 100000");
        let levels = [
            (BOTH, "VERIFIED DRAW 4x4"),
            ("cert --db egdb --level consistent", "VERIFIED DRAW 4x4"),
        ];
        self.add("draw-over-a-database", &levels, |folder| {
            emit(folder, "--game 4x4 --pieces 3 --leaf-nodes 3");
        });
        let levels = [
            (BOTH, "VERIFIED WHITE-WINS 6x4"),
            ("cert --db egdb --level consistent", "DECLINED level"),
        ];
        self.add("win-with-ranks", &levels, |folder| {
            emit(folder, "--game 6x4 --pieces 3 --leaf-nodes 40");
        });
        let win = "VERIFIED WHITE-WINS 6x4";
        self.prove("win-of-a-leaf", win, "--game 6x4 --pieces 0 --leaf-nodes 100000");
        let black = "--game 6x4 --fen W:W11,12:B1,2,3,4 --pieces 3 --leaf-nodes 5";
        self.prove("win-of-black", "VERIFIED BLACK-WINS 6x4", black);
        let larger = "--game 6x6 --fen B:W13,14,17:B1,2,5 --pieces 3 --leaf-nodes 2000";
        self.prove("win-of-6x6", "VERIFIED BLACK-WINS 6x6", larger);
        let long = "--game 8x8 --fen B:W29,30:BK4 --pieces 0 --leaf-nodes 50000";
        self.prove("win-by-a-long-line", "VERIFIED WHITE-WINS 8x8", long);
        let bound = "--game 4x4 --claim white-not-lost --pieces 2 --leaf-nodes 2";
        self.prove("bound", "VERIFIED WHITE-NOT-LOST 4x4", bound);
        self.prove("cover-of-sides", win, "--game 6x4 --pieces 4:2 --leaf-nodes 40");
        let clauses = "--game 4x4 --fen W:W3,K4,8:B1,K2,K5,6 --pieces 5,6:3 --leaf-nodes 3";
        self.prove("cover-of-two-clauses", "VERIFIED DRAW 4x4", clauses);
        self.add("part-of-a-cover", &[(BOTH, draw)], |folder| {
            build(folder, "--game 4x4 --pieces 4:2");
            emit(folder, "--game 4x4 --pieces 2 --leaf-nodes 2");
        });
        let options = "--game 4x4 --pieces 2 --leaf-nodes 2 --threshold 10 --increment 40";
        self.prove("draw-at-last-over-thresholds", draw, options);
        let small = "--game 4x4 --pieces 2 --leaf-nodes 3";
        self.change("draw-by-many-threads", draw, small, |draft| {
            for part in &mut draft.parts {
                let resources = Resources { threads: 64, workers: 1, seconds: 3600 };
                part.provenance.as_mut().expect("one").mode = Mode::FreeRunning(resources);
            }
        });
        self.change("conditional", "CONDITIONAL DRAW 4x4", small, |draft| {
            let nodes = draft.parts[0].nodes.iter_mut();
            let node = nodes.filter(|node| node.kind == kind::OR).last().expect("a node");
            (node.kind, node.data) = (kind::ASSUMED, (-250i32).cast_unsigned());
        });
    }

    fn refuted(&mut self) {
        let draw = "--game 4x4 --pieces 2 --leaf-nodes 3";
        let win = "--game 6x4 --pieces 2 --leaf-nodes 40";
        self.change("refuted-ranks-that-do-not-fall", "REFUTED rank", win, |draft| {
            draft.parts[0].nodes.iter_mut().for_each(|node| node.rank = 7);
        });
        self.change("refuted-draw-called-a-win", "REFUTED rank", draw, |draft| {
            draft.claim.value = certificate_spec::claim::Value::BlackWins;
            draft.parts.truncate(1);
            draft.parts[0].question = Question::BlackWins;
            (0..).zip(&mut draft.parts[0].nodes).for_each(|(rank, node)| node.rank = rank);
        });
        self.change("refuted-reply-missing", "REFUTED not-covered", draw, |draft| {
            let nodes = &mut draft.parts[1].nodes;
            let reply = nodes.iter().rposition(|node| node.kind == kind::OR).expect("a node");
            nodes.remove(reply);
        });
        self.change("refuted-leaf-of-too-many-positions", "REFUTED leaf-syntax", draw, |draft| {
            draft.parts[0].leaves[0].positions += 1;
        });
        self.change(
            "refuted-cover-beyond-the-database",
            "REFUTED database-manifest",
            draw,
            |draft| {
                // No node but the start's, so that no node is a position of the database.
                draft.claim.cover = Cover::up_to(3);
                draft
                    .parts
                    .iter_mut()
                    .for_each(|part| (part.nodes, part.leaves) = Default::default());
            },
        );
        self.add("refuted-padded-number", &[(BOTH, "REFUTED object-syntax")], |folder| {
            emit(folder, draw);
            let draft = Draft::read(&folder.join("cert"));
            let mut objects = draft.objects();
            let provenance = objects.iter_mut().rfind(|o| o.kind == Kind::Provenance).expect("one");
            provenance.bytes = pad(&provenance.bytes, provenance.bytes.len() - 1);
            write_objects(&folder.join("cert"), draft.claim.encode().as_bytes(), &objects);
        });
        self.add("refuted-cover-not-canonical", &[(BOTH, "REFUTED claim-syntax")], |folder| {
            emit(folder, draw);
            let path = folder.join("cert/CLAIM");
            let text = fs::read_to_string(&path).expect("CLAIM");
            fs::write(path, text.replace("\npieces 2\n", "\npieces 2:1\n")).expect("CLAIM");
        });
        self.add("refuted-value", &[(BOTH, "REFUTED slice-value")], |folder| {
            emit(folder, "--game 4x4 --pieces 3 --leaf-nodes 3");
            let slice = crate::corpus::slices::SLICE;
            let manifest = edit_slice(&folder.join("egdb/4x4"), slice, |bytes| {
                let index = index_with(bytes, Value::Draw, 0);
                edit_values(bytes, |table| table.set(index, Value::Win));
            });
            let mut draft = Draft::read(&folder.join("cert"));
            draft.claim.database = Some(manifest.root());
            draft.write(&folder.join("cert"));
        });
    }

    fn declined(&mut self) {
        let old = folder().join("declined-version-0");
        let levels = [(BOTH, "DECLINED version"), ("--db egdb --game 4x4", "DECLINED version")];
        self.add("declined-version-0", &levels, |folder| copy(&old, folder));
        let draw = "--game 4x4 --pieces 2 --leaf-nodes 3";
        self.add("declined-rules", &[(BOTH, "DECLINED rules")], |folder| {
            emit(folder, draw);
            let path = folder.join("cert/CLAIM");
            let text = fs::read_to_string(&path).expect("CLAIM");
            fs::write(path, text.replace("english-checkers-1", "russian-1")).expect("CLAIM");
        });
        self.add("declined-version-2", &[(BOTH, "DECLINED version")], |folder| {
            emit(folder, draw);
            let path = folder.join("cert/MANIFEST");
            let mut bytes = fs::read(&path).expect("MANIFEST");
            bytes[HEAD - 4] = 2;
            fs::write(path, bytes).expect("MANIFEST");
        });
    }

    fn databases(&mut self) {
        let (exact, consistent) =
            ("--db egdb --game 4x4", "--db egdb --game 4x4 --level consistent");
        let wanted = [
            (exact, "VERIFIED DATABASE 4x4 pieces=4"),
            (consistent, "CONSISTENT DATABASE 4x4 pieces=4"),
            ("--db egdb --game 4x4 --pieces 4:2", "VERIFIED DATABASE 4x4 pieces=4:2"),
            ("--db egdb --game 4x4 --pieces 5", "REFUTED database-manifest"),
        ];
        self.add("database", &wanted, |folder| build(folder, "--game 4x4 --pieces 4"));
        let wanted = [
            (exact, "VERIFIED DATABASE 4x4 pieces=5,6:3"),
            ("--db egdb --game 4x4 --pieces 5:3", "VERIFIED DATABASE 4x4 pieces=5:3"),
        ];
        let sides = |folder: &Path| build(folder, "--game 4x4 --pieces 5,6:3");
        self.add("database-of-two-clauses", &wanted, sides);
        let wanted =
            [(exact, "REFUTED slice-value"), (consistent, "CONSISTENT DATABASE 4x4 pieces=3")];
        self.add("database-consistent-and-wrong", &wanted, |folder| {
            build(folder, "--game 4x4 --pieces 3");
            let board = Board::new(4, 4).expect("a board");
            assert!(consistent::spoil(&folder.join("egdb/4x4"), &board) > 100);
        });
    }
}

fn emit(folder: &Path, options: &str) {
    let common = ["--emit", "cert", "--db", "egdb", "--quiet"];
    prove(&options.split(' ').chain(common).collect::<Vec<_>>(), folder);
}

fn build(folder: &Path, options: &str) {
    let command = ["db"].into_iter().chain(options.split(' ')).chain(["--quiet"]);
    prove(&command.collect::<Vec<_>>(), folder);
}

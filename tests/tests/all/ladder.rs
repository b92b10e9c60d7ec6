//! The certificates of whole games in `corpus/ladder`.
//!
//! The permanent corpus of format 1: every checker gives the verdicts that were given when it was
//! made.
//!
//! The format as a Python program, `certificate-spec/reference`, compared with the corpora and
//! `check`.

use draughtproof_egdb::numbers::size;
use std::sync::atomic::AtomicUsize;
use tests::corpus::{Case, build};
use tests::prelude::*;
use tests::v1::{self, folder, read};

const LADDER: &str = include_str!("../../../corpus/ladder/ladder.tsv");

/// A line of the table.
struct Rung {
    folder: &'static str,
    database: Vec<&'static str>,
    verdict: &'static str,
    bytes: u64,
}

fn ladder() -> Vec<Rung> {
    let rung = |line: &'static str| {
        let row: Vec<&str> = line.split('\t').collect();
        let [folder, database, _, verdict, bytes, _, _] = row[..] else { panic!("{row:?}") };
        let database = database.split(' ').skip(1).collect();
        Rung { folder, database, verdict, bytes: bytes.parse().unwrap() }
    };
    LADDER.lines().skip(1).map(rung).collect()
}

/// The rungs whose database takes minutes.
const LARGE: [&str; 3] = ["6x8", "7x7", "8x6"];

fn certificate(folder: &str) -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../corpus/ladder").join(folder);
    root.canonicalize().unwrap()
}

/// Runs `check` of a certificate in a directory. Returns what it prints, what it says on standard
/// error, and its status.
fn check(folder: &str, options: &[&str], here: &Path) -> (String, String, Option<i32>) {
    let certificate = certificate(folder);
    texts(run(&path("check"), &[&[certificate.to_str().unwrap()], options].concat(), here))
}

/// Follows what `check` says of a certificate without its database, as a reader of a clone does.
fn judge(rung: &Rung) {
    let here = &Scratch::empty();
    let (missing, _, status) = check(rung.folder, &[], here);
    assert_eq!(status, Some(4), "{missing}");
    assert!(missing.starts_with("s ERROR ") && missing.len() <= 600, "{missing}");
    let command = missing.trim_end().rsplit_once("; this makes it: prove ").unwrap().1;
    assert_eq!(command.split(' ').collect::<Vec<_>>(), rung.database);
    prove(&[&rung.database[..], &["--quiet"]].concat(), here);
    let (line, said, status) = check(rung.folder, &[], here);
    assert_eq!((line.trim_end(), status), (rung.verdict, Some(0)));
    let game = rung.verdict.split(' ').nth(3).unwrap();
    let sentence = said.lines().last().unwrap();
    assert!(sentence.starts_with(&format!("check: proved: {game} from its initial ")), "{said}");
    assert!(sentence.ends_with(". Nothing was left out."), "{said}");
    assert!(said.lines().all(|line| line.chars().count() <= 600), "{said}");
}

#[test]
fn the_ladder_up_to_6x6() {
    let small: Vec<Rung> =
        ladder().into_iter().filter(|rung| !LARGE.contains(&rung.folder)).collect();
    assert!(small.len() >= 7);
    small.iter().for_each(judge);
}

#[test]
fn the_table_names_all_certificates_with_their_sizes() {
    let folder = certificate(".");
    let entries = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path());
    let mut there: Vec<PathBuf> = entries.filter(|path| path.is_dir()).collect();
    let mut named: Vec<PathBuf> = ladder().iter().map(|rung| folder.join(rung.folder)).collect();
    there.sort();
    named.sort();
    assert_eq!(named, there);
    for rung in ladder() {
        let said = prove(&["report", certificate(rung.folder).to_str().unwrap(), "-q"], &folder);
        let (value, sizes) = said.split_once('\n').unwrap();
        let sizes = sizes.lines().next().unwrap();
        let words: Vec<&str> = rung.verdict.split(' ').collect();
        assert!(value.starts_with(&format!("{} {} from ", words[2], words[3])), "{value}");
        let root = words.iter().find_map(|word| word.strip_prefix("root=")).unwrap();
        assert!(sizes.ends_with(&format!(", {}, root={root}", size(rung.bytes))), "{sizes}");
    }
}

/// Git for Windows ends the lines of texts with a carriage return where it clones, unless the
/// repository forbids that. Hashed files and shell scripts do not work then.
#[test]
#[ignore = "needs git"]
fn a_clone_with_the_default_of_windows() {
    let here = Scratch::empty();
    let root = certificate("../..");
    fs::create_dir(here.join("here")).unwrap();
    for name in [".gitattributes", ".ci", "corpus", "prover/packaging", "tests/fuzz"] {
        copy(&root.join(name), &here.join("here").join(Path::new(name).file_name().unwrap()));
    }
    let git = |arguments: &[&str], convert: &str| {
        let convert = format!("core.autocrlf={convert}");
        let name = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false"];
        let mut git = Command::new("git");
        git.args(name).args(["-c", &convert]).args(arguments).current_dir(&*here);
        assert!(git.status().unwrap().success(), "{arguments:?}");
    };
    git(&["init", "--quiet", "here"], "false");
    git(&["-C", "here", "add", "--all", "--force"], "false");
    git(&["-C", "here", "commit", "--quiet", "--message", "all"], "false");
    git(&["clone", "--quiet", "here", "there"], "true");
    let [ours, theirs] = ["here", "there"].map(|folder| {
        let mut files = read_all(&here.join(folder));
        files.retain(|path, _| !path.starts_with(".git/"));
        files
    });
    assert!(ours.keys().any(|path| path.ends_with("corpus/ladder/6x6/CLAIM")));
    assert!(ours.keys().eq(theirs.keys()));
    ours.iter().for_each(|(path, bytes)| assert!(theirs[path] == *bytes, "{path} in the clone"));
    let script = "cat there/packaging/slurm/*.sh | bash -n && bash -n there/.ci/run";
    assert!(run(Path::new("sh"), &["-c", script], &here).status.success());
    prove(&["db", "--pieces", "6", "--quiet"], &here);
    let output = run(&path("check"), &["there/corpus/ladder/6x6", "--quiet"], &here);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert!(output.stdout.starts_with(b"s VERIFIED DRAW 6x6 "));
}

#[test]
#[ignore = "takes minutes: builds the databases of 6x8, 7x7 and 8x6 with six pieces"]
fn the_ladder_from_6x8_to_8x6() {
    let large: Vec<Rung> =
        ladder().into_iter().filter(|rung| LARGE.contains(&rung.folder)).collect();
    assert_eq!(large.len(), LARGE.len());
    large.iter().for_each(judge);
}

fn says_what_was_said(checker: &Path) {
    let wrong = v1::judge(&read(&folder()), &folder(), checker);
    assert!(wrong.is_empty(), "{}: {}", checker.display(), wrong.join("\n"));
}

#[test]
fn the_checker_repeats_its_verdicts() {
    says_what_was_said(&path("check"));
}

#[test]
#[ignore = "needs python3"]
fn the_reference_repeats_its_verdicts() {
    let reference = "../certificate-spec/reference/check.py";
    says_what_was_said(&Path::new(env!("CARGO_MANIFEST_DIR")).join(reference));
}

#[test]
fn kept_files_stay() {
    let kept = read(&folder());
    let is_folder = |entry: &fs::DirEntry| entry.file_type().unwrap().is_dir();
    let folders: BTreeSet<String> = fs::read_dir(folder())
        .unwrap()
        .map(|entry| entry.unwrap())
        .filter(is_folder)
        .map(|entry| entry.file_name().into_string().unwrap())
        .collect();
    let names: BTreeSet<String> = kept.iter().map(|kept| kept.name.clone()).collect();
    assert_eq!(names, folders);
    assert!(folders.len() >= 25, "{}", folders.len());
    for status in [0, 1, 2, 3, 5] {
        let with = kept.iter().filter(|kept| kept.said.status == Some(status)).count();
        assert!(with > 0, "none with status {status}");
    }
    let bytes: usize = read_all(&folder()).values().map(Vec::len).sum();
    assert!(bytes < 500_000, "{bytes}");
}

/// Python takes a quarter of a minute for the values of this board's database, which eight cases
/// need.
const SLOW_GAME: &str = "6x6";
/// Of the cases in which it comes to values these suffice: one that is right and one that is not.
const KEPT: [&str; 2] = ["accept-units", "unit-1-win-called-a-loss"];

fn takes_long(case: &Case) -> bool {
    let words = &case.expected.words;
    let values = words.starts_with("VERIFIED") || words.starts_with("REFUTED slice-value");
    values && case.arguments.iter().any(|a| a == SLOW_GAME) && !KEPT.contains(&&*case.name)
}

#[test]
#[ignore = "needs python3"]
fn the_reference_agrees() {
    let python = Command::new("python3").arg("--version").output();
    assert!(python.is_ok_and(|output| output.status.success()), "python3 is needed here");
    let reference = Path::new(env!("CARGO_MANIFEST_DIR"));
    let reference = reference.join("../certificate-spec/reference/check.py");

    let root = tempfile::tempdir().unwrap();
    let (left_out, cases): (Vec<_>, Vec<_>) = build(root.path()).into_iter().partition(takes_long);
    let names: Vec<_> = left_out.iter().map(|case| &*case.name).collect();
    println!("{} cases; {} left out: {}", cases.len(), names.len(), names.join(", "));
    assert!(cases.len() > 250 && names.len() <= 6, "{names:?} left out of {}", cases.len());

    let compare = |case: &Case| {
        let result = case.judge(&reference).and_then(|theirs| {
            // All counts and offsets are compared, also those that the corpora do not require.
            let Some(ours) = case.in_process(&[]).map(|check| check()) else { return Ok(()) };
            let same = ours.normative() == theirs.normative();
            if same { Ok(()) } else { Err(format!("{ours:?} and {theirs:?}")) }
        });
        result.err().map(|e| format!("{}: {e}", case.name))
    };
    // Nearly all of the time is Python's, which uses one core.
    let next = AtomicUsize::new(0);
    let work = || {
        let cases = std::iter::from_fn(|| cases.get(next.fetch_add(1, Relaxed)));
        cases.filter_map(compare).collect::<Vec<_>>()
    };
    let wrong = thread::scope(|scope| {
        let workers = [(); 2].map(|()| scope.spawn(work));
        workers.map(|worker| worker.join().expect("no panic")).concat()
    });
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), cases.len(), wrong.join("\n"));
}

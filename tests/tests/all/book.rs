//! `prove book`, and an engine that plays from the book.

use tests::prelude::*;

const BOOK: [&str; 8] = ["book", "--game", "6x6", "--out", "book.tsv", "--nodes", "2000", "-q"];

fn extend(here: &Path, positions: &str, more: &[&str]) -> String {
    let options = [&BOOK, &["--threads", "1", "--positions", positions][..], more].concat();
    prove(&options, here);
    fs::read_to_string(here.join("book.tsv")).unwrap()
}

/// The FENs of a book, each once.
fn fens(book: &str) -> BTreeSet<&str> {
    book.lines().skip(2).map(|line| line.split('\t').next().unwrap()).collect()
}

#[test]
fn a_book_grows_and_is_gone_on_with() {
    let here = &Scratch::empty();
    let small = extend(here, "6", &[]);
    let large = extend(here, "12", &[]);
    assert_eq!((fens(&small).len(), fens(&large).len()), (6, 12));
    assert!(fens(&small).is_subset(&fens(&large)), "{large}");
    assert_eq!(extend(here, "12", &[]), large);
    let game: Game = "6x6".parse().unwrap();
    for fen in fens(&large) {
        let position = game.board.read_fen(fen).unwrap();
        let marked = |mark: &str| {
            large
                .lines()
                .filter(|l| l.starts_with(&format!("{fen}\t")) && l.ends_with(mark))
                .count()
        };
        assert_eq!(marked(""), game.board.moves(&position).len());
        assert!(marked("\tbest") >= 1, "{large}");
    }
    // The opening of a file is a root, too.
    fs::write(here.join("openings"), "# none\nname\tmoves\nfirst\t4-7 15-12\n").unwrap();
    let opening = game.board.read_line(&game.start(), "4-7 15-12").unwrap()[1];
    let fen = game.board.write_fen(&opening);
    fs::remove_file(here.join("book.tsv")).unwrap();
    let rooted = extend(here, "2", &["--openings", "openings"]);
    assert!(fens(&rooted).contains(fen.as_str()), "{rooted}");
}

#[test]
fn an_engine_plays_by_the_book() {
    let here = &Scratch::empty();
    let book = extend(here, "1", &[]);
    let arguments = ["engine", "--game", "6x6", "--book", "book.tsv", "--hash", "1MiB"];
    let mut engine = start("prove", &arguments, here);
    // The engine would end at the end of its input before it answers.
    let mut input = engine.stdin.take().unwrap();
    input.write_all(b"pos\ngo think\n").unwrap();
    let mut lines = BufReader::new(engine.stdout.take().unwrap()).lines().map(Result::unwrap);
    let (info, done) = (lines.next().unwrap(), lines.next().unwrap());
    drop(input);
    assert_eq!(engine.wait().unwrap().code(), Some(0));
    // The book move needs no search.
    assert!(info.starts_with("info depth=") && !info.contains("nodes="), "{info}");
    let name = done.strip_prefix("done move=").unwrap();
    let line = book.lines().find(|line| line.split('\t').nth(1) == Some(name)).unwrap();
    assert!(!line.ends_with("\trefuted"), "{line}");
}

#[test]
fn an_interrupted_book_is_kept() {
    let here = &Scratch::empty();
    let mut prove = Command::new(path("prove"));
    prove.args(BOOK).args(["--positions", "1000000"]).current_dir(here);
    let mut child = prove.spawn().unwrap();
    // The program may take a while before it handles the signal.
    thread::sleep(Duration::from_secs(2));
    signal(&child, Signal::INT);
    assert_eq!(child.wait().unwrap().code(), Some(0));
    let book = fs::read_to_string(here.join("book.tsv")).unwrap();
    assert!(book.starts_with("# book of 6x6\nfen\tmove\tscore\tdepth\tvalue\tmark\n"), "{book}");
}

#[test]
fn what_is_no_book() {
    let here = &Scratch::empty();
    fs::write(here.join("book.tsv"), "# book of 8x8\n").unwrap();
    fails(here, &BOOK, 2, &["book.tsv, line 1: expected # book of 6x6, found"]);
    // An endless file is not read.
    let output = run(&path("prove"), &["book", "--out", "/dev/zero"], here);
    assert_eq!(output.status.code(), Some(3));
    assert!(String::from_utf8_lossy(&output.stderr).contains("expected a file of at most"));
    fs::write(here.join("openings"), "name\nfirst\n").unwrap();
    fs::remove_file(here.join("book.tsv")).unwrap();
    let options = [&BOOK[..], &["--openings", "openings"]].concat();
    let output = run(&path("prove"), &options, here);
    assert_eq!(output.status.code(), Some(2));
    assert!(!here.join("book.tsv").exists());
}

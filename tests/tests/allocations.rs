//! The corpora once more, in this process and with an allocator that counts: what is wrong costs no more memory
//! than what is right. (`checker/tests/allocations.rs` has cases that are made to cost much.)

#[path = "../../fuzz/src/counting.rs"]
mod counting;

use std::path::PathBuf;

use checker::{Game, Level, Options, check_certificate, check_database};
use clap::Parser;
use tests::corpus::{Case, build};

#[global_allocator]
static ALLOCATOR: counting::Counting = counting::Counting;

/// Those of `check` that a case may have.
#[derive(Parser)]
#[command(no_binary_name = true)]
struct Arguments {
    certificate: Option<PathBuf>,
    #[arg(long)]
    game: Option<String>,
    #[arg(long)]
    pieces: Option<u8>,
    #[arg(long, default_value = "egdb")]
    db: PathBuf,
    #[arg(long, value_enum, default_value = "exact")]
    level: Level,
    #[arg(long)]
    quiet: bool,
}

/// The exit status of a case, and the most bytes that its check had in use.
fn check(case: &Case) -> (i32, usize) {
    let Arguments { certificate, game, pieces, db, level, .. } =
        Arguments::parse_from(&case.arguments);
    let db = case.directory.join(&db);
    let options = Options { level, threads: Some(1), ..Options::new(db) };
    let game = game.map(|game| Game::parse(&game).expect("a game"));
    let (verdict, most) = counting::peak(|| match (&certificate, game) {
        (Some(certificate), _) => check_certificate(&case.directory.join(certificate), &options),
        (None, Some(game)) => check_database(game.board(), pieces, &options),
        (None, None) => panic!("{}: nothing to check", case.name),
    });
    (verdict.status().into(), most)
}

#[test]
fn no_case_of_the_corpora_costs_more_than_a_right_one() {
    let root = tempfile::tempdir().unwrap();
    let cases = build(root.path());
    let (mut right, mut wrong) = ((0, ""), (0, ""));
    for case in &cases {
        let (status, most) = check(case);
        assert_eq!(status, case.expected.status(), "{}", case.name);
        let greatest = if status == 0 { &mut right } else { &mut wrong };
        *greatest = (most, &*case.name).max(*greatest);
    }
    assert!(wrong.0 <= right.0 && right.0 < 4 << 20, "wrong: {wrong:?}, right: {right:?}");
}

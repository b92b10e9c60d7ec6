//! The corpora once more, in this process and with an allocator that counts: a wrong file costs
//! hardly more memory than a right one, though files are read once more to find the error that
//! comes first. (`checker/tests/allocations.rs` has the inputs that are made to cost much.)

#[path = "../fuzz/src/counting.rs"]
mod counting;

use std::path::PathBuf;

use certificate_spec::cover::Cover;
use checker_core::{Game, Level, Options, check, check_database};
use clap::Parser;
use tests::corpus::{Case, build};

#[global_allocator]
static ALLOCATOR: counting::Counting = counting::Counting;

/// The options of `check` that a case may have.
#[derive(Parser)]
#[command(no_binary_name = true)]
struct Arguments {
    certificate: Option<PathBuf>,
    #[arg(long)]
    game: Option<String>,
    #[arg(long)]
    pieces: Option<Cover>,
    #[arg(long, default_value = "egdb")]
    db: PathBuf,
    #[arg(long, default_value = "exact", value_parser = level)]
    level: Level,
    #[arg(long)]
    quiet: bool,
}

fn level(text: &str) -> Result<Level, String> {
    let levels = [Level::Exact, Level::Consistent];
    levels.into_iter().find(|level| level.word() == text).ok_or_else(|| "no level".into())
}

/// The exit status of a case, and the most bytes that its check had in use; `None` if the error is
/// in the command line.
fn check_case(case: &Case) -> Option<(i32, usize)> {
    let Arguments { certificate, game, pieces, db, level, .. } =
        Arguments::try_parse_from(&case.arguments).ok()?;
    let db = case.directory.join(&db);
    let options = Options { level, threads: Some(1), ..Options::new(db) };
    let game = game.and_then(|game| Game::parse(&game));
    let (verdict, most) = counting::peak(|| match (&certificate, game) {
        (Some(certificate), _) => Some(check(&case.directory.join(certificate), &options)),
        (None, Some(game)) => Some(check_database(game.board(), pieces.as_ref(), &options)),
        (None, None) => None,
    });
    Some((verdict?.status().into(), most))
}

#[test]
fn no_case_of_the_corpora_costs_much_more_than_a_right_one() {
    let root = tempfile::tempdir().unwrap();
    let cases = build(root.path());
    let (mut right, mut wrong) = ((0, ""), (0, ""));
    let mut seen = 0;
    for case in &cases {
        let Some((status, most)) = check_case(case) else { continue };
        seen += 1;
        assert_eq!(status, case.expected.status(), "{}", case.name);
        let greatest = if status == 0 { &mut right } else { &mut wrong };
        *greatest = (most, &*case.name).max(*greatest);
    }
    assert!(seen > 200, "{seen} of {}", cases.len());
    assert!(
        wrong.0 <= right.0 + right.0 / 10 && right.0 < 4 << 20,
        "wrong: {wrong:?}, right: {right:?}"
    );
}

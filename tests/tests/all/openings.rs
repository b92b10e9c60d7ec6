//! Starts given by moves, or by an opening of the 2007 solution.

use tests::prelude::*;

const OPENINGS: &str = include_str!("../../../corpus/openings.tsv");
const CERTIFIED: &str = include_str!("../../../corpus/openings/certified.tsv");
const LITERATURE: &str = include_str!("../../../corpus/literature.tsv");

#[test]
fn the_table_is_that_of_2007() {
    let game: Game = "8x8".parse().unwrap();
    let mut totals = [0u64; 4];
    let (mut replies, mut numbers) = (Vec::new(), Vec::new());
    for row in rows(OPENINGS) {
        let line = game.board.read_line(&game.start(), row[1]).expect(row[1]);
        assert_eq!(line.len(), 3, "{}", row[1]);
        assert!(["draw", "<=draw", "loss"].contains(&row[2]), "{}", row[2]);
        numbers.push(row[0].to_string());
        replies.push((line[0], line[1]));
        let figures: Vec<u64> = row[3..].iter().map(|n| n.parse().unwrap()).collect();
        totals[0] += figures[0];
        totals[1] = totals[1].max(figures[1]);
        totals[2] += figures[2];
        totals[3] = totals[3].max(figures[3]);
    }
    assert_eq!(numbers, (1..=19).map(|n: u32| n.to_string()).collect::<Vec<_>>());
    // The published totals are not the sums of the columns (corpus/README.md).
    assert_eq!(totals, [14_514_560, 154, 4_616_668, 94]);
    // All seven first moves; the first of them, 9-13, has all replies.
    let mut first: Vec<_> = replies.iter().map(|(first, _)| *first).collect();
    first.dedup();
    assert_eq!(first.len(), game.board.moves(&game.start()).len());
    replies.dedup();
    assert_eq!(replies.len(), game.board.moves(&first[0]).len() + 6);
}

#[test]
fn published_values_of_openings() {
    let game: Game = "8x8".parse().unwrap();
    let start = game.start();
    let published = rows(LITERATURE).map(|row| {
        let line = game.board.read_line(&start, row[0]).expect(row[0]);
        assert!(line.len() == 3 && row.len() == 5 && !row[4].is_empty(), "{row:?}");
        (line[2], row[1], row[2], row[3])
    });
    let (of_2007, ballots): (Vec<_>, Vec<_>) = published.partition(|row| row.2 == "-");
    // The published values of 2007 are those of the table of openings, which says what is proved
    // for Black.
    let proved = rows(OPENINGS).map(|row| {
        let line = game.board.read_line(&start, row[1]).unwrap();
        let value = match row[2] {
            "<=draw" => "white-not-lost",
            "loss" => "white-wins",
            other => other,
        };
        (line[2], value, format!("opening {}", row[0]))
    });
    let found: Vec<_> = of_2007.iter().map(|row| (row.0, row.1, row.3.to_string())).collect();
    assert_eq!(found, proved.collect::<Vec<_>>());

    assert_eq!(ballots.len(), 174);
    for (class, value, count) in
        [("normal", "draw", 144), ("new", "draw", 12), ("losing", "not-draw", 18)]
    {
        let rows = ballots.iter().filter(|row| row.2 == class);
        assert_eq!(rows.inspect(|row| assert_eq!(row.1, value)).count(), count, "{class}");
    }
    let mut positions: Vec<_> = ballots.iter().map(|row| row.0).collect();
    positions.sort_unstable();
    positions.dedup();
    assert_eq!(positions.len(), 174, "no ballot is a transposition of another");
}

const FEN_OF_9: &str = "W:W21,22,24,25,26,27,28,29,30,31,32:B1,2,3,4,5,6,7,8,9,11,12,23";

#[test]
fn openings_and_moves_name_positions() {
    let perft = |options: &[&str]| {
        let own = ["perft", "--depth", "1", "--game", "8x8"];
        prove(&[&own, options].concat(), Path::new("."))
    };
    let want = perft(&["--fen", FEN_OF_9]);
    let before = "B:W18,21,22,24,25,26,27,28,29,30,31,32:B1,2,3,4,5,6,7,8,9,11,12,14";
    for options in [
        &["--opening", "9"][..],
        &["--moves", "10-14 23-18 14x23"],
        // Moves begin at the start, however the start is given.
        &["--fen", "start", "--moves", "10-14 23-18 14x23"],
        &["--fen", before, "--moves", "14x23"],
    ] {
        assert_eq!(perft(options), want, "{options:?}");
    }
    assert_eq!(perft(&["--moves", ""]), perft(&[]));
}

#[test]
fn commands_take_openings_and_moves() {
    let here = tempfile::tempdir().unwrap();
    let analysed = |start: &[&str]| {
        let options = ["analyse", "--game", "8x8", "--depth", "1", "--format", "json", "-q"];
        let said = prove(&[&options, start].concat(), here.path());
        let last: serde_json::Value = serde_json::from_str(said.lines().last().unwrap()).unwrap();
        last["fen"].as_str().unwrap().to_owned()
    };
    assert_eq!(analysed(&["--opening", "9"]), FEN_OF_9);
    assert_eq!(analysed(&["--fen", "start", "--moves", "10-14 23-18 14x23"]), FEN_OF_9);
    assert_eq!(analysed(&["start"]), analysed(&[]));
    let options = "solve --game 8x8 --pieces 0 --nodes 10 --opening 9 -q";
    let solved = prove(&options.split(' ').collect::<Vec<_>>(), here.path());
    assert!(solved.starts_with(&format!("{FEN_OF_9}\tunknown\t")), "{solved}");
    let moves = ["--moves", "1-3 8-6", "--claim", "white-not-lost"];
    prove(&[&["--game", "4x4", "--emit", "c", "-q"], &moves[..]].concat(), here.path());
    assert!(here.path().join("c/MANIFEST").exists());
}

#[test]
fn bad_openings_and_moves_are_refused() {
    for (options, what) in [
        (
            &["perft", "--depth", "1", "--game", "6x6", "--opening", "3"][..],
            "--opening: expected a game of 8x8, found 6x6",
        ),
        (
            &["perft", "--depth", "1", "--game", "8x8", "--opening", "20"],
            "--opening: expected 1 to 19, found 20",
        ),
        (
            &["perft", "--depth", "1", "--game", "6x6", "--moves", "4-7 1-2"],
            "move \"1-2\" in W:W13,14,15,16,17,18:B1,2,3,5,6,7: expected a legal move; legal moves: ",
        ),
        (
            &["perft", "--depth", "1", "--opening", "7", "--fen", "B:W18:B1"],
            "the argument '--opening <N>' cannot be used with '--fen <FEN>'",
        ),
        (&["solve", "--moves", "4-7", "start"], "the argument '[FEN]...' cannot be used with"),
    ] {
        fails(Path::new("."), options, 2, &[what]);
    }
}

/// The rows of the table of certified positions without its head: folder, opening, moves, verdict.
fn certified() -> Vec<Vec<&'static str>> {
    CERTIFIED.lines().skip(1).map(|line| line.split('\t').collect()).collect()
}

fn certificate(folder: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../corpus/openings").join(folder)
}

#[test]
fn certificates_are_of_openings() {
    let game: Game = "8x8".parse().unwrap();
    assert!(!certified().is_empty());
    for row in certified() {
        let opening = rows(OPENINGS).find(|opening| opening[0] == row[1]).expect(row[1]);
        let line = format!("{} {}", opening[1], row[2]);
        let line = game.board.read_line(&game.start(), &line).expect(&line);
        let fen = game.board.write_fen(line.last().unwrap());
        let verdict = row[3];
        assert!(verdict.contains(&format!(" start={fen} ")), "{fen}: {verdict}");
        let said = prove(&["report", certificate(row[0]).to_str().unwrap(), "-q"], Path::new("."));
        let (first, rest) = said.split_once('\n').unwrap();
        assert_eq!(first, format!("WHITE-NOT-LOST 8x8 from {fen}"));
        let root = rest.lines().next().unwrap().rsplit_once("root=").unwrap().1;
        assert!(verdict.contains(&format!(" root={root} ")), "{root}: {verdict}");
    }
}

/// Judges the certificates over the database of this cover. Returns how many there are.
fn judge_certified(cover: &str, database: &str) -> usize {
    let cover = format!(" pieces={cover} ");
    let rows: Vec<_> = certified().into_iter().filter(|row| row[3].contains(&cover)).collect();
    for row in &rows {
        let certificate = certificate(row[0]);
        let options = [certificate.to_str().unwrap(), "--db", database, "--quiet"];
        let output = run(&path("check"), &options, Path::new("."));
        assert_eq!(String::from_utf8_lossy(&output.stdout).trim_end(), row[3]);
        assert!(output.status.success());
    }
    rows.len()
}

/// Certificates over seven pieces take a database of 374 MB and half an hour each, those over
/// `7,8:4` one of 4.5 GB and an hour or two: they are judged only where `EGDB7` or `EGDB8`
/// names one.
#[test]
#[ignore = "needs the database of 8x8 with six pieces, in the directory that EGDB names"]
fn certified_openings() {
    let database = std::env::var("EGDB").expect("EGDB names the directory of the databases");
    assert!(judge_certified("6", &database) >= 2);
    if let Ok(database) = std::env::var("EGDB7") {
        assert!(judge_certified("7", &database) >= 1);
    }
    if let Ok(database) = std::env::var("EGDB8") {
        assert!(judge_certified("7,8:4", &database) >= 1);
    }
}

//! Games in PDN: what real files have, and what is wrong with them.

use draughtproof_game::{Game, PdnError, Side};

fn game(name: &str) -> Game {
    name.parse().unwrap()
}

fn fails(text: &str) -> PdnError {
    game("8x8").read_pdn("games.pdn", text.as_bytes()).unwrap_err()
}

#[test]
fn all_that_a_file_may_have() {
    let text = "% exported by hand\n\
        [Event \"The \"Open\" 5th\"]\n[GameType \"21,B,8,8\"]\n[Result \"1-0\"]\n\
        1. 11-15 {a comment (with [brackets] and\n two lines)} 23-19 2. 8-11! 22x17?! $7\n\
        (2... 22-18 {not ) here} (2... 25-22) 3. 15x22 ; nor ) here\n 25x18) 3. 11x16 (!) 24-20\n\
        4. 16-23 27x11 1-0\n\n\
        [SetUp \"1\"] [FEN \"B:W 14,15,22,23 : B K10.\"]\n 10x10 0-1\n\
        11-15 *\n\
        [Event \"not finished\"] 1.9-13\n\
        [Event \"no moves\"]\n";
    let games = game("8x8").read_pdn("games.pdn", text.as_bytes());
    let games = games.unwrap();
    let lengths: Vec<_> = games.iter().map(|g| g.positions.len()).collect();
    assert_eq!(lengths, [8, 1, 1, 1, 0]);
    let results: Vec<_> = games.iter().map(|g| g.result.as_deref()).collect();
    assert_eq!(results, [Some("1-0"), Some("0-1"), Some("*"), None, None]);
    let lines: Vec<_> = games.iter().map(|g| g.line).collect();
    assert_eq!(lines, [2, 11, 13, 14, 15]);
    assert_eq!(games[0].tag("event"), Some("The \"Open\" 5th"));
    assert_eq!(games[0].tags.len(), 3);
    let board = game("8x8").board;
    assert_eq!(board.write_fen(&games[1].start), "B:W14,15,22,23:BK10");
    assert_eq!(board.write_fen(&games[1].positions[0]), "W:W:BK10");
    assert_eq!(
        board.write_fen(games[0].positions.last().unwrap()),
        "B:W11,17,20,21,25,26,28,29,30,31,32:B1,2,3,4,5,6,7,9,10,12"
    );
}

#[test]
fn other_encodings_and_line_ends_and_boards() {
    let games =
        game("8x8").read_pdn("x", b"\xef\xbb\xbf[White \"M\xfcller\"]\r\n1. 09-13 22-17\r\n");
    assert_eq!(games.unwrap()[0].positions.len(), 2);
    let games = game("6x6").read_pdn("x", b"1. 4-7 13-11 1/2-1/2").unwrap();
    assert_eq!(games[0].positions.len(), 2);
    assert_eq!(games[0].result.as_deref(), Some("1/2-1/2"));
    assert_eq!(game("8x8").read_pdn("x", b" \n ; nothing"), Ok(vec![]));
    // A set-up that says it is none.
    let games = game("8x8").read_pdn("x", b"[FEN \"B:W32:B1\"][SetUp \"0\"] 11-15");
    assert_eq!(games.unwrap()[0].start, game("8x8").start());
}

#[test]
fn errors_say_where() {
    for (text, line, column, what) in [
        ("\n 1. 11-15 11-16", 2, 11, "move \"11-16\" in W:W21,"),
        ("1. 11-15 {no end", 1, 10, "expected } after this comment, found the end of the file"),
        ("1. 11-15\n (no {)} end", 2, 2, "expected ) after this variation"),
        ("[Event]", 1, 7, "expected the value of the tag in double quotes, found ']'"),
        ("[\"x\"]", 1, 2, "expected the name of a tag, found '\"'"),
        ("[Event \"x\n\"]", 1, 10, "expected \"] at the end of the tag, found '\\n'"),
        ("[Event \"x\"", 1, 11, "expected \"] at the end of the tag, found the end of the file"),
        ("[GameType \"20\"]", 1, 12, "expected GameType 21 (English draughts), found \"20\""),
        ("[FEN \"B:W33:B1\"]", 1, 7, "expected a square from 1 to 32, found 33"),
        ("1. 11-15 Drawn", 1, 10, "expected a move, a result or a tag, found 'D'"),
        ("1. 11-15 23-19 )", 1, 16, "expected a move, a result or a tag, found ')'"),
    ] {
        let error = fails(text);
        assert_eq!((error.line, error.column), (line, column), "{text:?}: {error}");
        assert!(error.what.contains(what), "{text:?}: {error}");
        assert!(error.to_string().starts_with(&format!("games.pdn, line {line}, column ")));
    }
}

#[test]
fn nothing_crashes() {
    let whole = "[FEN \"B:W14:BK10\"] 1. 10x17 {x} (1. y) $3 *";
    for from in 0..whole.len() {
        for to in from..=whole.len() {
            let _ = game("8x8").read_pdn("x", &whole.as_bytes()[from..to]);
        }
    }
}

#[test]
fn what_is_written_is_read_back() {
    let checkers = game("8x8");
    let board = &checkers.board;
    let first = "11-15 23-19 8-11 22-17 11-16 24-20 16x23 27x11 7x16 20x11 3-7 28-24 7x16 24-20 \
        16-19 25-22 4-8 17-14 10x17 21x14 9x25";
    let later = board.read_fen("W:W14,22,K30:B10,15,K25").unwrap();
    for (start, moves, result) in
        [(checkers.start(), first, "*"), (later, "14x7 25x18", "1/2-1/2"), (later, "", "0-1")]
    {
        let positions = board.read_line(&start, moves).unwrap();
        let text = checkers.write_pdn(&start, &positions, result).unwrap();
        assert!(text.lines().all(|line| line.len() <= 80), "{text}");
        assert!(
            start.turn == Side::Black || moves.is_empty() || text.contains("\n1... 14x7 2. 25x18 ")
        );
        let read = checkers.read_pdn("written.pdn", text.as_bytes()).unwrap();
        assert_eq!(read.len(), 1, "{text}");
        assert_eq!((read[0].start, &read[0].positions), (start, &positions), "{text}");
        assert_eq!(read[0].result.as_deref(), Some(result));
        assert_eq!(read[0].tag("GameType"), Some("21"));
    }
    let other = board.read_fen("B:W32:B1").unwrap();
    assert!(checkers.write_pdn(&checkers.start(), &[other], "*").is_err());
}

//! Games in PDN: variants that occur in real files, and faults.

use draughtproof_game::{Game, MOST_BYTES, PdnError, PdnGame, RemarkKind, Strictness, move_number};

fn game(name: &str) -> Game {
    name.parse().unwrap()
}

/// Reads games of 8x8.
fn read(text: impl AsRef<[u8]>) -> Vec<PdnGame> {
    game("8x8").read_pdn("games.pdn", text.as_ref(), Strictness::Lenient)
}

/// The fault of the only game in a text.
fn fails(text: &str) -> PdnError {
    let games = read(text);
    assert_eq!(games.len(), 1, "{text:?}: {games:?}");
    games[0].fault.clone().unwrap_or_else(|| panic!("{text:?} is accepted"))
}

/// The only game of a text, which must have no fault.
fn reads(text: impl AsRef<[u8]>) -> PdnGame {
    let mut games = read(&text);
    assert_eq!(games.len(), 1, "{games:?}");
    assert_eq!(games[0].fault, None, "{}", String::from_utf8_lossy(text.as_ref()));
    games.remove(0)
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
    let games = read(text);
    assert!(games.iter().all(|g| g.fault.is_none()), "{games:?}");
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
    let text = b"\xef\xbb\xbf[White \"M\xfcller\"]\r\n[Black \"\xc3\xa9\"]\r\n1. 09-13 22-17\r\n*";
    let game_1 = reads(text);
    assert_eq!(game_1.positions.len(), 2);
    assert_eq!((game_1.tag("White"), game_1.tag("Black")), (Some("Müller"), Some("é")));
    let games = game("6x6").read_pdn("x", b"1. 4-7 13-11 1/2-1/2", Strictness::Strict);
    assert_eq!(games[0].fault, None);
    assert_eq!(games[0].positions.len(), 2);
    assert_eq!(games[0].result.as_deref(), Some("1/2-1/2"));
    assert_eq!(read(b" \n ; nothing"), []);
    // A tag SetUp with 0 cancels the tag FEN.
    assert_eq!(reads("[FEN \"B:W32:B1\"][SetUp \"0\"] 11-15").start, game("8x8").start());
}

/// A text in UTF-16 with a byte order mark; `bytes` makes the bytes of a unit.
fn utf16(text: &str, bytes: fn(u16) -> [u8; 2]) -> Vec<u8> {
    let units = std::iter::once(0xfeff).chain(text.encode_utf16());
    units.flat_map(bytes).collect()
}

#[test]
fn utf_16_and_windows_1252_are_read() {
    let text = "[Event \"Ж–“x” 😀\"]\r\n[Result \"1-0\"]\r\n\
        1. 11-15 {é€😀} 23–19 1-0\r\n[Event \"b\"] 9-14 9-14";
    for bytes in [u16::to_le_bytes, u16::to_be_bytes] {
        let games = read(utf16(text, bytes));
        assert_eq!(games.iter().map(|game| game.positions.len()).collect::<Vec<_>>(), [2, 1]);
        assert_eq!((games[0].fault.clone(), games[0].tag("Event")), (None, Some("Ж–“x” 😀")));
        assert_eq!(games[0].remarks[0].what, RemarkKind::Comment("é€😀".into()));
        let fault = games[1].fault.as_ref().unwrap();
        assert_eq!((fault.line, fault.column), (4, 18), "{fault}");
        // Half a character at the end, and of each half of a pair.
        for cut in 3..60 {
            let whole = utf16(text, bytes);
            read(&whole[..cut]);
            read([&whole[..20], &whole[cut..]].concat());
        }
        let strict = game("8x8").read_pdn("x", &utf16("1. 11-15 *", bytes), Strictness::Strict);
        let said = strict[0].fault.as_ref().unwrap().to_string();
        assert_eq!(said, "x, line 1, column 1: expected text in UTF-8, found UTF-16");
    }
    let text = b"[Event \"\x93Ren\xe9\x94 \x96 \x80\"] 1. 11\x9615 {it\x92s} 23-19 {fin\x85} *";
    let read = reads(text);
    assert_eq!((read.positions.len(), read.tag("Event")), (2, Some("“René” – €")));
    let comments = ["it’s", "fin…"].map(|text| RemarkKind::Comment(text.into()));
    assert_eq!(read.remarks.into_iter().map(|remark| remark.what).collect::<Vec<_>>(), comments);
    // The text behind a fault is kept in the same encoding.
    let games = self::read(b"1. 11-15 1-32 {\x96} *");
    assert_eq!(games[0].unread.as_ref().unwrap().text, "1-32 {–} *");
}

#[test]
fn a_tag_may_end_in_a_backslash() {
    for (line, values) in [
        (r#"[Event "C:\games\"]"#, &[r"C:\games\"][..]),
        (r#"[Event "C:\"] [Site "x"]"#, &[r"C:\", "x"]),
        (r#"[Event "a\\\" ]  "#, &[r"a\\"]),
        (r#"[Event "\"] 1. 9-13"#, &[r"\"]),
    ] {
        let text = format!("{line}\n1. 11-15 23-19 *");
        let text = if line.ends_with("13") { line.into() } else { text };
        let game_1 = reads(&text);
        assert!(!game_1.positions.is_empty(), "{line}");
        let found: Vec<_> = game_1.tags.iter().map(|(_, value)| value.as_str()).collect();
        assert_eq!(found, values, "{line}");
        assert_eq!(game_1.forgiven, 1, "{line}");
        let strict = game("8x8").read_pdn("x", text.as_bytes(), Strictness::Strict);
        assert!(strict[0].fault.is_some(), "{line}");
    }
    for (line, value) in [
        (r#"[Event "said \"no\"]"]"#, r#"said "no"]"#),
        (r#"[Event "a \"b\" c"]"#, r#"a "b" c"#),
        (r#"[Event "C:\\"]"#, r"C:\"),
    ] {
        let game_1 = reads(line);
        assert_eq!((game_1.tag("Event"), game_1.forgiven), (Some(value), 0), "{line}");
    }
}

#[test]
fn red_is_black() {
    for (tags, name) in [
        ("[Red \"A\"]", Some("A")),
        ("[red \"A\"] [Black \"\"]", Some("A")),
        ("[Red \"A\"] [Black \"B\"]", Some("B")),
        ("[White \"A\"]", None),
    ] {
        assert_eq!(reads(format!("{tags} 11-15")).tag("Black"), name, "{tags}");
    }
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
        // A text that may be a move must not be skipped.
        ("1. 11-15 c3-d4", 1, 10, "expected a move, a result or a tag, found \"c3-d4\""),
        ("1. 1115", 1, 4, "expected a move with - or x, or 1., found 1115"),
        ("11.15 22.18", 1, 4, "expected a move with - or x, or 1., found 15"),
        ("1. 11-15 -", 1, 10, "expected a move, a result or a tag, found '-'"),
        ("1. 11-15 1/3", 1, 10, "expected a move or a result, found \"1/3\""),
        ("1. x15", 1, 4, "expected a move, a result or a tag, found \"x15\""),
    ] {
        let error = fails(text);
        assert_eq!((error.line, error.column), (line, column), "{text:?}: {error}");
        assert!(error.what.contains(what), "{text:?}: {error}");
        assert!(error.to_string().starts_with(&format!("games.pdn, line {line}, column ")));
    }
}

#[test]
fn a_bad_game_does_not_lose_the_others() {
    let good = "[Event \"good\"]\n1. 11-15 23-18 *\n";
    for bad in [
        "[Event \"bad\"]\n1. 11-15 11-16 (26-23 {no) end}) 1-0\n",
        "[Event \"bad\"]\n1. 11-15 {no end *\n",
        "[Event \"bad\"]\n1. 11-15 (26-22 (no end} *\n",
        "[Event \"bad\"\n1. 11-15 *\n",
        "[Event bad]\n[FEN \"B:W1:B1\"]\n*\n",
        "[Event \"bad\"]\n[GameType \"20\"] 32-28 19-23 28x19 14x23 *\n",
        "[Event \"bad\"]\n11-16 24-20 16-19 23x16 12x19 20-17 \n",
    ] {
        let games = read(format!("{good}{bad}{good}"));
        let faults: Vec<_> = games.iter().map(|g| g.fault.is_some()).collect();
        assert_eq!(faults, [false, true, false], "{bad}: {games:?}");
        let numbers: Vec<_> = games.iter().map(|g| (g.number, g.line)).collect();
        let last = 3 + bad.lines().count();
        assert_eq!(numbers, [(1, 1), (2, 3), (3, last)], "{bad}");
        assert_eq!(games[2].positions.len(), 2, "{bad}");
    }
    // The legal moves before the fault are kept.
    let games = read("[White \"w\"] 1. 11-15 23-18 2. 1-6 1-0");
    assert_eq!((games[0].positions.len(), games[0].result.as_deref()), (2, Some("1-0")));
    assert_eq!(games[0].tag("White"), Some("w"));
}

#[test]
fn what_is_taken_in_stride_is_counted_and_strictly_refused() {
    for (text, count, moves, result) in [
        ("1. 11-15 23-18 *", 0, 2, Some("*")),
        ("1. 11x15 23-18 *", 1, 2, Some("*")),
        ("1. 11-15 22-18 2. 15-22 25x18 *", 1, 4, Some("*")),
        ("1. 11-15 22-18 2. 15:22 25x18 *", 0, 4, Some("*")),
        ("1. 11-15 23-18 Drawn", 1, 2, None),
        ("1. 11-15 23-18", 0, 2, None),
        ("1. 11-15 23-18Whiteoverstepped. 1-0", 2, 2, Some("1-0")),
        ("1. 11- 15 23 -18 2. 9 - 13 1-0", 3, 3, Some("1-0")),
        ("1 11-15 23-18 2 9-13 1 - 0", 3, 3, Some("1-0")),
        ("1. 11-15, 23-18 \u{1}\u{0} ) } $ 1/2", 7, 2, Some("1/2-1/2")),
        ("1. 11\u{2013}15 23-18 \u{bd}-\u{bd}", 2, 2, Some("1/2-1/2")),
    ] {
        let game_1 = reads(text);
        assert_eq!(game_1.positions.len(), moves, "{text}");
        assert_eq!(game_1.result.as_deref(), result, "{text}");
        assert_eq!(game_1.forgiven, count, "{text}: {:?}", game_1.first_forgiven);
        assert_eq!(game_1.first_forgiven.is_some(), count > 0);
        let strict = game("8x8").read_pdn("x", text.as_bytes(), Strictness::Strict).remove(0);
        let fault = strict.fault.map(|f| (f.line, f.column, f.what));
        assert_eq!(fault, game_1.first_forgiven.map(|f| (f.line, f.column, f.what)), "{text}");
    }
}

#[test]
fn captures_with_two_meanings_are_settled_by_what_follows() {
    // The text 2x18 takes 6 and 14, or 7 and 15.
    let start = "[FEN \"B:W6,7,14,15:B2,5\"] ";
    let ways = |rest: &str| read(format!("{start}1. 2x18 {rest}"));
    let left_7 = &ways("7-3 *")[0];
    assert_eq!(left_7.fault, None);
    let board = game("8x8").board;
    assert_eq!(board.write_fen(&left_7.positions[0]), "W:W7,15:B5,18");
    let left_6 = &ways("6-1 *")[0];
    assert_eq!(board.write_fen(&left_6.positions[0]), "W:W6,14:B5,18");
    assert!(left_6.forgiven > 0);
    // No move settles it, so the first move in canonical order counts.
    let open = &ways("*")[0];
    assert!(open.fault.is_none());
    let mut successors = Vec::new();
    board.successors(&open.start, &mut successors);
    let meant: Vec<_> = [left_6, left_7].iter().map(|g| g.positions[0]).collect();
    let first = successors.iter().find(|p| meant.contains(p));
    assert_eq!(first, Some(&open.positions[0]));
    // Neither meaning makes the rest legal.
    assert!(ways("12-8 *")[0].fault.is_some());
}

#[test]
fn limits_are_faults_with_a_line() {
    let good = "[Event \"good\"]\n1. 11-15 23-18 *\n";
    let most = usize::try_from(MOST_BYTES).unwrap();
    let king_moves = "1-5 32-28 5-1 28-32 ".repeat(most / 20 + 1);
    let start = "[Event \"long\"]\n[FEN \"B:WK32:BK1\"]\n";
    for long in [
        format!("{start}{king_moves}*"),
        format!("{start}{{{}}} *", "x ".repeat(most)),
        format!("{start}{} *", "y".repeat(3 * most)),
        format!("{start}[White \"{}\"] *", "z".repeat(most)),
        format!("{start}({} *", "v".repeat(most)),
        format!("{start};{}\n*", "\u{1}".repeat(most)),
        format!("{start}{}{}", "(".repeat(most), ")".repeat(most)),
    ] {
        let games = read(format!("{good}{long}\n{good}"));
        let faults: Vec<_> = games.iter().map(|g| g.fault.is_some()).collect();
        assert_eq!(faults, [false, true, false]);
        let fault = games[1].fault.as_ref().unwrap();
        assert!((4..8).contains(&fault.line), "{fault}");
    }
    let deep = format!("1. 11-15 {}26-22{} 23-18 *", "(".repeat(100_000), ")".repeat(100_000));
    assert_eq!(reads(deep).positions.len(), 2);
    // A long game within the limit.
    let moves = "1-5 32-28 5-1 28-32 ".repeat(50_000);
    assert_eq!(reads(format!("{start}{moves}*")).positions.len(), 200_000);
}

#[test]
fn nothing_crashes() {
    let whole = "[FEN \"B:W14:BK10\"] 1. 10x17 {x} (1. y) $3 *";
    for from in 0..whole.len() {
        for to in from..=whole.len() {
            read(&whole[from..to]);
        }
    }
}

#[test]
fn all_line_ends_end_lines() {
    let text =
        "1. 11-15 ; remark\n1... 23-19 *\n% 1. 12-16 *\n[Event \"b\"]\n1. 9-14 {two\nlines} *\n";
    for end in ["\r", "\n", "\r\n"] {
        let games = read(text.replace('\n', end));
        let found: Vec<_> = games.iter().map(|g| (g.line, g.positions.len(), &g.fault)).collect();
        assert_eq!(found, [(1, 2, &None), (4, 1, &None)], "{end:?}");
        let comments: Vec<_> = games.iter().flat_map(comments).collect();
        assert_eq!(comments, ["remark", "two\nlines"], "{end:?}");
        let fault = fails(&"1. 11-15\n(9-13\n% )\n) 22-17\n 3-5 *".replace('\n', end));
        assert_eq!((fault.line, fault.column), (5, 2), "{end:?}");
    }
}

fn comments(game: &PdnGame) -> Vec<String> {
    let comments = game.remarks.iter().filter_map(|remark| match &remark.what {
        RemarkKind::Comment(text) => Some(text.clone()),
        _ => None,
    });
    comments.collect()
}

#[test]
fn what_follows_the_result_belongs_to_the_game_before_it() {
    for (text, expected) in [
        ("1. 11-15 1-0 {a}\n\n[Event \"two\"]\n1. 9-14 22-18 0-1 {b}", [vec!["a"], vec!["b"]]),
        (
            "1. 11-15 1-0\n{a}\n; b\n[Event \"x\"]\n{c} 1. 9-14 *\n\n{d}\n",
            [vec!["a", "b"], vec!["c", "d"]],
        ),
        ("1. 11-15 * Black lost {a}\n% no\n1. 9-14 1/2-1/2 ; b", [vec!["a"], vec!["b"]]),
        ("1. 11-15 3-5 1-0 {a} [Event \"x\"] 1. 9-14 2-0 {b} *", [vec![], vec!["b"]]),
    ] {
        let games = read(text);
        let found: Vec<_> = games.iter().map(comments).collect();
        assert_eq!(found, expected, "{text}");
        assert!(games.iter().all(|game| game.remarks.iter().all(|r| r.after < 3)));
        assert!(!games[1].positions.is_empty(), "{text}");
    }
    let last = reads("1. 11-15 23-19 1-0 {White resigned}");
    assert_eq!(last.remarks[0].after, 2);
}

#[test]
fn a_strength_stays_with_its_move_and_there_is_one() {
    let marks = |text: &str| {
        let game = reads(text);
        let marks = game.remarks.iter().filter_map(|remark| match &remark.what {
            RemarkKind::Mark(mark) => Some(format!("{}{mark}", remark.after)),
            RemarkKind::Comment(_) => Some("c".into()),
            _ => None,
        });
        (marks.collect::<Vec<_>>().join(" "), game.forgiven)
    };
    for (text, expected, forgiven) in [
        ("1. 11-15! 22-17(?) 2. 8-11 *", "1! 2(?)", 0),
        ("1. 11-15 ! 22-17 (?) *", "1! 2(?)", 2),
        ("1. 11-15 {c} ( !? ) $7 22-17 *", "1(!?) c 1$7", 1),
        ("1. 11-15? ?? 22-17!(!) *", "1? 1$4 2! 2$1", 2),
        ("1. 11-15! ! 22-17$1?? *", "1! 2?? 2$1", 2),
        ("1. 11-15!!! !!!! *", "1!!! c", 1),
        ("! 1. 11-15* 22-17* 1-0", "0$1 1$7 2$7", 3),
    ] {
        assert_eq!(marks(text), (expected.into(), forgiven), "{text}");
    }
}

#[test]
fn positions_are_set_up() {
    let game_1 = reads("[Event \"x\"]\n/FEN \"W:W21,22:B1,2\"/ 1. 22-18 1-6 *");
    assert_eq!((game_1.positions.len(), game_1.forgiven), (2, 0));
    let board = game("8x8").board;
    let moves = game_1.moves();
    assert_eq!(board.write_fen(&moves[0].0), "W:W21,22:B1,2");
    assert_eq!(moves[1], (moves[0].1, game_1.positions[1]));
    let text = "1. 11-15 22-18 2. 15x22 25x18 /FEN \"W:WK32:BK1\"/ 3... 32-27 4. 1-6 /FEN \
        \"B:W31:B2\"/ 5. 2-6 31-26 *";
    let game_1 = game("8x8").read_pdn("x", text.as_bytes(), Strictness::Strict).remove(0);
    assert_eq!((game_1.positions.len(), &game_1.fault), (8, &None));
    let set_ups: Vec<_> = game_1.set_ups().map(|(after, p)| (after, board.write_fen(&p))).collect();
    assert_eq!(set_ups, [(4, "W:WK32:BK1".into()), (6, "B:W31:B2".into())]);
    assert_eq!(
        (0..8).map(|n| move_number(&game_1, n)).collect::<Vec<_>>(),
        ["1.", "1...", "2.", "2...", "3...", "4.", "5.", "5..."]
    );
    for (text, what) in [
        ("1. 11-15 / 22-18 *", "expected / after the position that is set up, found '*'"),
        ("/FEN \"W:W33:B1\"/ *", "expected a square from 1 to 32"),
        ("1. 11-15 /2-3/ *", "expected the side to move, B or W, found '2'"),
        ("1. 11-15 /FEN \"W:W2", "expected / after"),
    ] {
        assert!(fails(text).what.contains(what), "{text}: {}", fails(text));
    }
    assert_eq!(reads("/W:W21,22:B1,2/ 22-18").forgiven, 1);
}

#[test]
fn results_in_other_forms_and_the_tag() {
    for (text, result, forgiven) in [
        ("1/2 - 1/2", "1/2-1/2", 1),
        ("1/2- 1/2", "1/2-1/2", 1),
        ("1/2 -1/2", "1/2-1/2", 1),
        ("½ – ½", "1/2-1/2", 3),
        ("1/2\u{2013}1/2", "1/2-1/2", 1),
        ("1 - 0", "1-0", 1),
        ("0 - 1", "0-1", 1),
        ("2 -0", "2-0", 1),
        ("1- 1", "1-1", 1),
        ("½", "1/2-1/2", 2),
        ("* 1-0", "1-0", 1),
        ("0-1 *", "0-1", 1),
    ] {
        let games = read(format!("1. 11-15 23-19 {text}\n\n[Event \"y\"]\n1. 9-14 *\n"));
        assert_eq!(games.len(), 2, "{text}: {games:?}");
        assert_eq!((&games[0].fault, games[0].result.as_deref()), (&None, Some(result)), "{text}");
        assert_eq!(games[0].positions.len(), 2);
        assert_eq!(games[0].forgiven, forgiven, "{text}: {:?}", games[0].first_forgiven);
    }
    for (tag, result, is_said) in [
        ("1-0", "0-1", true),
        ("1-0", "1-0", false),
        ("1 - 0", "1-0", false),
        ("2-0", "1-0", false),
        ("1-0", "1/2-1/2", true),
        ("½-½", "1/2-1/2", false),
        ("*", "1-0", true),
        // In PDN 3.0 games end with * in any case.
        ("1-0", "*", false),
        ("?", "1-0", false),
        ("Black won", "1-0", false),
    ] {
        let text = format!("[Result \"{tag}\"]\n1. 11-15 23-19 {result}");
        let game_1 = reads(&text);
        assert_eq!(game_1.contradiction().is_some(), is_said, "{text}");
        assert_eq!(game_1.forgiven, usize::from(is_said), "{text}");
        let strict = game("8x8").read_pdn("x", text.as_bytes(), Strictness::Strict).remove(0);
        assert_eq!(strict.fault.is_some(), is_said, "{text}");
    }
}

/// Texts that PDN 3.0 allows, and texts that it does not allow.
#[test]
fn strictly_read_is_what_the_standard_has() {
    let strict = |text: &str| game("8x8").read_pdn("x", text.as_bytes(), Strictness::Strict);
    for text in [
        "1. 11-15 23-19 *",
        "1.11-15 23-19 2.8-11(!) 22-17?! $7 3.11-16",
        "[Event \"a\"]\n[Black \"a \\\"b\\\" c\"]\n\n% remark ; {\n{c} 1. 11-15 (1. 9-13 {d} 22-18! (2... \
            23-19(?)) ) 1... 23-18 *\n{not the next} 1. 9-13 *",
        "11-15 22-18 15x22 25:18 1-0 1. 09-13 1/2-1/2 1. 12-16 0-0",
        "1. ... 2... ... 11-15 1... 23-19 2-0",
        "[FEN \"W:W31-32,K5:BK1.\"] 31-27 *",
        "1. 11-15 ({a} $3 /FEN \"B:W32:B1\"/) *",
        "[FEN \"B:W6,7,14,15:B2,5\"] 1. 2x9x18 7-3 *",
        "[Result \"1-0\"] 1. 11-15 *",
        "1011. 11-15 22-18 12. 15x22 25x18 *",
    ] {
        let games = strict(text);
        let wrong = games.iter().find_map(|game| game.fault.clone());
        // A number of four digits may be a move.
        assert_eq!(wrong.is_some(), text.starts_with("1011"), "{text}: {wrong:?}");
    }
    for text in [
        "1. 11-15 ; remark\n23-19 *",
        "1. 11–15 *",
        "1. 11-15 () 23-19 *",
        "1. 11-15 (good 99-99) *",
        "1. 11-15 (99-99) *",
        "1. 11-15 (9-13;x\n) *",
        "1. 11-15 (9–13) *",
        "1. 11-15 (9-13 ?) *",
        "1. 11-15 (2. {c}) *",
        "1. 11-15 (9-13 1-0) *",
        "1. 11-15 (1. 2. 9-13) *",
        "1. 11-15 (c3-d4) *",
        "1. 11-15 (9-13-18) *",
        "1. 11-15 22-18 2. 15X22 25x18 *",
        "1. 11x15 *",
        "1. 11:15 *",
        "1. 11-15 . 23-19 *",
        "1.. 11-15 *",
        "1 . 11-15 *",
        "1 11-15 *",
        "1. {c} 11-15 *",
        "1. *",
        "1. 11-15 ! *",
        "1. 11-15!(?) *",
        "1. 11-15 (!) *",
        "! 1. 11-15 *",
        "1. 11-15\u{a0}23-19 *",
        "1. 11-15 23-19 1/2",
        "1. 11-15 23-19 ½-½",
        "1. 11-15 23-19 1 - 0",
        "1. 11-15 23-19 [Event \"next\"] *",
        "1. 11-15 23-19 Black resigns *",
        "1. 11-15, 23-19 *",
        "1. 11-15 % no line\n *",
        "1. 11-15 * {comment} [Event \"x\"] *",
        "1. 11-15 * *",
        "{comment} [Event \"x\"] *",
        "[event \"x\"] 11-15 *",
        "[Event \"a \"b\" c\"] 11-15 *",
        "[FEN \"b:w32:b1\"] *",
        "[FEN \"B:W32:B1:H0:F1\"] *",
        "/B:W32:B1/ *",
        "011-15 *",
        "[FEN \"B:W32,7,15,23:B2\"] 1. 2x11x27 *",
    ] {
        let games = strict(text);
        assert!(games.iter().any(|game| game.fault.is_some()), "{text} is accepted");
        // If the text is read leniently, the deviation is counted.
        let lenient = read(text);
        let is_counted = |g: &PdnGame| g.forgiven > 0 || g.fault.is_some();
        assert!(lenient.is_empty() || lenient.iter().any(is_counted), "{text}");
    }
    let latin_1 = b"[White \"M\xfcller\"] 1. 11-15 *";
    assert!(game("8x8").read_pdn("x", latin_1, Strictness::Strict)[0].fault.is_some());
}

//! Written games are read back unchanged.
//!
//! Any character in any place of a game: no move is skipped without a fault.

use draughtproof_game::{
    Game, PdnGame, Position, Remark, RemarkKind, Side, Strictness, move_number, write_pdn,
};
use quickcheck::{Arbitrary, Gen, QuickCheck};

/// A game of random moves, with all kinds of remarks.
#[derive(Clone, Debug)]
struct Annotated {
    game: PdnGame,
    /// Whether PDN 3.0 has a form for all remarks.
    is_standard: bool,
}

/// A random text of these characters.
fn text(g: &mut Gen, characters: &str) -> String {
    let characters: Vec<char> = characters.chars().collect();
    let length = usize::arbitrary(g) % 90;
    (0..length).map(|_| *g.choose(&characters).unwrap()).collect()
}

/// A random remark; with `is_standard` one for which PDN 3.0 has a form.
fn remark(g: &mut Gen, is_standard: bool) -> RemarkKind {
    match u8::arbitrary(g) % if is_standard { 4 } else { 7 } {
        0 => RemarkKind::Comment(text(g, "ab ({[]\";%\né").trim().into()),
        1 => RemarkKind::Mark(g.choose(&["$7", "$140", "$1"]).unwrap().to_string()),
        2 => RemarkKind::Variation(format!("(1. 9-13 {{{}}})", text(g, "1-2x. é(;)\n"))),
        3 => {
            let nested =
                "( {a (} 1... 23-19 (23x18x9(?) $3 2. 9:14\n% )\n) ... 22-18!? /FEN \"W:W:B\"/)";
            RemarkKind::Variation(nested.into())
        }
        // The braces cannot be nested, so such a comment has a line of its own.
        4 => RemarkKind::Comment(format!("}}{}", text(g, "ab} ({[]\";%é").trim())),
        5 => RemarkKind::Variation(format!("({} (x) {{)}})", text(g, "1-2x. é"))),
        _ => RemarkKind::Variation("(; )(\n%)\n)".into()),
    }
}

impl Arbitrary for Annotated {
    fn arbitrary(g: &mut Gen) -> Self {
        let rules: Game = "8x8".parse().unwrap();
        let is_standard = bool::arbitrary(g);
        let mut tags = vec![("Event".to_owned(), text(g, "ab \"]\\é"))];
        let mut start = rules.start();
        if bool::arbitrary(g) {
            start = start.twin(&rules.board);
            tags.push(("SetUp".into(), "1".into()));
            tags.push(("FEN".into(), rules.board.write_fen(&start)));
        }
        let mut at = start;
        let mut positions = Vec::new();
        let mut remarks = Vec::new();
        for after in 0..usize::arbitrary(g) % 200 {
            if after > 0 && u8::arbitrary(g) % 8 == 0 {
                let strength = g.choose(&["!", "?", "!?", "??", "(!)", "(?!)"]).unwrap();
                remarks.push(Remark { after, what: RemarkKind::Mark(strength.to_string()) });
            }
            while u8::arbitrary(g) % 4 == 0 {
                remarks.push(Remark { after, what: remark(g, is_standard) });
            }
            if u8::arbitrary(g) % 50 == 0 {
                at = if bool::arbitrary(g) { start } else { start.twin(&rules.board) };
                remarks.push(Remark { after, what: RemarkKind::SetUp(at) });
            }
            let moves = rules.board.moves(&at);
            let Some(chosen) = g.choose(&moves) else { break };
            at = chosen.after;
            positions.push(at);
        }
        // Remarks behind the last move are removed.
        remarks.retain(|remark| remark.after <= positions.len());
        let result = g.choose(&["1-0", "0-1", "1/2-1/2", "*"]).map(|r| r.to_string());
        let game = PdnGame {
            number: 1,
            line: 1,
            tags,
            start,
            positions,
            remarks,
            result,
            fault: None,
            unread: None,
            forgiven: 0,
            first_forgiven: None,
        };
        Annotated { game, is_standard }
    }
}

#[test]
fn what_is_written_is_read_back() {
    fn same(Annotated { game, is_standard }: Annotated) -> bool {
        let rules: Game = "8x8".parse().unwrap();
        let text = write_pdn(&rules.board, &game).unwrap();
        // A second game behind the first shows that the first one ends where it should.
        let text = format!("{text}\n{text}");
        let strictness = if is_standard { Strictness::Strict } else { Strictness::Lenient };
        let read = rules.read_pdn("x", text.as_bytes(), strictness);
        let again = |n: usize| PdnGame {
            number: 1,
            line: 1,
            forgiven: 0,
            first_forgiven: None,
            ..read[n].clone()
        };
        assert_eq!(read.len(), 2, "{text}");
        assert_eq!((again(0), again(1)), (game.clone(), game), "{text}");
        true
    }
    QuickCheck::new().tests(500).quickcheck(same as fn(Annotated) -> bool);
}

/// A game with a word in it that is no move.
#[derive(Clone, Debug)]
struct Faulty(String);

impl Arbitrary for Faulty {
    fn arbitrary(g: &mut Gen) -> Self {
        let rules: Game = "8x8".parse().unwrap();
        let Annotated { game, .. } = Annotated::arbitrary(g);
        let mut text = write_pdn(&rules.board, &game).unwrap();
        let blanks: Vec<usize> = text.match_indices([' ', '\n']).map(|(n, _)| n).collect();
        let at = *g.choose(&blanks).unwrap();
        text.insert_str(
            at,
            g.choose(&[" 1-32", " c3-d4", " {", " (", " [5", " 1115", " é7"]).unwrap(),
        );
        Faulty(text)
    }
}

#[test]
fn a_game_with_a_fault_is_kept_as_it_is_from_the_fault_on() {
    fn kept(Faulty(text): Faulty) -> bool {
        let rules: Game = "8x8".parse().unwrap();
        let next = "\n[Event \"next\"]\n1. 11-15 *\n";
        let read = |text: &str| rules.read_pdn("x", text.as_bytes(), Strictness::Lenient);
        let games = read(&format!("{text}{next}"));
        // A word inside a comment is no fault.
        let Some(fault) = &games[0].fault else { return true };
        let unread = games[0].unread.as_ref().unwrap();
        if games.len() > 2 {
            // Tags behind the word begin another game.
            return true;
        }
        assert!(text.contains(unread.text.trim_end()), "{text}\n{unread:?}");
        let written = write_pdn(&rules.board, &games[0]).unwrap();
        let again = read(&format!("{written}{next}"));
        assert_eq!(again.len(), games.len(), "{text}\n{written}");
        assert_eq!(again[0].positions, games[0].positions, "{text}\n{written}");
        assert_eq!(again[0].tags, games[0].tags, "{text}\n{written}");
        assert_eq!(again[0].fault.as_ref().map(|f| &f.what), Some(&fault.what), "{written}");
        // Writing it once more adds nothing.
        assert_eq!(
            write_pdn(&rules.board, &again[0]).unwrap().matches("fault:").count(),
            written.matches("fault:").count()
        );
        true
    }
    QuickCheck::new().tests(500).quickcheck(kept as fn(Faulty) -> bool);
}

#[test]
fn remarks_about_faults_are_on_short_lines() {
    let rules: Game = "8x8".parse().unwrap();
    let list = (1..20).map(|n| n.to_string()).collect::<Vec<_>>().join(", ");
    for text in ["1. 11-15 23-1 1-0".into(), format!("[GameType \"{list}\"]\n[Event \"x\"] *")] {
        let read = |text: &str| rules.read_pdn("x", text.as_bytes(), Strictness::Lenient).remove(0);
        let game = read(&text);
        let what = &game.fault.as_ref().unwrap().what;
        let written = write_pdn(&rules.board, &game).unwrap();
        let remark: Vec<&str> = written.lines().filter(|line| !text.contains(line)).collect();
        // The text that could not be read follows the remark as it was.
        let is_short = |line: &&str| line.split('}').next().is_some_and(|part| part.len() < 80);
        assert!(remark.len() > 1 && remark.iter().all(is_short), "{written}");
        let said = remark.join(" ").replace(" % fault: ", " ");
        assert!(said.contains(&format!("fault: {what}")), "{written}");
        // Reading and writing it again changes nothing.
        assert_eq!(write_pdn(&rules.board, &read(&written)).unwrap(), written);
    }
}

#[test]
fn a_line_of_tags_that_is_not_understood_takes_no_game_away() {
    let rules: Game = "8x8".parse().unwrap();
    let text = "[Event \"a\"]\n[5 1. 11-15 *\n\n[Event \"b\"]\n1. 9-13 *\n";
    let games = rules.read_pdn("x", text.as_bytes(), Strictness::Lenient);
    assert_eq!(games.len(), 2);
    assert!(games[0].fault.is_some());
    assert_eq!((games[1].tag("Event"), games[1].positions.len()), (Some("b"), 1));
}

#[test]
fn lines_are_short_and_numbers_right() {
    let rules: Game = "8x8".parse().unwrap();
    let text = "[Event \"e\"] 11-15 23-18! {good} 8-11? (9-13) 26-23 4-8 24-19 15x24 28x19 {a long comment} 1-0";
    let games = rules.read_pdn("x", text.as_bytes(), Strictness::Lenient);
    assert_eq!(games[0].fault, None);
    let written = write_pdn(&rules.board, &games[0]).unwrap();
    assert_eq!(
        written,
        "[Event \"e\"]\n1. 11-15 23-18! {good} 2. 8-11? (9-13) 2... 26-23 3. 4-8 24-19 4. 15x24 28x19\n\
         {a long comment} 1-0\n"
    );
    assert_eq!(
        (move_number(&games[0], 0), move_number(&games[0], 3)),
        ("1.".into(), "2...".into())
    );
    // Without a result an asterisk is written; a result in the tag counts.
    for (text, end) in [("11-15", " *\n"), ("[Result \"0-1\"] 11-15", " 0-1\n")] {
        let games = rules.read_pdn("x", text.as_bytes(), Strictness::Lenient);
        assert!(write_pdn(&rules.board, &games[0]).unwrap().ends_with(end), "{text}");
    }
}

#[test]
fn a_game_of_ones_own_has_its_tags() {
    let checkers: Game = "8x8".parse().unwrap();
    let board = &checkers.board;
    let first = "11-15 23-19 8-11 22-17 11-16 24-20 16x23 27x11 7x16 20x11 3-7 28-24 7x16 24-20 \
        16-19 25-22 4-8 17-14 10x17 21x14 9x25";
    let later = board.read_fen("W:W14,22,K30:B10,15,K25").unwrap();
    for (start, moves, result) in
        [(checkers.start(), first, "*"), (later, "14x7 25x18", "1/2-1/2"), (later, "", "0-1")]
    {
        let positions = board.read_line(&start, moves).unwrap();
        let game = PdnGame::new(&checkers, start, positions.clone(), result);
        let text = write_pdn(board, &game).unwrap();
        assert!(text.lines().all(|line| line.len() <= 80), "{text}");
        assert!(
            start.turn == Side::Black || moves.is_empty() || text.contains("\n1... 14x7 2. 25x18 ")
        );
        let read = checkers.read_pdn("written.pdn", text.as_bytes(), Strictness::Strict);
        assert_eq!(read.len(), 1, "{text}");
        assert_eq!((read[0].start, &read[0].positions), (start, &positions), "{text}");
        assert_eq!(read[0].result.as_deref(), Some(result));
        assert_eq!(read[0].tag("GameType"), Some("21"));
    }
    let other = board.read_fen("B:W32:B1").unwrap();
    let wrong = PdnGame::new(&checkers, checkers.start(), vec![other], "*");
    assert!(write_pdn(board, &wrong).is_err());
}

/// The place of the character.
#[derive(Clone, Copy, Debug)]
enum Spot {
    /// In place of the separator of a move.
    InMove,
    /// In place of the blank between two words.
    BetweenWords,
    /// Between blanks.
    Alone,
    /// Right behind a word.
    Behind,
    /// Right before a word.
    Before,
    /// In place of the dot of a number.
    Dot,
}

/// A legal game with a character in some place.
#[derive(Clone, Debug)]
struct Odd {
    text: String,
    positions: Vec<Position>,
    character: char,
}

/// The text of a game with `character` at the `n`th place of a kind, counted cyclically.
fn with(character: char, spot: Spot, n: usize, words: &[String]) -> String {
    let is_there = |word: &&String| match spot {
        Spot::InMove => word.contains(['-', 'x']),
        Spot::Dot => word.ends_with('.'),
        _ => true,
    };
    let places: Vec<usize> = (0..words.len()).filter(|&n| is_there(&&words[n])).collect();
    let at = places[n % places.len()];
    let mut text = String::new();
    for (n, word) in words.iter().enumerate() {
        let (word, end) = match spot {
            _ if n != at => (word.clone(), " ".into()),
            Spot::InMove => (word.replace(['-', 'x'], &character.to_string()), " ".into()),
            Spot::Dot => (word.replace('.', &character.to_string()), " ".into()),
            Spot::BetweenWords => (word.clone(), character.to_string()),
            Spot::Alone => (word.clone(), format!(" {character} ")),
            Spot::Behind => (word.clone(), format!("{character} ")),
            Spot::Before => (word.clone(), format!(" {character}")),
        };
        text += &(word + &end);
    }
    text + "*"
}

fn any_character(g: &mut Gen) -> char {
    match u8::arbitrary(g) % 4 {
        0 => char::from(u8::arbitrary(g) % 128),
        1 => char::from(u8::arbitrary(g)),
        2 => *g.choose(&['−', '‑', '×', 'х', '\u{a0}', '．', '\u{feff}', '٣', '½', 'x']).unwrap(),
        _ => char::arbitrary(g),
    }
}

impl Arbitrary for Odd {
    fn arbitrary(g: &mut Gen) -> Self {
        let game: Game = "8x8".parse().unwrap();
        let mut at = game.start();
        let mut positions = Vec::new();
        let mut words = Vec::new();
        for n in 0..1 + usize::arbitrary(g) % 60 {
            let moves = game.board.moves(&at);
            let Some(chosen) = g.choose(&moves) else { break };
            if n % 2 == 0 {
                words.push(format!("{}.", n / 2 + 1));
            }
            words.push(game.board.write_move(&at, &chosen.after).unwrap());
            at = chosen.after;
            positions.push(at);
        }
        let spots =
            [Spot::InMove, Spot::BetweenWords, Spot::Alone, Spot::Behind, Spot::Before, Spot::Dot];
        let spot = *g.choose(&spots).unwrap();
        let character = any_character(g);
        // Late moves are those whose squares may be taken for the number of a move.
        let last = words.len();
        let place = if bool::arbitrary(g) { last - 1 } else { usize::arbitrary(g) % last };
        Odd { text: with(character, spot, place, &words), positions, character }
    }
}

/// Whether all moves of a text are read, or the text has a fault.
fn is_whole_or_fault(text: &str, positions: &[Position]) -> bool {
    let game: Game = "8x8".parse().unwrap();
    let is_right = |strictness| {
        let games = game.read_pdn("odd.pdn", text.as_bytes(), strictness);
        let is_faulty = |pdn: &PdnGame| pdn.fault.is_some();
        games.iter().any(is_faulty) || games.len() == 1 && games[0].positions == positions
    };
    is_right(Strictness::Lenient) && is_right(Strictness::Strict)
}

/// The number of moves in all games of a text.
fn moves_of(text: &str) -> usize {
    let game: Game = "8x8".parse().unwrap();
    let games = game.read_pdn("odd.pdn", text.as_bytes(), Strictness::Lenient);
    games.iter().map(|pdn| pdn.positions.len()).sum()
}

#[test]
fn no_character_makes_a_move_vanish() {
    fn whole_or_fault(odd: Odd) -> bool {
        // An asterisk ends a game, and a digit may make another legal move of a move: then all
        // moves are still there.
        let is_another_game = odd.character == '*' || odd.character.is_ascii_digit();
        is_another_game && moves_of(&odd.text) == odd.positions.len()
            || is_whole_or_fault(&odd.text, &odd.positions)
    }
    QuickCheck::new().tests(2_000).quickcheck(whole_or_fault as fn(Odd) -> bool);
}

/// The letters, signs and blanks of many scripts.
fn characters() -> impl Iterator<Item = char> {
    let ranges = [0..0x500, 0x2000..0x2400, 0x2a00..0x2a40, 0x3000..0x3100, 0xfe00..0x1_0000];
    ranges.into_iter().flatten().filter_map(char::from_u32)
}

#[test]
fn all_usual_characters_in_a_short_game() {
    let game: Game = "8x8".parse().unwrap();
    let moves = "11-15 22-18 15x22 25x18";
    let positions = game.board.read_line(&game.start(), moves).unwrap();
    let words: Vec<String> = "1. 11-15 22-18 2. 15x22 25x18".split(' ').map(String::from).collect();
    for character in characters() {
        for (spot, n) in [(Spot::InMove, 1), (Spot::BetweenWords, 1), (Spot::BetweenWords, 3)] {
            let text = with(character, spot, n, &words);
            assert!(is_whole_or_fault(&text, &positions), "{text:?}");
        }
    }
}

#[test]
fn other_dashes_and_blanks_and_times_signs_are_understood() {
    let game: Game = "8x8".parse().unwrap();
    for (text, moves, forgiven) in [
        ("1. 11−15 23−19 *", 2, 2),
        ("1. 11‑15 23‑19 2. 8‑11 22‑17 *", 4, 4),
        ("1. 11–15 23—19 *", 2, 2),
        ("1.11-15\u{a0}23-19 *", 2, 1),
        ("1.\u{2003}11-15\u{3000}23-19\u{202f}*", 2, 3),
        ("\u{feff}1. 11-15 23-19 *", 2, 0),
        ("1．11-15 *", 1, 1),
        ("１．１１－１５ *", 1, 7),
        ("1. 11-15 22-18 2. 15×22 25х18 *", 4, 2),
        ("1. 11-15 22-18 2. 15X22 25:18 *", 4, 1),
        ("1. 11 − 15 23 -19 1 – 0", 3 - 1, 5),
    ] {
        let read = game.read_pdn("x", text.as_bytes(), Strictness::Lenient);
        assert_eq!(read.len(), 1, "{text}");
        assert_eq!(read[0].fault, None, "{text}");
        assert_eq!((read[0].positions.len(), read[0].forgiven), (moves, forgiven), "{text}");
    }
    // A dash and a blank in Windows-1252 and Latin-1, which are not UTF-8.
    for text in [&b"1. 11\x9615 23\x9719 *"[..], b"1. 11-15\xa023-19 *"] {
        let read = game.read_pdn("x", text, Strictness::Lenient);
        assert_eq!((read[0].positions.len(), &read[0].fault), (2, &None));
    }
    for (text, column) in [
        ("1. 11to15 23to19 *", 4),
        ("1. 11·15 *", 4),
        ("1. 11٫15 *", 4),
        ("1. ١١-١٥ *", 4),
        ("1. 11-15→23-19 *", 4),
        ("1. 11-15a23-19 *", 4),
        ("1. 11-15;23-19 *", 9),
        ("1. 11-15[23-19 *", 9),
    ] {
        let read = game.read_pdn("x", text.as_bytes(), Strictness::Lenient);
        let fault = read[0].fault.as_ref().unwrap_or_else(|| panic!("{text} is accepted"));
        assert_eq!(fault.column, column, "{fault}");
    }
    // The number of the move could be half a move.
    let start = "[FEN \"B:W22,31,32:B1,9\"] 9. ";
    for text in ["9.13 22-18 *", "9. 13 *", "9;13 *", "9(13) *", "9!13 *"] {
        let text = format!("{start}{text}");
        let read = game.read_pdn("x", text.as_bytes(), Strictness::Lenient);
        assert!(read[0].fault.is_some(), "{text}");
    }
}

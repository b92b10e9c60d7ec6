//! Any character in any place of a game: no move is skipped without a fault.

use draughtproof_game::{Game, PdnGame, Position, Strictness};
use quickcheck::{Arbitrary, Gen, QuickCheck};

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
    // The bytes are those of older encodings.
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

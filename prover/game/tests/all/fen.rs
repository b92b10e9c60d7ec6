//! FENs: written positions are read back, and variants that occur in files have the same meaning as
//! the form that is written.

use draughtproof_game::{Board, Position, Side};
use quickcheck::{Arbitrary, Gen, QuickCheck};

/// The boards of the positions.
const BOARDS: [(u8, u8); 5] = [(8, 8), (6, 6), (7, 7), (4, 4), (8, 2)];

/// A possible position of its board, perhaps with a side without pieces.
#[derive(Debug, Clone)]
struct Placed {
    board: (u8, u8),
    position: Position,
}

impl Placed {
    fn board(&self) -> Board {
        Board::new(self.board.0, self.board.1).unwrap()
    }
}

impl Arbitrary for Placed {
    fn arbitrary(g: &mut Gen) -> Self {
        let board = *g.choose(&BOARDS).unwrap();
        let rules = Board::new(board.0, board.1).unwrap();
        let [mut black, mut white, mut kings] = [0; 3];
        let density = 2 + u8::arbitrary(g) % 6;
        for square in 0..rules.squares() {
            let bit = rules.bit(square);
            let is_white = bool::arbitrary(g);
            if !u8::arbitrary(g).is_multiple_of(density) {
                continue;
            }
            *(if is_white { &mut white } else { &mut black }) |= bit;
            let crowning = if is_white { 0 } else { rules.rows() - 1 };
            if rules.row(square) == crowning || bool::arbitrary(g) {
                kings |= bit;
            }
        }
        let turn = if bool::arbitrary(g) { Side::Black } else { Side::White };
        Placed { board, position: Position { black, white, kings, turn } }
    }
}

/// The forms of a FEN in files of other programs.
fn variants(fen: &str) -> Vec<String> {
    let (turn, lists) = fen.split_once(':').unwrap();
    let (white, black) = lists.split_once(':').unwrap();
    let spaced = fen.replace(':', " : ").replace(',', " ,\t").replace('K', "K ");
    vec![
        fen.to_lowercase(),
        fen.replace('K', "k"),
        format!("{turn}:{black}:{white}"),
        format!(" {spaced} \r\n"),
        format!("{fen}."),
        format!("{fen} ."),
        format!("{fen}:H0:F1"),
        format!("{fen}:H12"),
        format!("{fen}:F40."),
        format!("\"{fen}\""),
        format!("[FEN \"{fen}\"]"),
        format!("[fen \"{}:h0:f1.\" ]", fen.to_lowercase()),
        format!("\u{feff}{fen}"),
    ]
}

#[test]
fn what_is_written_is_read_in_every_form() {
    fn property(placed: Placed) -> bool {
        let board = placed.board();
        let position = placed.position;
        let fen = board.write_fen(&position);
        assert_eq!(board.read_fen(&fen), Ok(position), "{fen}");
        for text in variants(&fen) {
            assert_eq!(board.read_fen(&text), Ok(position), "{text:?}");
        }
        true
    }
    QuickCheck::new().tests(2_000).quickcheck(property as fn(Placed) -> bool);
}

/// A FEN with a character more, less or changed gives an error with a place in the text, or a
/// position that is written and read back.
#[test]
fn what_is_damaged_is_no_crash() {
    fn property(placed: Placed, at: usize, c: char) -> bool {
        let board = placed.board();
        for text in variants(&board.write_fen(&placed.position)) {
            let mut characters: Vec<char> = text.chars().collect();
            let at = at % characters.len();
            let mut shorter = characters.clone();
            shorter.remove(at);
            characters[at] = c;
            for damaged in [shorter, characters] {
                let damaged: String = damaged.into_iter().collect();
                match board.read_fen(&damaged) {
                    Ok(read) => assert_eq!(board.read_fen(&board.write_fen(&read)), Ok(read)),
                    Err(e) => assert!((1..=damaged.chars().count() + 1).contains(&e.place), "{e}"),
                }
            }
        }
        true
    }
    QuickCheck::new().tests(1_000).quickcheck(property as fn(Placed, usize, char) -> bool);
}

#[test]
fn what_is_wrong_is_said_with_its_place() {
    let board = Board::new(8, 8).unwrap();
    for (text, wrong) in [
        ("", "character 1: expected the side to move, B or W, found the end"),
        ("♔:W1", "character 1: expected the side to move, B or W, found '♔'"),
        ("B:W18:B1 2", "character 10: expected the end, found '2'"),
        ("B:W 10 8:B1", "character 8: expected ':', found '8'"),
        ("B:W18:B1:F1:H0", "character 12: expected the end, found ':'"),
        ("B:W18:B1:H.", "character 11: expected a number, found '.'"),
        ("B:W18:B1..", "character 10: expected the end, found '.'"),
        ("[FEN B:W18:B1]", "character 6: expected '\"', found 'B'"),
        ("[FEN \"B:W18:B1", "character 15: expected '\"', found the end"),
        ("[FEN \"B:W18:B1\"", "character 16: expected ']', found the end"),
        ("[Result \"B:W18:B1\"]", "character 2: expected the tag FEN, found another"),
        ("é B:W18:B1", "character 1: expected the side to move, B or W, found 'é'"),
        ("B:W33:B1", "character 4: expected a square from 1 to 32, found 33"),
        ("b:w18:w19", "character 7: expected the other side's list, found the same side again"),
    ] {
        let said = board.read_fen(text).unwrap_err().to_string();
        assert_eq!(said, format!("FEN {text:?}, {wrong}"));
    }
}

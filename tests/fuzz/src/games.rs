//! Files of games, which `prove` reads. This module is not among `targets`, because the checker's
//! tests, which run those, do not depend on the prover.

use std::collections::BTreeSet;
use std::ops::RangeInclusive;

use draughtproof_game::{Game, PdnGame, Strictness, Unread, write_pdn};

use crate::counting::peak;

/// The most bytes of memory for a byte of input: a position takes 32 bytes, a move in a file at
/// least two characters and a blank, and growing a vector takes as much again.
const TIMES: usize = 64;
/// The bytes for error messages, which list moves.
const MESSAGES: usize = 64 << 10;

pub fn run(bytes: &[u8]) {
    let game: Game = "8x8".parse().expect("a game");
    let read = |bytes: &[u8], strictness| {
        let (games, most) = peak(|| game.read_pdn("games.pdn", bytes, strictness));
        assert!(
            most <= TIMES * bytes.len() + MESSAGES * (1 + games.len()),
            "{most} bytes of memory"
        );
        games
    };
    let lenient = read(bytes, Strictness::Lenient);
    for (n, pdn) in lenient.iter().enumerate() {
        assert_eq!(pdn.number, n + 1);
        is_legal(&game, pdn);
        assert!(pdn.fault.is_none() || pdn.unread.is_some() || bytes.len() > 1 << 20);
        let text = write_pdn(&game.board, pdn).expect("legal moves");
        if pdn.fault.is_none() {
            // A game of the standard's syntax is written in that syntax.
            let is_standard = pdn.forgiven == 0;
            let strictness = if is_standard { Strictness::Strict } else { Strictness::Lenient };
            let again = read(text.as_bytes(), strictness);
            assert_eq!(
                again.iter().map(without_place).collect::<Vec<_>>(),
                [without_place(pdn)],
                "{text}"
            );
        }
    }
    // A game that is accepted strictly is also accepted leniently, with the same moves, unless it
    // is in text that is not understood leniently: a strict reader has another fault there, and may
    // find the next game elsewhere. It may also find it after something that is forgiven among the
    // tags, where a lenient reader goes on with the same game.
    let begun: BTreeSet<_> = lenient.iter().map(|pdn| (pdn.line, &pdn.positions)).collect();
    let is_begun_before = |strict: &PdnGame| {
        let forgiven =
            |pdn: &PdnGame| pdn.first_forgiven.as_ref().is_some_and(|at| at.line <= strict.line);
        lenient.iter().rfind(|pdn| pdn.line <= strict.line).is_some_and(|pdn| {
            forgiven(pdn) && pdn.positions == strict.positions && pdn.tags.ends_with(&strict.tags)
        })
    };
    let unread: Vec<_> = lenient.iter().filter_map(|pdn| pdn.unread.as_ref().map(lines)).collect();
    for pdn in read(bytes, Strictness::Strict).iter().filter(|pdn| pdn.fault.is_none()) {
        assert_eq!(pdn.forgiven, 0);
        let is_in_unread = unread.iter().any(|lines| lines.contains(&pdn.line));
        let is_begun = begun.contains(&(pdn.line, &pdn.positions)) || is_begun_before(pdn);
        assert!(is_in_unread || is_begun, "{pdn:?}");
    }
}

fn is_legal(game: &Game, pdn: &PdnGame) {
    let mut successors = Vec::new();
    for (from, to) in pdn.moves() {
        successors.clear();
        game.board.successors(&from, &mut successors);
        assert!(successors.contains(&to));
    }
}

/// The lines of a text that was not understood, and a few more if lines end with CR LF.
fn lines(unread: &Unread) -> RangeInclusive<usize> {
    let ends = unread.text.matches(['\n', '\r']).count();
    unread.line..=unread.line + ends
}

/// A game without the data that depends on its place in a file.
fn without_place(pdn: &PdnGame) -> PdnGame {
    let result = Some(pdn.score().unwrap_or("*").into());
    PdnGame { number: 0, line: 0, result, forgiven: 0, first_forgiven: None, ..pdn.clone() }
}

/// The inputs that fuzzing begins with.
pub fn seeds() -> Vec<Vec<u8>> {
    let texts: [&[u8]; 29] = [
        b"[Event \"e\"]\n[Black \"b\"]\n[White \"w\"]\n[Result \"1-0\"]\n1. 11-15 23-18 2. 8-11 1-0\n",
        b"[Event \"a\"] 1. 11-15 11-16 *\n[Event \"b\"] 1. 11-15 23-18 *",
        b"[GameType \"21,B,8,8\"][SetUp \"1\"][FEN \"B:W14,15,22,23:BK10.\"] 10x10 0-1",
        b"[FEN \"B:W6,7,14,15:B2,5\"] 1. 2x18 7-3 *",
        b"[FEN \"B:W6,7,14,15:B2,5\"] 1. 2x9x18 6-1 *",
        b"[SetUp \"0\"][FEN \"B:W32:B1\"] 11-15 1/2-1/2",
        b"1. 11x15 22-18 2. 15-22 25:18 *",
        b"1 11 - 15 23-18 2 8- 11 1 - 0",
        b"1. 11-15! {good} (1. 9-13 {b} (1. 10-14) ; c)\n 22-18) 1... 23-18?? $7 *",
        b"{no end",
        b"11-15 (no {)} end\n[Event \"next\"]\n1. 9-13 *",
        b"11-15 {no end\n[Event \"next\"]\n1. 9-13 *",
        b"% a line\n;{ another\r\n11-15 ; } both\n *",
        b"((((((((((()))))))))))",
        b"[White \"M\xfcller \\\"x\\\" C:\\\\\"] 09-13 \xbd",
        b"\xef\xbb\xbf[White \"\xc3\xa9\"]\r\n11\xe2\x80\x9315 *",
        b"Drawn by agreement 11-15Redwins * c3-d4 1115 11.15",
        b"\0\x01\x7f}) $ ! ? . , = +",
        b"[Event] [\"x\"] [A \"b\n\"] [FEN \"W::\"] *",
        b"[FEN \"B:WK32:BK1\"] 1-5 32-28 5-1 28-32 1-6 32-27 *",
        b"1. 12-16 24-20 2. 8-12 28-24 3. 9-14 22-18 4. 3-8 18x9 5. 5x14 25-22 1-1",
        b"[GameType \"20\"] 1. 32-28 19-23 2. 28x19 14x23 2-0",
        b"1. 11-15 22-17(?) {c} $1 ! 1/2 - 1/2 {after} ; all\r[Event \"b\"] /FEN \"W:W21,22:B1,2\"/ 22-18",
        b"1. 11\xe2\x88\x9215\xc2\xa023\x9619 2 . 8\xc3\x9711 11to15 \xef\xbc\x91\xef\xbc\x8e",
        b"[Result \"1-0\"] 11-15* 23-19 [%clk 1] 0-1 Black resigned {x} * 1... 9",
        b"{a} [Event \"x\"] 1. 11-15 (9-13 (2. 22-18! {c}) $3 ... /FEN \"B:W:B\"/) 1... 23-19",
        b"13. 13;17 ; 23-19 *\r\n\xef\xbb\xbf[FEN \"B:W32:B1\" 1. 1-5 [5 ! (!) ( ?? ) *",
        b"1. 11-15 23-19 /FEN \"B:W32:BK1\"/ 7. 1-6 ... 32-27 /FEN [x",
        b"{1 \n[Event \"a{\"]\n\x1c\n[Event \"b{\"]\n1-1\n3 *",
    ];
    texts.map(<[u8]>::to_vec).to_vec()
}

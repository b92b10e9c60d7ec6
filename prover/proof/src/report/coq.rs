//! A certificate as a theorem in Coq, for the library in `certificate-spec/formal`.

use certificate_spec::claim::Value;
use certificate_spec::leaves::Leaf;

use crate::board::{Board, Position, Side};
use crate::certificate::{Stored, StoredBasis, StoredProof};

/// The theorem that a certificate proves, with the nodes and leaves as terms. `None` if the
/// certificate rests on a database or on assumed nodes.
pub fn coq(stored: &Stored) -> Option<String> {
    if !stored.claim.cover.is_empty() || stored.assumed() > 0 {
        return None;
    }
    let board = &stored.game.board;
    let board_term = format!("{{| rows := {}; columns := {} |}}", board.rows(), board.columns());
    let claim = match stored.claim.value {
        Value::Draw => "Draw",
        Value::BlackNotLost => "(DoesNotLose Black)",
        Value::WhiteNotLost => "(DoesNotLose White)",
        Value::BlackWins => "(Wins Black)",
        Value::WhiteWins => "(Wins White)",
    };
    let is_initial = stored.start == stored.game.start();
    let (start, holds, condition) = if is_initial {
        let filled = stored.game.filled();
        (
            format!("(start_of the_board {filled})"),
            "game_holds",
            format!("game_start the_board {filled}"),
        )
    } else {
        let turn = side(stored.start.turn);
        let squares = squares(board, &stored.start);
        let start = format!("(masks {})%uint63", masks(board, &stored.start));
        (start, "fen_holds", format!("placed the_board {turn} [\n{squares}]"))
    };
    let word = stored.claim.value.word().to_ascii_lowercase().replace('-', "_");
    let name = format!("{word}_{}", stored.game.to_string().replace('/', "_"));
    let terms = [Side::Black, Side::White].map(|claimant| {
        let proof = stored.proofs.iter().find(|proof| proof.claimant() == claimant);
        let nodes = proof.map_or(String::new(), |proof| nodes(board, proof));
        format!("Definition nodes_of_{} : list node := ([{nodes}])%uint63.\n", side(claimant))
    });
    Some(format!(
        "(* Written by `prove report --coq`. *)
From Coq Require Import List Uint63.
From Draughtproof Require Import Evidence.
Import ListNotations.

{}
Notation the_board := {board_term}.
Definition found := no_database the_board nodes_of_Black nodes_of_White.

(* The kernel computes, once. *)
Lemma checked : check found {start} {claim} = true.
Proof. vm_cast_no_check (eq_refl true). Qed.

Theorem {name} : forall p, {condition} p -> holds the_board p {claim}.
Proof. exact ({holds} found _ _ checked). Qed.
",
        terms.concat()
    ))
}

fn side(side: Side) -> &'static str {
    match side {
        Side::Black => "Black",
        Side::White => "White",
    }
}

/// The sets of black pieces, of white pieces and of kings, and the side to move.
fn masks(board: &Board, position: &Position) -> String {
    let [black, white, kings] =
        [position.black, position.white, position.kings].map(|set| board.to_dense(set));
    format!("{black:#x} {white:#x} {kings:#x} {}", side(position.turn))
}

/// The contents of the squares in the order of their numbers, a row of the board a line.
fn squares(board: &Board, position: &Position) -> String {
    let mut out = String::new();
    for square in 0..board.squares() {
        let bit = board.bit(square);
        let owner = match (position.black & bit != 0, position.white & bit != 0) {
            (true, _) => "black",
            (_, true) => "white",
            _ => "none",
        };
        let kind = match (owner, position.kings & bit != 0) {
            ("none", _) => "",
            (_, true) => "_king",
            (_, false) => "_man",
        };
        let next = square + 1;
        let end = if next == board.squares() {
            ""
        } else if board.row(next) == board.row(square) {
            "; "
        } else {
            ";\n"
        };
        out += &format!("{owner}{kind}{end}");
    }
    out
}

/// The nodes of a question, a node a line.
fn nodes(board: &Board, proof: &StoredProof) -> String {
    let lines = proof.nodes.iter().map(|node| {
        let reason = match node.basis {
            StoredBasis::Or(choice) => format!("(Or {choice})"),
            StoredBasis::And => "And".into(),
            StoredBasis::Leaf(leaf) => strategy(&proof.leaves[leaf]),
            StoredBasis::Assumed(_) => unreachable!("assumed nodes were refused"),
        };
        format!("\n  node_at {} {} {reason}", masks(board, &node.position), node.rank)
    });
    lines.collect::<Vec<_>>().join(";")
}

/// A leaf: words of seven bytes of its strategy, and the bytes that are left.
fn strategy(leaf: &Leaf<Vec<u8>>) -> String {
    let number = |bytes: &[u8]| bytes.iter().rev().fold(0, |n, &byte| n << 8 | u64::from(byte));
    let chunks = leaf.strategy.chunks_exact(7);
    let left = chunks.remainder();
    let words: Vec<String> = chunks.map(|word| format!("{:#x}", number(word))).collect();
    let lines: Vec<String> = words.chunks(5).map(|line| line.join("; ")).collect();
    let positions = leaf.positions;
    format!(
        "(Leaf {positions} (strategy [\n    {}] {} {:#x}))",
        lines.join(";\n    "),
        left.len(),
        number(left)
    )
}

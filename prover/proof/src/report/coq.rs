//! A certificate as a theorem in Coq, for the library in `certificate-spec/formal`.

use certificate_spec::claim::Value;
use certificate_spec::leaves::Leaf;

use crate::board::{Board, Position, Side};
use crate::certificate::{Stored, StoredBasis, StoredProof};
use crate::egdb::{self, Cover, Slice, Values};

/// The words of a list in one definition: Coq's parser takes no list of any length.
const WORDS: usize = 2000;
/// The values in a word of a table.
const VALUES: u64 = 16;

/// Returns the theorem that a certificate without assumed nodes proves, with its nodes and leaves
/// as terms.
///
/// A database of a claim of not losing is a term, too, if its `values` are given. Else the theorem
/// has one hypothesis: the values of the positions of the database that the certificate leads to.
pub fn coq(stored: &Stored, values: Option<&Values>) -> String {
    let board = &stored.game.board;
    let cover = &stored.claim.cover;
    let mut terms = String::new();
    for claimant in [Side::Black, Side::White] {
        let proof = stored.proofs.iter().find(|proof| proof.claimant() == claimant);
        let nodes = proof.map_or(String::new(), |proof| nodes(board, proof, &mut terms));
        terms += &format!("Definition nodes_of_{claimant:?} : list node := ([{nodes}])%uint63.\n");
    }
    let (libraries, theorems) = match values {
        None if !cover.is_empty() => {
            let theorems = stored.proofs.iter().map(|proof| over_a_hypothesis(stored, proof));
            ("Evidence Conditional ConditionalWin Squares", theorems.collect())
        }
        None => ("Evidence", whole(stored, "no_database the_board")),
        Some(values) => {
            let found = format!("with_tables the_board {} tables_of_board", clauses(cover));
            ("Tables", tables(values, cover) + &whole(stored, &found))
        }
    };
    format!(
        "(* Written by `prove report --coq`. *)
From Coq Require Import List Uint63{}.
From Draughtproof Require Import {libraries}.
Import ListNotations.

{terms}
Notation the_board := {{| rows := {}; columns := {} |}}.
{theorems}",
        if values.is_some() { " PArray" } else { "" },
        board.rows(),
        board.columns(),
    )
}

/// The theorem that the claim holds; `found` is its evidence but for the nodes.
fn whole(stored: &Stored, found: &str) -> String {
    let board = &stored.game.board;
    let claim = match stored.claim.value {
        Value::Draw => "Draw",
        Value::BlackNotLost => "(DoesNotLose Black)",
        Value::WhiteNotLost => "(DoesNotLose White)",
        Value::BlackWins => "(Wins Black)",
        Value::WhiteWins => "(Wins White)",
    };
    let (start, holds, condition) = if stored.start == stored.game.start() {
        let filled = stored.game.filled();
        let start = format!("(start_of the_board {filled})");
        (start, "game_holds", format!("game_start the_board {filled}"))
    } else {
        let start = format!("(masks {})%uint63", masks(board, &stored.start));
        (start, "fen_holds", placed(board, &stored.start))
    };
    let word = stored.claim.value.word().to_ascii_lowercase().replace('-', "_");
    let name = format!("{word}_{}", stored.game.to_string().replace('/', "_"));
    format!(
        "Definition found := {found} nodes_of_Black nodes_of_White.

(* The kernel computes, once. *)
Lemma checked : check found {start} {claim} = true.
Proof. vm_cast_no_check (eq_refl true). Qed.

Theorem {name} : forall p, {condition} p -> holds the_board p {claim}.
Proof. exact ({holds} found _ _ checked). Qed.
"
    )
}

/// The theorem about one question that the claimant does not lose, or wins, if that holds of the
/// positions of the database that its nodes and leaves lead to.
fn over_a_hypothesis(stored: &Stored, proof: &StoredProof) -> String {
    let board = &stored.game.board;
    let (side, clauses) = (format!("{:?}", proof.claimant()), clauses(&stored.claim.cover));
    let nodes = format!("nodes_of_{side}");
    let (outcome, name, accepts, theorem) = if proof.question.is_win() {
        let accepts = format!(
            "all_win (make_geometry the_board) {side} {clauses} {nodes} met_{side} start_{side}"
        );
        let arguments = format!("the_board {side} {clauses} {nodes} start_{side} met_{side}");
        let theorem = format!("conditional_win_placed {arguments} small_{side}");
        ("Win", format!("wins_{side}"), accepts, theorem)
    } else {
        let accepts = format!("complete {nodes} met_{side} start_{side}");
        let arguments = format!("_ _ _ _ start_{side} met_{side} small_{side}");
        let theorem = format!("conditional_placed {arguments} eq_refl");
        ("NotLost", format!("not_lost_{side}"), accepts, theorem)
    };
    format!(
        "Definition start_{side} : packed := (masks {})%uint63.
Definition met_{side} : list Seen.tree :=
  replays (make_geometry the_board) {side} {clauses} {nodes}.

(* The kernel computes, once. *)
Lemma checked_{side} : {accepts} = true.
Proof. vm_cast_no_check (eq_refl true). Qed.
Lemma small_{side} : small the_board.
Proof. apply exists_small. repeat split; repeat constructor. Qed.

Opaque replays.
Theorem {name} :
  (forall y, In y (reached met_{side}) -> {outcome} the_board {side} (unpack the_board y)) ->
  forall p, {} p -> {outcome} the_board {side} p.
Proof. exact ({theorem} checked_{side}). Qed.
Transparent replays.
",
        masks(board, &stored.start),
        placed(board, &stored.start),
    )
}

/// The values of a database as an array: `Tables.v` has the order of slices and indices.
fn tables(values: &Values, cover: &Cover) -> String {
    let board = values.board();
    let base = usize::from(cover.most_pieces()) + 1;
    let mut first_of = vec![0; base.pow(4)];
    let mut words: Vec<u64> = Vec::new();
    for slice in Slice::all(board, cover) {
        let name = slice.name().0;
        let place = name.iter().fold(0, |place, &n| place * base + usize::from(n));
        first_of[place] = words.len() as u64 * VALUES;
        let table = values.table(slice);
        let indices = slice.indices(board);
        let number = |index| match table.value(index) {
            egdb::Value::Draw => 0,
            egdb::Value::Win => 1,
            egdb::Value::Loss => 2,
        };
        let word = |first: u64| {
            let these = first..indices.min(first + VALUES);
            these.fold(0, |word, index| word | number(index) << (2 * (index - first)))
        };
        words.extend((0..indices.div_ceil(VALUES)).map(|n| word(n * VALUES)));
    }
    let mut out = String::new();
    let slices = list("slices", &first_of, &mut out);
    let parts = list("values", &words, &mut out);
    let squares = u32::from(board.squares());
    let men = squares - u32::from(board.squares_in_row(board.rows() - 1));
    out + &format!(
        "Definition tables_of_board : tables := ({{| all_squares := {squares}; men_squares := {men};
  base := {base}; first_of := filled {} [{slices}]; words := filled {} [{parts}] |}})%uint63.
",
        first_of.len(),
        words.len(),
    )
}

/// Adds definitions of the parts of a list of words, and returns their names.
fn list(name: &str, words: &[u64], out: &mut String) -> String {
    let parts = words.chunks(WORDS).enumerate().map(|(part, words)| {
        let words: Vec<String> = words.iter().map(|word| format!("{word:#x}")).collect();
        let name = format!("{name}_{part}");
        *out += &format!("Definition {name} : list int := [{}]%uint63.\n", words.join("; "));
        name
    });
    parts.collect::<Vec<_>>().join("; ")
}

fn clauses(cover: &Cover) -> String {
    let clauses =
        cover.clauses().iter().map(|clause| format!("({}, {})", clause.pieces, clause.side));
    format!("[{}]", clauses.collect::<Vec<_>>().join("; "))
}

/// The sets of black pieces, of white pieces and of kings, and the side to move.
fn masks(board: &Board, position: &Position) -> String {
    let [black, white, kings] =
        [position.black, position.white, position.kings].map(|set| board.to_dense(set));
    format!("{black:#x} {white:#x} {kings:#x} {:?}", position.turn)
}

/// The condition that a position has these pieces: the contents of the squares in the order of
/// their numbers, a row of the board a line.
fn placed(board: &Board, position: &Position) -> String {
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
    format!("placed the_board {:?} [\n{out}]", position.turn)
}

/// The nodes of a question, a node a line. The strategies of leaves are defined before.
fn nodes(board: &Board, proof: &StoredProof, definitions: &mut String) -> String {
    let claimant = proof.claimant();
    let lines = proof.nodes.iter().map(|node| {
        let reason = match node.basis {
            StoredBasis::Or(choice) => format!("(Or {choice})"),
            StoredBasis::And => "And".into(),
            StoredBasis::Leaf(leaf) => {
                strategy(&format!("{claimant:?}_{leaf}"), &proof.leaves[leaf], definitions)
            }
            StoredBasis::Assumed(_) => unreachable!("assumed nodes were refused"),
        };
        format!("\n  node_at {} {} {reason}", masks(board, &node.position), node.rank)
    });
    lines.collect::<Vec<_>>().join(";")
}

/// A leaf: words of seven bytes of its strategy, and the bytes that are left.
fn strategy(name: &str, leaf: &Leaf<Vec<u8>>, definitions: &mut String) -> String {
    let number = |bytes: &[u8]| bytes.iter().rev().fold(0, |n, &byte| n << 8 | u64::from(byte));
    let chunks = leaf.strategy.chunks_exact(7);
    let left = chunks.remainder();
    let words: Vec<u64> = chunks.map(number).collect();
    let parts = list(name, &words, definitions);
    let positions = leaf.positions;
    format!("(Leaf {positions} (strategy (concat [{parts}]) {} {:#x}))", left.len(), number(left))
}

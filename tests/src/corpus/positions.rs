//! Cases in which a proof follows other rules of the game: one And node answers a move that the
//! opponent may not make, and does not answer one that the opponent must make.

use certificate_spec::claim::Value;
use certificate_spec::nodes;

use super::*;

/// (name, start with Black to move, the position that a prover with other rules answers, the
/// position that it misses)
const OTHER_RULES: [(&str, &str, &str, &str); 7] = [
    ("rules-quiet-move-for-a-jump", "B:W18,32:B1,14", "W:W18,32:B5,14", "W:W32:B1,23"),
    ("rules-jump-cut-short", "B:W10,18,32:B6", "W:W18,32:B15", "W:W32:B22"),
    ("rules-crowned-man-jumps-on", "B:W26,27,32:B22", "W:W32:BK24", "W:W27,32:BK31"),
    ("rules-man-jumps-backward", "B:W18,32:B22", "W:W32:B15", "W:W18,32:B25"),
    ("rules-king-flies", "B:W32:BK1", "W:W32:BK10", "W:W32:BK5"),
    ("rules-jumped-twice", "B:W18,32:BK14", "W:W32:BK14", "W:W32:BK23"),
    ("rules-man-not-crowned", "B:W32:B26", "W:W32:B30", "W:W32:BK30"),
];

pub(super) fn add(corpus: &mut Corpus, bases: &Bases) {
    let board = Board::new(8, 8).expect("a board");
    let wire = |fen: &str| {
        let position = board.read_fen(fen).expect(fen);
        WirePosition {
            black: board.to_dense(position.black),
            white: board.to_dense(position.white),
            kings: board.to_dense(position.kings),
            turn: u8::from(position.turn == Side::White),
        }
    };
    for (name, start, answered, missed) in OTHER_RULES {
        corpus.add_draft(name, &bases.bare, |draft| {
            // The answered position cannot always be written as a FEN: a man may stand on its
            // crowning row.
            let answer = if name == "rules-man-not-crowned" {
                WirePosition { kings: 0, ..wire("W:W32:BK30") }
            } else {
                wire(answered)
            };
            let node = |position, kind, data| Node { position, rank: 0, data, kind, reserved: 0 };
            let mut nodes = vec![node(wire(start), kind::AND, 0), node(answer, kind::ASSUMED, 0)];
            nodes.sort_by_key(|n| n.position);
            *draft = Draft {
                claim: Claim {
                    game: "8x8".into(),
                    start: start.into(),
                    value: Value::WhiteNotLost,
                    cover: Cover::none(),
                    database: None,
                },
                parts: vec![Part { nodes, ..Part::new(Question::WhiteNotLost) }],
            };
            // The answer is assumed, so that only the start, an And node, is wrong. An impossible
            // answer is found even before that.
            let (start, impossible) = (wire(start), name == "rules-man-not-crowned");
            Box::new(move |draft| {
                let place = |p| draft.parts[0].nodes.iter().position(|n| n.position == p);
                let (rule, node) = match impossible {
                    true => ("node-position", place(answer)),
                    false => ("not-covered", place(start)),
                };
                let head = draft.parts[0].head(draft.parts[0].nodes.len());
                let file = object(draft, 0, Kind::Nodes);
                Expected::refuted(rule, file).at(nodes::offset(&head, node.expect("the node")))
            })
        });
        let mut successors = Vec::new();
        board.successors(&board.read_fen(start).expect(start), &mut successors);
        let missed = board.read_fen(missed).expect(missed);
        assert!(successors.contains(&missed), "{name}: the move that is missed is no move");
    }
}

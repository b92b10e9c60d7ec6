//! Cases about nodes: their records, and what they claim.
//!
//! Cases about leaf strategies.
//!
//! Cases in which a proof follows other rules of the game: one And node answers a move that the
//! opponent may not make, and does not answer one that the opponent must make.

use super::*;
use crate::positions;
use certificate_spec::claim::Value as Claimed;
use certificate_spec::{leaves, nodes};
use draughtproof_egdb::Value;

/// The prover's view of a base, to find the moves and values that a case needs.
fn rules_of(base: &Base) -> Rules {
    let game: draughtproof_game::Game = base.draft.claim.game.parse().expect("a game");
    Rules::new(match base.draft.claim.cover.most_pieces() {
        0 => Values::empty(&game.board),
        pieces => positions::database(&game.board, pieces),
    })
}

fn find(part: &Part, position: &WirePosition) -> Option<usize> {
    part.nodes.binary_search_by_key(position, |n| n.position).ok()
}

/// The verdict that refutes at a node of a part.
fn at(draft: &Draft, part: usize, rule: &str, node: usize) -> Expected {
    let head = draft.parts[part].head(draft.parts[part].nodes.len());
    Expected::refuted(rule, object(draft, part, Kind::Nodes)).at(nodes::offset(&head, node))
}

pub(super) fn add(corpus: &mut Corpus, bases: &Bases) {
    records(corpus, &bases.draw);
    moves(corpus, &bases.draw);
    values(corpus, &bases.draw);
    false_claims(corpus, &bases.win);
    ranks(corpus, bases);
}

fn records(corpus: &mut Corpus, base: &Base) {
    let part = &base.draft.parts[0];
    let of_kind = |k: u8| part.nodes.iter().position(|n| n.kind == k).expect("a node of each kind");
    let (or, and, leaf) = (of_kind(kind::OR), of_kind(kind::AND), of_kind(kind::LEAF));
    // A changed position that keeps the order of nodes breaks only the rule at hand.
    let last = part.nodes.len() - 1;
    let mut edit = |name: &str, node: usize, rule: &'static str, edit: &dyn Fn(&mut Node)| {
        corpus.add_draft(name, base, |draft| {
            edit(&mut draft.parts[0].nodes[node]);
            Box::new(move |draft| at(draft, 0, rule, node))
        });
    };
    edit("node-kind", or, "node-syntax", &|n| n.kind = 9);
    edit("node-kind-zero", or, "node-syntax", &|n| n.kind = 0);
    edit("node-turn-two", last, "node-syntax", &|n| n.position.turn = 2);
    edit("node-reserved", or, "node-syntax", &|n| n.reserved = 1);
    edit("node-rank-for-a-draw", or, "node-syntax", &|n| n.rank = 1);
    edit("node-and-with-data", and, "node-syntax", &|n| n.data = 1);
    edit("node-off-the-board", last, "node-position", &|n| n.position.black |= 1 << 8);
    edit("node-king-without-piece", last, "node-position", &|n| {
        n.position.kings = !(n.position.black | n.position.white) & 0xff;
    });
    edit("node-two-on-a-square", last, "node-position", &|n| n.position.white |= n.position.black);
    edit("node-or-called-and", or, "node-turn", &|n| (n.kind, n.data) = (kind::AND, 0));
    edit("node-and-called-or", and, "node-turn", &|n| n.kind = kind::OR);
    edit("node-leaf-of-a-wrong-number", leaf, "leaf-number", &|n| n.data += 1);
    edit("node-leaf-of-a-huge-number", leaf, "leaf-number", &|n| n.data = u32::MAX);
    edit("node-or-beyond-the-moves", or, "move-index", &|n| n.data = 99);
    edit("node-or-beyond-all-moves", or, "move-index", &|n| n.data = u32::MAX);

    let mut order = |name: &str, node: usize, edit: &dyn Fn(&mut Vec<Node>)| {
        corpus.add_draft(name, base, |draft| {
            edit(&mut draft.parts[0].nodes);
            Box::new(move |draft| at(draft, 0, "node-order", node))
        });
    };
    order("nodes-unsorted", 1, &|n| n.swap(0, 1));
    order("nodes-one-twice", 1, &|n| n.insert(0, n[0]));
    order("nodes-unsorted-at-the-end", last, &|n| n.swap(last - 1, last));
    corpus.add_draft("nodes-of-the-database", base, |draft| {
        // A position with three pieces is in the database: W:W7:B1,2.
        let position = WirePosition { black: 0b11, white: 0b100_0000, kings: 0, turn: 1 };
        let nodes = &mut draft.parts[0].nodes;
        let place = nodes.partition_point(|n| n.position < position);
        nodes.insert(place, Node { position, rank: 0, data: 0, kind: kind::AND, reserved: 0 });
        Box::new(move |draft| at(draft, 0, "node-position", place))
    });
    corpus.add_draft("nodes-more-leaves-than-nodes", base, |draft| {
        let leaves = &mut draft.parts[0].leaves;
        leaves.push(leaves[0].clone());
        Box::new(|_| Expected::refuted("leaf-number", "MANIFEST"))
    });
    corpus.add_draft("assumed-instead-of-proved", base, |draft| {
        let node = draft.parts[0].nodes.iter_mut().rfind(|n| n.kind == kind::OR).expect("a node");
        (node.kind, node.data) = (kind::ASSUMED, (-250i32).cast_unsigned());
        Box::new(|_| Expected::conditional("DRAW 4x4 start=initial"))
    });
}

/// The cheapest wrong certificates: a false claim, and one node that states it.
fn false_claims(corpus: &mut Corpus, base: &Base) {
    let rules = rules_of(base);
    let start = start_of(&rules, &base.draft);
    let mut claim = |name: &str, kind: u8, expected: fn(&Draft) -> Expected| {
        // White wins this game.
        corpus.add_draft(name, base, |draft| {
            let node = Node { position: start, rank: 0, data: 0, kind, reserved: 0 };
            draft.claim.value = Claimed::BlackNotLost;
            let question = Question::BlackNotLost;
            draft.parts = vec![Part { nodes: vec![node], ..Part::new(question) }];
            Box::new(expected)
        });
    };
    claim("false-claim-of-a-chosen-move", kind::OR, |draft| at(draft, 0, "not-covered", 0));
    claim("false-claim-of-all-moves", kind::AND, |draft| at(draft, 0, "node-turn", 0));
    claim("false-claim-of-a-leaf-that-is-not-there", kind::LEAF, |_| {
        Expected::refuted("leaf-number", "MANIFEST")
    });
    claim("false-claim-that-is-assumed", kind::ASSUMED, |_| {
        Expected::conditional("BLACK-NOT-LOST 6x4 start=initial")
    });
}

/// The first node of a part that needs the position, as its chosen move or as a reply.
fn first_that_needs(rules: &Rules, part: &Part, position: &WirePosition) -> Option<usize> {
    part.nodes.iter().position(|n| {
        let successors = rules.successors(&n.position);
        match n.kind {
            kind::OR => successors.get(n.data as usize) == Some(position),
            kind::AND => successors.contains(position),
            _ => false,
        }
    })
}

fn moves(corpus: &mut Corpus, base: &Base) {
    let rules = rules_of(base);
    let part = &base.draft.parts[0];
    let start = part.nodes.iter().position(|n| n.position == start_of(&rules, &base.draft));
    let start = start.expect("the start");

    corpus.add_draft("start-not-among-the-nodes", base, |draft| {
        draft.parts[0].nodes.remove(start);
        Box::new(|_| Expected::refuted("start-missing", "CLAIM"))
    });
    // An unanswered reply: a node that an And node needs is removed.
    let missing = (0..part.nodes.len()).find_map(|i| {
        let gone = part.nodes[i];
        let mut rest = part.clone();
        rest.nodes.remove(i);
        let first = first_that_needs(&rules, &rest, &gone.position)?;
        let plain = gone.kind != kind::LEAF && i != start && rest.nodes[first].kind == kind::AND;
        plain.then_some((i, first))
    });
    let (gone, first) = missing.expect("a reply to take away");
    corpus.add_draft("reply-missing", base, |draft| {
        draft.parts[0].nodes.remove(gone);
        Box::new(move |draft| at(draft, 0, "not-covered", first))
    });
    // Other choices: a position of no node, leaf or database entry, and one that is lost by the
    // database.
    let other = |suits: &dyn Fn(&WirePosition) -> bool| {
        part.nodes.iter().enumerate().filter(|(_, n)| n.kind == kind::OR).find_map(|(i, n)| {
            let place = rules.successors(&n.position).iter().position(suits)?;
            Some((i, u32::try_from(place).expect("few moves")))
        })
    };
    let uncovered = other(&|s| rules.value(s).is_none() && find(part, s).is_none());
    let (node, choice) = uncovered.expect("an uncovered move");
    corpus.add_draft("choice-that-nobody-covers", base, |draft| {
        draft.parts[0].nodes[node].data = choice;
        Box::new(move |draft| at(draft, 0, "not-covered", node))
    });
}

/// Positions whose value in the database does not suit the claim.
fn values(corpus: &mut Corpus, base: &Base) {
    let rules = rules_of(base);
    let claim = |draft: &mut Draft, start: &WirePosition, nodes: Vec<Node>| {
        draft.claim.start = rules.board.write_fen(&rules.read(start));
        draft.claim.value = Claimed::BlackNotLost;
        draft.parts = vec![Part { nodes, ..Part::new(Question::BlackNotLost) }];
    };
    // Two kings of each side, a black one to move: a capture that leaves White with a win.
    let kings = (0..=255u32).flat_map(|black| (0..=255u32).map(move |white| (black, white)));
    let apart = |&(b, w): &(u32, u32)| b & w == 0 && b.count_ones() == 2 && w.count_ones() == 2;
    let lost = kings.filter(apart).find_map(|(black, white)| {
        let start = WirePosition { black, white, kings: black | white, turn: 0 };
        let successors = rules.successors(&start);
        let choice = successors.iter().position(|s| rules.value(s) == Some(Value::Win))?;
        Some((start, u32::try_from(choice).expect("few moves"), successors[choice]))
    });
    let (start, data, lost) = lost.expect("a losing capture");
    corpus.add_draft("choice-that-the-database-calls-lost", base, |draft| {
        let node = Node { position: start, rank: 0, data, kind: kind::OR, reserved: 0 };
        claim(draft, &start, vec![node]);
        Box::new(move |draft| at(draft, 0, "database-value", 0))
    });
    corpus.add_draft("start-that-the-database-calls-lost", base, |draft| {
        claim(draft, &lost, Vec::new());
        Box::new(|_| Expected::refuted("database-value", "CLAIM"))
    });
}

fn start_of(rules: &Rules, draft: &Draft) -> WirePosition {
    rules.wire(&rules.board.read_fen(&draft.claim.start).expect("a FEN"))
}

fn ranks(corpus: &mut Corpus, bases: &Bases) {
    // A draw by repetition as a win: every node is supported, in cycles.
    let bare = rules_of(&bases.bare);
    for (name, rank) in
        [("draw-called-a-win-with-equal-ranks", 1u32), ("draw-called-a-win-with-rank-0", 0)]
    {
        corpus.add_draft(name, &bases.bare, |draft| {
            let (claimed, question) = (Claimed::BlackWins, Question::BlackWins);
            draft.claim.value = claimed;
            draft.parts.truncate(1);
            let part = &mut draft.parts[0];
            part.question = question;
            part.nodes.iter_mut().for_each(|n| n.rank = rank);
            let in_tree = |p: &WirePosition| find(part, p).is_some();
            let first = part.nodes.iter().position(|n| {
                let successors = bare.successors(&n.position);
                match n.kind {
                    kind::OR => in_tree(&successors[n.data as usize]),
                    kind::AND => successors.iter().any(in_tree),
                    _ => false,
                }
            });
            let first = first.expect("a node that leans on another");
            Box::new(move |draft| at(draft, 0, "rank", first))
        });
    }
    // Two nodes of a real win support each other: the child gets a rank above its parent's.
    let win = rules_of(&bases.win);
    let part = &bases.win.draft.parts[0];
    let pairs = part.nodes.iter().enumerate().filter(|(_, n)| n.kind == kind::OR);
    let mut pair = pairs.filter_map(|(i, n)| {
        let child = find(part, &win.successors(&n.position)[n.data as usize])?;
        (first_that_needs(&win, part, &part.nodes[child].position) == Some(i)).then_some((i, child))
    });
    let (parent, child) = pair.next().expect("a node and its child");
    let mut edit = |name: &str, change: &dyn Fn(&mut [Node])| {
        corpus.add_draft(name, &bases.win, |draft| {
            change(&mut draft.parts[0].nodes);
            Box::new(move |draft| at(draft, 0, "rank", parent))
        });
    };
    edit("win-with-equal-ranks", &|n| n[parent].rank = n[child].rank);
    edit("win-with-a-rank-that-rises", &|n| n[parent].rank = n[child].rank - 1);
    edit("win-with-rank-0", &|n| n[parent].rank = 0);
}

fn at_leaf(draft: &Draft, rule: &str, leaf: usize) -> Expected {
    let head = draft.parts[0].head(draft.parts[0].leaves.len());
    Expected::refuted(rule, object(draft, 0, Kind::Leaves)).at(leaves::offset(&head, leaf))
}

pub(super) fn add_leaves(corpus: &mut Corpus, bases: &Bases) {
    edits(corpus, "draw", &bases.draw);
    edits(corpus, "win", &bases.win);
    // The strategy of a draw as that of a win: it goes round in a cycle.
    corpus.add_draft("leaf-that-wins-in-a-circle", &bases.leaf, |draft| {
        draft.claim.value = Claimed::BlackWins;
        draft.parts.truncate(1);
        draft.parts[0].question = Question::BlackWins;
        Box::new(|draft| at_leaf(draft, "leaf-repetition", 0))
    });
    // The strategy of White for Black's question: the choices are read where Black is to move.
    corpus.add_draft("leaf-of-the-other-side", &bases.leaf, |draft| {
        draft.parts[0].leaves = draft.parts[1].leaves.clone();
        Box::new(|draft| Expected { words: "REFUTED".into(), ..at_leaf(draft, "", 0) })
    });
}

fn edits(corpus: &mut Corpus, prefix: &str, base: &Base) {
    let leaves = &base.draft.parts[0].leaves;
    let last = leaves.len() - 1;
    // The longest strategy has enough bits for every change.
    let long = (0..leaves.len()).max_by_key(|&i| leaves[i].strategy.len()).unwrap_or(0);
    type Edit<'a> = &'a dyn Fn(&mut Leaf<Vec<u8>>);
    let mut edit = |name: &str, leaf: usize, rule: &'static str, edit: Edit<'_>| {
        corpus.add_draft(&format!("leaf-{prefix}-{name}"), base, |draft| {
            edit(&mut draft.parts[0].leaves[leaf]);
            Box::new(move |draft| at_leaf(draft, rule, leaf))
        });
    };
    edit("one-position-too-many", long, "leaf-syntax", &|l| l.positions += 1);
    edit("one-position-too-few", long, "leaf-syntax", &|l| l.positions -= 1);
    edit("positions-2-to-64", last, "leaf-syntax", &|l| l.positions = u64::MAX);
    edit("one-byte-too-many", last, "leaf-syntax", &|l| l.strategy.push(0));
    edit("one-byte-too-few", long, "leaf-syntax", &|l| {
        l.strategy.pop();
    });
    edit("no-strategy", long, "leaf-syntax", &|l| l.strategy.clear());
}

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

pub(super) fn add_positions(corpus: &mut Corpus, bases: &Bases) {
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
                    value: Claimed::WhiteNotLost,
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

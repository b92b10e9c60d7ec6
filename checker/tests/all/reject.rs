//! Certificates that are wrong in one way are refuted for that reason, at that place: what the
//! corpora (`tests/src/corpus`) do not have, as they have one object of each kind for a question.

use crate::common::*;

/// The offset of record `i` of an object of nodes: after a head of 15 bytes, where first and count
/// are small.
fn node_offset(i: usize) -> usize {
    15 + 24 * i
}

#[test]
fn nodes_in_several_objects() {
    let mut certificate = draw_4x4(&oracle_4x4(), 4);
    certificate.chunk = 3;
    let all = &mut certificate.parts[0].nodes;
    let i = (4..).step_by(3).find(|&i| all[i].kind == kind::OR).unwrap();
    all[i].data = 50;
    let object = certificate.objects()[i / 3].0.digest;
    let place = format!("file=objects/{object} offset={}", node_offset(1));
    refuted(&verdict(&certificate), "move-index", &place);
    // The same node twice, in two objects.
    let mut certificate = draw_4x4(&oracle_4x4(), u32::MAX);
    let node = certificate.parts[0].nodes[4];
    certificate.parts[0].nodes.insert(4, node);
    certificate.chunk = 5;
    refuted(&verdict(&certificate), "node-order", "offset=15 ");
}

#[test]
fn any_node_missing_is_noticed() {
    let good = draw_4x4(&oracle_4x4(), u32::MAX);
    let start = Game::parse("4x4").unwrap().initial();
    for i in 0..good.parts[0].nodes.len() {
        let mut certificate = good.clone();
        let node = certificate.parts[0].nodes.remove(i);
        let p = node.position;
        if (p.black, p.white, p.turn) == (start.black, start.white, 0) {
            refuted(&verdict(&certificate), "start-missing", "file=CLAIM position=B:W7,8:B1,2");
        } else {
            refuted(&verdict(&certificate), "not-covered", "expected=covered");
        }
    }
}

/// Two kings that go round 3x3 for ever, each half of the way in a leaf that leans on the other.
#[test]
fn leaves_that_lean_on_each_other() {
    let claim = Claim {
        game: "3x3/1".into(),
        start: "B:WK4:BK1".into(),
        value: Claimed::BlackWins,
        cover: Cover::none(),
        database: None,
    };
    let node = |black, white, rank, data| Node {
        position: WirePosition { black, white, kings: black | white, turn: 0 },
        rank,
        data,
        kind: kind::LEAF,
        reserved: 0,
    };
    for ranks in [(5, 5), (5, 6), (6, 5), (0, 0)] {
        let nodes = vec![node(1, 8, ranks.0, 0), node(2, 4, ranks.1, 1)];
        // Black moves, White has one move, and it leads to the other leaf's node.
        let leaf = Leaf { positions: 2, strategy: vec![0] };
        let part = Part { question: Question::BlackWins, nodes, leaves: vec![leaf.clone(), leaf] };
        let certificate = Certificate { claim: claim.clone(), parts: vec![part], chunk: 9 };
        refuted(&verdict(&certificate), "leaf-syntax", "expected=2%20positions found=more");
        // Going round in one leaf does not help, unless the rank of the other leaf's node stops it.
        if ranks.0 > ranks.1 {
            continue;
        }
        let mut certificate = certificate;
        certificate.parts[0].leaves.iter_mut().for_each(|leaf| leaf.positions = 4);
        refuted(&verdict(&certificate), "leaf-repetition", "expected=completed found=open");
    }
    // The cycle is neither a win nor a loss: the same two leaves are a closed set.
    let leaf = Leaf { positions: 2, strategy: vec![0] };
    let nodes = vec![node(1, 8, 0, 0), node(2, 4, 0, 1)];
    let part = Part { question: Question::BlackNotLost, nodes, leaves: vec![leaf.clone(), leaf] };
    let claim = Claim { value: Claimed::BlackNotLost, ..claim };
    let line = verdict(&Certificate { claim, parts: vec![part], chunk: 9 });
    assert!(line.starts_with("s VERIFIED BLACK-NOT-LOST 3x3/1 "), "{line}");
}

#[test]
fn strategies() {
    type Spoil = fn(&mut Leaf<Vec<u8>>);
    let spoils: [(&str, Spoil); 4] = [
        ("leaf-syntax", |leaf| leaf.positions = 1),
        ("leaf-syntax", |leaf| *leaf.strategy.last_mut().unwrap() |= 0x80),
        // 4x4 has three moves at the start, and the choice 3 names none of them.
        ("move-index", |leaf| leaf.strategy[0] |= 3),
        ("object-syntax", |leaf| leaf.positions = 0),
    ];
    for (rule, spoil) in spoils {
        let mut certificate = draw_4x4(&oracle_4x4(), 0);
        spoil(&mut certificate.parts[0].leaves[0]);
        let object = certificate.objects()[2].0.digest;
        let offset = if rule == "object-syntax" { 23 } else { 15 };
        refuted(&verdict(&certificate), rule, &format!("file=objects/{object} offset={offset} "));
    }
}

#[test]
fn a_claimant_without_a_move() {
    // Black is to move and has no move: neither a node nor a leaf can say that this is not lost.
    let oracle = oracle_4x4();
    let stuck = fen("B:W3,4,6:B1");
    let maker = Maker { board: &board("4x4"), oracle: &oracle, pieces: 0, leaf_depth: 9 };
    assert!(successors(maker.board, &stuck).is_empty());
    let mut certificate = maker.certificate("4x4", Claimed::WhiteNotLost, stuck, None);
    assert!(verdict(&certificate).starts_with("s VERIFIED WHITE-NOT-LOST 4x4 start=B:W3,4,6:B1 "));
    certificate.claim.value = Claimed::BlackNotLost;
    refuted(&verdict(&certificate), "start-missing", "file=CLAIM");
    let mut node = draw_4x4(&oracle, u32::MAX).parts[0].nodes[0];
    node.position.black = stuck.black;
    node.position.white = stuck.white;
    node.position.kings = stuck.kings;
    node.position.turn = 0;
    node.kind = kind::OR;
    node.data = 0;
    certificate.parts[0].question = Question::BlackNotLost;
    certificate.parts[0].nodes = vec![node];
    refuted(&verdict(&certificate), "move-index", "expected=less%20than%200");
    certificate.parts[0].nodes[0].kind = kind::LEAF;
    certificate.parts[0].leaves = vec![Leaf { positions: 1, strategy: vec![] }];
    refuted(&verdict(&certificate), "leaf-stuck", "position=B:W3,4,6:B1");
    assert_eq!(claimant(Question::BlackNotLost), Side::Black);
}

#[test]
fn leaves_and_nodes_are_as_many() {
    let (oracle, start) = (oracle_4x4(), longest_win(&oracle_4x4(), Side::Black));
    let maker = Maker { board: &board("4x4"), oracle: &oracle, pieces: 0, leaf_depth: 2 };
    let win = maker.certificate("4x4", Claimed::BlackWins, start, None);
    for good in [draw_4x4(&oracle, 2), win] {
        for q in 0..good.parts.len() {
            let leaves = &good.parts[q].leaves;
            let more = [&leaves[..], &leaves[..1]].concat();
            for wrong in [&more[..], &leaves[1..], &leaves[..leaves.len() - 1], &[]] {
                let mut certificate = good.clone();
                certificate.parts[q].leaves = wrong.to_vec();
                let (nodes, found) = (leaves.len(), wrong.len());
                let words = format!("expected={nodes}%20leaves%20of%20question%20");
                let line = verdict(&certificate);
                refuted(&line, "leaf-number", &format!("file=MANIFEST {words}"));
                assert!(line.ends_with(&format!(" found={found}")), "{line}");
            }
        }
    }
}

/// Names and texts that a verdict repeats cannot look like a verdict.
#[test]
fn names_and_texts_in_verdicts() {
    let good = draw_4x4(&oracle_4x4(), u32::MAX);
    let line = |spoil: &dyn Fn(&std::path::Path)| {
        let place = Place::new();
        good.write(&place.cert());
        spoil(&place.cert());
        place.check()
    };
    let extra = line(&|p| fs::write(p.join("x\ns VERIFIED %"), "").unwrap());
    refuted(&extra, "listing", "file=x%0as%20VERIFIED%20%25 expected=nothing");
    let text = good.claim.encode();
    let claim =
        |from, to: &str| line(&|p| fs::write(p.join("CLAIM"), text.replace(from, to)).unwrap());
    assert_eq!(
        claim("certificate 1", "certificate 0"),
        "s DECLINED version file=CLAIM expected=1%20(make%20the%20certificate%20again%20with:%20prove\
         %20--emit) found=0"
    );
    assert_eq!(
        claim("english-checkers-1", "x%y"),
        "s DECLINED rules file=CLAIM expected=english-checkers-1 found=x%25y"
    );
    // A hard link is an ordinary file.
    let linked = line(&|p| {
        fs::rename(p.join("MANIFEST"), p.with_file_name("x")).unwrap();
        fs::hard_link(p.with_file_name("x"), p.join("MANIFEST")).unwrap();
    });
    assert!(linked.starts_with("s VERIFIED DRAW 4x4 "), "{linked}");
}

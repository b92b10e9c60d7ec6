//! Certificates and databases that are wrong in one way are refuted for that reason, at that place.

use crate::common::*;

fn win_4x4(oracle: &Oracle, leaf_depth: u32) -> Certificate {
    let maker = Maker { board: &board("4x4"), oracle, pieces: 0, leaf_depth };
    maker.certificate("4x4", Claimed::BlackWins, longest_win(oracle, Side::Black), None)
}

/// The offset of record `i` of an object of nodes: after a head of 15 bytes, where first and count
/// are small.
fn node_offset(i: usize) -> usize {
    15 + 24 * i
}

/// Spoils node `i` of question 0 and expects this rule at this node.
fn spoil_node(certificate: &Certificate, i: usize, rule: &str, spoil: impl Fn(&mut Node)) {
    let mut certificate = certificate.clone();
    spoil(&mut certificate.parts[0].nodes[i]);
    let object = certificate.objects()[0].0.digest;
    let place = format!("file=objects/{object} offset={}", node_offset(i));
    refuted(&verdict(&certificate), rule, &place);
}

fn first(certificate: &Certificate, wanted: u8) -> usize {
    certificate.parts[0].nodes.iter().position(|node| node.kind == wanted).unwrap()
}

#[test]
fn fields_of_nodes() {
    let good = draw_4x4(&oracle_4x4(), 4);
    let (or, and, leaf) =
        (first(&good, kind::OR), first(&good, kind::AND), first(&good, kind::LEAF));
    spoil_node(&good, or, "node-syntax", |n| n.kind = 0);
    spoil_node(&good, or, "node-syntax", |n| n.kind = 5);
    spoil_node(&good, or, "node-syntax", |n| n.position.turn = 2);
    spoil_node(&good, or, "node-syntax", |n| n.reserved = 1);
    spoil_node(&good, or, "node-syntax", |n| n.rank = 1);
    spoil_node(&good, and, "node-syntax", |n| n.data = 1);
    spoil_node(&good, or, "node-position", |n| n.position.black |= 1 << 8);
    spoil_node(&good, or, "node-position", |n| n.position.black |= n.position.white);
    spoil_node(&good, or, "node-position", |n| n.position.kings = 0xff);
    spoil_node(&good, or, "node-turn", |n| (n.kind, n.data) = (kind::AND, 0));
    spoil_node(&good, and, "node-turn", |n| n.kind = kind::OR);
    spoil_node(&good, or, "move-index", |n| n.data = 50);
    spoil_node(&good, leaf, "leaf-number", |n| n.data = 1);
}

#[test]
fn a_node_in_a_later_object() {
    let mut certificate = draw_4x4(&oracle_4x4(), 4);
    certificate.chunk = 3;
    let all = &mut certificate.parts[0].nodes;
    let i = (4..).step_by(3).find(|&i| all[i].kind == kind::OR).unwrap();
    all[i].data = 50;
    let object = certificate.objects()[i / 3].0.digest;
    let place = format!("file=objects/{object} offset={}", node_offset(1));
    refuted(&verdict(&certificate), "move-index", &place);
}

#[test]
fn the_order_of_nodes() {
    let mut certificate = draw_4x4(&oracle_4x4(), u32::MAX);
    certificate.parts[0].nodes.swap(3, 4);
    refuted(&verdict(&certificate), "node-order", &format!("offset={}", node_offset(4) + 1));
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

#[test]
fn a_node_of_the_other_question_does_not_help() {
    let mut certificate = draw_4x4(&oracle_4x4(), u32::MAX);
    certificate.parts[1].nodes.clear();
    refuted(&verdict(&certificate), "start-missing", "file=CLAIM");
}

#[test]
fn ranks_must_fall() {
    let good = win_4x4(&oracle_4x4(), u32::MAX);
    assert!(verdict(&good).starts_with("s VERIFIED BLACK-WINS"));
    let nodes = &good.parts[0].nodes;
    assert!(nodes.iter().map(|n| n.rank).max() > Some(10));
    // The last of the nodes with the highest rank below the start gets one that is too high.
    let i = (0..nodes.len()).max_by_key(|&i| nodes[i].rank).unwrap();
    let mut certificate = good.clone();
    certificate.parts[0].nodes[i].rank = 0;
    refuted(&verdict(&certificate), "rank", &format!("offset={}", node_offset(i)));
    for node in &mut certificate.parts[0].nodes {
        node.rank = 7;
    }
    refuted(&verdict(&certificate), "rank", "expected=less%20than%207 found=7%20at%20");
}

#[test]
fn a_lost_position_cannot_be_claimed() {
    // Whatever moves are chosen, with or without nodes: a draw is not a win.
    let oracle = oracle_4x4();
    let draw = draw_4x4(&oracle, u32::MAX);
    let mut certificate = draw.clone();
    certificate.claim.value = Claimed::BlackWins;
    certificate.parts.truncate(1);
    certificate.parts[0].question = Question::BlackWins;
    refuted(&verdict(&certificate), "rank", "");
    certificate.parts.clear();
    refuted(&verdict(&certificate), "start-missing", "file=CLAIM");
}

#[test]
fn leaves_that_repeat() {
    // A drawn cycle as the strategy of a win comes back to a position that is not completed.
    let oracle = oracle_4x4();
    let mut certificate = draw_4x4(&oracle, 0);
    certificate.claim.value = Claimed::BlackWins;
    certificate.parts.truncate(1);
    certificate.parts[0].question = Question::BlackWins;
    refuted(&verdict(&certificate), "leaf-repetition", "offset=15 ");
}

#[test]
fn leaves_of_wins() {
    for depth in [0, 1, 3] {
        let good = win_4x4(&oracle_4x4(), depth);
        assert!(verdict(&good).starts_with("s VERIFIED BLACK-WINS"));
        let mut certificate = good.clone();
        certificate.parts[0].leaves[0].strategy[0] ^= 0xff;
        assert!(verdict(&certificate).starts_with("s REFUTED"), "{depth}");
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

fn spoil_leaf(rule: &str, spoil: impl Fn(&mut Leaf<Vec<u8>>)) {
    let mut certificate = draw_4x4(&oracle_4x4(), 0);
    spoil(&mut certificate.parts[0].leaves[0]);
    let object = certificate.objects()[2].0.digest;
    refuted(&verdict(&certificate), rule, &format!("file=objects/{object} offset=15"));
}

#[test]
fn strategies() {
    spoil_leaf("leaf-syntax", |leaf| leaf.positions += 1);
    spoil_leaf("leaf-syntax", |leaf| leaf.positions -= 1);
    spoil_leaf("leaf-syntax", |leaf| leaf.positions = 1);
    spoil_leaf("leaf-syntax", |leaf| leaf.positions = u64::MAX);
    spoil_leaf("leaf-syntax", |leaf| leaf.strategy.push(0));
    spoil_leaf("leaf-syntax", |leaf| leaf.strategy.truncate(1));
    spoil_leaf("leaf-syntax", |leaf| *leaf.strategy.last_mut().unwrap() |= 0x80);
    // 4x4 has three moves at the start, and the choice 3 names none of them.
    spoil_leaf("move-index", |leaf| leaf.strategy[0] |= 3);
    let mut certificate = draw_4x4(&oracle_4x4(), 0);
    certificate.parts[0].leaves[0].positions = 0;
    refuted(&verdict(&certificate), "object-syntax", "offset=23 ");
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
    for good in [draw_4x4(&oracle_4x4(), 2), win_4x4(&oracle_4x4(), 2)] {
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

#[test]
fn the_claim() {
    let good = draw_4x4(&oracle_4x4(), u32::MAX);
    let text = good.claim.encode();
    let change = |from: &str, to: &str| {
        assert!(text.contains(from));
        let place = Place::new();
        write_raw(&place.cert(), text.replacen(from, to, 1).as_bytes(), &good.objects());
        place.check()
    };
    refuted(&change("game 4x4", "game 4x4/1"), "claim-syntax", "file=CLAIM offset=52 ");
    refuted(&change("B:W7,8:B1,2", "B:W8,7:B1,2"), "claim-syntax", "file=CLAIM offset=61 ");
    refuted(&change("B:W7,8:B1,2", "B:W7,8:B1,9"), "claim-start", "offset=61 position=B:W7,8:B1,9");
    refuted(&change("B:W7,8:B1,2", "B:W7,8:B1,7"), "claim-start", "offset=61 ");
    refuted(&change("pieces 0", "pieces 1"), "claim-syntax", "");
    refuted(&change("pieces 0", "pieces 2"), "claim-syntax", "");
    refuted(&change("none\n", "none\n\n"), "claim-syntax", "");
    refuted(&change("none\n", "none"), "claim-syntax", "");
    refuted(&change("value DRAW", "value BLACK-WINS"), "manifest-syntax", "offset=46 ");
    refuted(&change("value DRAW", "value BLACK-NOT-LOST"), "manifest-syntax", "offset=85 ");
    assert_eq!(
        change("certificate 1", "certificate 0"),
        "s DECLINED version file=CLAIM expected=1%20(make%20the%20certificate%20again%20with:%20prove\
         %20--emit) found=0"
    );
    assert_eq!(
        change("english-checkers-1", "x%y"),
        "s DECLINED rules file=CLAIM expected=english-checkers-1 found=x%25y"
    );
    let digest = Digest::of(b"").to_string();
    let line = change("pieces 0\ndatabase none", &format!("pieces 9\ndatabase {digest}"));
    refuted(&line, "claim-syntax", "expected=at%20most%208%20pieces");
    let place = Place::new();
    good.write(&place.cert());
    fs::write(place.cert().join("CLAIM"), text.replace("game 4x4", "game 4x6")).unwrap();
    refuted(&place.check(), "claim-hash", "file=CLAIM");
}

#[test]
fn the_manifest_and_the_objects() {
    let good = draw_4x4(&oracle_4x4(), u32::MAX);
    let place = Place::new();
    good.write(&place.cert());
    let path = place.cert().join("MANIFEST");
    let bytes = fs::read(&path).unwrap();
    let with = |at: usize, byte: u8| {
        let mut bytes = bytes.clone();
        bytes[at] = byte;
        fs::write(&path, bytes).unwrap();
        place.check()
    };
    refuted(&with(0, 0), "manifest-syntax", "file=MANIFEST offset=0 ");
    // The length of CLAIM, its digest, the number of objects; then kind, question, first, count,
    // length, digest.
    refuted(&with(12, bytes[12] ^ 1), "claim-hash", "");
    refuted(&with(13, bytes[13] ^ 1), "claim-hash", "");
    refuted(&with(45, 1), "manifest-syntax", "offset=45 ");
    refuted(&with(45, 127), "manifest-syntax", "offset=45 ");
    refuted(&with(46, 3), "manifest-syntax", "offset=46 ");
    refuted(&with(47, 1), "manifest-syntax", "");
    refuted(&with(48, 1), "manifest-syntax", "offset=46 ");
    refuted(&with(49, bytes[49] ^ 1), "object-syntax", "file=objects/");
    // The length takes two bytes, the second of which must not be 0.
    refuted(&with(51, bytes[51] ^ 1), "object-hash", "file=objects/");
    refuted(&with(52, 0), "manifest-syntax", "");
    refuted(&with(60, bytes[60] ^ 1), "listing", "found=nothing");
    let version = with(8, 7);
    assert!(version.starts_with("s DECLINED version file=MANIFEST expected=1%20("), "{version}");
    fs::write(&path, &bytes).unwrap();
    assert!(place.check().starts_with("s VERIFIED"));
    let object = good.objects()[1].0.digest.to_string();
    let path = place.cert().join("objects").join(&object);
    let mut bytes = fs::read(&path).unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    fs::write(&path, &bytes).unwrap();
    refuted(&place.check(), "object-hash", &format!("file=objects/{object} expected="));
    let length = bytes.len();
    bytes.push(0);
    fs::write(&path, &bytes).unwrap();
    let more = format!("expected={length}%20bytes found=more");
    refuted(&place.check(), "object-hash", &more);
    bytes.truncate(length - 1);
    fs::write(&path, &bytes).unwrap();
    let less = format!("expected={length}%20bytes found={}%20bytes", length - 1);
    refuted(&place.check(), "object-hash", &less);
}

#[test]
fn objects_of_another_version_or_kind() {
    let good = draw_4x4(&oracle_4x4(), u32::MAX);
    let spoilt = |at: usize, byte: u8| {
        let mut objects = good.objects();
        objects[0].1[at] = byte;
        objects[0].0.digest = Digest::of(&objects[0].1);
        let place = Place::new();
        write_raw(&place.cert(), good.claim.encode().as_bytes(), &objects);
        place.check()
    };
    refuted(&spoilt(2, b'L'), "object-syntax", "offset=0 ");
    // Another question, a question that does not exist, another first, and a count for which there
    // are too few bytes.
    refuted(&spoilt(12, 1), "object-syntax", "offset=12 ");
    refuted(&spoilt(12, 4), "object-syntax", "offset=12 ");
    refuted(&spoilt(13, 1), "object-syntax", "offset=12 ");
    refuted(&spoilt(14, 1), "object-syntax", "offset=15 ");
    assert!(spoilt(8, 0).starts_with("s DECLINED version file=objects/"));
}

#[test]
fn the_listing() {
    let good = draw_4x4(&oracle_4x4(), u32::MAX);
    let object = good.objects()[0].0.digest.to_string();
    let line = |spoil: &dyn Fn(&std::path::Path)| {
        let place = Place::new();
        good.write(&place.cert());
        spoil(&place.cert());
        place.check()
    };
    for name in ["CLAIM", "MANIFEST"] {
        refuted(
            &line(&|p| fs::remove_file(p.join(name)).unwrap()),
            "listing",
            &format!("file={name} expected=an%20ordinary%20file found=nothing"),
        );
    }
    let file = format!("objects/{object}");
    refuted(
        &line(&|p| fs::remove_file(p.join(&file)).unwrap()),
        "listing",
        &format!("file={file} "),
    );
    refuted(
        &line(&|p| fs::write(p.join("x\ns VERIFIED %"), "").unwrap()),
        "listing",
        "file=x%0as%20VERIFIED%20%25 expected=nothing",
    );
    refuted(&line(&|p| fs::write(p.join("objects/x"), "").unwrap()), "listing", "file=objects/x ");
    refuted(&line(&|p| fs::create_dir(p.join("objects/x")).unwrap()), "listing", "file=objects/x ");
    refuted(
        &line(&|p| {
            fs::rename(p.join(&file), p.join("x")).unwrap();
            std::os::unix::fs::symlink("../x", p.join(&file)).unwrap();
        }),
        "listing",
        &format!("file={file} expected=an%20ordinary%20file found=a%20link"),
    );
    // A hard link is an ordinary file.
    let linked = line(&|p| {
        fs::rename(p.join(&file), p.with_file_name("x")).unwrap();
        fs::hard_link(p.with_file_name("x"), p.join(&file)).unwrap();
    });
    assert!(linked.starts_with("s VERIFIED DRAW 4x4 "), "{linked}");
    refuted(
        &line(&|p| {
            fs::remove_file(p.join("CLAIM")).unwrap();
            let made = std::process::Command::new("mkfifo").arg(p.join("CLAIM")).status().unwrap();
            assert!(made.success());
        }),
        "listing",
        "file=CLAIM",
    );
    let place = Place::new();
    assert!(place.check().starts_with("s ERROR cannot read "));
}

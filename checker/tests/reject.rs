//! Certificates and databases that are wrong in one way are refuted for that reason, at that place.

mod common;

use certificate_spec::Digest;
use certificate_spec::claim::{Claim, Question, Value as Claimed};
use certificate_spec::coding::Frequencies;
use certificate_spec::leaves::Leaf;
use certificate_spec::nodes::{self, Node, WirePosition, kind};
use certificate_spec::slice::{Unit, Value as Written};
use checker::{Database, Game, Level, Options, Side, Value, check_database};
use common::{
    Certificate, Files, Maker, Oracle, Part, Place, SliceParts, board, claimant, database,
    draw_4x4, longest_win, quiet_values, repair_head, repair_payload, units, verdict,
    write_database, write_raw,
};
use std::fs;

fn oracle() -> Oracle {
    Oracle::new(&board("4x4"), 4)
}

fn win_4x4(oracle: &Oracle, leaf_depth: u32) -> Certificate {
    let maker = Maker { board: &board("4x4"), oracle, pieces: 0, leaf_depth };
    maker.certificate("4x4", Claimed::BlackWins, longest_win(oracle, Side::Black), None)
}

#[track_caller]
fn refuted(line: &str, rule: &str, rest: &str) {
    assert!(line.starts_with(&format!("s REFUTED {rule} file=")), "{line}");
    assert!(line.contains(rest), "{line} has no {rest}");
}

/// Spoils node `i` of question 0 and expects this rule at this node.
fn spoil_node(certificate: &Certificate, i: usize, rule: &str, spoil: impl Fn(&mut Node)) {
    let mut certificate = certificate.clone();
    spoil(&mut certificate.parts[0].nodes[i]);
    let object = certificate.objects()[0].0.digest;
    let place = format!("file=objects/{object} offset={}", nodes::offset(i));
    refuted(&verdict(&certificate), rule, &place);
}

fn first(certificate: &Certificate, wanted: u8) -> usize {
    certificate.parts[0].nodes.iter().position(|node| node.kind == wanted).unwrap()
}

#[test]
fn fields_of_nodes() {
    let good = draw_4x4(&oracle(), 4);
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
fn the_order_of_nodes() {
    let mut certificate = draw_4x4(&oracle(), u32::MAX);
    certificate.parts[0].nodes.swap(3, 4);
    refuted(&verdict(&certificate), "node-order", &format!("offset={}", nodes::offset(4)));
    // Twice the same, in two objects.
    let mut certificate = draw_4x4(&oracle(), u32::MAX);
    let node = certificate.parts[0].nodes[4];
    certificate.parts[0].nodes.insert(4, node);
    certificate.chunk = 5;
    refuted(&verdict(&certificate), "node-order", "offset=32 ");
}

#[test]
fn any_node_missing_is_noticed() {
    let good = draw_4x4(&oracle(), u32::MAX);
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
    let mut certificate = draw_4x4(&oracle(), u32::MAX);
    certificate.parts[1].nodes.clear();
    refuted(&verdict(&certificate), "start-missing", "file=CLAIM");
}

#[test]
fn ranks_must_fall() {
    let good = win_4x4(&oracle(), u32::MAX);
    assert!(verdict(&good).starts_with("s VERIFIED BLACK-WINS"));
    let nodes = &good.parts[0].nodes;
    assert!(nodes.iter().map(|n| n.rank).max() > Some(10));
    // The last of the nodes with the highest rank below the start gets one that is too high.
    let i = (0..nodes.len()).max_by_key(|&i| nodes[i].rank).unwrap();
    let mut certificate = good.clone();
    certificate.parts[0].nodes[i].rank = 0;
    refuted(&verdict(&certificate), "rank", &format!("offset={}", nodes::offset(i)));
    for node in &mut certificate.parts[0].nodes {
        node.rank = 7;
    }
    refuted(&verdict(&certificate), "rank", "expected=less%20than%207 found=7");
}

#[test]
fn a_lost_position_cannot_be_claimed() {
    // Whatever is chosen, with or without nodes: a draw is no win.
    let oracle = oracle();
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
    // A drawn cycle as the strategy of a win: it comes back to a position still open.
    let oracle = oracle();
    let mut certificate = draw_4x4(&oracle, 0);
    certificate.claim.value = Claimed::BlackWins;
    certificate.parts.truncate(1);
    certificate.parts[0].question = Question::BlackWins;
    refuted(&verdict(&certificate), "leaf-repetition", "offset=32 ");
}

#[test]
fn leaves_of_wins() {
    for depth in [0, 1, 3] {
        let good = win_4x4(&oracle(), depth);
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
        pieces: 0,
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
        // Black goes on, White has to, and there is the other leaf's node.
        let leaf = Leaf { positions: 2, strategy: vec![0] };
        let part = Part { question: Question::BlackWins, nodes, leaves: vec![leaf.clone(), leaf] };
        let certificate = Certificate { claim: claim.clone(), parts: vec![part], chunk: 9 };
        refuted(&verdict(&certificate), "leaf-syntax", "expected=2%20positions found=more");
        // Going round in one leaf is no better (if the other's rank does not stop it).
        if ranks.0 > ranks.1 {
            continue;
        }
        let mut certificate = certificate;
        certificate.parts[0].leaves.iter_mut().for_each(|leaf| leaf.positions = 4);
        refuted(&verdict(&certificate), "leaf-repetition", "expected=completed found=open");
    }
}

fn spoil_leaf(rule: &str, spoil: impl Fn(&mut Leaf<Vec<u8>>)) {
    let mut certificate = draw_4x4(&oracle(), 0);
    spoil(&mut certificate.parts[0].leaves[0]);
    let object = certificate.objects()[2].0.digest;
    refuted(&verdict(&certificate), rule, &format!("file=objects/{object} offset=32"));
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
    // 4x4 has three moves at the start: the choice 3 is none of them.
    spoil_leaf("move-index", |leaf| leaf.strategy[0] |= 3);
    let mut certificate = draw_4x4(&oracle(), 0);
    certificate.parts[0].leaves[0].positions = 0;
    refuted(&verdict(&certificate), "object-syntax", "offset=40 ");
}

#[test]
fn a_claimant_without_a_move() {
    // Black to move has none: neither a node nor a leaf can say that it is not lost.
    let oracle = oracle();
    let stuck = common::fen("B:W3,4,6:B1");
    let maker = Maker { board: &board("4x4"), oracle: &oracle, pieces: 0, leaf_depth: 9 };
    assert!(common::successors(maker.board, &stuck).is_empty());
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
    let mut certificate = draw_4x4(&oracle(), 2);
    let leaf = certificate.parts[1].leaves[0].clone();
    certificate.parts[1].leaves.push(leaf);
    refuted(&verdict(&certificate), "leaf-number", "file=MANIFEST");
}

#[test]
fn the_claim() {
    let good = draw_4x4(&oracle(), u32::MAX);
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
    refuted(&change("value DRAW", "value BLACK-WINS"), "manifest-syntax", "offset=65 ");
    assert_eq!(
        change("certificate 0", "certificate 1"),
        "s DECLINED version file=CLAIM expected=0 found=1"
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
    let good = draw_4x4(&oracle(), u32::MAX);
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
    refuted(&with(12, 1), "manifest-syntax", "offset=12 ");
    refuted(&with(16, 1), "manifest-syntax", "offset=64 ");
    refuted(&with(23, 255), "manifest-syntax", "offset=64 ");
    refuted(&with(65, 1), "manifest-syntax", "");
    refuted(&with(24, 0), "claim-hash", "");
    refuted(&with(32, bytes[32] ^ 1), "claim-hash", "");
    refuted(&with(96, bytes[96] ^ 1), "listing", "found=nothing");
    refuted(&with(88, bytes[88] ^ 1), "object-hash", "file=objects/");
    refuted(&with(80, bytes[80] - 1), "object-syntax", "file=objects/");
    assert_eq!(with(8, 7), "s DECLINED version file=MANIFEST expected=0 found=7");
    fs::write(&path, &bytes).unwrap();
    assert!(place.check().starts_with("s VERIFIED"));
    let object = good.objects()[1].0.digest.to_string();
    let path = place.cert().join("objects").join(&object);
    let mut bytes = fs::read(&path).unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    fs::write(&path, &bytes).unwrap();
    refuted(&place.check(), "object-hash", &format!("file=objects/{object} expected="));
    bytes.push(0);
    fs::write(&path, &bytes).unwrap();
    refuted(&place.check(), "object-hash", "bytes");
}

#[test]
fn objects_of_another_version_or_kind() {
    let good = draw_4x4(&oracle(), u32::MAX);
    let spoilt = |at: usize, byte: u8| {
        let mut objects = good.objects();
        objects[0].1[at] = byte;
        objects[0].0.digest = Digest::of(&objects[0].1);
        let place = Place::new();
        write_raw(&place.cert(), good.claim.encode().as_bytes(), &objects);
        place.check()
    };
    refuted(&spoilt(2, b'L'), "object-syntax", "offset=0 ");
    refuted(&spoilt(12, 1), "object-syntax", "offset=12 ");
    refuted(&spoilt(13, 1), "object-syntax", "offset=13 ");
    refuted(&spoilt(16, 1), "object-syntax", "offset=12 ");
    refuted(&spoilt(24, 1), "object-syntax", "offset=32 ");
    assert!(spoilt(8, 1).starts_with("s DECLINED version file=objects/"));
}

#[test]
fn the_listing() {
    let good = draw_4x4(&oracle(), u32::MAX);
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

/// Files of a database, checked at both levels.
fn check_files(files: &Files) -> [String; 2] {
    let place = Place::new();
    files.write(&place.db());
    let b = board(&format!("{}x{}", files.rows, files.columns));
    [Level::Exact, Level::Consistent].map(|level| {
        let options = Options { level, ..place.options() };
        check_database(&b, None, &options).line()
    })
}

/// A database of 4x4 with at most 3 pieces, one file of it spoilt, checked at both levels.
fn spoil_database(name: &str, spoil: impl Fn(&mut Vec<u8>)) -> [String; 2] {
    let mut files = Files::new(&database(&board("4x4"), 3), 3);
    files.spoil(name, spoil);
    check_files(&files)
}

/// What the parts of a slice's file are.
fn parts(values: &Database, name: &str) -> SliceParts {
    let mut tables = values.tables().into_iter();
    let table = tables.find(|table| table.shape.slice.file_name() == name).unwrap();
    let quiet = quiet_values(values.board(), table);
    SliceParts::new(values.board(), &table.shape, &quiet)
}

/// The same, where the parts of one file are spoilt.
fn spoil_parts(name: &str, spoil: impl Fn(&mut SliceParts)) -> [String; 2] {
    let values = database(&board("4x4"), 3);
    let mut parts = parts(&values, name);
    spoil(&mut parts);
    let mut files = Files::new(&values, 3);
    files.spoil(name, |bytes| *bytes = parts.bytes());
    check_files(&files)
}

#[test]
fn values_of_databases() {
    let b = board("4x4");
    let values = database(&b, 3);
    let good = Files::new(&values, 3);
    // The value of every quiet position, changed by itself.
    let mut count = 0;
    for table in values.tables() {
        let name = table.shape.slice.file_name();
        let right = quiet_values(&b, table);
        for (index, value) in (0u64..).zip(&right).filter_map(|(i, v)| Some((i, (*v)?))) {
            let others = [Written::Loss, Written::Draw, Written::Win];
            for other in others.into_iter().filter(|&other| other != value) {
                let mut spoilt = right.clone();
                spoilt[usize::try_from(index).unwrap()] = Some(other);
                let parts = SliceParts::new(&b, &table.shape, &spoilt);
                let mut files = good.clone();
                files.spoil(&name, |bytes| *bytes = parts.bytes());
                let lines = check_files(&files);
                let offset = match parts.head.constant {
                    Some(_) => 18,
                    None => 64 + 6 * parts.head.frequencies.described().len(),
                };
                let fen = checker::write_fen(&table.shape.position(&b, index).unwrap());
                let words = [value, other].map(|value| format!("{value:?}").to_lowercase());
                let end = format!(
                    "file=4x4/{name} offset={offset} position={fen} expected={} found={}",
                    words[0], words[1]
                );
                refuted(&lines[0], "slice-value", &end);
                refuted(&lines[1], "slice-value", "file=4x4/");
                count += 1;
            }
        }
    }
    assert!(count > 1000, "{count}");
}

#[test]
fn values_in_several_units() {
    let b = board("6x6");
    let values = database(&b, 4);
    let good = Files::new(&values, 4);
    for line in check_files(&good) {
        assert!(line.starts_with("s VERIFIED DATABASE 6x6 pieces=4 "), "{line}");
    }
    let name = "1-1-1-1";
    let tables = values.tables();
    let table = tables.iter().find(|table| table.shape.slice.file_name() == name).unwrap();
    let units = units(&b, table.shape.slice);
    assert!(units.len() == 2 && units[1].end == table.shape.indices);
    let right = quiet_values(&b, table);
    for unit in [0, 1] {
        let mut spoilt = right.clone();
        let range = usize::try_from(units[unit].start).unwrap()..;
        let value = spoilt[range].iter_mut().flatten().next().unwrap();
        *value = if *value == Written::Win { Written::Draw } else { Written::Win };
        let parts = SliceParts::new(&b, &table.shape, &spoilt);
        let mut files = good.clone();
        files.spoil(name, |bytes| *bytes = parts.bytes());
        let offset = 64 + 6 * parts.head.frequencies.described().len() + 4 * unit;
        for line in check_files(&files) {
            refuted(&line, "slice-value", &format!("file=6x6/{name} offset={offset} "));
        }
        // A bad payload is reported before any wrong value, wherever either is.
        let mut bad = parts.clone();
        *bad.payloads[1].last_mut().unwrap() ^= 1;
        files.spoil(name, |bytes| *bytes = bad.bytes());
        let offset = bad.payload_offset() + bad.payloads[0].len();
        for line in check_files(&files) {
            refuted(&line, "slice-syntax", &format!("file=6x6/{name} offset={offset} "));
        }
    }
}

#[test]
fn a_slice_or_a_unit_of_one_value() {
    let name = "0-1-1-0";
    for (value, word) in [(Written::Loss, "loss"), (Written::Draw, "draw"), (Written::Win, "win")] {
        let found = format!("found={word}");
        let lines = spoil_parts(name, |parts| {
            parts.head.constant = Some(value);
            parts.head.frequencies = Frequencies::default();
            parts.head.units.clear();
            parts.payloads.clear();
        });
        refuted(&lines[0], "slice-value", "file=4x4/0-1-1-0 offset=18 position=B:");
        assert!(lines[0].ends_with(&found), "{}", lines[0]);
        refuted(&lines[1], "slice-value", "file=4x4/0-1-");
        let lines = spoil_parts(name, |parts| {
            parts.head.units[0] = Unit::Constant(value);
            parts.payloads.clear();
        });
        let parts = parts(&database(&board("4x4"), 3), name);
        let offset = 64 + 6 * parts.head.frequencies.described().len();
        let place = format!("file=4x4/0-1-1-0 offset={offset} position=B:");
        refuted(&lines[0], "slice-value", &place);
        assert!(lines[0].ends_with(&found), "{}", lines[0]);
        refuted(&lines[1], "slice-value", "file=4x4/0-1-");
    }
}

#[test]
fn a_table_of_nothing_but_draws() {
    // Draws support one another, but not where there is no move or only one that loses.
    let b = board("4x4");
    let files = Files::with_values(&database(&b, 3), 3, &|_, values| {
        values.iter_mut().flatten().for_each(|value| *value = Written::Draw);
    });
    for line in check_files(&files) {
        refuted(&line, "slice-value", "found=draw");
    }
}

#[test]
fn heads_of_slices() {
    // A changed byte of the head; with its checksum made right again, what it says is judged.
    let name = "0-1-1-0";
    for line in spoil_database(name, |bytes| bytes[41] ^= 1) {
        refuted(&line, "slice-syntax", "file=4x4/0-1-1-0 offset=40 ");
    }
    for (at, byte, offset) in [
        (0, 0, 0),
        (12, 1, 12),
        (15, 1, 12),
        (16, 5, 16),
        (17, 5, 16),
        (18, 4, 18),
        (18, 2, 18),
        (19, 1, 19),
        (23, 1, 19),
        (24, 1, 24),
        (31, 1, 24),
        // The number of contexts and of units: other bytes are taken for them, or there are too few.
        (34, 1, 32),
        (39, 1, 32),
    ] {
        let lines = spoil_database(name, |bytes| {
            bytes[at] = byte;
            repair_head(bytes);
        });
        for line in lines {
            refuted(&line, "slice-syntax", &format!("file=4x4/0-1-1-0 offset={offset} "));
        }
    }
    for line in spoil_database(name, |bytes| bytes[8] = 0) {
        assert_eq!(line, "s DECLINED version file=4x4/0-1-1-0 expected=1 found=0");
    }
    for line in spoil_database(name, |bytes| bytes.truncate(5)) {
        refuted(&line, "slice-syntax", "offset=0 ");
    }
    for line in spoil_database(name, |bytes| bytes.truncate(63)) {
        refuted(&line, "slice-syntax", "offset=");
    }
}

#[test]
fn contexts_of_slices() {
    let name = "0-1-1-0";
    let change = |at: usize, value: u16| {
        spoil_database(name, |bytes| {
            bytes[at..at + 2].copy_from_slice(&value.to_le_bytes());
            repair_head(bytes);
        })
    };
    let described = parts(&database(&board("4x4"), 3), name).head.frequencies.described();
    assert!(described.len() > 2);
    for line in change(64, 576).into_iter().chain(change(64, described[1].0)) {
        refuted(&line, "slice-syntax", "file=4x4/0-1-1-0 offset=");
    }
    for (at, value) in
        [(64, 576), (70, described[0].0), (66, 0), (68, 0), (66, 16383), (68, 16384), (68, 65535)]
    {
        for line in change(at, value) {
            refuted(&line, "slice-syntax", &format!("offset={} ", (at - 64) / 6 * 6 + 64));
        }
    }
    // The frequencies of a context that is not described are not described.
    let lines = spoil_database(name, |bytes| {
        bytes[66..68].copy_from_slice(&5461u16.to_le_bytes());
        bytes[68..70].copy_from_slice(&5461u16.to_le_bytes());
        repair_head(bytes);
    });
    lines.iter().for_each(|line| refuted(line, "slice-syntax", "offset=64 "));
}

#[test]
fn directories_of_slices() {
    let name = "0-1-1-1";
    let good = parts(&database(&board("4x4"), 3), name);
    let at = good.payload_offset() - 4;
    let length: u32 = good.payloads[0].len().try_into().unwrap();
    for (entry, offset) in [
        (4, at),
        (5, at),
        (6, at),
        (3, at),
        (11 << 2 | 3, at),
        // Right as an entry, but the file has another length.
        (12 << 2 | 3, at + 16),
        (0, at + 4),
        (1, at + 4),
        (2, at + 4),
        ((length - 1) << 2 | 3, at + 4 + good.payloads[0].len() - 1),
        ((length + 1) << 2 | 3, at + 4 + good.payloads[0].len()),
        (u32::MAX, at + 4 + good.payloads[0].len()),
    ] {
        let lines = spoil_database(name, |bytes| {
            bytes[at..at + 4].copy_from_slice(&u32::to_le_bytes(entry));
            repair_head(bytes);
        });
        for line in lines {
            refuted(&line, "slice-syntax", &format!("file=4x4/0-1-1-1 offset={offset} "));
        }
    }
    // One unit too few or too many.
    for units in [vec![], vec![good.head.units[0], Unit::Constant(Written::Draw)]] {
        let lines = spoil_parts(name, |parts| {
            parts.payloads.truncate(units.len());
            parts.head.units.clone_from(&units);
        });
        for line in lines {
            refuted(&line, "slice-syntax", "file=4x4/0-1-1-1 offset=36 ");
        }
    }
}

#[test]
fn payloads_of_slices() {
    let name = "0-1-1-0";
    let good = parts(&database(&board("4x4"), 3), name);
    let place = format!("file=4x4/0-1-1-0 offset={} ", good.payload_offset());
    let spoil = |repair: bool, spoil: &dyn Fn(&mut Vec<u8>)| {
        let lines = spoil_parts(name, |parts| {
            spoil(&mut parts.payloads[0]);
            if repair {
                repair_payload(&mut parts.payloads[0]);
            }
            let length = parts.payloads[0].len().try_into().unwrap();
            parts.head.units[0] = Unit::Coded { offset: 0, length };
        });
        lines.iter().for_each(|line| refuted(line, "slice-syntax", &place));
    };
    let length = good.payloads[0].len();
    // The checksum and the code, changed by themselves.
    (0..length).for_each(|at| spoil(false, &|payload| payload[at] ^= 1));
    // Too short, too long, and of odd length.
    for end in 12..length {
        spoil(true, &|payload| payload.truncate(end));
    }
    for more in 1..4 {
        spoil(true, &|payload| payload.resize(length + more, 0));
    }
    // A state that is too low at the beginning.
    spoil(true, &|payload| payload[10..12].fill(0));
    // A code that ends in another state.
    spoil(true, &|payload| payload[length - 1] ^= 0x40);
    spoil(true, &|payload| payload[length - 2] ^= 1);
}

#[test]
fn errors_of_slices_in_order() {
    // Of the hash or syntax of any file before all values; those in the order of the files.
    let values = database(&board("4x4"), 3);
    let mut files = Files::with_values(&values, 3, &|table, values| {
        if table.shape.slice.file_name() == "0-1-0-1" {
            values.iter_mut().flatten().for_each(|value| *value = Written::Win);
        }
    });
    check_files(&files).iter().for_each(|line| refuted(line, "slice-value", "file=4x4/0-1-0-1 "));
    files.spoil("1-1-1-0", |bytes| bytes[0] = 0);
    check_files(&files).iter().for_each(|line| refuted(line, "slice-syntax", "file=4x4/1-1-1-0 "));
    let offset = parts(&values, "0-1-1-1").payload_offset();
    files.spoil("0-1-1-1", |bytes| *bytes.last_mut().unwrap() ^= 1);
    let place = format!("file=4x4/0-1-1-1 offset={offset} ");
    check_files(&files).iter().for_each(|line| refuted(line, "slice-syntax", &place));
    let place = Place::new();
    files.write(&place.db());
    let folder = files.folder(&place.db());
    fs::write(folder.join("0-2-1-0"), "").unwrap();
    let line = || check_database(&board("4x4"), None, &place.options()).line();
    refuted(&line(), "slice-syntax", "file=4x4/0-1-1-1 ");
    fs::write(folder.join("0-1-0-2"), "").unwrap();
    refuted(&line(), "slice-hash", "file=4x4/0-1-0-2 ");
}

#[test]
fn manifests_of_databases() {
    let b = board("4x4");
    let place = Place::new();
    write_database(&place.db(), &database(&b, 3), 3);
    let folder = place.db().join("4x4");
    let bytes = fs::read(folder.join("MANIFEST")).unwrap();
    let check = |bytes: &[u8]| {
        fs::write(folder.join("MANIFEST"), bytes).unwrap();
        check_database(&b, None, &place.options()).line()
    };
    let with = |at: usize, byte: u8| {
        let mut bytes = bytes.clone();
        bytes[at] = byte;
        check(&bytes)
    };
    for (at, byte, offset) in [
        (0, 0, 0),
        (12, 6, 12),
        (13, 6, 12),
        (14, 2, 0),
        (14, 4, 0),
        (14, 9, 14),
        (15, 1, 15),
        (24, 1, 24),
        (32, 9, 32),
        (36, 1, 36),
    ] {
        let place = if offset == 0 {
            "file=4x4/MANIFEST offset=".into()
        } else {
            format!("file=4x4/MANIFEST offset={offset} ")
        };
        refuted(&with(at, byte), "database-manifest", &place);
    }
    refuted(&with(40, bytes[40] ^ 1), "slice-hash", "file=4x4/0-1-0-1 ");
    refuted(&with(48, bytes[48] ^ 1), "slice-hash", "file=4x4/0-1-0-1 ");
    // A slice less: a database with a hole.
    let mut hole = bytes.clone();
    hole.truncate(bytes.len() - 48);
    hole[16] -= 1;
    refuted(&check(&hole), "database-manifest", "found=the%20end");
    check(&bytes);
    fs::write(folder.join("extra"), "").unwrap();
    refuted(&check(&bytes), "listing", "file=4x4/extra ");
    fs::rename(folder.join("extra"), folder.join("2-0-0-1")).unwrap();
    refuted(&check(&bytes), "slice-hash", "file=4x4/2-0-0-1 ");
    fs::remove_file(folder.join("2-0-0-1")).unwrap();
    refuted(&check(&bytes), "listing", "file=4x4/2-0-0-1 ");
    fs::remove_dir_all(&folder).unwrap();
    assert!(check_database(&b, None, &place.options()).line().starts_with("s ERROR cannot read "));
}

#[test]
fn certificates_on_databases() {
    let b = board("4x4");
    let oracle = oracle();
    let place = Place::new();
    let root = write_database(&place.db(), &database(&b, 3), 3);
    let start = longest_win(&oracle, Side::Black);
    for leaf_depth in [0, u32::MAX] {
        let maker = Maker { board: &b, oracle: &oracle, pieces: 3, leaf_depth };
        let good = maker.certificate("4x4", Claimed::BlackWins, start, Some(root));
        let line = |certificate: &Certificate| {
            let _ = fs::remove_dir_all(place.cert());
            certificate.write(&place.cert());
            place.check()
        };
        assert!(line(&good).starts_with("s VERIFIED BLACK-WINS"));
        let mut certificate = good.clone();
        certificate.claim.database = Some(Digest::of(b"another"));
        refuted(&line(&certificate), "database-root", "file=4x4/MANIFEST expected=");
        certificate.claim = good.claim.clone();
        certificate.claim.pieces = 4;
        refuted(&line(&certificate), "node-position", "expected=not%20in%20the%20database");
        certificate.parts.clear();
        refuted(&line(&certificate), "database-manifest", "offset=14 ");
        // For the loser the same positions do not hold.
        let mut certificate = good.clone();
        certificate.claim.value = Claimed::WhiteNotLost;
        let won = oracle
            .0
            .iter()
            .filter(|(p, v)| p.pieces() == 3 && p.turn == Side::Black && v.0 == Value::Win);
        let won = checker::write_fen(won.map(|(p, _)| p).min().unwrap());
        certificate.claim.start = won.clone();
        certificate.parts.clear();
        refuted(&line(&certificate), "database-value", "file=CLAIM position=B:");
        assert!(
            line(&certificate).ends_with(&format!(" position={won} expected=no%20win found=Win"))
        );
        // Nodes with choices other than the prover's.
        for i in 0..good.parts[0].nodes.len() {
            let mut certificate = good.clone();
            if certificate.parts[0].nodes[i].kind == kind::OR {
                certificate.parts[0].nodes[i].data ^= 1;
                let line = line(&certificate);
                assert!(line.starts_with("s REFUTED "), "{line}");
            }
        }
    }
}

/// Wins and losses on 3x3 that support each other round a cycle: two kings opposite each other are
/// "won" for the mover, who goes to a square beside the other, which is "lost". All else follows.
fn wrong_3x3(p: &checker::Position) -> Value {
    let moves = common::successors(&board("3x3"), p);
    if p.kings == p.black | p.white {
        return if moves.len() == 2 { Value::Win } else { Value::Loss };
    }
    let values: Vec<Value> = moves.iter().map(wrong_3x3).collect();
    if values.contains(&Value::Loss) {
        Value::Win
    } else if values.iter().all(|&value| value == Value::Win) {
        Value::Loss
    } else {
        Value::Draw
    }
}

#[test]
fn values_that_are_consistent_but_wrong_pass_at_that_level_only() {
    let b = board("3x3");
    let right = database(&b, 2);
    let place = Place::new();
    let files = Files::with_values(&right, 2, &|table, values| {
        for (index, value) in (0..).zip(values).filter(|(_, value)| value.is_some()) {
            let p = table.shape.position(&b, index).unwrap();
            *value = Some(match wrong_3x3(&p) {
                Value::Win => Written::Win,
                Value::Draw => Written::Draw,
                Value::Loss => Written::Loss,
            });
        }
    });
    files.write(&place.db());
    let check = |level| check_database(&b, None, &Options { level, ..place.options() }).line();
    assert!(check(Level::Consistent).starts_with("s VERIFIED DATABASE 3x3 pieces=2 "));
    refuted(&check(Level::Exact), "slice-value", "file=3x3/0-1-0-1 offset=");
}

#[test]
fn the_first_wrong_value_whatever_the_number_of_threads() {
    let b = board("4x4");
    let place = Place::new();
    let files = Files::with_values(&database(&b, 4), 4, &|table, values| {
        if table.shape.slice.file_name() != "0-1-0-1" {
            values.iter_mut().flatten().for_each(|value| *value = Written::Draw);
        }
    });
    files.write(&place.db());
    for level in [Level::Exact, Level::Consistent] {
        let line = |threads| {
            let options = Options { level, threads: Some(threads), ..place.options() };
            check_database(&b, None, &options).line()
        };
        let first = line(1);
        refuted(&first, "slice-value", "found=draw");
        for threads in [2, 4, 2, 4, 2, 4] {
            assert_eq!(line(threads), first);
        }
    }
}

//! Databases that are wrong in one way are refuted for that reason, at that place.

use crate::common::files::{
    Files, SliceParts, quiet_values, repair_head, repair_payload, units, write_database,
};
use crate::common::maker::{Certificate, Maker};
use crate::common::oracle::{longest_win, oracle_4x4};
use crate::common::{Options, check_database};
use crate::common::{Place, board, database, refuted, successors};
use certificate_spec::Digest;
use certificate_spec::claim::Value as Claimed;
use certificate_spec::coding::Frequencies;
use certificate_spec::nodes::kind;
use certificate_spec::slice::{SliceHead, SliceHeader, Unit};
use certificate_spec::value::Value as Written;
use checker_audit::Sample;
use checker_audit::both;
use checker_core::{Database, Level, Shape, Side, Value, pairs};
use std::fs;

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

/// Where a value is wrong, the syntax of all files is judged before it is said; but a unit that has a single value may
/// have more positions than anybody can go over in a year, and has nothing to be judged.
#[test]
fn units_without_payloads_take_no_time() {
    let b = board("8x8");
    let mut slices = both(&pairs(&b, 12));
    slices.sort_by_key(|slice| slice.order());
    let file = |name| {
        let indices = Shape::new(&b, name).indices;
        let header = SliceHeader { name, rows: 8, columns: 8, indices };
        let (mut constant, frequencies, mut units) =
            (Some(Written::Draw), Frequencies::default(), Vec::new());
        if name.file_name() == "0-10-0-2" {
            // A row each.
            (constant, units) = (None, vec![Unit::Constant(Written::Draw); 32 * 31 / 2]);
        }
        (name, SliceHead { header, constant, frequencies, units }.encode())
    };
    let files =
        Files { rows: 8, columns: 8, pieces: 12, slices: slices.into_iter().map(file).collect() };
    for line in check_files(&files) {
        refuted(&line, "slice-value", "file=8x8/0-1-0-1 ");
    }
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
                let fen = checker_core::write_fen(&table.shape.position(&b, index).unwrap());
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
fn values_in_a_sample_of_all_blocks() {
    let b = board("4x4");
    let values = database(&b, 3);
    let good = Files::new(&values, 3);
    let check = |files: &Files| {
        let place = Place::new();
        files.write(&place.db());
        [Level::Exact, Level::Consistent].map(|level| {
            let sample = Some(Sample { millionths: 1_000_000, seed: 1 });
            check_database(&b, None, &Options { level, sample, ..place.options() }).line()
        })
    };
    assert!(check(&good).iter().all(|line| line.starts_with("s SAMPLED DATABASE 4x4 ")));
    let mut count = 0;
    for table in values.tables() {
        let name = table.shape.slice.file_name();
        let right = quiet_values(&b, table);
        // The first value and the last of each kind.
        for value in [Written::Loss, Written::Draw, Written::Win] {
            let first = right.iter().position(|&there| there == Some(value));
            let last = right.iter().rposition(|&there| there == Some(value));
            for index in first.into_iter().chain(last) {
                let mut spoilt = right.clone();
                let other = if value == Written::Draw { Written::Win } else { Written::Draw };
                spoilt[index] = Some(other);
                let parts = SliceParts::new(&b, &table.shape, &spoilt);
                let mut files = good.clone();
                files.spoil(&name, |bytes| *bytes = parts.bytes());
                check(&files).iter().for_each(|line| refuted(line, "slice-value", "file=4x4/"));
                count += 1;
            }
        }
    }
    assert!(count > 50, "{count}");
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
    let place_of_last = format!("offset={} ", bytes.len() - 48);
    refuted(&check(&hole), "database-manifest", &place_of_last);
    refuted(&check(&hole), "database-manifest", "found=the%20end");
    let mut hole = bytes.clone();
    hole.drain(80..128);
    hole[16] -= 1;
    refuted(&check(&hole), "database-manifest", "offset=80 ");
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
    let oracle = oracle_4x4();
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
        let won = checker_core::write_fen(won.map(|(p, _)| p).min().unwrap());
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
fn wrong_3x3(p: &checker_core::Position) -> Value {
    let moves = successors(&board("3x3"), p);
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
    let right = database(&b, 4);
    let files = Files::with_values(&right, 4, &|table, values| {
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
        // It is the first in the order of the slices and then of the indices, and not the first that is come upon.
        if level == Level::Exact {
            let mut tables = right.tables();
            tables.retain(|table| table.shape.slice.file_name() != "0-1-0-1");
            tables.sort_by_key(|table| table.shape.slice.order());
            let wrong = |value: &Option<Written>| value.is_some_and(|v| v != Written::Draw);
            let place = |table| Some((table, quiet_values(&b, table).iter().position(wrong)?));
            let (table, index) = tables.into_iter().find_map(place).unwrap();
            let fen = checker_core::write_fen(&table.shape.position(&b, index as u64).unwrap());
            let name = table.shape.slice.file_name();
            assert!(first.contains(&format!(" file=4x4/{name} ")), "{first}");
            assert!(first.contains(&format!(" position={fen} ")), "{first}");
        }
    }
}

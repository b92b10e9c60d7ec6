//! Databases that are wrong in one way are refuted for that reason, at that place.

use crate::common::*;
use certificate_spec::database::DatabaseManifest;

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

/// The parts of a slice's file.
fn parts(values: &Database, name: &str) -> SliceParts {
    let mut tables = values.tables().into_iter();
    let table = tables.find(|table| table.shape.slice.file_name() == name).unwrap();
    let quiet = quiet_values(values.board(), table);
    SliceParts::new(values.board(), &table.shape, &quiet)
}

/// Like `spoil_database`, with `spoil` changing the parts of one file.
fn spoil_parts(name: &str, spoil: impl Fn(&mut SliceParts)) -> [String; 2] {
    let values = database(&board("4x4"), 3);
    let mut parts = parts(&values, name);
    spoil(&mut parts);
    let mut files = Files::new(&values, 3);
    files.spoil(name, |bytes| *bytes = parts.bytes());
    check_files(&files)
}

/// The syntax of all files is judged before a wrong value is reported. But a unit with a single
/// value has nothing to be judged, and may have more positions than a program can go over in a
/// year.
#[test]
fn units_without_payloads_take_no_time() {
    let b = board("8x8");
    let mut slices = both(&pairs(&b, &Cover::up_to(6)));
    slices.sort_by_key(|slice| slice.order());
    let file = |name| {
        let indices = Shape::new(&b, name).indices;
        let header = SliceHeader { name, rows: 8, columns: 8, indices };
        let (mut constant, frequencies, mut units) =
            (Some(Written::Draw), Frequencies::default(), Vec::new());
        if name.file_name() == "0-4-0-2" {
            // A unit has 16 rows of a part of the columns.
            let count = (32u64 * 31 / 2 * 35_960u64.div_ceil(256)).div_ceil(256);
            units = vec![Unit::Constant(Written::Draw); usize::try_from(count).unwrap()];
            constant = None;
        }
        (name, SliceHead { header, constant, frequencies, units }.encode())
    };
    let (cover, slices) = (Cover::up_to(6), slices.into_iter().map(file).collect());
    let files = Files { rows: 8, columns: 8, cover, slices };
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
                let offset = parts.head.entry_offset(0);
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
        // The first and the last position of each value.
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
    for (line, word) in check_files(&good).into_iter().zip(["VERIFIED", "CONSISTENT"]) {
        assert!(line.starts_with(&format!("s {word} DATABASE 6x6 pieces=4 ")), "{line}");
    }
    let name = "1-1-1-1";
    let tables = values.tables();
    let table = tables.iter().find(|table| table.shape.slice.file_name() == name).unwrap();
    let units = units(&b, table.shape.slice);
    assert!(units.len() == 2 && units[0].len() == 16);
    let last = units.iter().flatten().flatten().max();
    assert_eq!(last, Some(&(table.shape.indices - 1)));
    let right = quiet_values(&b, table);
    for unit in [0, 1] {
        let mut spoilt = right.clone();
        let range = usize::try_from(units[unit][0][0]).unwrap()..;
        let value = spoilt[range].iter_mut().flatten().next().unwrap();
        *value = if *value == Written::Win { Written::Draw } else { Written::Win };
        let parts = SliceParts::new(&b, &table.shape, &spoilt);
        let mut files = good.clone();
        files.spoil(name, |bytes| *bytes = parts.bytes());
        let offset = parts.head.entry_offset(unit);
        for line in check_files(&files) {
            refuted(&line, "slice-value", &format!("file=6x6/{name} offset={offset} "));
        }
        // A bad payload is reported before any wrong value, wherever the two are.
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
        refuted(&lines[0], "slice-value", "file=4x4/0-1-1-0 offset=12 position=B:");
        assert!(lines[0].ends_with(&found), "{}", lines[0]);
        refuted(&lines[1], "slice-value", "file=4x4/0-1-");
        let lines = spoil_parts(name, |parts| {
            parts.head.units[0] = Unit::Constant(value);
            parts.payloads.clear();
        });
        let parts = parts(&database(&board("4x4"), 3), name);
        let offset = parts.head.entry_offset(0);
        let place = format!("file=4x4/0-1-1-0 offset={offset} position=B:");
        refuted(&lines[0], "slice-value", &place);
        assert!(lines[0].ends_with(&found), "{}", lines[0]);
        refuted(&lines[1], "slice-value", "file=4x4/0-1-");
    }
}

#[test]
fn a_table_of_nothing_but_draws() {
    // Draws support one another, but not in a position without moves or whose only move loses.
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
    // A byte of the head is changed; with the checksum made right again, the head's fields are
    // judged.
    let name = "0-1-1-0";
    let sum = parts(&database(&board("4x4"), 3), name).head.checksum_offset();
    assert_eq!(sum, 41);
    for line in spoil_database(name, |bytes| bytes[sum + 1] ^= 1) {
        refuted(&line, "slice-syntax", &format!("file=4x4/0-1-1-0 offset={sum} "));
    }
    // After the rules: rows, columns, the name, the number of indices, how values are written, and
    // the numbers of contexts and of units. A head that is not the one due is refuted where it
    // begins.
    for (at, byte, offset) in [
        (0, 0, 0),
        (12, 200, 12),
        (31, 5, 12),
        (32, 5, 12),
        (33, 1, 12),
        (36, 1, 12),
        (37, 1, 12),
        (38, 2, 12),
        // An encoding that is longer than it must be.
        (37, 0x80, 12),
    ] {
        let lines = spoil_database(name, |bytes| {
            bytes[at] = byte;
            repair_head(bytes);
        });
        for line in lines {
            refuted(&line, "slice-syntax", &format!("file=4x4/0-1-1-0 offset={offset} "));
        }
    }
    // With other numbers of contexts and of units, other bytes are read as these, or too few are
    // left.
    for (at, byte) in [(39, 127), (40, 127), (39, 0), (40, 0)] {
        let lines = spoil_database(name, |bytes| {
            bytes[at] = byte;
            repair_head(bytes);
        });
        lines.iter().for_each(|line| refuted(line, "slice-syntax", "file=4x4/0-1-1-0 offset="));
    }
    for line in spoil_database(name, |bytes| bytes[8] = 0) {
        let start = "s DECLINED version file=4x4/0-1-1-0 expected=1%20(make%20the%20database";
        assert!(line.starts_with(start) && line.ends_with(" found=0"), "{line}");
    }
    for line in spoil_database(name, |bytes| bytes[13] = b'x') {
        let start = "s DECLINED rules file=4x4/0-1-1-0 expected=english-checkers-1 found=xnglish-";
        assert!(line.starts_with(start), "{line}");
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
    let head = parts(&database(&board("4x4"), 3), name).head;
    let (first, described) = (head.contexts_offset(), head.frequencies.described());
    assert!(described.len() > 2);
    for line in change(first, 576).into_iter().chain(change(first, described[1].0)) {
        refuted(&line, "slice-syntax", "file=4x4/0-1-1-0 offset=");
    }
    for (at, value) in
        [(0, 576), (6, described[0].0), (2, 0), (4, 0), (2, 16383), (4, 16384), (4, 65535)]
    {
        for line in change(first + at, value) {
            refuted(&line, "slice-syntax", &format!("offset={} ", first + at / 6 * 6));
        }
    }
    // A context that is not described has no frequencies.
    let lines = spoil_database(name, |bytes| {
        bytes[first + 2..first + 4].copy_from_slice(&5461u16.to_le_bytes());
        bytes[first + 4..first + 6].copy_from_slice(&5461u16.to_le_bytes());
        repair_head(bytes);
    });
    lines.iter().for_each(|line| refuted(line, "slice-syntax", &format!("offset={first} ")));
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
        (8 << 2 | 3, at),
        // The entry is right, but the file has another length.
        (9 << 2 | 3, at + 13),
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
            refuted(&line, "slice-syntax", "file=4x4/0-1-1-1 offset=12 ");
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
    // Each byte of the checksum and the code, changed by itself.
    (0..length).for_each(|at| spoil(false, &|payload| payload[at] ^= 1));
    // A payload that is too short, too long, or of odd length.
    for end in 9..length {
        spoil(true, &|payload| payload.truncate(end));
    }
    for more in 1..4 {
        spoil(true, &|payload| payload.resize(length + more, 0));
    }
    // A number of words that is not the shortest form, is too small, too large, or cut off.
    spoil(true, &|payload| {
        payload[8] |= 0x80;
        payload.insert(9, 0);
    });
    spoil(true, &|payload| payload[8] -= 1);
    spoil(true, &|payload| payload[8] += 1);
    spoil(true, &|payload| {
        payload.truncate(9);
        payload[8] |= 0x80;
    });
    // A single value, and a code for no values.
    (0..3).for_each(|value| spoil(true, &|payload| payload[8] = value));
    // A first word of 0.
    spoil(true, &|payload| payload[9..11].fill(0));
    // A code that ends in another state.
    spoil(true, &|payload| payload[length - 1] ^= 0x40);
    spoil(true, &|payload| payload[length - 2] ^= 1);
}

#[test]
fn errors_of_slices_in_order() {
    // A wrong hash or syntax of any file comes before all values; values come in the order of the
    // files.
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
    // After the rules: rows, columns, the number of clauses, N, M, the number of slices; then name,
    // length, digest.
    for (at, byte, offset) in [
        (0, 0, 0),
        (12, 200, 12),
        (31, 6, 12),
        (32, 6, 12),
        (33, 0, 0),
        (34, 2, 0),
        (34, 4, 0),
        (34, 33, 12),
        (35, 1, 12),
        (35, 3, 12),
        (36, 127, 36),
        (37, 9, 37),
    ] {
        let place = if offset == 0 {
            "file=4x4/MANIFEST offset=".into()
        } else {
            format!("file=4x4/MANIFEST offset={offset} ")
        };
        refuted(&with(at, byte), "database-manifest", &place);
    }
    refuted(&with(41, bytes[41] ^ 1), "slice-hash", "file=4x4/0-1-0-1 ");
    refuted(&with(60, bytes[60] ^ 1), "slice-hash", "file=4x4/0-1-0-1 ");
    // A manifest without one slice: a database with a hole.
    let whole = DatabaseManifest::decode(&bytes).unwrap();
    for i in [whole.slices.len() - 1, 1] {
        let mut hole = whole.clone();
        hole.slices.remove(i);
        let line = check(&hole.encode());
        refuted(&line, "database-manifest", &format!("offset={} ", whole.offset(i)));
        let next = hole.slices.get(i).map_or("the%20end".into(), |slice| slice.name.file_name());
        assert!(line.ends_with(&format!("found={next}")), "{line}");
    }
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
        certificate.claim.cover = Cover::up_to(4);
        refuted(&line(&certificate), "node-position", "expected=not%20in%20the%20database");
        certificate.parts.clear();
        refuted(&line(&certificate), "database-manifest", "offset=12 ");
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

/// A database of 3x3 that is consistent and wrong.
fn consistent_but_wrong_3x3() -> Files {
    let b = board("3x3");
    Files::with_values(&database(&b, 2), 2, &|table, values| {
        for (index, value) in (0..).zip(values).filter(|(_, value)| value.is_some()) {
            let p = table.shape.position(&b, index).unwrap();
            *value = Some(match wrong_3x3(&p) {
                Value::Win => Written::Win,
                Value::Draw => Written::Draw,
                Value::Loss => Written::Loss,
            });
        }
    })
}

#[test]
fn values_that_are_consistent_but_wrong_pass_at_that_level_only() {
    let b = board("3x3");
    let place = Place::new();
    consistent_but_wrong_3x3().write(&place.db());
    let check = |level| check_database(&b, None, &Options { level, ..place.options() }).line();
    assert!(check(Level::Consistent).starts_with("s CONSISTENT DATABASE 3x3 pieces=2 "));
    refuted(&check(Level::Exact), "slice-value", "file=3x3/0-1-0-1 offset=");

    // A shard takes the values of other pairs of slices for granted, and a sample those of other
    // pairs of blocks; neither takes those of the very pair, through which the circle goes.
    let shard = |number| {
        let shard = Some(Shard { number, of: 3 });
        check_database(&b, None, &Options { shard, ..place.options() }).line()
    };
    let shards = [1, 2, 3].map(shard);
    let first = "s VERIFIED SHARD 1/3 DATABASE 3x3";
    assert!(!shards[0].starts_with(first), "{}", shards[0]);
    assert!(shards.iter().any(|line| line.starts_with("s REFUTED slice-value file=3x3/0-1-0-1 ")));
    let sample = Some(Sample { millionths: 1_000_000, seed: 1 });
    let line = check_database(&b, None, &Options { sample, ..place.options() }).line();
    refuted(&line, "slice-value", "file=3x3/0-1-0-1 offset=");
}

/// Over such values, claims of not losing that are verified are true all the same.
#[test]
fn claims_over_values_that_are_consistent_but_wrong() {
    let (oracle, place) = (Oracle::new(&board("3x3"), 2), Place::new());
    let root = consistent_but_wrong_3x3().write(&place.db());
    let (mut verified, mut lost) = (0, 0);
    for p in all_positions(&board("3x3"), 2) {
        for (value, side) in
            [(Claimed::BlackNotLost, Side::Black), (Claimed::WhiteNotLost, Side::White)]
        {
            let (game, start) = ("3x3/1".into(), checker_core::write_fen(&p));
            let (cover, database) = (Cover::up_to(2), Some(root));
            let claim = Claim { game, start, value, cover, database };
            write_raw(&place.cert(), claim.encode().as_bytes(), &Vec::new());
            let options = Options { level: Level::Consistent, ..place.options() };
            let verdict = check_certificate(&place.cert(), &options);
            let loses = if p.turn == side { Value::Loss } else { Value::Win };
            let is_lost = oracle.value(&p) == loses;
            assert!(!is_lost || verdict.status() == 1, "{}", verdict.line());
            verified += u32::from(verdict.status() == 0);
            lost += u32::from(is_lost);
        }
    }
    assert!(verified > 50 && lost > 10, "{verified} {lost}");
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
        // The wrong value reported is the first in the order of slices and indices, and not the
        // first that a thread finds.
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

//! Databases whose values or codes are wrong are refuted for that reason, at that place. The
//! corpora (`tests/src/corpus`) have one case of each kind; here every value and byte is changed
//! once.

use crate::common::*;

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

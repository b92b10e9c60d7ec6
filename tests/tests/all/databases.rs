//! Databases: the prover is compared with the checker, position by position, and with published
//! numbers.
//!
//! Slice files of the prover, compared with the text of the specification.

use certificate_spec::coding::encode;
use certificate_spec::payload::{self, Part};
use certificate_spec::slice::Unit;
use draughtproof_egdb::numbers::grouped;
use draughtproof_egdb::{Builder, Value};
use std::time::SystemTime;
use tests::prelude::*;
use tests::slice_file::{SliceFile, code_that_ends_with, contexts};

/// `check` derives all values itself, and compares them with those in the files.
fn agree(game: &str, pieces: &str) {
    let directory = &Scratch::empty();
    prove(&["db", "--game", game, "--pieces", pieces, "-q"], directory);
    for (level, word) in [("exact", "VERIFIED"), ("consistent", "CONSISTENT")] {
        let said = check(&["--db", "egdb", "--game", game, "--level", level], directory);
        assert!(said.verdict.starts_with(&format!("s {word} DATABASE")), "{game}: {said:?}");
    }
}

#[test]
fn databases_agree() {
    for (game, pieces) in [
        ("4x4", "8"),
        ("5x5/2", "6"),
        ("6x6", "6"),
        ("3x3/1", "4"),
        ("4x2", "4"),
        ("8x2", "5"),
        ("3x7/1", "5"),
        ("7x7", "3"),
        ("6x8", "4"),
    ] {
        agree(game, pieces);
    }
}

/// The totals of `prove stats --format tsv`: positions, wins, draws, losses.
fn totals(game: &str, directory: &Path) -> Vec<[u64; 4]> {
    let out = prove(&["stats", "--game", game, "--format", "tsv"], directory);
    let mut lines = out.lines();
    assert_eq!(lines.next(), Some("slice\tpositions\twin\tdraw\tloss\tlongest"));
    let rows: Vec<Vec<&str>> = lines.map(|line| line.split('\t').collect()).collect();
    let numbers = |row: &[&str]| [1, 2, 3, 4].map(|i| row[i].parse::<u64>().unwrap());
    // The numbers of the slices add up to the totals.
    let (slices, totals): (Vec<_>, Vec<_>) = rows.iter().partition(|row| row[0].contains(','));
    for total in &totals {
        let pieces: u64 = total[0].strip_prefix("total ").unwrap().parse().unwrap();
        let mine = slices.iter().filter(|row| {
            row[0].split(',').map(|n| n.parse::<u64>().unwrap()).sum::<u64>() == pieces
        });
        let sum = mine.fold([0; 4], |sum, row| {
            let row = numbers(row);
            [0, 1, 2, 3].map(|i| sum[i] + row[i])
        });
        assert_eq!(sum, numbers(total));
        assert_eq!(sum[0], sum[1] + sum[2] + sum[3]);
    }
    totals.iter().map(|row| numbers(row)).collect()
}

/// A position with a published value.
struct Ending {
    fen: &'static str,
    value: &'static str,
    /// Pieces of Black and of White.
    pieces: [u32; 2],
}

impl Ending {
    fn is_within(&self, cover: &Cover) -> bool {
        cover.admits(self.pieces[0], self.pieces[1])
    }
}

/// The endings of `corpus/endings.tsv`, each of which must have a source.
fn endings() -> Vec<Ending> {
    let board = Board::new(8, 8).unwrap();
    let row = |row: Vec<&'static str>| {
        let [fen, value, _, source] = row[..] else { panic!("{row:?}") };
        assert!(["win", "draw", "loss"].contains(&value) && !source.is_empty(), "{fen}");
        let position = board.read_fen(fen).unwrap();
        let pieces = [position.black, position.white].map(|side| side.count_ones());
        Ending { fen, value, pieces }
    };
    rows(include_str!("../../../corpus/endings.tsv")).map(row).collect()
}

/// The answers of `prove probe` for the positions at the beginning of these lines.
fn probe(lines: &[String], options: &[&str], directory: &Path) -> Vec<String> {
    let fens = lines.iter().map(|line| line.split('\t').next().unwrap());
    let arguments = ["probe", "--game", "8x8", "--format", "tsv"].into_iter();
    let arguments = arguments.chain(options.iter().copied()).chain(fens);
    let out = prove(&arguments.collect::<Vec<_>>(), directory);
    let two = |line: &str| line.split('\t').take(2).collect::<Vec<_>>().join("\t");
    out.lines().map(two).collect()
}

#[test]
#[ignore = "needs a large database of 8x8, in the directory that EGDB names (corpus/README.md)"]
fn known_endings_of_a_large_database() {
    let databases = std::env::var("EGDB").expect("EGDB names the directory of the databases");
    let here = std::env::current_dir().unwrap();
    let path = Path::new(&databases).join("8x8/MANIFEST");
    let manifest = fs::read(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let cover = DatabaseManifest::decode(&manifest).unwrap().cover;
    let value = |ending: &Ending| if ending.is_within(&cover) { ending.value } else { "unknown" };
    let endings = endings();
    let want: Vec<String> =
        endings.iter().map(|ending| format!("{}\t{}", ending.fen, value(ending))).collect();
    assert_eq!(probe(&want, &["--db", &databases, "--values", "cached"], &here), want);
    let within = endings.iter().filter(|ending| ending.is_within(&cover)).count();
    println!("{within} of {} endings are within {cover}, and as known", endings.len());
}

#[test]
fn known_totals_and_endings_of_8x8() {
    let directory = &Scratch::empty();
    prove(&["db", "--game", "8x8", "--pieces", "4", "-q"], directory);
    let want: Vec<[u64; 4]> = rows(include_str!("../../../corpus/totals.tsv"))
        .map(|row| [1, 2, 3, 4].map(|i| row[i].parse().unwrap()))
        .collect();
    assert_eq!(want.len(), 3);
    assert_eq!(totals("8x8", directory), want);
    let out = prove(&["stats", "--game", "8x8", "--format", "tsv"], directory);
    assert!(out.contains("\n0,1,0,1\t992\t230\t654\t108\t"), "one king each");

    let cover = Cover::up_to(4);
    let small = endings().into_iter().filter(|ending| ending.is_within(&cover));
    let mut want: Vec<String> =
        small.map(|ending| format!("{}\t{}", ending.fen, ending.value)).collect();
    assert_eq!(want.len(), 12);
    want.extend(["B:W21,22,23:B1,2\tunknown".into(), "B:W:B\tloss".into()]);
    assert_eq!(probe(&want, &[], directory), want);

    let said = check(&["--db", "egdb", "--game", "8x8"], directory);
    assert!(said.verdict.starts_with("s VERIFIED DATABASE 8x8 pieces=4"), "{said:?}");
}

#[test]
fn position_counts_of_6x6() {
    let directory = tempfile::tempdir().unwrap();
    prove(&["db", "--game", "6x6", "--pieces", "5", "-q"], directory.path());
    let counts: Vec<u64> = totals("6x6", directory.path()).iter().map(|row| row[0]).collect();
    assert_eq!(counts, [1029, 30126, 481_755, 5_276_874]);
}

/// The finished slices, with their twins, of a database that is being built, and the time at which
/// each was written.
fn finished(root: &Path) -> HashMap<String, SystemTime> {
    let mut found = HashMap::new();
    for directory in ["6x6", "6x6.building"] {
        // Either folder may not exist yet.
        let entries = fs::read_dir(root.join(directory)).into_iter().flatten();
        for entry in entries.map(|e| e.unwrap()) {
            let name = entry.file_name().into_string().unwrap();
            if name.contains('-') && !name.starts_with('.') {
                found.insert(name, entry.metadata().unwrap().modified().unwrap());
            }
        }
    }
    let names: HashSet<String> = found.keys().cloned().collect();
    // A slice and its twin are solved together, and again if one is missing.
    let twin = |name: &str| {
        let parts: Vec<&str> = name.split('-').collect();
        [parts[2], parts[3], parts[0], parts[1]].join("-")
    };
    found.retain(|name, _| names.contains(&twin(name)));
    found
}

#[test]
fn killed_and_started_again() {
    let directory = tempfile::tempdir().unwrap();
    let build = ["db", "--game", "6x6", "--pieces", "6", "--quiet", "--db"];
    let start = Instant::now();
    prove(&[&build[..], &["calm"]].concat(), directory.path());
    let whole = start.elapsed();
    let killed = directory.path().join("killed");
    let mut g = Gen::new(10);
    let (mut kills, mut kept, mut progress) = (0, HashMap::new(), HashSet::new());
    // The build is killed at any moment, later each time so that it comes to its end.
    let mut delay = whole / 10;
    loop {
        let mut prover = Command::new(path("prove"))
            .args(build)
            .arg("killed")
            .current_dir(directory.path())
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(delay.mul_f64(0.5 + f64::from(u8::arbitrary(&mut g)) / 255.0));
        delay += delay / 3;
        if let Some(status) = prover.try_wait().unwrap() {
            assert!(status.success());
            break;
        }
        prover.kill().unwrap();
        prover.wait().unwrap();
        kills += 1;
        let now = finished(&killed);
        for (name, written) in &kept {
            assert_eq!(now.get(name), Some(written), "{name} was built again");
        }
        progress.insert(now.len());
        kept = now;
    }
    assert!(kills >= 3, "the prover was killed only {kills} times");
    assert!(progress.len() >= 2, "it was always killed at the same place: {progress:?}");
    let now = finished(&killed);
    for (name, written) in &kept {
        assert_eq!(now.get(name), Some(written), "{name} was built again");
    }
    // The last run leaves no temporary file, and its bytes are those of an undisturbed build.
    assert!(read_all(&directory.path().join("calm/6x6")) == read_all(&killed.join("6x6")));
    let mut beside: Vec<_> =
        fs::read_dir(&killed).unwrap().map(|e| e.unwrap().file_name()).collect();
    beside.sort();
    assert_eq!(beside, ["6x6", "6x6.figures", "6x6.lock"]);
}

#[test]
fn another_builder_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let mut first = Command::new(path("prove"))
        .args(["db", "--game", "8x8", "--pieces", "4", "--quiet"])
        .current_dir(directory.path())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    while !directory.path().join("egdb/8x8.lock").exists() {
        std::thread::yield_now();
    }
    std::thread::sleep(Duration::from_millis(20));
    fails(
        directory.path(),
        &["db", "--game", "8x8", "--pieces", "4"],
        3,
        &["8x8.lock: expected to be the only builder"],
    );
    assert!(first.wait().unwrap().success());
}

#[test]
fn too_little_memory_is_an_error() {
    let d = &Scratch::empty();
    let build = ["db", "--game", "6x6", "--pieces", "5", "--quiet"];
    for memory in ["1MiB", "17MiB"] {
        let output = run(&path("prove"), &[&build[..], &["--memory", memory]].concat(), d);
        let message = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(3), "{message}");
        assert!(message.contains("the 6x6 database with 5 pieces needs "), "{message}");
        let may = format!("{} MiB may be used", memory.trim_end_matches("MiB"));
        assert!(message.contains(&may), "{message}");
        assert!(
            message.contains("fewer --pieces, allow more --memory, or begin --partly"),
            "{message}"
        );
        assert!(output.stdout.is_empty());
    }
    assert!(!d.join("egdb").exists(), "something was begun");
    // The amount of memory that the message names is enough.
    let output = run(&path("prove"), &[&build[..], &["--memory", "17MiB"]].concat(), d);
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    let needs = message.split_once("needs ").unwrap().1.split(' ').next().unwrap();
    let enough = format!("{needs}MiB");
    prove(&[&build[..], &["--memory", &enough]].concat(), d);
    let said = check(&["--db", "egdb", "--game", "6x6"], d);
    assert!(said.verdict.starts_with("s VERIFIED DATABASE 6x6 pieces=5"), "{said:?}");
}

#[test]
fn a_damaged_unit_is_named() {
    let d = &Scratch::empty();
    prove(&["db", "--game", "6x6", "--pieces", "2", "--quiet"], d);
    let slice = d.join("egdb/6x6/0-1-0-1");
    let mut damaged = fs::read(&slice).unwrap();
    *damaged.last_mut().unwrap() ^= 1;
    fs::write(&slice, &damaged).unwrap();
    // The digest in the MANIFEST is that of the changed file.
    let manifest = d.join("egdb/6x6/MANIFEST");
    let mut mended = DatabaseManifest::decode(&fs::read(&manifest).unwrap()).unwrap();
    mended.slices[0].digest = Digest::of(&damaged);
    fs::write(&manifest, mended.encode()).unwrap();
    let build = ["db", "--game", "6x6", "--pieces", "3", "--quiet"];
    for command in [&build[..], &["stats", "--game", "6x6"]] {
        fails(d, command, 3, &["egdb/6x6/0-1-0-1: expected unit 0 of "]);
    }
    assert_eq!(fs::read(&slice).unwrap(), damaged);
}

#[test]
fn look_ups_keep_damaged_files_and_a_build_mends_them() {
    let directory = tempfile::tempdir().unwrap();
    let build = ["db", "--game", "4x4", "--pieces", "3", "--quiet"];
    prove(&build, directory.path());
    let slice = directory.path().join("egdb/4x4/1-0-1-1");
    let mut damaged = fs::read(&slice).unwrap();
    damaged[40] ^= 4;
    fs::write(&slice, &damaged).unwrap();
    let before = read_all(&directory.path().join("egdb/4x4"));
    let probe = ["probe", "--game", "4x4", "--format", "tsv", "B:W8,K7:B1"];
    for command in [&["stats", "--game", "4x4"][..], &probe] {
        fails(directory.path(), command, 3, &["egdb/4x4/1-0-1-1: ", "expected", "found"]);
    }
    assert_eq!(before, read_all(&directory.path().join("egdb/4x4")));
    // A database with a missing file is not treated as one that does not exist.
    fs::remove_file(&slice).unwrap();
    let solve = ["solve", "--game", "4x4", "--quiet", "start"];
    for command in [&["stats", "--game", "4x4"][..], &solve] {
        fails(directory.path(), command, 3, &["egdb/4x4/1-0-1-1: ", "o such file"]);
    }
    // A position of another slice can be looked up; those of this slice cannot.
    let other = prove(&["probe", "--game", "4x4", "--format", "tsv", "B:W8:B1"], directory.path());
    assert!(other.starts_with("B:W8:B1\t") && !other.contains("unknown"), "{other}");
    // A value that follows from moves to other slices is known all the same.
    let probed = || prove(&probe, directory.path()).split('\t').nth(1).map(str::to_owned);
    assert_eq!(probed().as_deref(), Some("loss"));
    fs::remove_file(directory.path().join("egdb/4x4/1-1-1-0")).unwrap();
    assert_eq!(probed().as_deref(), Some("unknown"));
    prove(&build, directory.path());
    assert_eq!(probed().as_deref(), Some("loss"));
}

#[test]
fn a_page_of_statistics() {
    let directory = tempfile::tempdir().unwrap();
    prove(&["db", "--game", "5x5", "--pieces", "4", "--quiet"], directory.path());
    let page = prove(&["stats", "--game", "5x5", "--format", "html", "--quiet"], directory.path());
    let file = fs::read(directory.path().join("egdb/5x5/MANIFEST")).unwrap();
    let manifest = DatabaseManifest::decode(&file).unwrap();
    assert!(page.starts_with("<!DOCTYPE html>") && page.ends_with("</html>\n"), "{page}");
    assert!(page.contains(&manifest.root().to_string()));
    // The page has a section for each slice and for each of three numbers of pieces, and needs
    // nothing from elsewhere.
    assert_eq!(page.matches("<h3>").count(), manifest.slices.len() + 3);
    assert!(!page.contains("http") && !page.contains("<script"));
    // That depths are not stored is said once and not for each slice.
    assert_eq!(page.matches("not stored").count(), 1);
    let tsv = prove(&["stats", "--game", "5x5", "--format", "tsv", "--quiet"], directory.path());
    for line in tsv.lines().skip(1) {
        let [name, _, win, draw, loss, _] = line.split('\t').collect::<Vec<_>>()[..] else {
            panic!("{line}");
        };
        let [win, draw, loss] = [win, draw, loss].map(|n| grouped(n.parse().unwrap()));
        let bar = format!("title=\"{win} / {draw} / {loss}\"");
        assert!(page.contains(&bar), "{name}: no bar {bar}");
    }
}

#[test]
fn a_plan_has_depths_and_proofs() {
    let here = &Scratch::empty();
    let depths = ["plan", "--game", "4x4", "--pieces", "4", "--depth", "-q"];
    let out = prove(&[&depths[..], &["--format", "json"]].concat(), here);
    let rows: Vec<serde_json::Value> =
        out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(rows.len() == 3 && rows.iter().all(|row| row["depth_seconds"].is_f64()), "{out}");
    assert!(
        prove(&depths, here).contains("depths: < 0.1 s in all; by number of pieces: 2 < 0.1 s")
    );

    let proof = prove(&["plan", "--game", "8x8", "-q"], here);
    assert!(proof.contains("1 × 10¹³") && proof.contains("over 8 pieces: no."), "{proof}");
    assert!(!prove(&["plan", "--game", "7x7", "-q"], here).contains(": no."));
    let small = prove(&["plan", "--game", "7x7", "-q", "--format", "tsv"], here);
    assert!(small.starts_with("pieces\tnodes\tcore_seconds\tmemory\tcertificate\n"), "{small}");
    fails(here, &["plan", "--game", "8x8", "--depth"], 2, &["--pieces"]);
    fails(here, &["db", "--game", "8x8"], 2, &["--pieces"]);
}

#[test]
fn a_plan_knows_what_is_there() {
    let directory = tempfile::tempdir().unwrap();
    prove(&["db", "--game", "4x4", "--pieces", "5", "--quiet"], directory.path());
    let plan = ["plan", "--game", "4x4", "--pieces", "6", "--format", "tsv", "--quiet"];
    let out = prove(&plan, directory.path());
    let file = fs::read(directory.path().join("egdb/4x4/MANIFEST")).unwrap();
    let slices = DatabaseManifest::decode(&file).unwrap().slices;
    let rows: Vec<Vec<&str>> = out.lines().map(|line| line.split('\t').collect()).collect();
    assert_eq!(rows[0][..2], ["pieces", "positions"]);
    let mut all = 0;
    for (n, row) in (2..).zip(&rows[1..]) {
        let of_n = slices.iter().filter(|s| s.name.pieces() == n);
        let bytes: u64 = of_n.map(|s| s.length).sum();
        assert_eq!(row[0], n.to_string());
        if n <= 5 {
            all += bytes;
            assert_eq!(row[5..7], [bytes.to_string(), all.to_string()]);
            assert_eq!(row[8..], ["true"]);
        }
    }
    // The existing database is unchanged.
    assert_eq!(rows.len(), 6);
    // The tables are as long as the output says.
    prove(&["db", "map", "--game", "4x4", "--pieces", "5", "--quiet"], directory.path());
    let tables: u64 = rows[1..5].iter().map(|row| row[7].parse::<u64>().unwrap()).sum();
    let files = fs::read_dir(directory.path().join("egdb/4x4.tables")).unwrap();
    let lengths = files.map(|file| file.unwrap().metadata().unwrap().len());
    assert_eq!(lengths.sum::<u64>(), tables);
    assert_eq!(
        slices,
        DatabaseManifest::decode(&fs::read(directory.path().join("egdb/4x4/MANIFEST")).unwrap())
            .unwrap()
            .slices
    );
}

/// Checks that every coded part has the contexts and values of the specification.
fn by_the_book(board: &Board, slice: Slice, table: &Table) {
    let bytes = encode_slice(board, slice, table).concat();
    let file = SliceFile::read(&bytes);
    assert_eq!(file.bytes(), bytes);
    let units = contexts(board, slice, table);
    let name = format!("{} {slice:?}", board.name());
    if let Some(value) = file.head.constant {
        assert!(units.iter().flatten().flatten().all(|(_, v)| *v == value), "{name}");
        return;
    }
    assert_eq!(file.head.units.len(), units.len(), "{name}");
    for ((unit, payload), parts) in file.head.units.iter().zip(&file.payloads).zip(&units) {
        let found = match *unit {
            Unit::Constant(value) => vec![Part::Constant(value); parts.len()],
            Unit::Coded { .. } => payload::read(payload, parts.len()).expect("a payload"),
        };
        for (part, values) in found.into_iter().zip(parts) {
            match part {
                Part::Constant(value) => {
                    assert!(values.iter().all(|(_, v)| *v == value), "{name}");
                }
                Part::Coded(code) => {
                    assert_eq!(code, encode(&file.head.frequencies, values), "{name}");
                    let by_hand = code_that_ends_with(1, &file.head.frequencies, values);
                    assert_eq!(code, by_hand, "{name}");
                }
            }
        }
    }
}

fn random(board: &Board, slice: Slice) -> Table {
    let mut table = Table::new(slice.indices(board));
    let mut state = 1u64;
    for index in 0..table.indices() {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let value = Value::from_number(u32::try_from(state >> 62).unwrap());
        table.set(index, value.unwrap_or(Value::Draw));
    }
    table
}

#[test]
fn parts_match_the_specification() {
    for (rows, columns, pieces) in
        [(3, 3, 4), (4, 4, 5), (5, 5, 4), (8, 2, 4), (4, 6, 4), (6, 6, 4)]
    {
        let board = Board::new(rows, columns).unwrap();
        let cover = Cover::up_to(pieces);
        let mut builder = Builder::new(&board, &cover);
        for n in 2..=pieces {
            Builder::pairs(&board, &cover, n).into_iter().for_each(|slice| builder.solve(slice));
        }
        for slice in Slice::all(&board, &cover) {
            by_the_book(&board, slice, builder.table(slice));
            by_the_book(&board, slice, &random(&board, slice));
        }
    }
}

#[test]
fn part_shapes_match_the_specification() {
    // Parts within one block, and parts of rows whose last part is narrower.
    for (rows, columns, slice) in [
        (6, 8, [0, 2, 0, 2]),
        (5, 5, [0, 3, 1, 5]),
        (6, 6, [0, 3, 0, 3]),
        (6, 6, [1, 3, 0, 1]),
        (5, 5, [1, 5, 1, 2]),
    ] {
        let board = Board::new(rows, columns).unwrap();
        let [a, b, c, d] = slice;
        let slice = Slice::new(a, b, c, d);
        by_the_book(&board, slice, &random(&board, slice));
    }
}

#[test]
fn other_frequencies_are_read() {
    let board = Board::new(6, 6).unwrap();
    let slice = Slice::new(1, 1, 1, 1);
    let table = random(&board, slice);
    let bytes = encode_slice(&board, slice, &table).concat();
    let mut file = SliceFile::read(&bytes);
    file.recode(&contexts(&board, slice, &table), Default::default());
    let other = file.bytes();
    assert_ne!(bytes, other);
    assert!(
        decode_slice(&board, slice, &bytes).unwrap()
            == decode_slice(&board, slice, &other).unwrap()
    );
}

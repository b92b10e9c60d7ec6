//! Memory-mapped tables: processes that make them at the same time, are killed, find no room, or
//! lose a file while they use it.

use tests::prelude::*;

/// The database of these tests.
const DB: [&str; 5] = ["--game", "6x6", "--pieces", "5", "--quiet"];

fn place() -> tempfile::TempDir {
    let place = tempfile::tempdir().unwrap();
    prove(&[&["db"], &DB[..]].concat(), place.path());
    place
}

/// The names and bytes of all tables.
fn tables(here: &Path) -> BTreeMap<String, Vec<u8>> {
    let folder = here.join("egdb/6x6.tables");
    if folder.exists() { read_all(&folder) } else { BTreeMap::new() }
}

#[test]
fn tables_do_not_depend_on_their_maker() {
    let place = place();
    let here = place.path();
    let map = [&["db", "map"], &DB[..]].concat();
    let said = prove(&map, here);
    let right = tables(here);
    assert!(right.len() > 50 && right.keys().all(|name| !name.starts_with('.')));
    prove(&map, here);
    assert!(tables(here) == right);
    // Two processes at once, one of which is killed at some moment; either may wait for the other.
    for i in 0..12u64 {
        let removed = prove(&["db", "unmap", "--game", "6x6", "--quiet"], here);
        assert!(removed.starts_with("removed egdb/6x6.tables, "), "{removed}");
        assert!(tables(here).is_empty());
        let mut one = start("prove", &map, here);
        let other = start("prove", &map, here);
        std::thread::sleep(Duration::from_millis(20 + i * 29 % 300));
        one.kill().unwrap();
        one.wait().unwrap();
        let other = other.wait_with_output().unwrap();
        assert!(other.status.success(), "{}", String::from_utf8_lossy(&other.stderr));
        assert!(String::from_utf8_lossy(&other.stdout) == said);
        assert!(tables(here) == right);
    }
}

/// The first table for which there is no room is not made, and those made before are used.
#[test]
fn no_room_for_tables() {
    let place = place();
    let here = place.path();
    let script = format!(
        "ulimit -f 100; trap '' XFSZ; exec {} db map {}",
        path("prove").display(),
        DB.join(" ")
    );
    let output = run(Path::new("bash"), &["-c", &script], here);
    assert_eq!(output.status.code(), Some(3));
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.starts_with("prove: no space left on egdb/6x6.tables: "), "{said}");
    let made = tables(here);
    assert!(!made.is_empty() && made.keys().all(|name| !name.starts_with('.')), "{said}");
    assert!(made.values().all(|bytes| bytes.len() <= 100 << 10));
    prove(&[&["db", "map"], &DB[..]].concat(), here);
    let all = tables(here);
    assert!(
        all.len() > made.len() && made.iter().all(|(name, table)| all.get(name) == Some(table))
    );
    // A disk that is too small is detected before the work.
    prove(&["db", "unmap", "--game", "6x6", "--quiet"], here);
    let none = prove(&[&["db", "map"], &DB[..], &["--map-space", "0"]].concat(), here);
    assert_eq!(none, "tables egdb/6x6.tables, 0 bytes\n");
    assert!(tables(here).is_empty());
}

/// A folder in which tables cannot be made is an error only if tables were asked for.
#[test]
fn a_place_where_no_tables_can_be() {
    let place = place();
    let here = place.path();
    fs::write(here.join("egdb/6x6.tables"), "a file").unwrap();
    let said = fails(here, &[&["db", "map"], &DB[..]].concat(), 3, &[]);
    assert!(said.starts_with("prove: egdb/6x6.tables"), "{said}");
    let probe = ["probe", "--game", "6x6", "--format", "tsv", "B:WK18:BK1"];
    assert_eq!(
        run(&path("prove"), &[&probe[..], &["--values", "mapped"]].concat(), here).status.code(),
        Some(3)
    );
    assert!(prove(&probe, here).starts_with("B:WK18:BK1\tdraw\t"));
    assert_eq!(fs::read_to_string(here.join("egdb/6x6.tables")).unwrap(), "a file");
}

/// Another process truncates the files while this one uses them.
#[test]
fn tables_that_vanish_while_they_are_used() {
    let place = place();
    let here = place.path();
    prove(&[&["db", "map"], &DB[..]].concat(), here);
    let mut child = start("prove", &["probe", "--game", "6x6", "--format", "tsv"], here);
    let mut questions = child.stdin.take().unwrap();
    let mut answers = BufReader::new(child.stdout.take().unwrap());
    let mut answer = String::new();
    writeln!(questions, "B:WK18:BK1").unwrap();
    answers.read_line(&mut answer).unwrap();
    assert!(answer.starts_with("B:WK18:BK1\tdraw\t"), "{answer}");
    for entry in fs::read_dir(here.join("egdb/6x6.tables")).unwrap() {
        let file = fs::OpenOptions::new().write(true).open(entry.unwrap().path()).unwrap();
        file.set_len(0).unwrap();
    }
    // The process may have ended before it has read everything.
    let _ = writeln!(questions, "B:WK16,K17:BK1,K2");
    drop(questions);
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(3));
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("\nprove: a table of the database was cut short"), "{said}");
    // The tables are made again.
    prove(&[&["db", "map"], &DB[..]].concat(), here);
    let said = prove(&["probe", "--game", "6x6", "--format", "tsv", "B:WK16,K17:BK1,K2"], here);
    assert!(said.starts_with("B:WK16,K17:BK1,K2\tdraw\t"), "{said}");
}

#[test]
fn all_ways_to_have_values_give_the_same() {
    let place = place();
    let here = place.path();
    let search = |more: &[&str]| {
        prove(&[&["solve", "--game", "6x6", "--nodes", "20000", "start"], more].concat(), here)
    };
    let resident = search(&["--values", "resident"]);
    assert!(tables(here).is_empty());
    for more in [
        &["--values", "cached"][..],
        &["--values", "mapped", "--map-space", "1MiB"],
        &["--values", "mapped"],
        &["--values", "mapped", "--threads", "1", "--memory", "64MiB"],
    ] {
        assert_eq!(search(more), resident, "{more:?}");
    }
    assert!(!tables(here).is_empty());
}

//! Limits of the system: memory, open files, disk, permissions; and the advice at one.

use crate::faults::{answer, converse, done, slices, text};
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

/// `prove` in a shell after this command, such as `ulimit`.
fn command(limit: &str, arguments: &[&str], here: &Path) -> Command {
    let mut command = Command::new("sh");
    let script = format!("{limit} && exec \"$0\" \"$@\"");
    command.args(["-c", &script, env!("CARGO_BIN_EXE_prove")]).args(arguments).current_dir(here);
    command.env("MALLOC_ARENA_MAX", "1");
    command
}

/// Runs `prove` after this command of a shell; returns status and output.
fn limited(limit: &str, arguments: &[&str], here: &Path, input: &str) -> (Option<i32>, String) {
    let Output { status, stdout, stderr } = answer(&mut command(limit, arguments, here), input);
    (status.code(), text(&stdout) + &text(&stderr))
}

/// 1.2 GB of addresses.
const ADDRESSES: &str = "ulimit -v 1200000";

#[test]
fn the_engine_knows_the_limit_of_memory() {
    let place = tempfile::tempdir().expect("a directory");
    let here = place.path();
    let setup = "hub\nset-param name=hash value=4096\ninit\n";
    let play = |options: &[&str]| {
        let mut engine = command(ADDRESSES, &[&["engine"], options].concat(), here);
        let said = converse(&mut engine, setup, "think").join("\n");
        assert!(said.contains("done move=") && !said.contains("move=0-0"), "{said}");
        said
    };
    let said = play(&["--hash", "4GiB"]);
    let most = said.lines().find(|line| line.starts_with("param name=hash")).expect(&said);
    let most = most.rsplit_once("max=").and_then(|(_, most)| most.parse::<u64>().ok());
    assert!(most.is_some_and(|most| (100..1200).contains(&most)), "{said}");
    let errors: Vec<&str> = said.lines().filter(|line| line.starts_with("error")).collect();
    assert!(errors.len() == 2 && errors[0].contains("found 4 GiB"), "{said}");
    assert!(errors[1].contains("a whole number from 1 to "), "{said}");
    // The system may grant less than the user allows.
    let said = play(&["--memory", "8GiB", "--hash", "4GiB"]);
    assert!(said.contains(" GiB of memory in one piece"), "{said}");
}

#[test]
fn memory_that_cannot_be_had_is_named() {
    let place = tempfile::tempdir().expect("a directory");
    let memory = ["--memory", "64GiB", "--threads", "1"];
    for (command, size, way) in [
        (
            &["book", "--out", "b", "--hash", "4GiB"][..],
            "GiB of memory in one piece",
            "a smaller --hash",
        ),
        (
            &["solve", "--leaf-table", "4GiB", "--nodes", "900000000000", "start"],
            "with tables of 4 GiB need",
            "--leaf-table",
        ),
        (
            &["db", "--game", "8x8", "--pieces", "7:4", "-q"],
            "MiB of memory in one piece",
            "--memory",
        ),
    ] {
        let memory = if command[0] == "solve" { &[][..] } else { &memory };
        let arguments = [command, memory].concat();
        let limit = if command[0] == "db" { "ulimit -v 250000" } else { ADDRESSES };
        let (status, said) = limited(limit, &arguments, place.path(), "");
        assert_eq!(status, Some(3), "{arguments:?}: {said}");
        let is_plain = said.contains(size) && said.contains(way) && !said.contains("panicked");
        assert!(is_plain, "{arguments:?}: {said}");
    }
}

#[test]
fn tables_that_cannot_be_mapped_are_cached() {
    let place = tempfile::tempdir().expect("a directory");
    let here = place.path();
    done(&["db", "--game", "6x6", "--pieces", "6", "-q"], here);
    done(&["db", "map", "--game", "6x6", "-q"], here);
    let probe = ["probe", "--game", "6x6", "--threads", "1", "--memory", "64MiB", "-"];
    let fen = "B:WK18,15,14:BK1,2,3\n";
    let (status, right) = limited("true", &probe, here, fen);
    assert_eq!(status, Some(0), "{right}");
    let mut least = None;
    for kilobytes in (20_000..=200_000).step_by(4_000) {
        let limit = format!("ulimit -v {kilobytes}");
        let run = |values: &[&str]| limited(&limit, &[&probe[..], values].concat(), here, fen);
        if run(&["--values", "cached"]).0 == Some(0) {
            least.get_or_insert(kilobytes);
            assert_eq!(run(&[]), (Some(0), right.clone()), "{limit}");
        }
    }
    assert!(least.is_some_and(|least| least < 200_000), "{least:?}");
}

#[test]
fn a_database_has_more_slices_than_files_may_be_open() {
    let place = tempfile::tempdir().expect("a directory");
    let here = place.path();
    done(&["db", "--game", "6x6", "--pieces", "5", "--depth", "-q"], here);
    assert!(slices(here, "6x6").len() > 50);
    // A position of each slice, and of each again.
    let mut fens = String::new();
    for name in slices(here, "6x6") {
        let name = name.file_name().and_then(|name| name.to_str()).expect("a name").to_owned();
        let counts: Vec<usize> = name.split('-').map(|n| n.parse().expect("a number")).collect();
        let list = |squares: &mut dyn Iterator<Item = u32>, men: usize, kings: usize| {
            let man = |square: u32| square.to_string();
            let men: Vec<String> = squares.take(men).map(man).collect();
            let kings: Vec<String> = squares.take(kings).map(|s| format!("K{s}")).collect();
            [men, kings].concat().join(",")
        };
        let black = list(&mut (1..=9), counts[0], counts[1]);
        let white = list(&mut (10..=18).rev(), counts[2], counts[3]);
        fens += &format!("B:W{white}:B{black}\n");
    }
    fens += &fens.clone();
    let probe = ["probe", "--game", "6x6", "--values", "cached", "--threads", "1", "-"];
    let right = limited("true", &probe, here, &fens);
    assert_eq!(right.0, Some(0), "{}", right.1);
    assert_eq!(limited("ulimit -n 20", &probe, here, &fens), right);
}

/// Bytes that a file may have, in blocks of the shell: what is beyond fails as on a full disk.
#[test]
fn a_full_disk_is_named_and_the_next_try_goes_on() {
    let job = ["--game", "6x6", "--pieces", "5", "--emit", "cert", "--leaf-nodes", "200"];
    let mut failed = 0;
    for blocks in [0, 8, 1000, 2000, 4000] {
        let place = tempfile::tempdir().expect("a directory");
        let here = place.path();
        let limit = format!("trap '' XFSZ && ulimit -f {blocks}");
        let (status, said) = limited(&limit, &job, here, "");
        if status == Some(0) {
            continue;
        }
        failed += 1;
        assert_eq!(status, Some(3), "{blocks}: {said}");
        assert!(said.contains("no space left on "), "{blocks}: {said}");
        assert!(said.contains("make room there") && !said.contains("Previous I/O"), "{said}");
        done(&job, here);
        let left = fs::read_dir(here).expect("a directory").count();
        assert_eq!(left, 2, "{blocks}: only egdb and cert are there");
    }
    assert!(failed > 2, "{failed}");
}

/// Lets permissions hold for the superuser, too.
const AS_A_USER: &str = "if [ \"$(id -u)\" = 0 ]; then set -- \"$0\" \"$@\" && exec setpriv \
    --bounding-set=-dac_override,-dac_read_search \"$@\"; fi";

#[test]
fn results_are_kept_beside_the_certificate_if_others_own_the_database() {
    use std::os::unix::fs::PermissionsExt;
    let place = tempfile::tempdir().expect("a directory");
    let here = place.path();
    let job = ["--game", "4x4", "--pieces", "3", "--emit", "out/cert"];
    done(&["db", "--game", "4x4", "--pieces", "3", "-q"], here);
    let mode = |name: &str, mode| {
        let permissions = fs::Permissions::from_mode(mode);
        fs::set_permissions(here.join(name), permissions).expect("permissions");
    };
    mode("egdb", 0o555);
    mode("egdb/4x4", 0o555);
    let (status, said) = limited(AS_A_USER, &job, here, "");
    assert_eq!(status, Some(0), "{said}");
    assert!(said.contains("results are kept in out/4x4.results"), "{said}");
    assert!(here.join("out/4x4.results").exists() && !here.join("egdb/4x4.results").exists());
    // The folder of the certificate itself cannot be written.
    fs::remove_dir_all(here.join("out/cert")).expect("a certificate");
    mode("out", 0o555);
    for (folder, emit) in [(here.join("out"), "cert"), (here.to_path_buf(), "out/cert")] {
        let arguments = ["--game", "4x4", "--pieces", "0", "--emit", emit];
        let (status, said) = limited(AS_A_USER, &arguments, &folder, "");
        assert_eq!(status, Some(3), "{said}");
        assert!(said.contains("out: Permission denied") && !said.contains(" at path "), "{said}");
    }
    mode("egdb", 0o755);
    mode("egdb/4x4", 0o755);
    mode("out", 0o755);
}

#[test]
fn a_large_build_says_how_long_it_takes_before_it_begins() {
    use std::io::{BufRead, BufReader};
    let place = tempfile::tempdir().expect("a directory");
    let mut command = Command::new(env!("CARGO_BIN_EXE_prove"));
    command.args(["db", "--game", "8x8", "--pieces", "8", "--memory", "20GiB"]);
    command.current_dir(place.path()).stderr(std::process::Stdio::piped());
    let mut child = command.spawn().expect("it starts");
    let lines = BufReader::new(child.stderr.take().expect("a pipe")).lines();
    let mut said = Vec::new();
    for line in lines {
        said.push(line.expect("text"));
        if said.last().is_some_and(|line| line.contains("Ctrl-C stops it")) {
            break;
        }
    }
    child.kill().expect("it runs");
    child.wait().expect("it ends");
    let [.., all, stop] = &said[..] else { panic!("{said:?}") };
    let is_all = [" h ", " of disk", " of memory"].iter().all(|what| all.contains(what));
    assert!(is_all, "{all}");
    assert!(stop.contains("goes on from what is finished; smaller: --pieces "), "{stop}");
    assert!(!place.path().join("egdb/8x8").exists(), "{said:?}");
}

fn prove(line: &str, directory: &Path) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_prove"));
    command.args(line.split_whitespace()).current_dir(directory).output().unwrap()
}

#[test]
fn advice_names_options_of_the_command_that_failed() {
    let place = tempfile::tempdir().unwrap();
    assert!(prove("db --game 4x4 --pieces 3 -q", place.path()).status.success());
    let output = prove("db map --game 4x4 --memory 1", place.path());
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(3), "{said}");
    assert!(said.contains("--memory") && !said.contains("--partly"), "{said}");
}

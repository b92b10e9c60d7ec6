//! Effects of the system on a check: little memory, signals, many threads. The verdict is never
//! another than that of all other runs.

use tests::prelude::*;

fn certificate() -> tempfile::TempDir {
    let root = tempfile::tempdir().unwrap();
    let options =
        ["--game", "6x4", "--pieces", "4", "--leaf-nodes", "40", "--emit", "cert", "--quiet"];
    prove(&options, root.path());
    root
}

/// The output of `check` under a limit of `mebibytes` MiB of address space, and its exit status.
fn under(here: &Path, mebibytes: u64, threads: u32) -> (String, Option<i32>) {
    let check = path("check");
    let script = format!(
        "ulimit -v {}; exec {} cert --quiet --threads {threads} 2>/dev/null",
        1024 * mebibytes,
        check.display()
    );
    let (out, _, status) = texts(run(Path::new("bash"), &["-c", &script], here));
    (out, status)
}

#[test]
fn a_limit_on_memory() {
    let root = certificate();
    let here = root.path();
    let (whole, status) = under(here, 1 << 20, 2);
    assert!(whole.starts_with("s VERIFIED ") && status == Some(0), "{whole}");
    let mut failed = 0;
    for mebibytes in (4..100).step_by(12) {
        for threads in [1, 4] {
            let (out, status) = under(here, mebibytes, threads);
            if status == Some(0) {
                assert_eq!(out, whole);
            } else {
                // The check was ended by the system, or has the verdict ERROR.
                assert!(out.is_empty() || out.starts_with("s ERROR "), "{mebibytes} MiB: {out}");
                assert!(!out.contains("VERIFIED"));
                failed += 1;
            }
        }
    }
    assert!(failed > 1, "{failed}");
    // The bound that `check --help` states: the tables take less than a MiB here.
    for threads in [1, 2, 16] {
        assert_eq!(
            under(here, 64 + 8 + 32 * u64::from(threads), threads),
            (whole.clone(), Some(0))
        );
    }
}

#[test]
fn a_signal_in_the_middle() {
    let here = &Scratch::empty();
    prove(&["db", "--game", "6x6", "--pieces", "5", "--quiet"], here);
    let arguments = ["--game", "6x6", "--threads", "1"];
    for (how, milliseconds) in [
        (Signal::TERM, 10),
        (Signal::TERM, 100),
        (Signal::INT, 50),
        (Signal::KILL, 100),
        (Signal::HUP, 5),
    ] {
        let child = start("check", &arguments, here);
        std::thread::sleep(Duration::from_millis(milliseconds));
        signal(&child, how);
        let (out, _, status) = texts(child.wait_with_output().unwrap());
        // Either the check had ended, or there is no verdict and no exit status that means
        // acceptance.
        match status {
            Some(0) => assert!(out.starts_with("s VERIFIED DATABASE 6x6 ") && out.ends_with('\n')),
            code => assert!(code.is_none() && out.is_empty(), "{how:?}: {code:?} {out}"),
        }
    }
}

fn numbers(line: &str) -> Vec<u64> {
    let line = line.replace(',', "");
    let words = line.split(|c: char| !c.is_ascii_digit()).filter(|word| !word.is_empty());
    words.map(|word| word.parse().unwrap()).collect()
}

/// A check that takes more than two seconds reports its progress; this one does because it is
/// stopped for longer than that.
#[test]
fn long_checks_report_progress() {
    let here = &Scratch::empty();
    prove(&["db", "--game", "6x6", "--pieces", "5", "--quiet"], here);
    // The time at which the check is in the middle of its work depends on the machine.
    let stopped = (0..20).map(|i| 10 + 20 * i).find_map(|milliseconds| {
        let child = start("check", &["--game", "6x6", "--threads", "1"], here);
        std::thread::sleep(Duration::from_millis(milliseconds));
        signal(&child, Signal::STOP);
        std::thread::sleep(Duration::from_millis(2100));
        let threads = std::fs::read_dir(format!("/proc/{}/task", child.id())).unwrap().count();
        signal(&child, Signal::CONT);
        let (out, err, _) = texts(child.wait_with_output().unwrap());
        assert!(out.starts_with("s VERIFIED DATABASE 6x6 ") && out.ends_with('\n'), "{out}");
        // On a busy machine reading takes long enough for a line of its own.
        let is_progress = |line: &&str| line.starts_with("c checking ");
        let progress = err.lines().filter(is_progress);
        let err: String = progress.map(|line| format!("{line}\n")).collect();
        (!err.is_empty()).then_some((out, err, threads))
    });
    let (out, err, threads) =
        stopped.expect("a check that was stopped in the middle says how far it is");
    assert_eq!(threads, 2, "one that works, and one that waits for it");
    assert!(err.lines().count() < 5, "every two seconds, and not more often: {err}");
    let first = err.lines().next().unwrap();
    assert!(
        first.starts_with("c checking indices of the database: ") && first.ends_with(" s to go"),
        "{err}"
    );
    let [done, of, rate, ref left @ ..] = numbers(first)[..] else { panic!("{err}") };
    let left = left.iter().fold(0, |left, part| 60 * left + part);
    assert_eq!(Some(&of), numbers(&out).last(), "{out}{err}");
    assert!(0 < done && done <= of, "{err}");
    // The check has taken from two seconds to, on any machine, a minute.
    assert!(done / 60 <= rate && rate <= done / 2, "{err}");
    // The rate is rounded down, and the forecast does not use it.
    assert!((of - done) / (rate + 1) <= left && left <= (of - done) / rate, "{err}");
}

#[test]
fn checks_show_the_provenance() {
    let root = certificate();
    let said = |more: &[&str]| {
        let (out, err, _) = texts(run(&path("check"), &[&["cert"], more].concat(), root.path()));
        assert_eq!(out.lines().count(), 1);
        err
    };
    assert!(!said(&[]).contains("says of"));
    let err = said(&["--verbose"]);
    let start = "c the certificate says of white-wins: made by draughtproof-prove ";
    assert!(
        err.starts_with(start) && err.contains("\nc the certificate says of white-wins: game=6x4 "),
        "{err}"
    );
}

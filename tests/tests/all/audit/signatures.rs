//! The value of notes by their signatures and keys.

use std::fs;
use std::process::Command;

use tests::draft::Draft;
use tests::programs::{check, path, run};

use super::{certificate, merge, say, shards};

#[test]
fn notes_are_worth_what_their_signers_are() {
    let root = certificate("--game 4x4 --pieces 3 --leaf-nodes 3");
    let here = root.path();
    let keygen = |name: &str| {
        let output = run(&path("check"), &["keygen", name, "--key", name], here);
        assert!(output.status.success());
        String::from_utf8(output.stdout).unwrap()
    };
    let (alice, bob) = (keygen("alice"), keygen("bob"));
    keygen("mallory");
    fs::write(here.join("trusted"), format!("# those who count\n{alice}{bob}")).unwrap();
    // An existing key is never overwritten.
    let key = fs::read(here.join("alice")).unwrap();
    assert_eq!(check(&["keygen", "alice", "--key", "alice"], here).status, Some(4));
    assert_eq!(fs::read(here.join("alice")).unwrap(), key);

    let a = shards(here, 2, "a", "--key alice");
    let b = shards(here, 3, "b", "--key bob");
    let m = shards(here, 2, "m", "--key mallory");
    let unsigned = shards(here, 2, "u", "");
    let all = |notes: &[&Vec<String>]| {
        notes.iter().flat_map(|n| n.iter().map(String::as_str)).collect::<Vec<_>>().join(" ")
    };
    let accepted = |text: &str, ending: &str| {
        let said = merge(text, here);
        assert_eq!(said.status, Some(0), "{text}: {said:?}");
        assert!(said.verdict.ends_with(ending), "{said:?}");
    };
    let refused = |text: &str, rule: &str| {
        let said = merge(text, here);
        assert!(said.verdict.starts_with(rule), "{text}: {said:?}");
    };
    accepted(
        &format!("cert {} --keys trusted", all(&[&a])),
        "cover of 2 notes keys=1 checkers=draughtproof-check",
    );
    accepted(
        &format!("cert {} --keys trusted --require 2", all(&[&a, &b])),
        "of 5 notes keys=2 checkers=draughtproof-check",
    );
    // A trusted key does not count twice, and other keys do not count.
    for notes in [vec![&a, &a], vec![&a, &m], vec![&a, &unsigned]] {
        refused(&format!("cert {} --keys trusted --require 2", all(&notes)), "s DECLINED cover ");
    }
    for notes in [&m, &unsigned] {
        refused(&format!("cert {} --keys trusted", all(&[notes])), "s DECLINED cover ");
        // Without keys the verdict on the notes is printed, without the status of an acceptance.
        let said = merge(&format!("cert {}", all(&[notes])), here);
        assert!(
            said.verdict.ends_with("cover of 2 notes keys=none checkers=draughtproof-check"),
            "{said:?}"
        );
        assert_eq!(said.status, Some(5));
    }
    // A signature by another key under alice's name and id is bad: the note does not count, and the
    // other notes decide the verdict.
    let text = fs::read_to_string(here.join(&a[0])).unwrap();
    let mut lines: Vec<&str> = text.lines().collect();
    let other = fs::read_to_string(here.join(&a[1])).unwrap();
    lines[4] = other.lines().nth(4).unwrap();
    fs::write(here.join("forged"), lines.join("\n") + "\n").unwrap();
    accepted(
        &format!("cert forged {} --keys trusted", all(&[&a])),
        "cover of 2 notes keys=1 checkers=draughtproof-check",
    );
    refused(&format!("cert forged {} --keys trusted", a[1]), "s DECLINED cover ");
    // Her own signature under changed text is bad, too; but the lines on host and time may change.
    for (from, to, is_fine) in [
        ("1/2", "1/3", false),
        ("checker ", "checker x", false),
        ("# host ", "# host of somebody else ", true),
    ] {
        assert!(text.contains(from));
        fs::write(here.join("changed"), text.replace(from, to)).unwrap();
        let line = format!("cert changed {} --keys trusted", a[1]);
        if is_fine {
            accepted(&line, "keys=1 checkers=draughtproof-check")
        } else {
            refused(&line, "s DECLINED cover ")
        }
    }
    // Two honest runs agree in every byte that is signed.
    let again = shards(here, 2, "again", "--key alice");
    let signed = |name: &str| {
        let text = fs::read_to_string(here.join(name)).unwrap();
        text.lines().take(5).collect::<Vec<_>>().join("\n")
    };
    assert_eq!(signed(&a[0]), signed(&again[0]));

    // Notes that disagree about this certificate are reported; notes about others do not count.
    let edited = |from: &str, to: &str| {
        let text = fs::read_to_string(here.join(&unsigned[1])).unwrap();
        assert!(text.contains(from), "{text}");
        fs::write(here.join("edited"), text.replace(from, to)).unwrap();
        format!("cert edited {}", all(&[&unsigned]))
    };
    for (from, to) in [
        ("DRAW", "BLACK-WINS"),
        ("pieces=3", "pieces=2"),
        ("4x4", "4x6"),
        ("pieces=3", "pieces=4:2"),
        ("VERIFIED SHARD", "REFUTED"),
        ("slices=", "slices=9"),
    ] {
        refused(&edited(from, to), "s DECLINED disagreement file=edited ");
    }
    for (from, to) in [
        (" root=", " root=0"),
        ("format=1", "format=2"),
        ("english-checkers-1", "russian-1"),
        (" format=1 rules=english-checkers-1", ""),
        ("VERIFIED SHARD", "CONSISTENT SHARD"),
        ("VERIFIED SHARD", "SAMPLED"),
        ("db=exact", "db=hearsay"),
        ("db-root=", "db-root=0"),
    ] {
        let said = merge(&edited(from, to), here);
        assert!(said.verdict.contains(" by cover of 2 notes "), "{to}: {said:?}");
        refused(&format!("cert edited {}", unsigned[0]), "s DECLINED cover ");
    }
    // Values that rest on themselves, by way of another shard.
    let text = fs::read_to_string(here.join(&unsigned[0])).unwrap();
    let given = text.split(' ').find(|word| word.starts_with("given=")).unwrap();
    let all_pairs = given.rsplit('/').next().unwrap();
    let circle = text.replace(given, &format!("given=0-{all_pairs}/{all_pairs}"));
    fs::write(here.join("circle"), circle).unwrap();
    refused(&format!("cert circle {}", unsigned[1]), "s DECLINED disagreement file=circle ");
    // No notes, or files that are not notes.
    for (name, bytes) in [("empty", ""), ("binary", "\u{0}"), ("text", "draughtproof note 1\n\n\n")]
    {
        fs::write(here.join(name), bytes).unwrap();
        refused(&format!("cert {name}"), "s DECLINED cover ");
    }
    refused("cert", "s ERROR ");
    refused("cert missing", "s DECLINED cover ");
    assert!(Command::new("mkfifo").arg("pipe").current_dir(here).status().unwrap().success());
    refused("cert pipe", "s DECLINED cover ");
    // One key under two names is one key.
    fs::write(here.join("copied"), format!("{alice}# {bob}{alice}")).unwrap();
    refused(&format!("cert {} --keys copied", all(&[&a])), "s ERROR copied");
    // A note of a merge is not a check.
    let text = fs::read_to_string(here.join(&unsigned[0])).unwrap();
    let words = text.lines().nth(1).unwrap();
    let hearsay = merge(&format!("cert {}", all(&[&unsigned])), here).verdict;
    fs::write(here.join("hearsay"), text.replace(words, &hearsay[2..])).unwrap();
    refused("cert hearsay", "s DECLINED cover ");
}

/// Three lines that anyone can write without a check.
#[test]
fn a_made_up_note_is_no_acceptance() {
    let root = certificate("--game 4x4 --pieces 3 --leaf-nodes 3");
    let here = root.path();
    let honest = say("cert --attest honest", here);
    assert_eq!(honest.status, Some(0), "{honest:?}");
    let keygen = run(&path("check"), &["keygen", "alice", "--key", "key"], here);
    fs::write(here.join("trusted"), keygen.stdout).unwrap();
    // A certificate that only a replay can refute.
    let mut draft = Draft::read(&here.join("cert"));
    draft.parts[0].leaves[0].positions += 1;
    draft.write(&here.join("cert"));
    assert_eq!(say("cert", here).status, Some(1));
    // The fields that a note needs can be read in the objection to a note about another
    // certificate.
    let output = run(&path("check"), &["merge", "cert", "honest"], here);
    let expected = String::from_utf8(output.stderr).unwrap();
    assert!(expected.contains("it is about another certificate: expected root="), "{expected}");
    let digest = |text: &str| text[text.find("root=").unwrap()..][..69].to_string();
    let note = fs::read_to_string(here.join("honest")).unwrap();
    let made_up = note.replace(&digest(&note), &digest(&expected));
    assert_ne!(note, made_up);
    let positions = honest.verdict.rsplit_once("positions=").unwrap().1;
    let stated = positions.parse::<u64>().unwrap() + 1;
    let made_up =
        made_up.replace(&format!("positions={positions}"), &format!("positions={stated}"));
    fs::write(here.join("made-up"), made_up).unwrap();
    let said = merge("cert made-up", here);
    assert!(
        said.verdict.ends_with(" by cover of 1 notes keys=none checkers=draughtproof-check"),
        "{said:?}"
    );
    assert_eq!(said.status, Some(5));
    let said = merge("cert made-up --keys trusted", here);
    assert!(said.verdict.starts_with("s DECLINED cover "), "{said:?}");
}

#[test]
fn what_is_no_note_is_said() {
    let root = certificate("--game 4x4 --pieces 3 --leaf-nodes 3");
    let here = root.path();
    run(&path("check"), &["keygen", "alice", "--key", "key"], here);
    say("cert --attest note --key key", here);
    let note = fs::read_to_string(here.join("note")).unwrap();
    let read = |bytes: &[u8]| {
        fs::write(here.join("other"), bytes).unwrap();
        merge("cert other", here).verdict
    };
    let why = |name: &str| {
        let output = run(&path("check"), &["merge", "cert", name], here);
        assert_eq!(output.status.code(), Some(3), "{output:?}");
        let said = String::from_utf8(output.stderr).unwrap();
        let first = said.lines().next().unwrap_or_default();
        first.strip_prefix(&format!("{name} does not count: not a note: ")).unwrap().to_string()
    };
    let refusal = |bytes: &[u8]| {
        fs::write(here.join("other"), bytes).unwrap();
        why("other")
    };
    let fine = |text: &str| {
        let said = read(text.as_bytes());
        assert!(
            said.ends_with(" by cover of 1 notes keys=none checkers=draughtproof-check"),
            "{text}: {said}"
        );
    };
    fine(&note);
    let (words, signature) = note.split_once("\n\n").unwrap();
    let (signature, aside) = signature.split_once('\n').unwrap();
    assert!(signature.starts_with("— alice ") && aside.starts_with("# host "), "{note}");
    // A note without a signature, without other lines, or with signatures by other keys.
    fine(&format!("{words}\n"));
    fine(&format!("{words}\n\n{signature}\n"));
    fine(&format!("{words}\n\n{signature}\n— somebody AAAA\n{aside}"));
    // A note has at most one MiB.
    let least = note.len() + "# \n".len();
    fine(&format!("{note}# {}\n", "x".repeat((1 << 20) - least)));
    let long = format!("{note}# {}\n", "x".repeat((1 << 20) - least + 1));
    assert_eq!(refusal(long.as_bytes()), "too long");

    let lines: Vec<&str> = words.lines().collect();
    let program = certificate_spec::Digest::of(&fs::read(path("check")).unwrap());
    let version = env!("CARGO_PKG_VERSION");
    assert_eq!(lines[2], format!("checker draughtproof-check {version} {program}"));
    let three = "expected three lines, the first of them: draughtproof note 1";
    for (text, reason) in [
        (note.replacen("note 1", "note 0", 1), three),
        (note.replacen("note 1", "note 2", 1), three),
        (format!("{}\n{}\n", lines[0], lines[1]), three),
        (format!("{words}\n{}\n", lines[2]), three),
        (words.to_string(), three),
        (note.replacen("\nchecker ", "\nprover ", 1), three),
        (note.replacen("DRAW", "DR\tAW", 1), "not printable ASCII"),
        (note.replacen("DRAW", "DR\u{c4}W", 1), "not printable ASCII"),
        (note.replacen("— alice ", "- alice ", 1), "a line that is no signature"),
        (note.replacen("— alice ", "— alice", 1), "a line that is no signature"),
        (note.replacen("— alice ", "— alice !", 1), "a line that is no signature"),
        (format!("{note}more\n"), "a line that is no signature"),
    ] {
        assert_ne!(text, note);
        assert_eq!(refusal(text.as_bytes()), reason, "{text}");
    }
    assert_eq!(refusal(b"\xff"), "not UTF-8");
    fs::create_dir(here.join("folder")).unwrap();
    assert_eq!(why("folder"), "not an ordinary file");
}

#[test]
fn keys_are_known_by_name_and_id() {
    let root = certificate("--game 4x4 --pieces 3 --leaf-nodes 3");
    let here = root.path();
    let keygen = |name: &str, file: &str| {
        let output = run(&path("check"), &["keygen", name, "--key", file], here);
        (output.status.code(), String::from_utf8(output.stdout).unwrap())
    };
    for name in ["", "a b", "a+b", "#a", "\u{e4}", "a\tb"] {
        let (status, said) = keygen(name, "no");
        assert_eq!(status, Some(4), "{name}: {said}");
        assert!(said.starts_with("s ERROR ") && !here.join("no").exists(), "{name}: {said}");
    }
    let (status, alice) = keygen("alice", "key");
    assert_eq!(status, Some(0));
    let mode = std::os::unix::fs::MetadataExt::mode(&fs::metadata(here.join("key")).unwrap());
    assert_eq!(mode & 0o777, 0o600);
    say("cert --attest note --key key", here);
    let merged = |note: &str, keys: &str| {
        fs::write(here.join("trusted"), keys).unwrap();
        merge(&format!("cert {note} --keys trusted"), here).verdict
    };
    for keys in [alice.clone(), format!("# those who count\n\n{alice}\n"), alice.trim().into()] {
        let said = merged("note", &keys);
        assert!(
            said.ends_with(" by cover of 1 notes keys=1 checkers=draughtproof-check"),
            "{keys}: {said}"
        );
    }
    // A key with alice's name is another key, and so is one with her id and another name.
    let (_, namesake) = keygen("alice", "namesake");
    assert!(merged("note", &namesake).starts_with("s DECLINED cover "));
    let note = fs::read_to_string(here.join("note")).unwrap();
    fs::write(here.join("renamed"), note.replace("— alice ", "— alicia ")).unwrap();
    assert!(merged("renamed", &alice).starts_with("s DECLINED cover "));
    // A signature that is too short is bad; one that is too short to have an id belongs to no key.
    let line = note.lines().find(|line| line.starts_with("— ")).unwrap();
    let cut = |to: usize| {
        fs::write(here.join("cut"), note.replace(line, &line[..to])).unwrap();
        merged("cut", &alice)
    };
    assert!(cut(line.len() - 4).starts_with("s DECLINED cover "));
    assert!(cut("— alice AAAA".len()).starts_with("s DECLINED cover "));

    // The first byte in base64 stands for the algorithm; 2 instead of 1 is another algorithm.
    let [name, id, code] = alice.trim().splitn(3, '+').collect::<Vec<_>>()[..] else { panic!() };
    let letters = ('A'..='Z').chain('a'..='z').collect::<String>();
    let second = letters.find(&code[1..2]).unwrap() + 16;
    let algorithm = format!("{name}+{id}+A{}{}", &letters[second..=second], &code[2..]);
    let key = fs::read_to_string(here.join("key")).unwrap();
    let wrong_line = "s ERROR trusted: line 2: expected a public key, name+id+base64";
    for line in [
        key.trim().to_string(),
        alice.trim().replace("alice+", "bob+"),
        alice.trim().replace('+', "-"),
        algorithm,
        "alice+00000000+AQ==".into(),
        format!("{} ", alice.trim()),
    ] {
        assert_eq!(merged("note", &format!("# keys\n{line}\n")), wrong_line, "{line}");
    }
    for text in [alice.clone(), key.replace("alice", "bob"), key.replace("PRIVATE", "SECRET")] {
        fs::write(here.join("bad"), &text).unwrap();
        let said = say("cert --attest another --key bad", here).verdict;
        assert_eq!(said, "s ERROR bad: expected a private key as `check keygen` writes it");
    }
}

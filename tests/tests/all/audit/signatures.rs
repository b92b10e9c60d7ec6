//! The value of notes by their signatures and keys.

use super::*;

/// Notes of all shards by alice and by bob, who are trusted, by mallory, and without a signature.
const ALICE: &str = "a-1.note a-2.note";
const BOB: &str = "b-1.note b-2.note b-3.note";
const MALLORY: &str = "m-1.note m-2.note";
const UNSIGNED: &str = "u-1.note u-2.note";

/// A certificate and these notes.
fn noted() -> Place {
    let here = place();
    shards(&here, 2, "a", "--key alice");
    shards(&here, 3, "b", "--key bob");
    shards(&here, 2, "m", "--key mallory");
    shards(&here, 2, "u", "");
    here
}

/// A certificate, and the text of a note about all of it by alice, in the file `note`.
fn one_note() -> (Place, String) {
    let here = place();
    say("cert --attest note --key alice", &here);
    let note = fs::read_to_string(here.join("note")).unwrap();
    (here, note)
}

#[test]
fn each_part_needs_as_many_trusted_keys_as_required() {
    let here = noted();
    let one = "cover of 2 notes keys=1 checkers=draughtproof-check";
    accepted(&format!("cert {ALICE} --keys trusted"), one, &here);
    let two = "of 5 notes keys=2 checkers=draughtproof-check";
    accepted(&format!("cert {ALICE} {BOB} --keys trusted --require 2"), two, &here);
    // A trusted key does not count twice, and other keys do not count.
    for others in [ALICE, MALLORY, UNSIGNED] {
        let text = format!("cert {ALICE} {others} --keys trusted --require 2");
        refused(&text, "DECLINED cover", &here);
    }
}

#[test]
fn notes_without_a_trusted_signature_are_no_acceptance() {
    let here = noted();
    for notes in [MALLORY, UNSIGNED] {
        refused(&format!("cert {notes} --keys trusted"), "DECLINED cover", &here);
        let said = merge(&format!("cert {notes}"), &here);
        let ending = "cover of 2 notes keys=none checkers=draughtproof-check";
        assert!(said.verdict.ends_with(ending) && said.status == Some(5), "{said:?}");
    }
}

#[test]
fn the_line_on_the_host_may_change() {
    let (here, note) = one_note();
    let changed = note.replace("# host ", "# host of somebody else ");
    assert_ne!(note, changed);
    fs::write(here.join("changed"), changed).unwrap();
    accepted("cert changed --keys trusted", " of 1 notes keys=1", &here);
}

#[test]
fn two_runs_sign_the_same_bytes() {
    let (here, note) = one_note();
    say("cert --attest again --key alice", &here);
    let again = fs::read_to_string(here.join("again")).unwrap();
    assert!(note.lines().take(5).eq(again.lines().take(5)), "{note}{again}");
}

#[test]
fn no_values_rest_on_themselves() {
    let here = draw();
    shards(&here, 2, "u", "");
    let text = fs::read_to_string(here.join("u-1.note")).unwrap();
    let given = text.split(' ').find(|word| word.starts_with("given=")).unwrap();
    let all_pairs = given.rsplit('/').next().unwrap();
    let circle = text.replace(given, &format!("given=0-{all_pairs}/{all_pairs}"));
    fs::write(here.join("circle"), circle).unwrap();
    refused("cert circle u-2.note", "DECLINED disagreement file=circle", &here);
}

#[test]
fn a_merge_of_no_notes_is_an_error() {
    refused("cert", "ERROR", &draw());
}

/// Three lines that anyone can write without a check.
#[test]
fn a_made_up_note_is_no_acceptance() {
    let here = place();
    let honest = say("cert --attest honest", &here);
    assert_eq!(honest.status, Some(0), "{honest:?}");
    // A certificate that only a replay can refute.
    let mut draft = Draft::read(&here.join("cert"));
    draft.parts[0].leaves[0].positions += 1;
    draft.write(&here.join("cert"));
    assert_eq!(say("cert", &here).status, Some(1));
    // The fields that a note needs can be read in the objection to a note about another
    // certificate.
    let output = run(&path("check"), &["merge", "cert", "honest"], &here);
    let expected = String::from_utf8(output.stderr).unwrap();
    assert!(expected.contains("it is about another certificate: expected root="), "{expected}");
    let digest = |text: &str| text[text.find("root=").unwrap()..][..69].to_string();
    let note = fs::read_to_string(here.join("honest")).unwrap();
    let positions = honest.verdict.rsplit_once("positions=").unwrap().1;
    let stated = positions.parse::<u64>().unwrap() + 1;
    let made_up = note
        .replace(&digest(&note), &digest(&expected))
        .replace(&format!("positions={positions}"), &format!("positions={stated}"));
    fs::write(here.join("made-up"), made_up).unwrap();
    let said = merge("cert made-up", &here);
    let ending = " by cover of 1 notes keys=none checkers=draughtproof-check";
    assert!(said.verdict.ends_with(ending) && said.status == Some(5), "{said:?}");
    refused("cert made-up --keys trusted", "DECLINED cover", &here);
}

/// Returns the reason for which `check merge` says that these bytes are not a note.
fn refusal(bytes: &[u8], here: &Path) -> String {
    fs::write(here.join("other"), bytes).unwrap();
    let output = run(&path("check"), &["merge", "cert", "other"], here);
    assert_eq!(output.status.code(), Some(3), "{output:?}");
    let said = String::from_utf8(output.stderr).unwrap();
    let first = said.lines().next().unwrap_or_default();
    first.strip_prefix("c other does not count: not a note: ").unwrap().to_string()
}

#[test]
fn signatures_and_comments_may_be_left_out_or_added() {
    let (here, note) = one_note();
    let (words, signature) = note.split_once("\n\n").unwrap();
    let (signature, aside) = signature.split_once('\n').unwrap();
    assert!(signature.starts_with("— alice ") && aside.starts_with("# host "), "{note}");
    for text in [
        format!("{words}\n"),
        format!("{words}\n\n{signature}\n"),
        format!("{words}\n\n{signature}\n— somebody AAAA\n{aside}"),
    ] {
        fs::write(here.join("other"), &text).unwrap();
        let said = merge("cert other", &here).verdict;
        assert!(said.contains(" by cover of 1 notes "), "{text}: {said}");
    }
}

#[test]
fn a_note_has_at_most_one_mib() {
    let (here, note) = one_note();
    let most = (1 << 20) - note.len() - "# \n".len();
    fs::write(here.join("long"), format!("{note}# {}\n", "x".repeat(most))).unwrap();
    assert!(merge("cert long", &here).verdict.contains(" by cover of 1 notes "));
    let long = format!("{note}# {}\n", "x".repeat(most + 1));
    assert_eq!(refusal(long.as_bytes(), &here), "too long");
}

#[test]
fn a_note_names_its_program() {
    let (_root, note) = one_note();
    let program = Digest::of(&fs::read(path("check")).unwrap());
    let version = env!("CARGO_PKG_VERSION");
    let line = format!("checker draughtproof-check {version} {program}");
    assert_eq!(note.lines().nth(2), Some(&*line));
}

#[test]
fn what_is_no_note_is_said() {
    let (here, note) = one_note();
    let words = note.split_once("\n\n").unwrap().0;
    let lines: Vec<&str> = words.lines().collect();
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
        assert_eq!(refusal(text.as_bytes(), &here), reason, "{text}");
    }
}

#[test]
fn a_key_has_a_plain_name() {
    let here = Place::empty();
    for name in ["", "a b", "a+b", "#a", "\u{e4}", "a\tb"] {
        let said = check(&["keygen", name, "--key", "no"], &here);
        assert!(said.verdict.starts_with("s ERROR ") && said.status == Some(4), "{said:?}");
        assert!(!here.join("no").exists(), "{name}");
    }
}

#[test]
fn a_private_key_is_its_owners_and_never_overwritten() {
    let here = Place::empty();
    keygen("alice", &here);
    let mode = std::os::unix::fs::MetadataExt::mode(&fs::metadata(here.join("alice")).unwrap());
    assert_eq!(mode & 0o777, 0o600);
    let key = fs::read(here.join("alice")).unwrap();
    assert_eq!(check(&["keygen", "alice", "--key", "alice"], &here).status, Some(4));
    assert_eq!(fs::read(here.join("alice")).unwrap(), key);
}

#[test]
fn a_key_is_known_by_name_and_id() {
    let (here, note) = one_note();
    let trusted = fs::read_to_string(here.join("trusted")).unwrap();
    let alice = trusted.lines().next().unwrap();
    for keys in [format!("{alice}\n"), format!("# those who count\n\n{alice}\n"), alice.into()] {
        fs::write(here.join("keys"), keys).unwrap();
        accepted("cert note --keys keys", " keys=1 checkers=draughtproof-check", &here);
    }
    // Another key under the same name, and the same key under another name.
    let output = run(&path("check"), &["keygen", "alice", "--key", "namesake"], &here);
    fs::write(here.join("namesakes"), output.stdout).unwrap();
    refused("cert note --keys namesakes", "DECLINED cover", &here);
    fs::write(here.join("renamed"), note.replace("— alice ", "— alicia ")).unwrap();
    refused("cert renamed --keys keys", "DECLINED cover", &here);
}

#[test]
fn one_key_under_two_names_is_an_error() {
    let (here, _) = one_note();
    let trusted = fs::read_to_string(here.join("trusted")).unwrap();
    let alice = trusted.lines().next().unwrap();
    fs::write(here.join("copied"), format!("{alice}\n# bob\n{alice}\n")).unwrap();
    refused("cert note --keys copied", "ERROR copied", &here);
}

#[test]
fn a_short_signature_is_none() {
    let (here, note) = one_note();
    let line = note.lines().find(|line| line.starts_with("— ")).unwrap();
    // The second is too short to have the id of a key.
    for length in [line.len() - 4, "— alice AAAA".len()] {
        fs::write(here.join("cut"), note.replace(line, &line[..length])).unwrap();
        refused("cert cut --keys trusted", "DECLINED cover", &here);
    }
}

#[test]
fn a_signature_counts_once_however_often_it_is_there() {
    let (here, note) = one_note();
    let line = note.lines().find(|line| line.starts_with("— ")).unwrap();
    let often = vec![line; 5000].join("\n");
    fs::write(here.join("often"), note.replace(line, &often)).unwrap();
    accepted("cert often --keys trusted", " keys=1 checkers=draughtproof-check", &here);
    refused("cert often --keys trusted --require 2", "DECLINED cover", &here);
    // A wrong one among them is found all the same.
    let wrong = format!("{often}\n{}", &line[..line.len() - 4]);
    fs::write(here.join("wrong"), note.replace(line, &wrong)).unwrap();
    refused("cert wrong --keys trusted", "DECLINED cover", &here);
}

#[test]
fn what_is_no_public_key_is_refused() {
    let (here, _) = one_note();
    let trusted = fs::read_to_string(here.join("trusted")).unwrap();
    let alice = trusted.lines().next().unwrap();
    // The first byte in base64 stands for the algorithm; 2 instead of 1 is another algorithm.
    let [name, id, code] = alice.splitn(3, '+').collect::<Vec<_>>()[..] else { panic!() };
    let letters = ('A'..='Z').chain('a'..='z').collect::<String>();
    let second = letters.find(&code[1..2]).unwrap() + 16;
    for line in [
        fs::read_to_string(here.join("alice")).unwrap().trim().to_string(),
        alice.replace("alice+", "bob+"),
        alice.replace('+', "-"),
        format!("{name}+{id}+A{}{}", &letters[second..=second], &code[2..]),
        "alice+00000000+AQ==".into(),
        format!("{alice} "),
    ] {
        fs::write(here.join("keys"), format!("# keys\n{line}\n")).unwrap();
        let wrong = "ERROR keys: line 2: expected a public key, name+id+base64";
        refused("cert note --keys keys", wrong, &here);
    }
}

#[test]
fn what_is_no_private_key_is_refused() {
    let here = Place::empty();
    let public = keygen("alice", &here);
    let key = fs::read_to_string(here.join("alice")).unwrap();
    for text in [public, key.replace("alice", "bob"), key.replace("PRIVATE", "SECRET")] {
        fs::write(here.join("bad"), &text).unwrap();
        let said = say("cert --attest another --key bad", &here).verdict;
        assert_eq!(said, "s ERROR bad: expected a private key as `check keygen` writes it");
    }
}

/// The printed line counts digests that a note lists, and says whose notes it rests on.
#[test]
fn lists_are_in_notes_and_signers_are_named() {
    let here = place();
    let [one, other] = ["alice", "bob"].map(|name| {
        let signed = shards(&here, 2, name, &format!("--key {name}"));
        signed.join(" ")
    });
    let tables = field(&here, "alice-1.note", "tables");
    let count = tables.split(',').count();
    assert!(count > 1, "{tables}");
    let said = say("cert --shard 1/2", &here);
    assert!(said.verdict.contains(&format!(" tables={count} ")), "{said:?}");
    assert!(said.verdict.len() <= 600, "{said:?}");

    let last = |text: &str| {
        let output = run(&path("check"), &words(text), &here);
        let said = String::from_utf8(output.stderr).unwrap();
        said.lines().last().unwrap().to_string()
    };
    let by = last(&format!("merge cert {one} {other} --keys trusted"));
    assert!(by.contains("rests on 4 notes (signed by alice and bob), of all parts"), "{by}");
    let by = last(&format!("merge cert {one}"));
    assert!(by.starts_with("check: not proved: ") && by.contains("no signature"), "{by}");
    let notes = format!("{one} {other}").replace(' ', " --trust-db ");
    let text = format!("cert --trust-db {notes} --keys trusted");
    let by = last(&text);
    let word = "is the word of 4 notes (signed by alice and bob). Nothing else was left out.";
    assert!(by.starts_with("check: proved: 4x4 ") && by.ends_with(word), "{by}");
    let said = say(&format!("{text} --attest rest"), &here);
    assert!(said.verdict.contains(" db-note=4 db-note-keys=1 "), "{said:?}");
    assert_eq!(field(&here, "rest", "db-note").split(',').count(), 4);
    // A printed line is no note.
    let shown = said.verdict.strip_prefix("s ").unwrap();
    tests::notes::write(&here.join("shown"), shown, None);
    refused("cert shown", "DECLINED cover", &here);
}

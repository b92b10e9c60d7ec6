//! Adding files cannot spoil an audit, and a note cannot say what no check can say.

use std::os::unix::fs::{PermissionsExt, symlink};

use super::*;
use tests::notes;

/// A certificate, its database, keys, and valid notes: two of shards by alice, one of the whole by
/// bob, and one of the database by alice.
fn noted() -> Place {
    let here = place();
    shards(&here, 2, "a", "--key alice");
    assert_eq!(say("cert --attest b-1.note --key bob", &here).status, Some(0));
    assert_eq!(say("--game 4x4 --attest db-1.note --key alice", &here).status, Some(0));
    here
}

/// The output of `check` with these arguments and the added files, its verdict, and the files that
/// it names.
fn ask(here: &Path, text: &str, added: &[&str]) -> (Output, String, Vec<String>) {
    let output = run(&path("check"), &[&words(text)[..], added].concat(), here);
    let [out, err] =
        [&output.stdout, &output.stderr].map(|bytes| String::from_utf8(bytes.clone()).unwrap());
    let lines = err.lines().map(String::from).collect();
    (output, out, lines)
}

/// Files that anyone can add, and the reasons for which they do not count.
fn strays(here: &Path) -> Vec<(&'static str, &'static str)> {
    let put = |name: &str, text: &[u8]| fs::write(here.join(name), text).unwrap();
    let [a, b] = ["a-1.note", "b-1.note"].map(|name| fs::read_to_string(here.join(name)).unwrap());
    put("empty", b"");
    put("text", b"draughtproof note 1\n\n\n");
    put("binary", b"\x00\xff");
    put("long", "x".repeat((1 << 20) + 1).as_bytes());
    put("cut", &a.as_bytes()[..a.len() / 3]);
    put("copy", a.as_bytes());
    put("renamed", a.replace("— alice ", "— alicia ").as_bytes());
    // A signature by alice under another text, and a wrong one under her name.
    put("forged", a.replacen("1/2", "2/2", 1).as_bytes());
    put("another-program", b.replacen("checker ", "checker x", 1).as_bytes());
    notes::write(&here.join("mallory.note"), &notes::words(&here.join("b-1.note")), None);
    let win = notes::words(&here.join("b-1.note")).replacen("DRAW", "BLACK-WINS", 1);
    notes::write(&here.join("unknown-key"), &win, Some(&here.join("mallory")));
    notes::write(
        &here.join("refuted"),
        "REFUTED object-hash file=CLAIM",
        Some(&here.join("mallory")),
    );
    // Notes about another certificate, signed by a trusted key.
    let other = "VERIFIED DRAW 4x4 start=initial root=0 format=1 rules=english-checkers-1";
    notes::write(&here.join("other-root"), other, Some(&here.join("alice")));
    for (name, from, to) in [
        ("other-format", "format=1", "format=7"),
        ("other-rules", "rules=english-checkers-1", "rules=chess-9"),
    ] {
        let words = notes::words(&here.join("b-1.note")).replacen(from, to, 1);
        notes::write(&here.join(name), &words, Some(&here.join("bob")));
    }
    // Refutations of something else, of nothing that is named, and of the signer's own folder.
    for (name, words) in [
        ("refutes-another", format!("REFUTED rank file=CLAIM root={}", "0".repeat(64))),
        ("refutes-nothing", "REFUTED rank file=CLAIM".into()),
        ("refutes-a-folder", "REFUTED slice-hash file=4x4/0-1-0-1".into()),
    ] {
        notes::write(&here.join(name), &words, Some(&here.join("alice")));
    }
    fs::create_dir(here.join("folder")).unwrap();
    assert!(Command::new("mkfifo").arg("pipe").current_dir(here).status().unwrap().success());
    symlink("pipe", here.join("link")).unwrap();
    symlink("nowhere", here.join("dangling")).unwrap();
    vec![
        ("empty", "not a note: expected three lines"),
        ("text", "not a note: expected three lines"),
        ("binary", "not a note: not UTF-8"),
        ("long", "not a note: too long"),
        ("cut", "not a note: expected three lines"),
        ("copy", "the same is in another note"),
        ("renamed", "no trusted key has signed it"),
        ("forged", "alice has not signed this"),
        ("another-program", "bob has not signed this"),
        ("mallory.note", "no trusted key has signed it"),
        ("unknown-key", "no trusted key has signed it"),
        ("refuted", "no trusted key has signed it"),
        ("other-root", "it is about another certificate: expected root="),
        ("other-format", "expected format=1, found format=7"),
        ("other-rules", "expected rules=english-checkers-1, found rules=chess-9"),
        ("refutes-another", "it refutes something else, or does not name it"),
        ("refutes-nothing", "it refutes something else, or does not name it"),
        ("refutes-a-folder", "it refutes something else, or does not name it"),
        ("folder", "not a note: not an ordinary file"),
        ("pipe", "not a note: not an ordinary file"),
        ("link", "not a note: not an ordinary file"),
        ("dangling", "No such file or directory"),
        ("missing", "No such file or directory"),
    ]
}

#[test]
fn files_that_anybody_adds_are_named_and_change_nothing() {
    let here = noted();
    let strays = strays(&here);
    let merge = "merge cert --keys trusted a-1.note a-2.note b-1.note";
    let trust = "cert --quiet --keys trusted --trust-db a-1.note --trust-db a-2.note --trust-db \
                 b-1.note --trust-db";
    let right = [ask(&here, merge, &[]).1, ask(&here, trust, &["db-1.note"]).1];
    assert!(right[0].ends_with(" by cover of 3 notes keys=1 checkers=draughtproof-check\n"));
    assert!(right.iter().all(|line| line.starts_with("s VERIFIED DRAW 4x4 ")), "{right:?}");
    for (name, reason) in &strays {
        let (output, line, said) = ask(&here, merge, &[name]);
        assert_eq!((output.status.code(), &line), (Some(0), &right[0]), "{name}: {said:?}");
        let named = format!("c {name} does not count: {reason}");
        assert!(said.iter().any(|line| line.starts_with(&named)), "{named}: {said:?}");
        let (output, line, said) = ask(&here, trust, &["db-1.note", "--trust-db", name]);
        assert_eq!((output.status.code(), &line), (Some(0), &right[1]), "{name}: {said:?}");
        assert!(said.iter().any(|line| line.starts_with(&named)), "{named}: {said:?}");
    }
    // All of these files together, before the valid notes.
    let names: Vec<&str> = strays.iter().map(|(name, _)| *name).filter(|n| *n != "copy").collect();
    let (output, line, said) =
        ask(&here, "merge cert --keys trusted", &[&names[..], &["a-1.note", "a-2.note"]].concat());
    assert_eq!(output.status.code(), Some(0), "{line}{said:?}");
    assert!(line.contains(" by cover of 2 notes "), "{line}");
    // These files alone have no effect.
    let (output, line, _) = ask(&here, "merge cert --keys trusted", &names);
    assert_eq!(output.status.code(), Some(3), "{line}");
    assert!(line.starts_with("s DECLINED cover "), "{line}");
}

/// A trusted signer who was sent a false certificate, or whose own database is another one, has not
/// refuted the good one.
#[test]
fn a_refutation_speaks_of_what_it_names() {
    let here = noted();
    let merge = "merge --keys trusted cert a-1.note a-2.note";
    let right = ask(&here, merge, &[]).1;
    let mut draft = tests::draft::Draft::read(&here.join("cert"));
    draft.parts[0].leaves[0].positions += 1;
    draft.write(&here.join("false"));
    let bare = here.join("bare/4x4");
    fs::create_dir_all(&bare).unwrap();
    fs::write(bare.join("MANIFEST"), fs::read(here.join("egdb/4x4/MANIFEST")).unwrap()).unwrap();
    for (check, rule, names) in [
        ("false", "leaf-syntax", 1),
        ("cert --db bare", "listing", 0),
        ("--game 4x4 --db bare", "listing", 0),
    ] {
        let _ = fs::remove_file(here.join("r"));
        let said = say(&format!("{check} --attest r --key alice"), &here);
        assert!(said.verdict.starts_with(&format!("s REFUTED {rule} ")), "{said:?}");
        assert_eq!(notes::words(&here.join("r")).matches(" root=").count(), names);
        let (output, line, said) = ask(&here, merge, &["r"]);
        assert_eq!((output.status.code(), &line), (Some(0), &right), "{said:?}");
        assert!(said.iter().any(|l| l.starts_with("c r does not count: it refutes")), "{said:?}");
    }
    fs::remove_file(here.join("r")).unwrap();
    say("false --attest r --key alice", &here);
    let (_, line, _) = ask(&here, "merge --keys trusted false r", &[]);
    assert!(line.starts_with("s DECLINED disagreement "), "{line}");
}

#[test]
fn no_note_is_no_evidence() {
    let here = noted();
    let keys = "--keys trusted --require 2 nowhere";
    let (output, line, _) = ask(&here, &format!("merge --game 4x4 --pieces 0 {keys}"), &[]);
    assert_eq!((output.status.code(), &*line), (Some(4), "s ERROR pieces: from 2 to 8 on 4x4\n"));
    for text in [format!("merge --game 4x4 {keys}"), format!("merge --game 4x4 --pieces 2 {keys}")]
    {
        let (output, line, _) = ask(&here, &text, &[]);
        assert_eq!(output.status.code(), Some(3), "{line}");
        assert!(line.starts_with("s DECLINED cover file=4x4/MANIFEST "), "{line}");
    }
}

#[test]
fn without_keys_too_what_is_none_changes_nothing() {
    let here = noted();
    strays(&here);
    let (_, right, _) = ask(&here, "merge cert a-1.note a-2.note", &[]);
    for name in "empty text binary long cut copy other-root folder pipe missing".split(' ') {
        let (output, line, said) = ask(&here, "merge cert a-1.note a-2.note", &[name]);
        assert_eq!((output.status.code(), &line), (Some(5), &right), "{name}");
        assert!(said[0].starts_with(&format!("c {name} does not count: ")), "{said:?}");
    }
    fs::write(here.join("unreadable"), "").unwrap();
    fs::set_permissions(here.join("unreadable"), fs::Permissions::from_mode(0o000)).unwrap();
    let (_, line, said) = ask(&here, "merge cert a-1.note a-2.note unreadable", &[]);
    assert_eq!(line, right);
    assert!(said[0].starts_with("c unreadable does not count: "), "{said:?}");
}

#[test]
fn notes_that_count_and_disagree_are_declined() {
    let here = noted();
    let whole = notes::words(&here.join("b-1.note"));
    let shard = notes::words(&here.join("a-1.note"));
    let [root, db_root] = ["root=", "db-root="]
        .map(|name| whole.split(' ').find(|word| word.starts_with(name)).unwrap());
    let tables = shard.split(' ').find(|word| word.starts_with("tables=")).unwrap();
    let other =
        format!("tables={}", "0123456789abcdef".repeat(4) + &tables["tables=".len() + 64..]);
    for words in [
        whole.replacen("DRAW", "BLACK-WINS", 1),
        whole.replacen("4x4", "4x6", 1),
        whole.replacen("start=initial", "start=B:W7,8:B1,3", 1),
        whole.replacen("pieces=3", "pieces=2", 1),
        whole.replacen("pieces=3", "pieces=4:2", 1),
        shard.replacen("/9 ", "/8 ", 2),
        shard.replacen(tables, &other, 1),
        format!("REFUTED rank file=CLAIM expected=a found=b {root}"),
        format!("REFUTED slice-value file=4x4/0-1-0-1 offset=12 {db_root}"),
        format!("REFUTED slice-value file=4x4/0-1-0-1 root={} {db_root}", "0".repeat(64)),
    ] {
        notes::write(&here.join("x"), &words, Some(&here.join("bob")));
        for text in [
            "merge cert --keys trusted a-1.note a-2.note x",
            "merge cert --keys trusted x a-1.note a-2.note",
            "merge cert a-1.note a-2.note x",
            "cert --quiet --keys trusted --trust-db db-1.note --trust-db a-1.note --trust-db x",
        ] {
            let (output, line, _) = ask(&here, text, &[]);
            assert_eq!(output.status.code(), Some(3), "{text}: {words}: {line}");
            assert!(line.starts_with("s DECLINED disagreement file="), "{text}: {words}: {line}");
        }
    }
}

/// The words of valid notes, of the whole certificate, of a shard and of the database, with the
/// arguments that merge a note `x` in place of each.
fn valid(here: &Path) -> [(String, &'static str); 3] {
    [
        ("b-1.note", "merge cert --keys trusted x"),
        ("a-1.note", "merge cert --keys trusted x a-2.note"),
        ("db-1.note", "merge --game 4x4 --keys trusted x"),
    ]
    .map(|(name, merge)| (notes::words(&here.join(name)), merge))
}

/// Merges the note `x` with these words by alice, and expects that it is named, with the reason, or
/// reported as a disagreement.
fn refuse(words: &str, merge: &str, here: &Path) {
    notes::write(&here.join("x"), words, Some(&here.join("alice")));
    let (output, line, said) = ask(here, merge, &[]);
    assert_eq!(output.status.code(), Some(3), "{words}: {line}");
    let is_named = said.iter().any(|line| line.starts_with("c x does not count: "));
    let is_reported = line.starts_with("s DECLINED disagreement file=x ");
    assert!(is_named || is_reported, "{words}: {line}");
}

#[test]
fn each_field_of_a_note_occurs_once_with_one_spelling() {
    let here = noted();
    for (right, merge) in valid(&here) {
        for field in right.split(' ').filter(|word| word.contains('=')) {
            let (name, value) = field.split_once('=').unwrap();
            for other in [
                format!(" {field} {field}"),
                format!(" {name}="),
                format!(" {name}=0{value}"),
                format!(" {name}={value}0"),
                format!(" x{field}"),
                String::new(),
            ] {
                refuse(&right.replacen(&format!(" {field}"), &other, 1), merge, &here);
            }
            if !right.contains("SHARD") {
                let (output, line, _) =
                    ask(&here, "cert --quiet --keys trusted --trust-db", &["x"]);
                assert_eq!(output.status.code(), Some(3), "{field}: {line}");
            }
        }
    }
}

#[test]
fn the_fields_of_a_note_are_in_their_order() {
    let here = noted();
    for (right, merge) in valid(&here) {
        let words: Vec<&str> = right.split(' ').collect();
        let first = words.iter().position(|word| word.contains('=')).unwrap();
        for i in first + 1..words.len() {
            let mut words = words.clone();
            words.swap(i - 1, i);
            refuse(&words.join(" "), merge, &here);
        }
    }
}

#[test]
fn a_note_has_no_other_words() {
    let here = noted();
    for (right, merge) in valid(&here) {
        notes::write(&here.join("x"), &right, Some(&here.join("alice")));
        assert_eq!(ask(&here, merge, &[]).0.status.code(), Some(0), "{right}");
        let merged = format!("{right} by cover of 2 notes keys=1 checkers=draughtproof-check");
        for end in [" more=1", " assumed=1", " assumed=0", " more", " ", &merged[right.len()..]] {
            refuse(&format!("{right}{end}"), merge, &here);
        }
        refuse(&format!(" {right}"), merge, &here);
        for word in
            ["REFUTED", "SAMPLED", "DECLINED", "ERROR", "CONSISTENT", "CONDITIONAL", "verified"]
        {
            refuse(&right.replacen("VERIFIED", word, 1), merge, &here);
        }
        for level in ["none", "hearsay", "EXACT"] {
            refuse(&right.replacen("db=exact", &format!("db={level}"), 1), merge, &here);
        }
    }
}

#[test]
fn a_note_says_how_much_a_journal_can_have_said() {
    let here = noted();
    for (right, merge) in valid(&here) {
        let place = right.split(' ').rfind(|word| word.starts_with("db")).unwrap();
        for text in ["0/9", "10/9", "1/1000", "1", "x/9", "01/9"] {
            refuse(&right.replacen(place, &format!("{place} journal={text}"), 1), merge, &here);
        }
    }
}

/// Notes with the right root and a trusted signature, and with one field that no check of anything
/// writes. Beside good notes they change nothing, and alone they are nothing.
#[test]
fn a_note_that_no_check_can_write_is_passed_over() {
    let here = noted();
    let [cert, shard, db] =
        ["b-1.note", "a-1.note", "db-1.note"].map(|name| notes::words(&here.join(name)));
    let start = "expected the start of a claim on 4x4, found start=";
    let journals = "expected at most as many as notes, found db-note-journals=2";
    let over_a_note =
        format!("db-note={} db-note-keys=1 db-note-journals=2 nodes=", "0".repeat(64));
    let slices = shard.split(' ').find(|word| word.starts_with("slices=")).unwrap();
    let nodes = shard.split(' ').find(|word| word.starts_with("nodes=")).unwrap();
    let cases = [
        (&cert, "start=initial", "start=rubbish", start),
        (&cert, "start=initial", "start=", start),
        (&cert, "start=initial", "start=B:W8,7:B1,2", start),
        (&cert, "start=initial", "start=B:W40:B1", start),
        (&cert, "start=initial", "start=B:W1:B8", start),
        // The start of the game has a word of its own.
        (&cert, "start=initial", "start=B:W7,8:B1,2", start),
        (&cert, "DRAW", "PERHAPS", "expected a value, found PERHAPS"),
        (&cert, "DRAW", "draw", "expected a value, found draw"),
        (&cert, "4x4", "99x99", "there is no game 99x99"),
        (&cert, "4x4", "4x4/1", "there is no game 4x4/1"),
        (&cert, "4x4", "4x5", "there is no game 4x5"),
        (&cert, "pieces=3", "pieces=9", "expected at most 8 pieces, found 9"),
        (&cert, "nodes=", &over_a_note, journals),
        (&shard, slices, "slices=5-3/9", "expected slices=A-B/N, found slices=5-3/9"),
        (&shard, slices, "slices=0-99/9", "expected slices=A-B/N, found slices=0-99/9"),
        (&shard, slices, "slices=0-5/8", "expected given=0-G/8"),
        (&shard, nodes, "nodes=0:0-0/1", "expected nodes=Q:A-B/N, found nodes=0:0-0/1"),
        (&shard, nodes, "nodes=2:0-0/1,3:0-0/1", "expected nodes=Q:A-B/N, found nodes=2:"),
        (&shard, "DRAW", "WHITE-WINS", "expected nodes=Q:A-B/N, found nodes=0:"),
        (&db, "4x4", "99x99", "there is no board 99x99"),
        (&db, "4x4", "4x4/1", "there is no board 4x4/1"),
        (&db, "pieces=3", "pieces=9", "expected at most 8 pieces, found 9"),
        (&db, "slices=16", "slices=15", "expected slices=16, found slices=15"),
        (&db, "indices=", "indices=1", "expected indices="),
        (&db, &db, "REFUTED", "expected the rule that is violated"),
        (&db, &db, "REFUTED object-hash", "it does not name the file"),
        (&db, &db, "REFUTED object-hash file=", "it does not name the file"),
        (&db, &db, "REFUTED Object file=CLAIM", "expected the rule that is violated"),
        (&db, &db, "REFUTED object-hash file=CLAIM offset=x", "expected a number, found offset=x"),
        (&db, &db, "REFUTED object-hash file=CLAIM all", "expected a field of a refutation"),
        (&db, &db, "REFUTED object-hash found=a file=CLAIM", "expected a field of a refutation"),
    ];
    let merge = "merge cert --keys trusted a-1.note a-2.note";
    let trust = "cert --quiet --keys trusted --trust-db db-1.note --trust-db";
    let right = [ask(&here, merge, &[]).1, ask(&here, trust, &["db-1.note"]).1];
    for (words, from, to, why) in cases {
        assert!(words.contains(from), "{from}: {words}");
        notes::write(&here.join("x"), &words.replacen(from, to, 1), Some(&here.join("bob")));
        let named = format!("c x does not count: {why}");
        for (text, right) in [(merge, &right[0]), (trust, &right[1])] {
            let (output, line, said) = ask(&here, text, &["x"]);
            assert_eq!((output.status.code(), &line), (Some(0), right), "{to}: {said:?}");
            assert!(said.iter().any(|line| line.starts_with(&named)), "{named}: {said:?}");
        }
        let (_, line, _) = ask(&here, "merge cert --keys trusted x", &[]);
        assert!(line.starts_with("s DECLINED cover "), "{to}: {line}");
    }
}

/// A claim of winning rests on exact values only.
#[test]
fn no_note_says_that_a_win_rests_on_consistent_values() {
    let here = certificate("--game 6x4 --pieces 3 --leaf-nodes 40");
    assert_eq!(say("cert --attest right", &here).status, Some(0));
    let words = notes::words(&here.join("right"));
    assert!(words.starts_with("VERIFIED WHITE-WINS 6x4 ") && words.contains(" db=exact "));
    notes::write(&here.join("x"), &words.replacen("db=exact", "db=consistent", 1), None);
    for (note, verdict, status) in [("right", "s VERIFIED ", 5), ("x", "s DECLINED cover ", 3)] {
        let (output, line, said) = ask(&here, "merge cert", &[note]);
        assert!(line.starts_with(verdict), "{note}: {line}{said:?}");
        assert_eq!(output.status.code(), Some(status));
        let why = "c x does not count: no check says db=consistent of a win";
        assert_eq!(said[0] == why, note == "x", "{said:?}");
    }
}

/// Each of these notes has the right root and a trusted signature, and no check writes it.
#[test]
fn a_note_about_a_database_has_the_form_of_a_verdict() {
    let here = noted();
    let right = notes::words(&here.join("db-1.note"));
    let db_root = right.split(' ').find(|word| word.starts_with("db-root=")).unwrap();
    let root_twice = format!("{db_root} {db_root}");
    for (from, to, why) in [
        ("format=1", "format=7", "expected format=1, found format=7"),
        ("rules=english-checkers-1", "rules=chess-9", "expected rules=english-checkers-1, found"),
        (" format=1 rules=english-checkers-1", "", "expected format=1, found no field format"),
        ("pieces=3", "pieces=9 pieces=3", "the field pieces is there twice"),
        (db_root, &root_twice, "the field db-root is there twice"),
        ("db=exact", "db=consistent db=exact", "the field db is there twice"),
        ("db=exact", "db=none", "no check says this of a database: found db=none"),
        ("db=exact", "db=consistent", "no check says this of a database: found db=consistent"),
        ("VERIFIED", "CONSISTENT", "no check says this of a database: found db=exact"),
        ("VERIFIED", "VERIFIED SAMPLED", "expected fields, found \"4x4\""),
        ("VERIFIED", "VERIFIED SHARD 1/2", "expected the field tables, found indices"),
        ("DATABASE 4x4", "DATABASE is-not what=this", "expected the field pieces, found what"),
        ("db=exact", "db=exact db-note=x", "expected the field slices, found db-note"),
        (" slices=", " assumed=3 slices=", "expected the field slices, found assumed"),
        ("db=exact", "db=exact by  cover of 2", "expected fields, found \"by\""),
    ] {
        assert!(right.contains(from), "{from}: {right}");
        notes::write(&here.join("x"), &right.replacen(from, to, 1), Some(&here.join("alice")));
        let (_, line, said) = ask(&here, "merge --game 4x4 --keys trusted x", &[]);
        assert!(line.starts_with("s DECLINED cover "), "{to}: {line}{said:?}");
        let named = format!("c x does not count: {why}");
        assert!(said.iter().any(|line| line.starts_with(&named)), "{named}: {said:?}");
    }
    let other_board = right.replacen("DATABASE 4x4", "DATABASE 8x8", 1);
    refuse(&other_board, "merge --game 4x4 --keys trusted x", &here);
}

/// A line feed in a name does not begin a line, wherever the name is printed.
#[test]
fn names_are_printed_on_one_line() {
    let here = noted();
    let forged = "s VERIFIED DRAW 8x8 start=initial root=0";
    let name = format!("n\n{forged}\n");
    let escape = "\u{1b}]0;x\u{7}\r\u{2028}\u{202e}";
    fs::write(here.join(&name), "no note").unwrap();
    fs::write(here.join(escape), "no note").unwrap();
    let commands: [&[&str]; 22] = [
        &["merge", "cert", "a-1.note", "a-2.note", &name],
        &["merge", "cert", "--keys", "trusted", "b-1.note", &name],
        &["merge", "cert", escape],
        &["merge", "cert", "b-1.note", "--keys", &name],
        &["merge", &name, "b-1.note"],
        &["merge", "--game", "4x4", "--db", &name, "db-1.note"],
        &["cert", "--trust-db", &name],
        &["cert", "--trust-db", "db-1.note", "--keys", &name],
        &["cert", "--db", &name],
        &["cert", "--journal", &name],
        &["cert", "--attest", &name],
        &["cert", "--attest", "new", "--key", &name],
        &["cert", "--shard", "1/2", "--tables", &name],
        &[&name],
        &[escape],
        &["cert", &name],
        &["--game", &name],
        &["cert", "--threads", &name],
        &[&format!("--{name}")],
        &["explain", "cert", &name],
        &["keygen", &name, "--key", "new-key"],
        &["reproduce", "cert", "--prove", &name],
    ];
    for command in commands {
        let output = run(&path("check"), command, &here);
        for bytes in [&output.stdout, &output.stderr] {
            let text = String::from_utf8(bytes.clone()).unwrap();
            assert!(!text.lines().any(|line| line.starts_with(forged)), "{command:?}: {text}");
            let is_plain =
                |c: char| c == '\n' || !c.is_control() && c != '\u{202e}' && c != '\u{2028}';
            assert!(text.chars().all(is_plain), "{command:?}: {text:?}");
        }
    }
}

//! Adding files cannot spoil an audit, and a note cannot say what no check has said.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::process::{Command, Output};

use tests::notes;
use tests::programs::{path, run};

use super::{certificate, say, shards, words};

/// A certificate, its database, keys of alice, bob and mallory, of whom the first two are trusted,
/// and three valid notes: two of shards by alice, and one of the whole by bob.
fn place() -> tempfile::TempDir {
    let root = certificate("--game 4x4 --pieces 3 --leaf-nodes 3");
    let here = root.path();
    let mut trusted = String::new();
    for name in ["alice", "bob", "mallory"] {
        let output = run(&path("check"), &["keygen", name, "--key", name], here);
        if name != "mallory" {
            trusted += &String::from_utf8(output.stdout).unwrap();
        }
    }
    fs::write(here.join("trusted"), trusted).unwrap();
    shards(here, 2, "a", "--key alice");
    assert_eq!(say("cert --attest b-1.note --key bob", here).status, Some(0));
    assert_eq!(say("--game 4x4 --attest db-1.note --key alice", here).status, Some(0));
    root
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
        ("folder", "not a note: not an ordinary file"),
        ("pipe", "not a note: not an ordinary file"),
        ("link", "not a note: not an ordinary file"),
        ("dangling", "No such file or directory"),
        ("missing", "No such file or directory"),
    ]
}

#[test]
fn files_that_anybody_adds_are_named_and_change_nothing() {
    let root = place();
    let here = root.path();
    let strays = strays(here);
    let merge = "merge cert --keys trusted a-1.note a-2.note b-1.note";
    let trust = "cert --quiet --keys trusted --trust-db a-1.note --trust-db a-2.note --trust-db \
                 b-1.note --trust-db";
    let right = [ask(here, merge, &[]).1, ask(here, trust, &["db-1.note"]).1];
    assert!(right[0].ends_with(" by cover of 3 notes keys=1 checkers=draughtproof-check\n"));
    assert!(right.iter().all(|line| line.starts_with("s VERIFIED DRAW 4x4 ")), "{right:?}");
    for (name, reason) in &strays {
        let (output, line, said) = ask(here, merge, &[name]);
        assert_eq!((output.status.code(), &line), (Some(0), &right[0]), "{name}: {said:?}");
        let named = format!("{name} does not count: {reason}");
        assert!(said.iter().any(|line| line.starts_with(&named)), "{named}: {said:?}");
        let (output, line, said) = ask(here, trust, &["db-1.note", "--trust-db", name]);
        assert_eq!((output.status.code(), &line), (Some(0), &right[1]), "{name}: {said:?}");
        assert!(said.iter().any(|line| line.starts_with(&named)), "{named}: {said:?}");
    }
    // All of these files together, before the valid notes.
    let names: Vec<&str> = strays.iter().map(|(name, _)| *name).filter(|n| *n != "copy").collect();
    let (output, line, said) =
        ask(here, "merge cert --keys trusted", &[&names[..], &["a-1.note", "a-2.note"]].concat());
    assert_eq!(output.status.code(), Some(0), "{line}{said:?}");
    assert!(line.contains(" by cover of 2 notes "), "{line}");
    // These files alone have no effect.
    let (output, line, _) = ask(here, "merge cert --keys trusted", &names);
    assert_eq!(output.status.code(), Some(3), "{line}");
    assert!(line.starts_with("s DECLINED cover "), "{line}");
}

#[test]
fn without_keys_too_what_is_none_changes_nothing() {
    let root = place();
    let here = root.path();
    strays(here);
    let (_, right, _) = ask(here, "merge cert a-1.note a-2.note", &[]);
    for name in [
        "empty",
        "text",
        "binary",
        "long",
        "cut",
        "copy",
        "other-root",
        "folder",
        "pipe",
        "missing",
    ] {
        let (output, line, said) = ask(here, "merge cert a-1.note a-2.note", &[name]);
        assert_eq!((output.status.code(), &line), (Some(5), &right), "{name}");
        assert!(said[0].starts_with(&format!("{name} does not count: ")), "{said:?}");
    }
    fs::write(here.join("unreadable"), "").unwrap();
    fs::set_permissions(here.join("unreadable"), fs::Permissions::from_mode(0o000)).unwrap();
    let (_, line, said) = ask(here, "merge cert a-1.note a-2.note unreadable", &[]);
    assert_eq!(line, right);
    assert!(said[0].starts_with("unreadable does not count: "), "{said:?}");
}

#[test]
fn notes_that_count_and_disagree_are_declined() {
    let root = place();
    let here = root.path();
    let whole = notes::words(&here.join("b-1.note"));
    let shard = notes::words(&here.join("a-1.note"));
    let tables = shard.split(' ').find(|word| word.starts_with("tables=")).unwrap();
    let other =
        format!("tables={}", "0123456789abcdef".repeat(4) + &tables["tables=".len() + 64..]);
    let no_root = "REFUTED object-hash file=CLAIM expected=a found=b";
    for words in [
        whole.replacen("DRAW", "BLACK-WINS", 1),
        whole.replacen("start=initial", "start=B:W7,8:B1,2", 1),
        whole.replacen("pieces=3", "pieces=2", 1),
        shard.replacen(tables, &other, 1),
        no_root.into(),
    ] {
        notes::write(&here.join("x"), &words, Some(&here.join("bob")));
        for text in [
            "merge cert --keys trusted a-1.note a-2.note x",
            "merge cert --keys trusted x a-1.note a-2.note",
            "merge cert a-1.note a-2.note x",
            "cert --quiet --keys trusted --trust-db db-1.note --trust-db a-1.note --trust-db x",
        ] {
            let (output, line, _) = ask(here, text, &[]);
            assert_eq!(output.status.code(), Some(3), "{text}: {words}: {line}");
            assert!(line.starts_with("s DECLINED disagreement file="), "{text}: {words}: {line}");
        }
    }
}

#[test]
fn every_field_of_a_note_is_judged() {
    let root = place();
    let here = root.path();
    // Notes of the whole certificate, of a shard of it, and of the database.
    let subjects = [
        ("b-1.note", "merge cert --keys trusted x"),
        ("a-1.note", "merge cert --keys trusted x a-2.note"),
        ("db-1.note", "merge --game 4x4 --keys trusted x"),
    ];
    for (name, merge) in subjects {
        let right = notes::words(&here.join(name));
        let ask_of = |words: &str| {
            notes::write(&here.join("x"), words, Some(&here.join("alice")));
            ask(here, merge, &[])
        };
        assert_eq!(ask_of(&right).0.status.code(), Some(0), "{name}");
        let refused = |words: String| {
            let (output, line, said) = ask_of(&words);
            assert_eq!(output.status.code(), Some(3), "{words}: {line}");
            let is_named = said.iter().any(|line| line.starts_with("x does not count: "));
            let is_reported = line.starts_with("s DECLINED disagreement file=x ");
            assert!(is_named || is_reported, "{words}: {line}");
        };
        // Each field occurs once, has a required value, and has only one spelling.
        for field in right.split(' ').filter(|word| word.contains('=')) {
            let (field_name, value) = field.split_once('=').unwrap();
            let instead = |to: &str| right.replacen(&format!(" {field}"), to, 1);
            refused(instead(&format!(" {field} {field}")));
            refused(instead(&format!(" {field_name}=")));
            refused(instead(&format!(" {field_name}=0{value}")));
            refused(instead(&format!(" x{field}")));
            // The field `indices` is only for people.
            if field_name != "indices" {
                refused(instead(&format!(" {field_name}={value}0")));
            }
            refused(instead(""));
            if name != "a-1.note" {
                let (output, line, _) = ask(here, "cert --quiet --keys trusted --trust-db", &["x"]);
                assert_eq!(output.status.code(), Some(3), "{field}: {line}");
            }
        }
        refused(format!("{right} more=1"));
        refused(format!("{right} assumed=1"));
        refused(format!("{right} assumed=0"));
        refused(format!("{right} more"));
        refused(format!("{right} "));
        refused(format!(" {right}"));
        refused(format!("{right} by cover of 2 notes keys=1 checkers=draughtproof-check"));
        for word in
            ["REFUTED", "SAMPLED", "DECLINED", "ERROR", "CONSISTENT", "CONDITIONAL", "verified"]
        {
            refused(right.replacen("VERIFIED", word, 1));
        }
        for level in ["none", "hearsay", "EXACT"] {
            refused(right.replacen("db=exact", &format!("db={level}"), 1));
        }
        let journal =
            |text: &str| right.replacen("db=exact", &format!("db=exact journal={text}"), 1);
        for text in ["0/9", "10/9", "1/1000", "1", "x/9", "01/9"] {
            refused(journal(text));
        }
    }
    // A note of the database alone.
    let right = notes::words(&here.join("db-1.note"));
    for (from, to) in [
        ("VERIFIED DATABASE", "CONSISTENT DATABASE"),
        ("VERIFIED DATABASE", "VERIFIED SAMPLED DATABASE"),
        ("VERIFIED DATABASE", "VERIFIED SHARD 1/2 DATABASE"),
        ("db=exact", "db=consistent"),
        ("DATABASE 4x4", "DATABASE 8x8"),
        ("DATABASE 4x4", "DATABASE is-not what=this"),
        ("db=exact", "db=exact db-note=x db-note-keys=none"),
    ] {
        assert!(right.contains(from));
        notes::write(&here.join("x"), &right.replacen(from, to, 1), Some(&here.join("alice")));
        let (output, line, said) = ask(here, "merge --game 4x4 --keys trusted x", &[]);
        assert_eq!(output.status.code(), Some(3), "{to}: {line}{said:?}");
    }
}

/// Notes about a database alone that no check writes. Each has the right root and a trusted signature.
#[test]
fn a_note_about_a_database_has_the_form_of_a_verdict() {
    let root = place();
    let here = root.path();
    let right = notes::words(&here.join("db-1.note"));
    let db_root = right.split(' ').find(|word| word.starts_with("db-root=")).unwrap();
    let pieces_last = format!("{db_root} pieces=3");
    let root_twice = format!("{db_root} {db_root}");
    let rules_first = format!("rules=english-checkers-1 {db_root} format=1");
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
        // The right fields in another order.
        (&format!("pieces=3 {db_root}"), &pieces_last, "expected the field pieces, found db-root"),
        (
            "format=1 rules=english-checkers-1",
            "rules=english-checkers-1 format=1",
            "expected the field format, found rules",
        ),
        (
            &format!("{db_root} format=1 rules=english-checkers-1"),
            &rules_first,
            "expected the field db-root, found rules",
        ),
        (
            "rules=english-checkers-1 db=exact",
            "db=exact rules=english-checkers-1",
            "expected the field rules, found db",
        ),
    ] {
        assert!(right.contains(from), "{from}: {right}");
        notes::write(&here.join("x"), &right.replacen(from, to, 1), Some(&here.join("alice")));
        let (_, line, said) = ask(here, "merge --game 4x4 --keys trusted x", &[]);
        assert!(line.starts_with("s DECLINED cover "), "{to}: {line}{said:?}");
        let named = format!("x does not count: {why}");
        assert!(said.iter().any(|line| line.starts_with(&named)), "{named}: {said:?}");
    }
}

#[test]
fn the_fields_of_a_note_are_in_their_order() {
    let root = place();
    let here = root.path();
    for (name, merge) in [
        ("b-1.note", "merge cert --keys trusted x"),
        ("a-1.note", "merge cert --keys trusted x a-2.note"),
        ("db-1.note", "merge --game 4x4 --keys trusted x"),
    ] {
        let right = notes::words(&here.join(name));
        let words: Vec<&str> = right.split(' ').collect();
        let first = words.iter().position(|word| word.contains('=')).unwrap();
        for i in first + 1..words.len() {
            let mut words = words.clone();
            words.swap(i - 1, i);
            notes::write(&here.join("x"), &words.join(" "), Some(&here.join("alice")));
            let (_, line, said) = ask(here, merge, &[]);
            assert!(line.starts_with("s DECLINED cover "), "{line}");
            let is_named = said.iter().any(|line| line.starts_with("x does not count: "));
            assert!(is_named, "{words:?}: {said:?}");
        }
    }
}

/// A line feed in a name does not begin a line, wherever the name is printed.
#[test]
fn names_are_printed_on_one_line() {
    let root = place();
    let here = root.path();
    let forged = "s VERIFIED DRAW 8x8 start=initial root=0";
    let name = format!("n\n{forged}\n");
    let escape = "\u{1b}]0;x\u{7}\r\u{2028}\u{202e}";
    fs::write(here.join(&name), "no note").unwrap();
    fs::write(here.join(escape), "no note").unwrap();
    let commands: [&[&str]; 23] = [
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
        &["explain", "cert", "--moves", &name],
        &["keygen", &name, "--key", "new-key"],
        &["reproduce", "cert", "--prove", &name],
    ];
    for command in commands {
        let output = run(&path("check"), command, here);
        for bytes in [&output.stdout, &output.stderr] {
            let text = String::from_utf8(bytes.clone()).unwrap();
            assert!(!text.lines().any(|line| line.starts_with(forged)), "{command:?}: {text}");
            let is_plain =
                |c: char| c == '\n' || !c.is_control() && c != '\u{202e}' && c != '\u{2028}';
            assert!(text.chars().all(is_plain), "{command:?}: {text:?}");
        }
    }
}

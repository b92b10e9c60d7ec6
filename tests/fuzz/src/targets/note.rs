//! Notes, keys, and the verdicts on notes together.
//!
//! An input is a byte that says which keys are trusted, then a file of keys, then notes, each after
//! its length.

use super::{Input, folder, with_length};
use crate::common::files::Files;
use crate::common::maker::Maker;
use crate::common::oracle::oracle_4x4;
use crate::common::{Options, check_certificate};
use crate::common::{board, database};
use crate::counting::peak;
use certificate_spec::Digest;
use certificate_spec::claim::Value;
use checker_audit::keys::{self, PrivateKey, PublicKey};
use checker_audit::{Description, Note, Notes, Shard, Statement};
use checker_core::{Game, Level};
use std::fs;
use std::path::Path;
use std::sync::{Mutex, OnceLock};
use tempfile::TempDir;

/// The example in the documentation of golang.org/x/mod/sumdb/note. Its private key is public; no
/// input of fuzzing has a signature by it.
const PUBLIC: &str = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW";
const PRIVATE: &str =
    "PRIVATE+KEY+PeterNeumann+c74f20a3+AYEKFALVFGyNhPJEMzD1QIDr+Y7hfZx09iUvxdXHKDFz\n";
/// The bits of the first byte: no keys are required; the keys of the input are trusted.
const ANYBODY: u8 = 1;
const THEIRS: u8 = 2;

/// A certificate, and notes about its shards, the first of which is signed.
struct Place {
    folder: TempDir,
    about: Description,
    keys: Vec<PublicKey>,
    notes: Vec<String>,
}

fn place() -> &'static Mutex<Place> {
    static PLACE: OnceLock<Mutex<Place>> = OnceLock::new();
    PLACE.get_or_init(|| {
        let (folder, oracle, board) = (folder(), oracle_4x4(), board("4x4"));
        let path = |name: &str| folder.path().join(name);
        let root = Files::new(&database(&board, 2), 2).write(&path("egdb"));
        let maker = Maker { board: &board, oracle: &oracle, pieces: 2, leaf_depth: 2 };
        let start = Game::parse("4x4").expect("a game").initial();
        maker.certificate("4x4", Value::Draw, start, Some(root)).write(&path("cert"));
        let about = Description::certificate(&path("cert"), Level::Exact).expect("a certificate");
        fs::write(path("keys"), PUBLIC).expect("keys");
        fs::write(path("key"), PRIVATE).expect("a key");
        let key = PrivateKey::open(&path("key")).expect("a key");
        let notes = (1..=2).map(|number| {
            let shard = Some(Shard { number, of: 2 });
            let options = Options { shard, threads: Some(1), ..Options::new(path("egdb")) };
            let verdict = check_certificate(&path("cert"), &options).line();
            let words = verdict.trim_start_matches("s ");
            let text =
                format!("draughtproof note 1\n{words}\nchecker draughtproof-check 0.1.0 unknown\n");
            match number {
                1 => {
                    let bytes = [&key.public.id[..], &key.sign(text.as_bytes())].concat();
                    format!("{text}\n— {} {}\n# host\n", key.public.name, base64(&bytes))
                }
                _ => text,
            }
        });
        let notes = notes.collect();
        let keys = keys::trusted(&path("keys")).expect("keys");
        Mutex::new(Place { folder, about, keys, notes })
    })
}

fn base64(bytes: &[u8]) -> String {
    use base64::Engine;
    base64::engine::general_purpose::STANDARD.encode(bytes)
}

pub(super) fn run(bytes: &[u8]) {
    let place = place().lock().expect("no panic before");
    let path = place.folder.path().join("input");
    let note_path = |i: usize| place.folder.path().join(format!("note-{i}"));
    let mut input = Input(bytes);
    let how = input.byte();
    let theirs = read_keys(&path, input.section());
    let (mut files, mut length) = (Vec::new(), 0);
    while !input.0.is_empty() && files.len() < 5 {
        let path = note_path(files.len());
        files.push(path.clone());
        let bytes = input.section();
        length += bytes.len();
        fs::write(&path, bytes).expect("a note");
        let (note, most) = peak(|| Note::read(&path));
        assert!(most < (1 << 16) + 24 * bytes.len(), "{most} bytes of memory for {}", bytes.len());
        let Ok(note) = note else { continue };
        let text = bytes.split_inclusive(|&byte| byte == b'\n').take(3).collect::<Vec<_>>();
        assert_eq!(note.digest, Digest::of(&text.concat()));
        assert!(text.concat().is_ascii());
        if let Ok(signers) = note.signers(&place.keys) {
            let signed = place.notes[0].as_bytes();
            assert!(signers.is_empty() || signed.starts_with(&text.concat()));
        }
    }
    let keys = match () {
        () if how & ANYBODY != 0 => None,
        () if how & THEIRS != 0 => Some(theirs),
        () => Some(place.keys.clone()),
    };
    // The signed note covers only half of the work.
    let may_pass = how & (ANYBODY | THEIRS) != 0;
    let notes = Notes::read(&files, keys, 1);
    let joined = notes.about(&place.about);
    assert!(joined.left_out().iter().all(|line| !line.contains('\n')));
    let _ = joined.database();
    let judge = || notes.about(&place.about).verdict().unwrap_or_else(Statement::from);
    let (verdict, most) = peak(judge);
    assert!(most < (1 << 16) + 24 * length, "{most} bytes of memory for {length}");
    let line = verdict.line();
    assert!(line.is_ascii() && !line.contains('\n') && line.starts_with("s "), "{line}");
    let passes = matches!(verdict.status(), 0 | 2 | 5);
    assert!(!passes || may_pass && line.contains(" by cover of "), "{line}");
}

/// Reads a file of public keys, or of a private key. A key has only one spelling.
fn read_keys(path: &Path, file: &[u8]) -> Vec<PublicKey> {
    fs::write(path, file).expect("keys");
    if let Ok(key) = PrivateKey::open(path) {
        assert!(key.public.has_signed(b"text", &key.sign(b"text")));
        assert!(!key.public.has_signed(b"test", &key.sign(b"text")));
    }
    let keys = keys::trusted(path).unwrap_or_default();
    let text = String::from_utf8_lossy(file);
    let is_there = |key: &PublicKey| text.lines().any(|line| line == key.text());
    assert!(keys.iter().all(is_there));
    keys
}

pub(super) fn seeds() -> Vec<Vec<u8>> {
    let place = place().lock().expect("no panic before");
    let [signed, plain] = [0, 1].map(|i| with_length(place.notes[i].as_bytes()));
    let public = with_length(format!("# keys\n\n{PUBLIC}\n").as_bytes());
    let private = with_length(PRIVATE.as_bytes());
    let whole = place.notes[1].replacen("VERIFIED SHARD 2/2 ", "VERIFIED ", 1);
    vec![
        [&[0], &public[..], &signed, &plain].concat(),
        [&[THEIRS], &public[..], &signed, &plain].concat(),
        [&[ANYBODY], &private[..], &signed, &plain].concat(),
        [&[ANYBODY], &private[..], &with_length(whole.as_bytes())].concat(),
    ]
}

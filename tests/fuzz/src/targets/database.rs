//! Whole checks of databases, with one file changed and everything that depends on it made right.
//!
//! An input says which database is checked, how, which slice is changed, and whether checksums are
//! repaired; then it has the bytes of the file.

use super::{Input, folder};
use crate::common::board;
use crate::common::files::{Files, encodes, quiet_values, repair_head, repair_payload};
use crate::common::{Options, check_database};
use crate::counting::peak;
use certificate_spec::cover::Cover;
use certificate_spec::slice::{SliceHead, Unit};
use certificate_spec::value::Value;
use checker_audit::{Sample, Shard, Statement};
use checker_core::{Board, Level, Shape, Stop, Verdict, derive};
use std::fs;
use std::sync::{Mutex, OnceLock};
use tempfile::TempDir;

/// The bits of the second byte: the level consistent, a shard, a sample, tables in a file, which
/// checksums to repair, and that the bytes are those of the manifest.
const CONSISTENT: u8 = 1;
const SHARD: u8 = 2;
const SAMPLE: u8 = 4;
const MEMORY: u8 = 8;
const HEAD: u8 = 16;
const PAYLOADS: u8 = 32;
const MANIFEST: u8 = 64;

/// A right database.
struct Base {
    board: Board,
    shapes: Vec<Shape>,
    values: Vec<Vec<Option<Value>>>,
    files: Files,
    folder: TempDir,
}

fn bases() -> &'static Mutex<Vec<Base>> {
    static BASES: OnceLock<Mutex<Vec<Base>>> = OnceLock::new();
    BASES.get_or_init(|| {
        let base = |(name, cover): (&str, &str)| {
            let (board, folder) = (board(name), folder());
            let cover = Cover::parse(cover).expect("a cover");
            let database = derive(&board, &cover, &checker_core::Options::new("")).expect("values");
            let files = Files::of_cover(&database, &cover);
            files.write(folder.path());
            let shapes = database.tables().iter().map(|table| table.shape).collect();
            let values = database.tables().iter().map(|t| quiet_values(&board, t)).collect();
            Base { board, shapes, values, files, folder }
        };
        let all = [("3x3", "2"), ("4x4", "3"), ("3x5", "3"), ("5x5", "2"), ("4x2", "4:2")];
        Mutex::new(all.map(base).into())
    })
}

pub(super) fn run(bytes: &[u8]) {
    let bases = bases().lock().expect("no panic before");
    let mut input = Input(bytes);
    let base = &bases[usize::from(input.byte()) % bases.len()];
    let how = input.byte();
    let which = usize::from(input.byte()) % base.files.slices.len();
    let is = |flag| how & flag != 0;
    let options = Options {
        level: if is(CONSISTENT) { Level::Consistent } else { Level::Exact },
        shard: is(SHARD).then_some(Shard { number: 2, of: 3 }),
        sample: (is(SAMPLE) && !is(SHARD)).then_some(Sample { millionths: 500_000, seed: 0 }),
        memory: is(MEMORY).then_some(0),
        threads: Some(1),
        ..Options::new(base.folder.path())
    };
    let mut file = input.0.to_vec();
    let is_right = if is(MANIFEST) {
        let path = base.files.folder(base.folder.path()).join("MANIFEST");
        let right = fs::read(&path).expect("a manifest");
        fs::write(&path, &file).expect("a manifest");
        judge(base, &options, file == right);
        fs::write(&path, &right).expect("a manifest");
        return;
    } else {
        if is(HEAD) {
            repair_head(&mut file);
        }
        if is(PAYLOADS) {
            repair_payloads(&mut file);
        }
        encodes(&base.board, &base.shapes[which], &base.values[which], &file)
    };
    let mut files = base.files.clone();
    files.slices[which].1 = file;
    files.write_one(base.folder.path(), which);
    judge(base, &options, is_right);
    base.files.write_one(base.folder.path(), which);
}

fn repair_payloads(file: &mut [u8]) {
    let Ok(head) = SliceHead::decode(file, file.len() as u64) else { return };
    for unit in &head.units {
        if let Unit::Coded { offset, length } = *unit {
            let start = usize::try_from(offset).expect("in the file");
            repair_payload(&mut file[start..][..length as usize]);
        }
    }
}

/// Checks that a whole check verifies right values, and no others.
fn judge(base: &Base, options: &Options, is_right: bool) {
    let (verdict, most) = peak(|| check_database(&base.board, None, options));
    assert!(most < 1 << 20, "{most} bytes of memory");
    let line = verdict.line();
    assert!(line.is_ascii() && !line.contains('\n') && line.starts_with("s "), "{line}");
    match verdict {
        Statement::Whole(Verdict::Verified(_) | Verdict::Consistent(_)) => {
            assert!(is_right, "{line}")
        }
        Statement::Trusting { .. } => panic!("{line}"),
        Statement::Shard(_) => assert!(options.shard.is_some(), "{line}"),
        Statement::Sampled { .. } => assert!(options.sample.is_some(), "{line}"),
        Statement::Whole(Verdict::Stopped(Stop::Error(_))) => panic!("{line}"),
        _ => assert!(!is_right, "{line}"),
    }
}

pub(super) fn seeds() -> Vec<Vec<u8>> {
    let bases = bases().lock().expect("no panic before");
    let mut all = Vec::new();
    for (i, base) in (0u8..).zip(bases.iter()) {
        let manifest = fs::read(base.files.folder(base.folder.path()).join("MANIFEST"));
        all.push([&[i, MANIFEST, 0], &manifest.expect("a manifest")[..]].concat());
        for (which, (_, bytes)) in (0u8..).zip(&base.files.slices).step_by(3) {
            let how = [0, CONSISTENT, SHARD, SAMPLE, MEMORY][usize::from(which) % 5];
            all.push([&[i, HEAD | PAYLOADS | how, which], &bytes[..]].concat());
        }
    }
    all
}

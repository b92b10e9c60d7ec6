//! Changes to the bytes of files without regard to their format; all hashes are left unchanged.

use crate::prelude::*;

use super::base::{Base, Files};
use super::random::Random;

/// A file of the certificate or of the database: each kind has a fixed share, so that the few files
/// of the certificate are not lost among many slices.
fn any(base: &Base, random: &mut Random) -> Option<String> {
    let of = if random.one_in(3) { "egdb/" } else { "cert/" };
    let paths: Vec<&String> = base.files.keys().filter(|path| path.starts_with(of)).collect();
    random.pick(&paths).map(|path| (*path).clone())
}

fn edit(
    base: &Base,
    random: &mut Random,
    edit: impl FnOnce(&mut Vec<u8>, &mut Random),
) -> Option<Files> {
    let path = any(base, random)?;
    let mut bytes = base.files[&path].to_vec();
    edit(&mut bytes, random);
    let mut files = base.files.clone();
    files.insert(path, bytes.into());
    Some(files)
}

pub(super) fn flipped(base: &Base, random: &mut Random) -> Option<Files> {
    edit(base, random, |bytes, random| {
        for _ in 0..1 + random.below(4) {
            let at = random.below(bytes.len());
            bytes[at] ^= 1 << random.below(8);
        }
    })
}

pub(super) fn overwritten(base: &Base, random: &mut Random) -> Option<Files> {
    edit(base, random, |bytes, random| {
        let at = random.below(bytes.len());
        let end = bytes.len().min(at + 1 + random.below(16));
        match random.below(3) {
            0 => {
                let byte = *random.pick(&[0, 0xff, b' ', b'\n']).expect("a byte");
                bytes[at..end].fill(byte);
            }
            1 => bytes[at..end].fill_with(|| random.byte()),
            _ => {
                let from = random.below(bytes.len() + 1 - (end - at));
                bytes.copy_within(from..from + (end - at), at);
            }
        }
    })
}

pub(super) fn cut(base: &Base, random: &mut Random) -> Option<Files> {
    edit(base, random, |bytes, random| {
        let most = if random.one_in(2) { bytes.len().min(8) } else { bytes.len() };
        let gone = 1 + random.below(most);
        match random.below(3) {
            0 => drop(bytes.drain(..gone)),
            1 => {
                let at = random.below(bytes.len() + 1 - gone);
                bytes.drain(at..at + gone);
            }
            _ => bytes.truncate(bytes.len() - gone),
        }
    })
}

pub(super) fn lengthened(base: &Base, random: &mut Random) -> Option<Files> {
    edit(base, random, |bytes, random| {
        let at = if random.one_in(2) { bytes.len() } else { random.below(bytes.len()) };
        let more: Vec<u8> = match random.below(3) {
            0 => vec![0; 1 + random.below(64)],
            1 => (0..1 + random.below(64)).map(|_| random.byte()).collect(),
            _ => bytes.clone(),
        };
        bytes.splice(at..at, more);
    })
}

pub(super) fn exchanged(base: &Base, random: &mut Random) -> Option<Files> {
    let a = any(base, random)?;
    let b = any(base, random)?;
    let mut files = base.files.clone();
    files.insert(a.clone(), base.files[&b].clone());
    // Either the two files have changed places, or one of them is there twice.
    if random.one_in(2) {
        files.insert(b, base.files[&a].clone());
    }
    Some(files)
}

pub(super) fn listing(base: &Base, random: &mut Random) -> Option<Files> {
    let path = any(base, random)?;
    let (folder, _) = path.rsplit_once('/')?;
    let name = match random.below(5) {
        0 => ".hidden".into(),
        1 => Digest::of(&[random.byte()]).to_string(),
        2 => format!("{}-{}-1-0", random.below(4), random.below(4)),
        3 => "MANIFEST".into(),
        _ => format!("CLAIM{}", random.below(10)),
    };
    let new = format!("{folder}/{name}");
    let mut files = base.files.clone();
    match random.below(3) {
        0 => drop(files.remove(&path)),
        1 => {
            let bytes = files.remove(&path)?;
            files.insert(new, bytes);
        }
        _ => {
            let bytes = if random.one_in(2) { Arc::from([]) } else { files[&path].clone() };
            files.insert(new, bytes);
        }
    }
    Some(files)
}

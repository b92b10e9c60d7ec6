//! Whether a mutant that was accepted is still a proof of its claim, found without `check`.

use draughtproof_egdb::Builder;

use super::base::{Base, Files};
use super::leaves::has;
use super::proof;
use crate::positions;
use crate::prelude::*;

/// The evidence by which an accepted mutant is a proof.
pub struct Shown {
    /// The harmless difference from the base.
    pub why: &'static str,
    pub assumed: usize,
}

/// Judges the files of a mutant.
///
/// # Errors
/// Why the files are not a proof.
pub fn judge(base: &Base, files: &Files) -> Result<Shown, String> {
    let read = |name: &str| files.get(&format!("cert/{name}")).map(|bytes| bytes.to_vec());
    let draft = Draft::decode(&read).ok_or("the certificate cannot be decoded")?;
    bound_by_hashes(&draft, files)?;
    if draft.claim.database.is_some() {
        database(base, &draft.claim, files)?;
    }
    let game: Game = draft.claim.game.parse().map_err(|_| "no game".to_owned())?;
    let rules = if game.board.name() == base.rules.board.name() {
        base.rules.clone()
    } else if draft.claim.database.is_some() {
        return Err("a database of another board".into());
    } else {
        Arc::new(rules_of(&game.board, &draft.claim.start)?)
    };
    let start = rules.board.read_fen(&draft.claim.start).map_err(|e| e.to_string())?;
    if rules.board.write_fen(&start) != draft.claim.start {
        return Err("the start is not written as it should be".into());
    }
    let start = rules.wire(&start);
    let mut assumed = 0;
    for &question in draft.claim.value.questions() {
        let part = draft.parts.iter().find(|part| part.question == question);
        let part = part.ok_or("a question is missing")?;
        assumed += proof::judge(&rules, &draft.claim.cover, part, &start)?;
    }
    Ok(Shown { why: difference(base, &draft, files), assumed })
}

/// The rules of another board than the base's, with the values of positions that have as many
/// pieces as the start. A claim about another board may need no database.
pub(crate) fn rules_of(board: &Board, start: &str) -> Result<Rules, String> {
    const MEMORY: u64 = 64 << 20;
    let pieces = board.read_fen(start).map_err(|e| e.to_string())?.pieces();
    let pieces = u8::try_from(pieces.max(2)).map_err(|e| e.to_string())?;
    let tables = Slice::all(board, &Cover::up_to(pieces))
        .into_iter()
        .map(|s| Builder::table_memory(board, s));
    if tables.sum::<u64>() > MEMORY {
        return Err(format!("not known: {} with {pieces} pieces", board.name()));
    }
    Ok(Rules::new(positions::database(board, pieces)))
}

/// Checks that the manifest lists exactly the files of the certificate, by their digests.
fn bound_by_hashes(draft: &Draft, files: &Files) -> Result<(), String> {
    let manifest = files.get("cert/MANIFEST").and_then(|bytes| Manifest::decode(bytes).ok());
    let manifest = manifest.ok_or("no manifest")?;
    let mut wanted = vec!["cert/CLAIM".to_owned(), "cert/MANIFEST".to_owned()];
    for object in &manifest.objects {
        let path = format!("cert/objects/{}", object.digest);
        let bytes = files.get(&path).ok_or("an object is missing")?;
        if Digest::of(bytes) != object.digest || bytes.len() as u64 != object.length {
            return Err(format!("{path} is another object"));
        }
        wanted.push(path);
    }
    if files.keys().any(|path| path.starts_with("cert/") && !wanted.contains(path)) {
        return Err("a file too many".into());
    }
    let claim = draft.claim.encode();
    let same = files.get("cert/CLAIM").is_some_and(|bytes| **bytes == *claim.as_bytes());
    if !same || manifest.claim_digest != Digest::of(claim.as_bytes()) {
        return Err("the claim is another".into());
    }
    Ok(())
}

/// Checks that the database has the root that is claimed, and the values of the base's database,
/// which have been compared with those of the builder in memory.
fn database(base: &Base, claim: &Claim, files: &Files) -> Result<(), String> {
    let bytes = files.get(&base.database_path("MANIFEST")).ok_or("no database")?;
    let whole = DatabaseManifest::decode(bytes).map_err(|e| e.to_string())?;
    let listed = whole.slices.len();
    let board = &base.rules.board;
    if (whole.rows, whole.columns) != (board.rows(), board.columns()) {
        return Err("a database of another board".into());
    }
    let sides = (1..=32).flat_map(|black| (1..=32).map(move |white| (black, white)));
    for (black, white) in sides {
        if has(&claim.cover, black, white) && !has(&whole.cover, black, white) {
            return Err(format!("{black} against {white} is not in the database"));
        }
    }
    let covered = |name: SliceName| {
        let [a, b, c, d] = name.0.map(u32::from);
        has(&claim.cover, a + b, c + d)
    };
    let cover = claim.cover.clone();
    let slices = whole.slices.iter().filter(|record| covered(record.name)).copied().collect();
    let manifest = DatabaseManifest { cover, slices, ..whole };
    if claim.database != Some(manifest.root()) {
        return Err("another database".into());
    }
    let folder = base.database_path("");
    let there = files.keys().filter(|path| path.starts_with(&folder)).count();
    if there != listed + 1 {
        return Err("a slice too many or too few".into());
    }
    let names: Vec<_> = manifest.slices.iter().map(|record| record.name).collect();
    if names != slices_of(board, &claim.cover) {
        return Err("other slices than there should be".into());
    }
    for record in &manifest.slices {
        let path = base.database_path(&record.name.file_name());
        let bytes = files.get(&path).ok_or("a slice is missing")?;
        if Digest::of(bytes) != record.digest || bytes.len() as u64 != record.length {
            return Err(format!("{path} is another slice"));
        }
        if base.files.get(&path) == Some(bytes) {
            continue;
        }
        let slice = Slice::from(record.name);
        let decode = |bytes: &[u8]| decode_slice(board, slice, bytes).map_err(|e| e.to_string());
        let old = decode(&base.slice(record.name))?;
        let new = decode(bytes)?;
        if (0..old.indices()).any(|index| old.value(index) != new.value(index)) {
            return Err(format!("{path} has a wrong value"));
        }
    }
    Ok(())
}

/// The slices of a board that a cover admits, in order.
fn slices_of(board: &Board, cover: &Cover) -> Vec<SliceName> {
    let most = cover.most_pieces();
    let men = board.man_squares();
    let mut found = Vec::new();
    for a in 0..=men.min(most) {
        for c in 0..=men.min(most) {
            for b in 0..=most {
                for d in 0..=most {
                    if has(cover, u32::from(a) + u32::from(b), u32::from(c) + u32::from(d)) {
                        found.push(SliceName([a, b, c, d]));
                    }
                }
            }
        }
    }
    found.sort_by_key(|name| name.order());
    found
}

/// The difference from the base, in words.
fn difference(base: &Base, draft: &Draft, files: &Files) -> &'static str {
    let old = &base.draft;
    let claimed =
        |draft: &Draft| (draft.claim.game.clone(), draft.claim.start.clone(), draft.claim.value);
    let proof = |draft: &Draft| -> Vec<_> {
        draft.parts.iter().map(|p| (p.question, p.nodes.clone(), p.leaves.clone())).collect()
    };
    let changed = |path: &&String| base.files.get(*path) != files.get(*path);
    let changed: Vec<&String> =
        base.files.keys().filter(|path| path.starts_with("egdb/")).filter(changed).collect();
    if claimed(old) != claimed(draft) {
        "another claim, as true"
    } else if proof(old) != proof(draft) {
        "another proof"
    } else if old.claim.cover != draft.claim.cover {
        "another part of the database"
    } else if !changed.is_empty() {
        let names = slices_of(&base.rules.board, &draft.claim.cover);
        if changed
            .iter()
            .any(|path| names.iter().any(|name| **path == base.database_path(&name.file_name())))
        {
            "same values, other code"
        } else {
            "a file that is not read"
        }
    } else if old.parts != draft.parts {
        "other words about it"
    } else {
        "other objects"
    }
}

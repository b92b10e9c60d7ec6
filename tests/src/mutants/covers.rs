//! Other covers: in the claim, in the database, in both.

use certificate_spec::cover::{Clause, Cover};
use certificate_spec::database::DatabaseManifest;

use super::base::{Base, Files};
use super::random::Random;
use super::records::any_digest;
use crate::encoding::{DatabaseHead, pairs};

/// A clause of few pieces, whose numbers are sometimes larger than they need be.
fn any_clause(random: &mut Random) -> Clause {
    let pieces = 2 + random.byte() % 6;
    let side = if random.one_in(2) { pieces - 1 } else { 1 + random.byte() % 5 };
    Clause { pieces, side }
}

/// A cover in canonical form, or none.
pub(super) fn any_cover(random: &mut Random) -> Cover {
    let clauses: Vec<Clause> = (0..random.below(4)).map(|_| any_clause(random)).collect();
    Cover::of(clauses)
}

/// A cover that has fewer positions, more, or others.
fn near(cover: &Cover, random: &mut Random) -> Cover {
    let mut clauses = cover.clauses().to_vec();
    let at = random.below(clauses.len());
    match random.below(5) {
        0 => drop((at < clauses.len()).then(|| clauses.remove(at))),
        1 => clauses.push(any_clause(random)),
        2 => clauses.iter_mut().skip(at).take(1).for_each(|clause| clause.pieces -= 1),
        3 => clauses.iter_mut().skip(at).take(1).for_each(|clause| clause.side -= 1),
        _ => return any_cover(random),
    }
    Cover::of(clauses)
}

/// Another cover in the claim, as text, canonical or not. Its root, where one is possible, is right
/// or wrong.
pub(super) fn claimed(base: &Base, random: &mut Random) -> Option<Files> {
    let database = base.database();
    let has = database.as_ref().map_or(Cover::none(), |manifest| manifest.cover.clone());
    let from = if random.one_in(2) { &has } else { &base.draft.claim.cover };
    let cover = near(from, random);
    let mut claim = base.draft.claim.clone();
    claim.cover = cover.clone();
    claim.database = match &database {
        _ if cover.is_empty() => None,
        Some(manifest) if !random.one_in(6) => Some(manifest.restricted_to(&cover).root()),
        _ => claim.database.filter(|_| random.one_in(2)).or(Some(any_digest(random))),
    };
    let text = claim.encode();
    let line = format!("\npieces {cover}\n");
    let mut written: Vec<String> = cover.clauses().iter().map(|c| text_of(*c, random)).collect();
    match random.below(6) {
        0 => written.reverse(),
        1 => written.push(text_of(any_clause(random), random)),
        _ => written = vec![cover.to_string()],
    }
    let text = text.replace(&line, &format!("\npieces {}\n", written.join(",")));
    Some(base.with_objects(text.as_bytes(), &base.draft.objects()))
}

/// A clause in a form that is not canonical, if it has one.
fn text_of(clause: Clause, random: &mut Random) -> String {
    let Clause { pieces, side } = clause;
    let zero = if random.one_in(4) { "0" } else { "" };
    let is_plain = side + 1 == pieces && !random.one_in(3);
    if is_plain { format!("{zero}{pieces}") } else { format!("{zero}{pieces}:{side}") }
}

/// Another cover of the database, with those of its slices that exist, and a claim of this cover or
/// of a part of it.
pub(super) fn of_database(base: &Base, random: &mut Random) -> Option<Files> {
    let whole = base.database()?;
    let cover = near(&whole.cover, random);
    let mut manifest = whole.restricted_to(&cover);
    if random.one_in(4) {
        manifest.slices = whole.slices.clone();
    }
    let claimed = match random.below(3) {
        0 => cover.clone(),
        1 => base.draft.claim.cover.clone(),
        _ => near(&cover, random),
    };
    let mut files = base.with_manifest(&manifest, &claimed);
    if random.one_in(6) {
        let bytes = spoilt(&manifest, random);
        files.insert(base.database_path("MANIFEST"), bytes.into());
    }
    // Files that are no longer in the list are removed, or stay.
    if !random.one_in(4) {
        let gone = whole.slices.iter().filter(|old| manifest.slices.iter().all(|new| new != *old));
        for record in gone {
            files.remove(&base.database_path(&record.name.file_name()));
        }
    }
    Some(files)
}

/// A manifest whose cover is no longer in canonical form.
fn spoilt(manifest: &DatabaseManifest, random: &mut Random) -> Vec<u8> {
    let mut head = DatabaseHead::of(manifest);
    match random.below(4) {
        0 => head.clauses.reverse(),
        1 => head.clauses.extend(pairs(&manifest.cover)),
        2 => head.clauses.iter_mut().for_each(|(_, side)| *side += 1),
        _ => head.clauses.iter_mut().for_each(|(pieces, _)| *pieces += 1),
    }
    head.replace_in(manifest)
}

//! Changes of fields and bytes, with hashes, lengths and roots made right again.

use certificate_spec::provenance::{Mode, Provenance, Resources};
use certificate_spec::{leaves, nodes};

use super::base::{Base, Files};
use super::random::Random;
use crate::database_files::repair_head;
use crate::draft::{DraftObject, manifest as manifest_of};
use crate::encoding::{SliceStart, pad};
use crate::prelude::*;

/// A random question of a draft for which the condition holds.
pub(super) fn part<'a>(
    draft: &'a mut Draft,
    random: &mut Random,
    has: impl Fn(&Part) -> bool,
) -> Option<&'a mut Part> {
    let mut parts: Vec<&mut Part> = draft.parts.iter_mut().filter(|part| has(part)).collect();
    let i = random.below(parts.len());
    (i < parts.len()).then(|| parts.swap_remove(i))
}

pub(super) fn claim_text(base: &Base, random: &mut Random) -> Option<Files> {
    let text = base.draft.claim.encode();
    let mut bytes = text.clone().into_bytes();
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let line = random.below(lines.len());
    let other = random.below(lines.len());
    let joined = |lines: &[&str]| lines.concat().into_bytes();
    let at = random.below(bytes.len());
    match random.below(7) {
        0 => bytes[at] = b' ' + random.byte() % 95,
        1 => drop(bytes.remove(at)),
        2 => bytes.insert(at, *random.pick(b" \n\r\t0123456789KBW:,/x\0").expect("a byte")),
        // The digit, letter or word after this one.
        3 => bytes[at] = bytes[at].wrapping_add(1),
        4 => {
            let mut lines = lines.clone();
            lines.swap(line, other);
            bytes = joined(&lines);
        }
        5 => {
            let mut lines = lines.clone();
            lines.insert(line, lines[other]);
            bytes = joined(&lines);
        }
        _ => {
            let mut lines = lines.clone();
            lines.remove(line);
            bytes = joined(&lines);
        }
    }
    Some(base.with_objects(&bytes, &base.draft.objects()))
}

/// Cuts an object of nodes or leaves in two, which is valid; a provenance cannot be cut.
fn cut_object(draft: &Draft, random: &mut Random) -> Option<Vec<DraftObject>> {
    let mut objects = draft.objects();
    let at = random.below(objects.len());
    let object = objects.get(at)?.clone();
    let part = draft.parts.iter().find(|part| part.question == object.head.question)?;
    let all = usize::try_from(object.head.count).ok()?;
    let first = 1 + random.below(all.checked_sub(1).filter(|&n| n > 0)?);
    let piece = |range: std::ops::Range<usize>| {
        let question = part.question;
        let head = ObjectHead { question, first: range.start as u64, count: range.len() as u64 };
        let bytes = match object.kind {
            Kind::Nodes => nodes::encode(&head, &part.nodes[range]),
            Kind::Leaves => leaves::encode(&head, &part.leaves[range]),
            Kind::Provenance => return None,
        };
        Some(DraftObject { kind: object.kind, head, bytes })
    };
    objects.splice(at..=at, [piece(0..first)?, piece(first..all)?]);
    Some(objects)
}

pub(super) fn manifest(base: &Base, random: &mut Random) -> Option<Files> {
    let claim = base.draft.claim.encode();
    let objects = base.draft.objects();
    let mut manifest: Manifest = manifest_of(claim.as_bytes(), &objects);
    let n = manifest.objects.len();
    let i = random.below(n);
    let j = random.below(n);
    let mut raw = None;
    match random.below(13) {
        0 => return Some(base.with_objects(claim.as_bytes(), &cut_object(&base.draft, random)?)),
        1 => manifest.objects.swap(i, j),
        2 => drop(manifest.objects.remove(i)),
        3 => manifest.objects.insert(j, manifest.objects[i]),
        4 => {
            manifest.objects[i].kind =
                *random.pick(&[Kind::Nodes, Kind::Leaves, Kind::Provenance]).expect("a kind");
        }
        5 => manifest.objects[i].question = *random.pick(&Question::ALL).expect("a question"),
        6 => manifest.objects[i].first = random.number(manifest.objects[i].first),
        7 => manifest.objects[i].count = random.number(manifest.objects[i].count),
        8 => manifest.objects[i].length = random.number(manifest.objects[i].length),
        9 => manifest.objects[i].digest = manifest.objects[j].digest,
        10 => manifest.claim_length = random.number(manifest.claim_length),
        11 => {
            // The fields of the file before the records.
            let mut bytes = manifest.encode();
            let records = usize::try_from(manifest.offset(0)).ok()?;
            bytes[random.below(records)] ^= 1 << random.below(8);
            raw = Some(bytes);
        }
        _ => {
            let mut bytes = manifest.encode();
            random.disturb(&mut bytes);
            raw = Some(bytes);
        }
    }
    let mut files = base.files.clone();
    files.insert("cert/MANIFEST".into(), raw.unwrap_or_else(|| manifest.encode()).into());
    Some(files)
}

pub(super) fn object(base: &Base, random: &mut Random) -> Option<Files> {
    let mut objects = base.draft.objects();
    let i = random.below(objects.len());
    let object = &mut objects[i];
    if random.one_in(4) {
        // The record states what the changed head has.
        let mut head = object.head;
        let number = if random.one_in(2) { &mut head.first } else { &mut head.count };
        *number = random.number(*number);
        object.relabel(head);
    } else {
        random.disturb(&mut object.bytes);
    }
    Some(base.with_objects(base.draft.claim.encode().as_bytes(), &objects))
}

pub(super) fn node(_: &Base, draft: &mut Draft, random: &mut Random) -> Option<()> {
    let part = part(draft, random, |part| !part.nodes.is_empty())?;
    for _ in 0..1 + usize::from(random.one_in(6)) {
        let i = random.below(part.nodes.len());
        change(&mut part.nodes[i], random);
    }
    // Sometimes the nodes are sorted, so that another error than the order has to be found.
    if random.one_in(2) {
        part.nodes.sort_by_key(|node| node.position);
    }
    Some(())
}

/// Changes a field of a node.
fn change(node: &mut Node, random: &mut Random) {
    let square = 1 << if random.one_in(6) { random.below(32) } else { random.below(18) };
    match random.below(9) {
        0 => node.position.black ^= square,
        1 => node.position.white ^= square,
        2 => node.position.kings ^= square,
        3 => {
            node.position.turn =
                if random.one_in(8) { random.byte() } else { node.position.turn ^ 1 }
        }
        4 => node.rank = random.number_u32(node.rank),
        5 => node.data = random.number_u32(node.data),
        6 => node.data ^= 1 << random.below(3),
        7 => node.kind = if random.one_in(4) { random.byte() } else { 1 + random.byte() % 4 },
        _ => node.reserved ^= 1 << random.below(16),
    }
}

pub(super) fn leaf(_: &Base, draft: &mut Draft, random: &mut Random) -> Option<()> {
    let leaves = &mut part(draft, random, |part| !part.leaves.is_empty())?.leaves;
    let i = random.below(leaves.len());
    let j = random.below(leaves.len());
    match random.below(6) {
        0 => leaves[i].positions = random.number(leaves[i].positions).max(1),
        1 => leaves[i].positions += 1,
        2 => leaves[i].positions = leaves[i].positions.saturating_sub(1).max(1),
        3 => drop(leaves.remove(i)),
        4 => leaves.insert(j, leaves[i].clone()),
        // The same number of bytes, cut at another place.
        _ => {
            let byte = leaves[i].strategy.pop()?;
            let next = (i + 1) % leaves.len();
            leaves[next].strategy.insert(0, byte);
        }
    }
    Some(())
}

pub(super) fn strategy(_: &Base, draft: &mut Draft, random: &mut Random) -> Option<()> {
    let leaves = &mut part(draft, random, |part| !part.leaves.is_empty())?.leaves;
    let i = random.below(leaves.len());
    let bytes = &mut leaves[i].strategy;
    match random.below(6) {
        0 => drop(bytes.pop()),
        1 => bytes.push(if random.one_in(2) { 0 } else { random.byte() }),
        _ if bytes.is_empty() => return None,
        _ => {
            for _ in 0..1 + random.below(3) {
                let at = random.below(bytes.len());
                bytes[at] ^= 1 << random.below(8);
            }
        }
    }
    Some(())
}

/// A digest of nothing in the certificate.
pub(super) fn any_digest(random: &mut Random) -> Digest {
    Digest::of(&[random.byte()])
}

/// A part in postcard with a number that has a byte more than it needs. Hashes and roots are right.
pub(super) fn padded(base: &Base, random: &mut Random) -> Option<Files> {
    let claim = base.draft.claim.encode();
    let mut objects = base.draft.objects();
    match random.below(4) {
        0 => {
            let path = "cert/MANIFEST".to_owned();
            let bytes = &base.files[&path];
            // Where there is a digest, the padded byte makes it another digest.
            let at = HEAD + random.below(bytes.len() - HEAD);
            let mut files = base.files.clone();
            files.insert(path, pad(bytes, at).into());
            Some(files)
        }
        1 => {
            let object = &mut objects[random.below(base.draft.objects().len())];
            let length = match object.kind {
                Kind::Provenance => object.bytes.len(),
                _ => object.head.length(),
            };
            object.bytes = pad(&object.bytes, HEAD + random.below(length - HEAD));
            Some(base.with_objects(claim.as_bytes(), &objects))
        }
        2 => {
            let manifest = base.database()?;
            let bytes = manifest.encode();
            let bytes = pad(&bytes, HEAD + random.below(bytes.len() - HEAD));
            let mut files = base.files.clone();
            files.insert(base.database_path("MANIFEST"), bytes.into());
            Some(files)
        }
        _ => {
            let manifest = base.database()?;
            let name = random.pick(&manifest.slices)?.name;
            let bytes = base.slice(name);
            let (_, end) = SliceStart::read(&bytes)?;
            let mut bytes = pad(&bytes, HEAD + random.below(end - HEAD));
            repair_head(&mut bytes);
            base.with_slice(name, bytes)
        }
    }
}

/// Changes the provenance of a question: to another valid one, or to one that cannot be decoded.
pub(super) fn provenance(_: &Base, draft: &mut Draft, random: &mut Random) -> Option<()> {
    let part = part(draft, random, |part| part.provenance.is_some())?;
    if random.one_in(8) {
        part.provenance = None;
        return Some(());
    }
    let Provenance { program, mode, request, iterations } = part.provenance.as_mut()?;
    let texts = [program, &mut request.game, &mut request.start];
    match random.below(6) {
        0..3 => {
            let text = texts.into_iter().nth(random.below(3))?;
            let all = ['s', ' ', '~', '\n', '\u{7f}', '\0', '\u{e9}', '\t'];
            text.push(*random.pick(&all)?);
        }
        3 => {
            let resources = Resources {
                threads: random.number_u32(1),
                workers: random.number_u32(1),
                seconds: random.number(1),
            };
            *mode = *random.pick(&[Mode::FreeRunning(resources), Mode::Farm(resources)])?;
        }
        4 => {
            request.leaf_nodes = random.number(request.leaf_nodes);
            request.seed_line.push(if random.one_in(2) { "1-3\r".into() } else { "1-3".into() });
        }
        _ => iterations.extend_from_within(..),
    }
    Some(())
}

//! Changes to fields and bytes after which hashes, lengths and roots are right again.

use certificate_spec::Digest;
use certificate_spec::claim::Question;
use certificate_spec::manifest::{HEADER, Kind, Manifest, ObjectHeader};
use certificate_spec::nodes::Node;
use certificate_spec::{leaves, nodes};

use super::base::{Base, Files};
use super::random::Random;
use crate::draft::{Draft, DraftObject, Part, manifest as manifest_of};

/// One of the questions of a draft that has what is asked for.
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
    let (line, other) = (random.below(lines.len()), random.below(lines.len()));
    let joined = |lines: &[&str]| lines.concat().into_bytes();
    let at = random.below(bytes.len());
    match random.below(7) {
        0 => bytes[at] = b' ' + random.byte() % 95,
        1 => drop(bytes.remove(at)),
        2 => bytes.insert(at, *random.pick(b" \n\r\t0123456789KBW:,/x\0").expect("a byte")),
        // The digit, letter or word after it.
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

/// Cuts an object of nodes or leaves in two, which is just as good.
fn cut_object(draft: &Draft, random: &mut Random) -> Option<Vec<DraftObject>> {
    let mut objects = draft.objects();
    let at = random.below(objects.len());
    let object = objects.get(at)?.clone();
    let part = draft.parts.iter().find(|part| part.question == object.header.question)?;
    let all = usize::try_from(object.header.count).ok()?;
    let first = 1 + random.below(all.checked_sub(1).filter(|&n| n > 0)?);
    let piece = |range: std::ops::Range<usize>| {
        let question = part.question;
        let (first, count) = (range.start as u64, range.len() as u64);
        let header = ObjectHeader { question, first, count };
        let bytes = match object.kind {
            Kind::Nodes => nodes::encode(&header, &part.nodes[range]),
            Kind::Leaves => leaves::encode(&header, &part.leaves[range]),
            Kind::About => certificate_spec::about::encode(&header, &part.about[range]),
        };
        DraftObject { kind: object.kind, header, bytes }
    };
    objects.splice(at..=at, [piece(0..first), piece(first..all)]);
    Some(objects)
}

pub(super) fn manifest(base: &Base, random: &mut Random) -> Option<Files> {
    let claim = base.draft.claim.encode();
    let objects = base.draft.objects();
    let mut manifest: Manifest = manifest_of(claim.as_bytes(), &objects);
    let n = manifest.objects.len();
    let (i, j) = (random.below(n), random.below(n));
    let mut raw = None;
    match random.below(13) {
        0 => return Some(base.with_objects(claim.as_bytes(), &cut_object(&base.draft, random)?)),
        1 => manifest.objects.swap(i, j),
        2 => drop(manifest.objects.remove(i)),
        3 => manifest.objects.insert(j, manifest.objects[i]),
        4 => {
            manifest.objects[i].kind =
                *random.pick(&[Kind::Nodes, Kind::Leaves, Kind::About]).expect("a kind");
        }
        5 => manifest.objects[i].question = *random.pick(&Question::ALL).expect("a question"),
        6 => manifest.objects[i].first = random.number(manifest.objects[i].first),
        7 => manifest.objects[i].count = random.number(manifest.objects[i].count),
        8 => manifest.objects[i].length = random.number(manifest.objects[i].length),
        9 => manifest.objects[i].digest = manifest.objects[j].digest,
        10 => manifest.claim_length = random.number(manifest.claim_length),
        11 => {
            // The header as it stands in the file.
            let mut bytes = manifest.encode();
            bytes[random.below(HEADER)] ^= 1 << random.below(8);
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
    if random.one_in(4) {
        // What the record says goes with the header.
        let header = &mut objects[i].header;
        let field = *random.pick(&[16, 24]).expect("an offset");
        let number = if field == 16 { &mut header.first } else { &mut header.count };
        *number = random.number(*number);
        let number = number.to_le_bytes();
        objects[i].bytes[field..field + 8].copy_from_slice(&number);
    } else {
        random.disturb(&mut objects[i].bytes);
    }
    Some(base.with_objects(base.draft.claim.encode().as_bytes(), &objects))
}

pub(super) fn node(_: &Base, draft: &mut Draft, random: &mut Random) -> Option<()> {
    let part = part(draft, random, |part| !part.nodes.is_empty())?;
    for _ in 0..1 + usize::from(random.one_in(6)) {
        let i = random.below(part.nodes.len());
        change(&mut part.nodes[i], random);
    }
    // In order, so that something else than the order has to be found.
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
    let (i, j) = (random.below(leaves.len()), random.below(leaves.len()));
    match random.below(6) {
        0 => leaves[i].positions = random.number(leaves[i].positions).max(1),
        1 => leaves[i].positions += 1,
        2 => leaves[i].positions = leaves[i].positions.saturating_sub(1).max(1),
        3 => drop(leaves.remove(i)),
        4 => leaves.insert(j, leaves[i].clone()),
        // As many bytes, cut elsewhere.
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

/// The digest that stands for nothing.
pub(super) fn any_digest(random: &mut Random) -> Digest {
    Digest::of(&[random.byte()])
}

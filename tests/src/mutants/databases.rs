//! Changes of databases, with claim and manifests corrected to fit.

use crate::prelude::*;
use certificate_spec::slice::Unit;
use certificate_spec::value::Value;

use super::base::{Base, Files};
use super::covers::any_cover;
use super::random::Random;
use super::records::any_digest;
use crate::database_files::repair_head;
use crate::encoding::{Coding, SliceStart};
use crate::slice_file::{SliceFile, edit_start};

const VALUES: [Value; 3] = [Value::Loss, Value::Draw, Value::Win];

/// One of the slices; those with coded units are chosen more often, as they offer more changes.
fn any(base: &Base, random: &mut Random) -> Option<SliceName> {
    let manifest = base.database()?;
    let coded = |name: SliceName| !SliceFile::read(&base.slice(name)).payloads.is_empty();
    let names: Vec<SliceName> = manifest.slices.iter().map(|record| record.name).collect();
    let some: Vec<SliceName> = names.iter().copied().filter(|name| coded(*name)).collect();
    let from = if some.is_empty() || random.one_in(4) { names } else { some };
    random.pick(&from).copied()
}

pub(super) fn bytes(base: &Base, random: &mut Random) -> Option<Files> {
    let name = any(base, random)?;
    let mut bytes = base.slice(name);
    if random.one_in(3) {
        // The bytes of the version and of the fields before the checksum.
        let (_, end) = SliceStart::read(&bytes)?;
        let at = 8 + random.below(end - 8);
        bytes[at] = match random.below(3) {
            0 => bytes[at] ^ 1 << random.below(8),
            1 => bytes[at].wrapping_add(1),
            _ => random.byte(),
        };
    } else if random.one_in(3) {
        edit_start(&mut bytes, |start| start_field(start, random));
    } else {
        random.disturb(&mut bytes);
    }
    if !random.one_in(4) {
        repair_head(&mut bytes);
    }
    base.with_slice(name, bytes)
}

/// Changes a field of the beginning, which is then encoded as usual.
fn start_field(start: &mut SliceStart, random: &mut Random) {
    match random.below(7) {
        0 => random.disturb(&mut start.rules),
        1 => start.board.0 = random.byte() % 9,
        2 => start.board.1 = random.byte() % 9,
        3 => start.name.0[random.below(4)] = random.byte() % 5,
        4 => start.indices = random.number(start.indices),
        _ => match &mut start.coding {
            Coding::Units(contexts, _) if random.one_in(2) => *contexts = random.number(*contexts),
            Coding::Units(_, units) if random.one_in(2) => *units = random.number(*units),
            coding if random.one_in(4) => *coding = Coding::Unknown(random.number(2)),
            coding => *coding = Coding::Constant(random.below(4) as u64),
        },
    }
}

/// Changes a payload, a directory entry or frequencies; the checksums are right afterwards.
pub(super) fn code(base: &Base, random: &mut Random) -> Option<Files> {
    let name = any(base, random)?;
    let mut file = SliceFile::read(&base.slice(name));
    if file.payloads.is_empty() {
        file.head.constant = random.pick(&VALUES).copied();
        return base.with_slice(name, file.bytes());
    }
    let unit = random.below(file.payloads.len());
    let other = random.below(file.payloads.len());
    match random.below(5) {
        0 => {
            file.head.units[unit] = Unit::Constant(*random.pick(&VALUES)?);
            file.payloads[unit].clear();
        }
        1 => file.payloads.swap(unit, other),
        2 => {
            let described = file.head.frequencies.described();
            let (context, [loss, win]) = *random.pick(&described)?;
            let mut frequencies = Frequencies::default();
            for (number, old) in described {
                let new = if random.one_in(2) { [win, loss] } else { [loss ^ 1, win] };
                frequencies.describe(number, if number == context { new } else { old });
            }
            file.head.frequencies = frequencies;
        }
        _ if file.payloads[unit].len() < 12 => return None,
        _ => file.edit_code(unit, |code| random.disturb(code)),
    }
    base.with_slice(name, file.bytes())
}

pub(super) fn manifest(base: &Base, random: &mut Random) -> Option<Files> {
    let mut manifest = base.database()?;
    let mut cover = base.draft.claim.cover.clone();
    let n = manifest.slices.len();
    let i = random.below(n);
    let j = random.below(n);
    let mut gone = None;
    match random.below(10) {
        0 => {
            gone = Some(manifest.slices.remove(i).name);
            // The removed slice's file may stay.
            gone = gone.filter(|_| random.one_in(2));
        }
        1 => {
            let digest = manifest.slices[j].digest;
            (manifest.slices[i].digest, manifest.slices[i].length) =
                (digest, manifest.slices[j].length);
        }
        2 => manifest.slices.swap(i, j),
        3 => manifest.slices.insert(j, manifest.slices[i]),
        4 => manifest.slices[i].length = random.number(manifest.slices[i].length),
        5 => manifest.slices[i].digest = any_digest(random),
        6 => manifest.slices[i].name.0[random.below(4)] = random.byte() % 4,
        7 => manifest.rows = random.byte() % 9,
        8 => manifest.columns = random.byte() % 9,
        _ => {
            manifest.cover = any_cover(random);
            if random.one_in(2) {
                cover = manifest.cover.clone();
            }
        }
    }
    let mut files = base.with_manifest(&manifest, &cover);
    if let Some(name) = gone {
        files.remove(&base.database_path(&name.file_name()));
    }
    Some(files)
}

/// Other values of positions, encoded as those of a right database are.
pub(super) fn value(base: &Base, random: &mut Random) -> Option<Files> {
    let name = any(base, random)?;
    let board = &base.rules.board;
    let slice = Slice::from(name);
    let mut table = decode_slice(board, slice, &base.slice(name)).ok()?;
    let all = usize::try_from(table.indices()).ok()?;
    let is_quiet =
        |index: u64| position_at(board, slice, index).is_some_and(|p| !board.can_capture(&p));
    match random.below(4) {
        // All positions with one value, or all whose value differs.
        0 => {
            let from = *random.pick(&VALUES)?;
            let to = *random.pick(&VALUES)?;
            let first = random.below(all) as u64;
            for index in (first..table.indices()).take(4096) {
                if table.value(index) == from && is_quiet(index) {
                    table.set(index, to);
                }
            }
        }
        few => {
            for _ in 0..few {
                let index = random.below(all) as u64;
                if is_quiet(index) {
                    table.set(index, *random.pick(&VALUES)?);
                }
            }
        }
    }
    base.with_slice(name, encode_slice(board, slice, &table).concat())
}

//! Cases about slice files.

use super::*;

use certificate_spec::slice::{SliceHead, Unit};
use certificate_spec::value::Value;

use crate::database_files::repair_head;
use crate::draft::edit_slice;
use crate::encoding::{Coding, SliceStart, counted, pad, varint};
use crate::slice_file::{
    HEAD_CHECKSUM, SliceFile, code_that_ends_with, contexts, edit_start, quiet,
};

/// The slice that cases change: kings and men, positions that overlap, all three values; one unit.
pub(crate) const SLICE: SliceName = SliceName([0, 1, 1, 1]);
/// The name of that slice's file in a verdict.
pub(super) const FILE: &str = "4x4/0-1-1-1";
/// The twin of that slice, which comes after it in order.
const TWIN: SliceName = SliceName([1, 1, 0, 1]);
/// The slice of 6x6 that has two units.
const TWO_UNITS: SliceName = SliceName([1, 1, 1, 1]);

fn board(rows: u8, columns: u8) -> Board {
    Board::new(rows, columns).expect("a board")
}

/// Changes a slice, corrects the database's manifest, and binds the certificate to the new root.
fn rebind(d: &Path, base: &Base, slice: SliceName, edit: impl FnOnce(&mut Vec<u8>)) {
    let manifest = edit_slice(&d.join("egdb/4x4"), slice, edit);
    let mut draft = base.draft.clone();
    draft.claim.database = Some(manifest.root());
    draft.write(&d.join("cert"));
}

fn slice_bytes(d: &Path, name: SliceName) -> Vec<u8> {
    fs::read(d.join(name.file_name())).expect("a slice")
}

/// Changes the values in the bytes of a slice.
pub(crate) fn edit_values(bytes: &mut Vec<u8>, edit: impl FnOnce(&mut Table)) {
    let header = SliceHead::decode(bytes, bytes.len() as u64).expect("a head").header;
    let (board, slice) = (board(header.rows, header.columns), Slice::from(header.name));
    let mut table = decode_slice(&board, slice, bytes).expect("a slice");
    edit(&mut table);
    *bytes = encode_slice(&board, slice, &table).concat();
}

/// The first quiet index from `from` on that has this value.
pub(crate) fn index_with(bytes: &[u8], value: Value, from: u64) -> u64 {
    let header = SliceHead::decode(bytes, bytes.len() as u64).expect("a head").header;
    let (board, slice) = (board(header.rows, header.columns), Slice::from(header.name));
    let table = decode_slice(&board, slice, bytes).expect("a slice");
    let quiet = (0..).zip(quiet(&board, slice)).filter(|&(_, quiet)| quiet).map(|(i, _)| i);
    quiet.skip_while(|&i| i < from).find(|&i| table.value(i) == value).expect("an index")
}

/// Encodes a file again, with other frequencies.
pub(super) fn recode(bytes: &mut Vec<u8>, frequencies: Frequencies) {
    let mut file = SliceFile::read(bytes);
    let header = file.head.header;
    let (board, slice) = (board(header.rows, header.columns), Slice::from(header.name));
    let table = decode_slice(&board, slice, bytes).expect("a slice");
    file.recode(&contexts(&board, slice, &table), frequencies);
    assert_ne!(file.bytes(), *bytes);
    *bytes = file.bytes();
}

fn offset(at: usize) -> u64 {
    at as u64
}

pub(super) fn add(corpus: &mut Corpus, bases: &Bases) {
    let base = &bases.draw;
    values(corpus, base);
    heads(corpus, base);
    one_value(corpus, &bases.win);
    contexts_and_directories(corpus, base);
    payloads(corpus, base);
    orders(corpus, base);
    recoded(corpus, base);
    units(corpus, &bases.units);
}

fn values(corpus: &mut Corpus, base: &Base) {
    let changes = [
        ("slice-win-called-a-draw", Value::Win, Value::Draw),
        ("slice-win-called-a-loss", Value::Win, Value::Loss),
        ("slice-draw-called-a-win", Value::Draw, Value::Win),
        ("slice-draw-called-a-loss", Value::Draw, Value::Loss),
        ("slice-loss-called-a-draw", Value::Loss, Value::Draw),
        ("slice-loss-called-a-win", Value::Loss, Value::Win),
    ];
    for (name, is, to) in changes {
        corpus.add(name, base, |d| {
            rebind(d, base, SLICE, |bytes| {
                let index = index_with(bytes, is, 0);
                edit_values(bytes, |table| table.set(index, to));
            });
            wrong_value(&d.join("egdb/4x4"), SLICE, FILE)
        });
    }
    corpus.add("slice-all-draws", base, |d| {
        rebind(d, base, SLICE, |bytes| {
            edit_values(bytes, |table| *table = Table::new(table.indices()));
            let (start, end) = start_of(bytes);
            assert_eq!((start.coding, bytes.len()), (Coding::Constant(1), end + HEAD_CHECKSUM));
        });
        Expected::refuted("slice-value", FILE).at(offset(HEAD))
    });
    corpus.add("slice-unit-called-a-draw", base, |d| {
        rebind(d, base, SLICE, |bytes| {
            let mut file = SliceFile::read(bytes);
            (file.head.units[0], file.payloads[0]) = (Unit::Constant(Value::Draw), Vec::new());
            *bytes = file.bytes();
        });
        wrong_value(&d.join("egdb/4x4"), SLICE, FILE)
    });
    // The bytes no longer have the hash of the manifest.
    corpus.add("slice-bit-flipped", base, |d| {
        let path = d.join("egdb").join(FILE);
        let mut bytes = fs::read(&path).expect("a slice");
        *bytes.last_mut().expect("bytes") ^= 1;
        fs::write(path, bytes).expect("a slice");
        Expected::refuted("slice-hash", FILE)
    });
    corpus.add("slice-cut-short", base, |d| {
        let path = d.join("egdb").join(FILE);
        let bytes = fs::read(&path).expect("a slice");
        fs::write(path, &bytes[..bytes.len() - 1]).expect("a slice");
        Expected::refuted("slice-hash", FILE)
    });
}

/// A wrong value in the first unit of a slice that has units.
pub(super) fn wrong_value(directory: &Path, slice: SliceName, file: &str) -> Expected {
    let entry = SliceFile::read(&slice_bytes(directory, slice)).entry(0);
    Expected::refuted("slice-value", file).at(offset(entry))
}

/// The fields at the beginning of a slice file, and the offset of its checksum.
fn start_of(bytes: &[u8]) -> (SliceStart, usize) {
    SliceStart::read(bytes).expect("the start of a slice")
}

fn refused() -> Expected {
    Expected::refuted("slice-syntax", FILE)
}

/// Adds a case with changed bytes of the slice and a right checksum of its head.
fn add_bytes(
    corpus: &mut Corpus,
    base: &Base,
    name: &str,
    edit: impl FnOnce(&mut Vec<u8>),
    expected: Expected,
) {
    corpus.add(name, base, |d| {
        rebind(d, base, SLICE, |bytes| {
            let before = bytes.clone();
            edit(bytes);
            repair_head(bytes);
            assert_ne!(before, *bytes, "nothing was changed");
        });
        expected
    });
}

fn heads(corpus: &mut Corpus, base: &Base) {
    let (start, end) = start_of(&slice_bytes(&base.directory.join("egdb/4x4"), SLICE));
    let Coding::Units(contexts, units) = start.coding else { panic!("no units: {start:?}") };
    let mut case = |name: &str, edit: &dyn Fn(&mut Vec<u8>), expected: Expected| {
        add_bytes(corpus, base, name, edit, expected);
    };
    let version = || Expected::declined("version", FILE);
    case("slice-magic", &|b| b[0] = b'X', refused().at(0));
    case("slice-empty", &|b| b.clear(), refused().at(0));
    // Before version 1 slice files had another magic and version numbers of their own.
    case("slice-of-version-0", &|b| b[..8].copy_from_slice(b"DPSLICE\0"), refused().at(0));
    case("slice-old-version", &|b| b[8] = 0, version());
    case("slice-future-version", &|b| b[8] = 9, version());
    case("slice-version-2-to-24", &|b| b[11] = 1, version());
    // The version is judged before anything else.
    case("slice-future-version-and-nothing-more", &|b| (b[8], _) = (9, b.truncate(12)), version());
    let syntax = |at: usize| refused().at(offset(at));
    case("slice-head-cut-short", &|b| b.truncate(end - 1), syntax(HEAD));
    case("slice-no-head", &|b| b.truncate(end + HEAD_CHECKSUM - 1), refused());
    case("slice-head-without-contexts", &|b| b.truncate(end + HEAD_CHECKSUM), refused());
    // Numbers with a byte more than they need: the length of the rules, the indices, the coding,
    // the numbers of contexts and units.
    let indices = HEAD + counted(&start.rules).len() + 6 + varint(start.indices).len() - 1;
    for (name, at) in [
        ("slice-rules-padded", HEAD),
        ("slice-indices-padded", indices),
        ("slice-coding-padded", indices + 1),
        ("slice-contexts-padded", end - varint(units).len() - 1),
        ("slice-units-padded", end - 1),
    ] {
        case(name, &|b| *b = pad(b, at), syntax(at));
    }
    let mut edit = |name: &str, edit: &dyn Fn(&mut SliceStart), expected: Expected| {
        case(name, &|b| edit_start(b, edit), expected);
    };
    let rules = || Expected::declined("rules", FILE);
    edit("slice-other-rules", &|s| s.rules = b"russian-1".into(), rules());
    edit("slice-no-rules", &|s| s.rules.clear(), rules());
    edit("slice-rules-beyond-utf-8", &|s| s.rules[0] = 0xff, syntax(HEAD));
    edit("slice-of-another-name", &|s| s.name.0 = [1, 0, 1, 1], refused());
    edit("slice-of-another-board", &|s| s.board.0 = 6, refused());
    edit("slice-turned-board", &|s| s.board = (2, 8), refused());
    edit("slice-coding-2", &|s| s.coding = Coding::Unknown(2), syntax(HEAD));
    edit("slice-coding-2-to-32", &|s| s.coding = Coding::Unknown(1 << 32), syntax(HEAD));
    edit("slice-value-3", &|s| s.coding = Coding::Constant(3), syntax(HEAD));
    edit("slice-value-255", &|s| s.coding = Coding::Constant(255), syntax(HEAD));
    edit("slice-count", &|s| s.indices += 1, refused());
    edit("slice-count-2-to-64", &|s| s.indices = u64::MAX, refused());
    edit("slice-count-0", &|s| s.indices = 0, refused());
    for value in 0..3 {
        // The contexts and units remain in the file.
        let name = format!("slice-value-{value}-with-units");
        edit(&name, &|s| s.coding = Coding::Constant(value), refused());
    }
    let coding =
        |contexts, units| move |s: &mut SliceStart| s.coding = Coding::Units(contexts, units);
    let most = u64::from(u32::MAX);
    edit("slice-contexts-2-to-32", &coding(most, units), syntax(HEAD));
    edit("slice-contexts-beyond-2-to-32", &coding(most + 1, units), syntax(HEAD));
    edit("slice-units-2-to-32", &coding(contexts, most), refused());
    edit("slice-units-beyond-2-to-32", &coding(contexts, most + 1), syntax(HEAD));
    corpus.add("slice-head-checksum", base, |d| {
        rebind(d, base, SLICE, |bytes| bytes[end + HEAD_CHECKSUM - 1] ^= 1);
        syntax(end)
    });
}

/// Files of a slice whose quiet positions are all wins, in a database alone.
fn one_value(corpus: &mut Corpus, base: &Base) {
    let name = SliceName([0, 2, 1, 0]);
    let file = format!("6x4/{}", name.file_name());
    let arguments = ["--db", "egdb", "--game", "6x4"];
    let (_, end) = start_of(&slice_bytes(&base.directory.join("egdb/6x4"), name));
    let mut case = |case: &str, edit: &dyn Fn(&mut Vec<u8>), expected: Expected| {
        corpus.add_with(case, base, &arguments, |d| {
            edit_slice(&d.join("egdb/6x4"), name, |bytes| {
                assert!(bytes.len() == end + HEAD_CHECKSUM);
                assert_eq!(start_of(bytes).0.coding, Coding::Constant(Value::Win as u64));
                edit(bytes);
            });
            expected
        });
    };
    let coding = |coding: Coding| {
        move |bytes: &mut Vec<u8>| {
            edit_start(bytes, |start| start.coding = coding);
            repair_head(bytes);
        }
    };
    case("accept-one-value", &|_| {}, Expected::verified("DATABASE 6x4 pieces=3"));
    let value = || Expected::refuted("slice-value", &file);
    case("one-value-called-draws", &coding(Coding::Constant(1)), value().at(offset(HEAD)));
    case("one-value-called-losses", &coding(Coding::Constant(0)), value().at(offset(HEAD)));
    let but_one = |bytes: &mut Vec<u8>| {
        let index = index_with(bytes, Value::Win, 0);
        edit_values(bytes, |table| table.set(index, Value::Draw));
    };
    let mut coded = fs::read(base.directory.join("egdb").join(&file)).expect("a slice");
    but_one(&mut coded);
    let entry = offset(SliceFile::read(&coded).entry(0));
    case("one-value-but-for-a-position", &but_one, value().at(entry));
    let refused = || Expected::refuted("slice-syntax", &file);
    let unmended = |b: &mut Vec<u8>| edit_start(b, |start| start.coding = Coding::Constant(1));
    case("one-value-checksum", &unmended, refused().at(offset(end)));
    // Such a file cannot state numbers of contexts or units, and may have none.
    case("one-value-with-a-context", &|b| b.extend([4, 0, 1, 0, 1, 0]), refused());
    case("one-value-with-a-unit", &|b| b.extend([2, 0, 0, 0]), refused());
    case("one-value-and-a-byte", &|b| b.push(0), refused());
    case("one-value-without-units", &coding(Coding::Units(0, 0)), refused());
}

fn contexts_and_directories(corpus: &mut Corpus, base: &Base) {
    let file = SliceFile::read(&slice_bytes(&base.directory.join("egdb/4x4"), SLICE));
    let described = file.head.frequencies.described();
    let (k, entry) = (described.len(), file.entry(0));
    assert!(k >= 2 && file.payloads.len() == 1, "{k} contexts");
    let mut case = |name: &str, edit: &dyn Fn(&mut Vec<u8>), expected: Expected| {
        add_bytes(corpus, base, name, edit, expected);
    };
    let first = file.head.contexts_offset();
    let at = |context: usize| first + 6 * context;
    let context = |n: usize| refused().at(offset(at(n)));
    let set = |bytes: &mut [u8], at: usize, numbers: &[u16]| {
        let new: Vec<u8> = numbers.iter().flat_map(|n| n.to_le_bytes()).collect();
        bytes[at..at + new.len()].copy_from_slice(&new);
    };
    case("slice-contexts-unsorted", &|b| b[first..first + 12].rotate_left(6), context(1));
    case("slice-context-twice", &|b| b.copy_within(first..first + 2, at(1)), context(1));
    case("slice-context-576", &|b| set(b, at(k - 1), &[576]), context(k - 1));
    case("slice-context-65535", &|b| set(b, at(k - 1), &[65535]), context(k - 1));
    case("slice-no-losses", &|b| set(b, first + 2, &[0, 1]), context(0));
    case("slice-no-wins", &|b| set(b, first + 2, &[1, 0]), context(0));
    case("slice-no-draws", &|b| set(b, first + 2, &[8000, 8384]), context(0));
    case("slice-frequencies-beyond-all", &|b| set(b, first + 2, &[8000, 8385]), context(0));
    case("slice-frequencies-2-to-16", &|b| set(b, first + 2, &[32768, 32768]), context(0));
    case("slice-frequencies-all-bits", &|b| set(b, first + 2, &[65535, 65535]), context(0));
    case("slice-default-frequencies", &|b| set(b, first + 2, &[5461, 5461]), context(0));
    let contexts = |b: &mut Vec<u8>, count: u16| {
        let all = (0..count).flat_map(|n| [n, 1, 1]).flat_map(u16::to_le_bytes);
        b.splice(first..at(k), all);
        edit_start(b, |start| start.coding = Coding::Units(count.into(), 1));
    };
    case("slice-577-contexts", &|b| contexts(b, 577), refused().at(offset(HEAD)));

    let here = || refused().at(offset(entry));
    let put =
        |b: &mut [u8], number: u32| b[entry..entry + 4].copy_from_slice(&number.to_le_bytes());
    let length = u32::try_from(file.payloads[0].len()).expect("small");
    for value in 0..3 {
        let name = format!("slice-unit-of-value-{value}-with-a-length");
        case(&name, &|b| put(b, length << 2 | value), here());
        // The payload belongs to no unit.
        let name = format!("slice-unit-of-value-{value}-with-a-payload");
        case(&name, &|b| put(b, value), refused());
    }
    case("slice-payload-of-8", &|b| put(b, 8 << 2 | 3), here());
    case("slice-payload-of-0", &|b| put(b, 3), here());
    case("slice-payload-too-long", &|b| put(b, (length + 2) << 2 | 3), refused());
    case("slice-payload-too-short", &|b| put(b, (length - 2) << 2 | 3), refused());
    case("slice-payload-2-to-30", &|b| put(b, u32::MAX), refused());
    case("slice-payload-missing", &|b| b.truncate(entry + 4), refused());
    case("slice-payload-cut", &|b| b.truncate(b.len() - 2), refused());
    case("slice-trailing-byte", &|b| b.push(0), refused());
    case("slice-trailing-word", &|b| b.extend([0; 2]), refused());
    let units =
        |b: &mut Vec<u8>, n| edit_start(b, |start| start.coding = Coding::Units(k as u64, n));
    let another = |b: &mut Vec<u8>, unit: [u8; 4]| {
        units(b, 2);
        b.splice(entry + 4..entry + 4, unit);
    };
    case("slice-another-unit", &|b| another(b, [1, 0, 0, 0]), refused());
    case(
        "slice-another-unit-in-front",
        &|b| {
            another(b, [1, 0, 0, 0]);
            b[entry..entry + 8].rotate_left(4);
        },
        refused(),
    );
    case(
        "slice-no-units",
        &|b| {
            units(b, 0);
            b.truncate(entry);
        },
        refused(),
    );
}

/// A name, and a function that damages the payload of a unit.
type Fault = (&'static str, fn(&mut SliceFile, usize));

/// The faults of a payload in an otherwise right file.
fn payload_faults() -> [Fault; 19] {
    fn xor_code(file: &mut SliceFile, unit: usize, at: usize) {
        file.edit_code(unit, |code| code[at] ^= 1);
    }
    [
        ("payload-checksum", |file, unit| file.payloads[unit][0] ^= 1),
        ("payload-checksum-last", |file, unit| file.payloads[unit][7] ^= 0x80),
        ("payload-bit", |file, unit| *file.payloads[unit].last_mut().expect("bytes") ^= 1),
        ("payload-a-word-less", |file, unit| {
            file.edit_code(unit, |code| code.truncate(code.len() - 2));
        }),
        ("payload-a-byte-less", |file, unit| {
            file.edit_code(unit, |code| code.truncate(code.len() - 1));
        }),
        ("payload-a-byte-more", |file, unit| file.edit_code(unit, |code| code.push(0))),
        ("payload-a-word-more", |file, unit| file.edit_code(unit, |code| code.extend([0; 2]))),
        ("payload-a-state-only", |file, unit| file.edit_code(unit, |code| code.truncate(4))),
        ("payload-first-word-zero", |file, unit| file.edit_code(unit, |code| code[..2].fill(0))),
        ("payload-state-zero", |file, unit| file.edit_code(unit, |code| code[..4].fill(0))),
        ("payload-other-state", |file, unit| xor_code(file, unit, 0)),
        ("payload-other-word", |file, unit| xor_code(file, unit, 4)),
        ("payload-without-parts", |file, unit| file.edit_payload(unit, |rest| rest.truncate(1))),
        ("payload-part-of-more-words", |file, unit| file.edit_payload(unit, |rest| rest[0] += 1)),
        ("payload-part-of-fewer-words", |file, unit| file.edit_payload(unit, |rest| rest[0] -= 1)),
        ("payload-part-of-a-value", |file, unit| file.edit_payload(unit, |rest| rest[0] = 1)),
        ("payload-part-number-padded", |file, unit| {
            file.edit_payload(unit, |rest| {
                rest[0] |= 0x80;
                rest.insert(1, 0);
            });
        }),
        ("payload-part-number-of-three-bytes", |file, unit| {
            file.edit_payload(unit, |rest| {
                rest[0] |= 0x80;
                rest.splice(1..1, [0x80, 1]);
            });
        }),
        ("payload-another-part", |file, unit| {
            file.edit_payload(unit, |rest| rest.insert(1, 1));
        }),
    ]
}

fn payloads(corpus: &mut Corpus, base: &Base) {
    let payload = SliceFile::read(&slice_bytes(&base.directory.join("egdb/4x4"), SLICE)).payload(0);
    for (name, fault) in payload_faults() {
        let edit = |bytes: &mut Vec<u8>| {
            let mut file = SliceFile::read(bytes);
            fault(&mut file, 0);
            *bytes = file.bytes();
            let slice = Slice::from(SLICE);
            assert!(
                decode_slice(&board(4, 4), slice, bytes).is_err(),
                "by chance it is a code: {name}"
            );
        };
        add_bytes(corpus, base, &format!("slice-{name}"), edit, refused().at(offset(payload)));
    }
    // All values of the file are right.
    for end in [0, 2, 1 << 16, 0x1234_5678] {
        let edit = |bytes: &mut Vec<u8>| {
            let mut file = SliceFile::read(bytes);
            let table = decode_slice(&board(4, 4), SLICE.into(), bytes).expect("a slice");
            let values = &contexts(&board(4, 4), SLICE.into(), &table)[0][0];
            let code = code_that_ends_with(end, &file.head.frequencies, values);
            file.edit_code(0, |old| *old = code);
            *bytes = file.bytes();
        };
        let name = format!("slice-payload-ends-with-{end:x}");
        add_bytes(corpus, base, &name, edit, refused().at(offset(payload)));
    }
}

/// Cases with two errors, of which the first must be reported.
fn orders(corpus: &mut Corpus, base: &Base) {
    let twin = "4x4/1-1-0-1";
    let make_wrong = |bytes: &mut Vec<u8>| {
        let index = index_with(bytes, Value::Win, 0);
        edit_values(bytes, |table| table.set(index, Value::Draw));
    };
    corpus.add("slice-syntax-before-values-of-an-earlier-slice", base, |d| {
        edit_slice(&d.join("egdb/4x4"), SLICE, make_wrong);
        rebind(d, base, TWIN, |bytes| bytes.push(0));
        Expected::refuted("slice-syntax", twin)
    });
    corpus.add("slice-payload-before-values-of-an-earlier-slice", base, |d| {
        edit_slice(&d.join("egdb/4x4"), SLICE, make_wrong);
        rebind(d, base, TWIN, |bytes| *bytes.last_mut().expect("bytes") ^= 1);
        let payload = SliceFile::read(&slice_bytes(&d.join("egdb/4x4"), TWIN)).payload(0);
        Expected::refuted("slice-syntax", twin).at(offset(payload))
    });
    corpus.add("slice-version-before-values-of-an-earlier-slice", base, |d| {
        edit_slice(&d.join("egdb/4x4"), SLICE, make_wrong);
        rebind(d, base, TWIN, |bytes| bytes[8] = 0);
        Expected::declined("version", twin)
    });
    corpus.add("slice-payload-before-head-of-a-later-slice", base, |d| {
        edit_slice(&d.join("egdb/4x4"), TWIN, |bytes| bytes[0] = b'X');
        rebind(d, base, SLICE, |bytes| *bytes.last_mut().expect("bytes") ^= 1);
        refused()
    });
    corpus.add("slice-syntax-before-hash-of-a-later-slice", base, |d| {
        rebind(d, base, SLICE, |bytes| bytes.push(0));
        let path = d.join("egdb").join(twin);
        fs::write(&path, "").expect("a slice");
        refused()
    });
    corpus.add("slice-values-in-order-of-slices", base, |d| {
        edit_slice(&d.join("egdb/4x4"), TWIN, make_wrong);
        rebind(d, base, SLICE, make_wrong);
        wrong_value(&d.join("egdb/4x4"), SLICE, FILE)
    });
}

/// Cases of other bytes with the same values.
pub(super) fn recoded(corpus: &mut Corpus, base: &Base) {
    let verified = || Expected::verified("DRAW 4x4 start=initial");
    let mut case = |name: &str, frequencies: Frequencies| {
        corpus.add(name, base, |d| {
            rebind(d, base, SLICE, |bytes| recode(bytes, frequencies));
            verified()
        });
    };
    let all = |described: [u16; 2]| {
        let mut frequencies = Frequencies::default();
        assert!((0..576).all(|context| frequencies.describe(context, described)));
        frequencies
    };
    case("accept-slice-without-contexts", Frequencies::default());
    case("accept-slice-with-all-contexts", all([5461, 5462]));
    case("accept-slice-of-unlikely-losses", all([1, 8192]));
    case("accept-slice-of-unlikely-values", all([1, 16382]));
    corpus.add("accept-slice-written-again", base, |d| {
        rebind(d, base, SLICE, |bytes| {
            let before = bytes.clone();
            edit_values(bytes, |_| {});
            assert_eq!(before, *bytes);
        });
        verified()
    });
}

/// Cases about slices with more than one unit, in a database alone.
fn units(corpus: &mut Corpus, directory: &Path) {
    let arguments = ["--db", "egdb", "--game", "6x6"];
    let name = format!("6x6/{}", TWO_UNITS.file_name());
    let mut case =
        |case: &str, edit: &dyn Fn(&mut SliceFile), expected: &dyn Fn(&SliceFile) -> Expected| {
            corpus.add_copy(case, directory, &arguments, |d| {
                let mut changed = None;
                edit_slice(&d.join("egdb/6x6"), TWO_UNITS, |bytes| {
                    let mut file = SliceFile::read(bytes);
                    assert!(file.payloads.len() == 2 && !file.payloads.contains(&Vec::new()));
                    edit(&mut file);
                    *bytes = file.bytes();
                    changed = Some(file);
                });
                expected(&changed.expect("a file"))
            });
        };
    let verified = |_: &SliceFile| Expected::verified("DATABASE 6x6 pieces=4");
    let value = |unit: usize| {
        let name = &name;
        move |file: &SliceFile| Expected::refuted("slice-value", name).at(offset(file.entry(unit)))
    };
    let payload = |unit: usize| {
        let name = &name;
        move |file: &SliceFile| {
            Expected::refuted("slice-syntax", name).at(offset(file.payload(unit)))
        }
    };
    case("accept-units", &|_| {}, &verified);
    case(
        "accept-units-without-contexts",
        &|file| {
            let mut bytes = file.bytes();
            recode(&mut bytes, Frequencies::default());
            *file = SliceFile::read(&bytes);
        },
        &verified,
    );
    for unit in [0, 1] {
        let set = |unit: usize, is: Value, to: Value| {
            move |file: &mut SliceFile| {
                let mut bytes = file.bytes();
                // The second unit begins with block 192.
                let index = index_with(&bytes, is, if unit == 0 { 0 } else { 192 * 324 });
                edit_values(&mut bytes, |table| table.set(index, to));
                *file = SliceFile::read(&bytes);
            }
        };
        case(
            &format!("unit-{unit}-draw-called-a-win"),
            &set(unit, Value::Draw, Value::Win),
            &value(unit),
        );
        case(
            &format!("unit-{unit}-win-called-a-loss"),
            &set(unit, Value::Win, Value::Loss),
            &value(unit),
        );
        case(
            &format!("unit-{unit}-called-draws"),
            &|file| {
                file.head.units[unit] = Unit::Constant(Value::Draw);
                file.payloads[unit].clear();
            },
            &value(unit),
        );
        case(&format!("unit-{unit}-checksum"), &|file| file.payloads[unit][3] ^= 1, &payload(unit));
        case(
            &format!("unit-{unit}-a-word-more"),
            &|file| {
                file.edit_code(unit, |code| code.extend([0; 2]));
            },
            &payload(unit),
        );
    }
    case(
        "units-both-damaged",
        &|file| {
            file.payloads.iter_mut().for_each(|payload| payload[0] ^= 1);
        },
        &payload(0),
    );
    case("units-swapped", &|file| file.payloads.swap(0, 1), &payload(0));
    // Syntax is judged before values.
    case(
        "unit-0-called-draws-and-unit-1-damaged",
        &|file| {
            file.head.units[0] = Unit::Constant(Value::Draw);
            file.payloads[0].clear();
            file.payloads[1][0] ^= 1;
        },
        &payload(1),
    );
}

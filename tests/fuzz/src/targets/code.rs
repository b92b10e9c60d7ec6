//! The entropy code of slice files: a code that can be decoded is the only code of its values, and
//! encoded values are decoded again. The same is tried for payloads and their parts.

use super::{Input, with_length};
use certificate_spec::coding::{CONTEXTS, Decoder, Frequencies, encode};
use certificate_spec::payload;
use certificate_spec::value::{Value, checksum};

/// An input is contexts with frequencies; then a code, values, or a payload.
pub(super) fn run(bytes: &[u8]) {
    let mut input = Input(bytes);
    let described = input.section();
    let what = input.byte() % 3;
    let mut frequencies = Frequencies::default();
    for entry in described.chunks_exact(6) {
        let [context, loss, win] = [0, 2, 4].map(|i| u16::from_le_bytes([entry[i], entry[i + 1]]));
        let before = frequencies.clone();
        if !frequencies.describe(context % 600, [loss, win]) {
            frequencies = before;
        }
    }
    let mut again = Frequencies::default();
    for (context, described) in frequencies.described() {
        assert!(again.describe(context, described));
    }
    assert_eq!(again, frequencies);
    // A context depends on the value before it, as in a file, and goes through all numbers.
    let contexts = u16::try_from(CONTEXTS).expect("a few");
    let next = |context: u16, value: Value| (context * 3 + value as u16 + 7) % contexts;
    if what == 0 {
        decode(&frequencies, input.0, next);
    } else if what == 2 {
        split(input.0);
    } else {
        let mut context = 0;
        let numbers = input.0.iter().filter_map(|&byte| Value::from_number(u32::from(byte) % 4));
        let values: Vec<(u16, Value)> = numbers
            .map(|value| {
                let here = (context, value);
                context = next(context, value);
                here
            })
            .collect();
        let code = encode(&frequencies, &values);
        let mut decoder = Decoder::new(&frequencies, &code).expect("a code");
        assert!(values.iter().all(|&(context, value)| decoder.next(context.into()) == value));
        assert!(decoder.is_finished());
    }
}

/// Decodes more values than the code can have, and encodes them again wherever the code is
/// finished.
fn decode(frequencies: &Frequencies, code: &[u8], next: impl Fn(u16, Value) -> u16) {
    let Some(mut decoder) = Decoder::new(frequencies, code) else { return };
    let (mut values, mut context, mut found) = (Vec::new(), 0, 0);
    while values.len() < 64 + 8 * code.len() && found < 8 {
        if decoder.is_finished() {
            assert_eq!(encode(frequencies, &values), code);
            found += 1;
        }
        let value = decoder.next(context.into());
        values.push((context, value));
        context = next(context, value);
    }
}

/// Reads a payload for each number of parts, with its own checksum and with the right one.
fn split(rest: &[u8]) {
    let sealed = [&checksum(rest), rest].concat();
    for parts in 0..18 {
        assert!(payload::read(rest, parts).is_none_or(|_| rest[..8] == checksum(&rest[8..])));
        if let Some(found) = payload::read(&sealed, parts) {
            assert_eq!(found.len(), parts);
            assert_eq!(payload::encode(&found), sealed);
        }
    }
}

pub(super) fn seeds() -> Vec<Vec<u8>> {
    let entry = |numbers: [u16; 3]| numbers.into_iter().flat_map(u16::to_le_bytes);
    let described: Vec<u8> =
        [[0, 1, 8192], [7, 8191, 1], [28, 5461, 1], [91, 1, 16382], [575, 2, 2]]
            .into_iter()
            .flat_map(entry)
            .collect();
    let mut frequencies = Frequencies::default();
    frequencies.describe(7, [8191, 1]);
    let values = [(0, Value::Loss), (7, Value::Loss), (28, Value::Draw)];
    let code = encode(&frequencies, &values);
    let with = |described: &[u8], rest: &[u8]| [&with_length(described)[..], rest].concat();
    vec![
        with(&described, &[1, 0, 1, 2, 1, 1, 1, 0, 0, 2, 1, 1, 1, 2]),
        with(&[], &[&[0][..], &code].concat()),
        with(&described[6..12], &[&[0][..], &code].concat()),
        with(&[], &[2, 1, 4, 3, 0, 2, 9, 9, 9, 9, 9, 9]),
        with(&[], &[&[2, 1, 0xff, 1, 0][..], &[7; 506]].concat()),
        with(&described, &[&[0][..], &0xfa6e288u32.to_le_bytes(), &[1; 40]].concat()),
    ]
}

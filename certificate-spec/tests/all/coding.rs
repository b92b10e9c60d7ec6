//! The entropy code: encoded values are decoded again, and no other code decodes to them.

use crate::prelude::*;
use certificate_spec::coding::CONTEXTS;
use certificate_spec::value::{CHECKSUM, Value, checksum};

/// Values with their contexts, and frequencies for some contexts.
#[derive(Clone, Debug)]
struct Message {
    frequencies: Vec<(u16, [u16; 2])>,
    values: Vec<(u16, Value)>,
}

fn context(g: &mut Gen) -> u16 {
    (u32::from(u16::arbitrary(g)) % CONTEXTS).try_into().unwrap()
}

/// A number from 1 to `most`, often one of the ends.
fn frequency(g: &mut Gen, most: u32) -> u16 {
    let any = u32::arbitrary(g) % most + 1;
    (*g.choose(&[1, most, any, any]).unwrap()).try_into().unwrap()
}

impl Arbitrary for Message {
    fn arbitrary(g: &mut Gen) -> Self {
        // There are few contexts, so that they repeat.
        let contexts: Vec<u16> = (0..=u8::arbitrary(g) % 5).map(|_| context(g)).collect();
        let describe = |g: &mut Gen, &context: &u16| {
            let loss = frequency(g, TOTAL - 2);
            (context, [loss, frequency(g, TOTAL - 1 - u32::from(loss))])
        };
        let frequencies = contexts.iter().map(|context| describe(g, context)).collect();
        let length = u16::arbitrary(g) % 500;
        let value = |g: &mut Gen| *g.choose(&[Value::Loss, Value::Draw, Value::Win]).unwrap();
        let usual = value(g);
        let values = (0..length).map(|_| {
            let context =
                if bool::arbitrary(g) { *g.choose(&contexts).unwrap() } else { context(g) };
            (context, if bool::arbitrary(g) { usual } else { value(g) })
        });
        let values = values.collect();
        Message { frequencies, values }
    }

    fn shrink(&self) -> Box<dyn Iterator<Item = Self>> {
        let this = self.clone();
        let shorter = (0..self.values.len()).map(move |i| {
            let mut less = this.clone();
            less.values.remove(i);
            less
        });
        Box::new(shorter)
    }
}

impl Message {
    fn frequencies(&self) -> Frequencies {
        let mut frequencies = Frequencies::default();
        for &(context, described) in &self.frequencies {
            frequencies.describe(context, described);
        }
        frequencies
    }

    /// The values of a code, if it is the code of as many values in these contexts.
    fn decode(&self, frequencies: &Frequencies, code: &[u8]) -> Option<Vec<(u16, Value)>> {
        let mut decoder = Decoder::new(frequencies, code)?;
        let next = |&(context, _): &(u16, Value)| (context, decoder.next(context.into()));
        let values = self.values.iter().map(next).collect();
        decoder.is_finished().then_some(values)
    }
}

#[test]
fn what_is_encoded_is_decoded() {
    fn comes_back(message: Message) -> bool {
        let frequencies = message.frequencies();
        let code = encode(&frequencies, &message.values);
        code.len() >= 2 && message.decode(&frequencies, &code) == Some(message.values)
    }
    QuickCheck::new().tests(2000).quickcheck(comes_back as fn(Message) -> bool);
}

#[test]
fn a_code_of_another_length_is_refused() {
    fn refused(message: Message, more: Vec<u8>) -> bool {
        let frequencies = message.frequencies();
        let code = encode(&frequencies, &message.values);
        let is_refused = |code: &[u8]| {
            let values = message.decode(&frequencies, code);
            // A truncated code may be the code of other values.
            values.is_none_or(|values| {
                values != message.values && encode(&frequencies, &values) == code
            })
        };
        (0..code.len()).all(|end| is_refused(&code[..end]))
            && (more.is_empty() || is_refused(&[&code[..], &more].concat()))
            && message.decode(&frequencies, &[&code[..], &[0]].concat()).is_none()
            && is_refused(&[&code[..], &[0, 0]].concat())
    }
    QuickCheck::new().quickcheck(refused as fn(Message, Vec<u8>) -> bool);
}

#[test]
fn flipped_bits_are_refused_or_another_message() {
    fn judged(message: Message, flips: Vec<(u16, u8)>) -> bool {
        let frequencies = message.frequencies();
        let code = encode(&frequencies, &message.values);
        let mut flipped = code.clone();
        for (at, bits) in flips {
            let at = usize::from(at) % code.len();
            flipped[at] ^= bits;
        }
        // A code that decodes is the only code of the values that it decodes to.
        let values = message.decode(&frequencies, &flipped);
        values.is_none_or(|values| encode(&frequencies, &values) == flipped)
    }
    QuickCheck::new().tests(2000).quickcheck(judged as fn(Message, Vec<(u16, u8)>) -> bool);
}

#[test]
fn the_code_of_nothing() {
    let frequencies = Frequencies::default();
    assert_eq!(encode(&frequencies, &[]), [1, 0]);
    let is_finished = |code: &[u8]| Decoder::new(&frequencies, code).map(|d| d.is_finished());
    assert_eq!(is_finished(&[1, 0]), Some(true));
    // No other code is finished, and one that begins with a word of 0 is not a code.
    for other in [&[2, 0][..], &[0, 1], &[1, 0, 1, 0], &[1, 0, 0, 0]] {
        assert_eq!(is_finished(other), Some(false), "{other:?}");
    }
    for none in [&[][..], &[0], &[1], &[0, 0], &[0, 0, 1, 0], &[1, 0, 0]] {
        assert_eq!(is_finished(none), None, "{none:?}");
    }
}

#[test]
fn no_bytes_make_the_decoder_fail() {
    fn judged(message: Message, code: Vec<u8>) -> bool {
        let frequencies = message.frequencies();
        let values = message.decode(&frequencies, &code);
        values.is_none_or(|values| encode(&frequencies, &values) == code)
    }
    QuickCheck::new().tests(2000).quickcheck(judged as fn(Message, Vec<u8>) -> bool);
}

/// A part: a value, or a code of `words` words.
fn part(code: &[u8], words: u16) -> Part<'_> {
    match Value::from_number(words.into()) {
        Some(value) => Part::Constant(value),
        None => Part::Coded(&code[..2 * usize::from(words)]),
    }
}

#[test]
fn payloads_come_back_and_nothing_else_is_one() {
    fn judged(words: Vec<u16>, flips: Vec<(u16, u8)>, end: u16) -> bool {
        let code: Vec<u8> = (0..200).collect();
        let words: Vec<u16> = words.into_iter().map(|words| words % 100).take(16).collect();
        // A code whose number of words takes two bytes.
        let long = [0; 2 * 16381];
        let mut parts: Vec<Part<'_>> = words.iter().map(|&words| part(&code, words)).collect();
        parts.push(Part::Coded(&long[..2 * (126 + usize::from(end) % 16256)]));
        let bytes = payload::encode(&parts);
        let mut flipped = bytes[CHECKSUM..].to_vec();
        for (at, bits) in flips {
            let at = usize::from(at) % flipped.len().min(40);
            flipped[at] ^= bits;
        }
        let sealed = |rest: &[u8]| [&checksum(rest)[..], rest].concat();
        let is_one = |payload: &[u8]| {
            let found = payload::read(payload, parts.len());
            found.is_none_or(|parts| payload::encode(&parts) == payload)
        };
        let cut = &bytes[..usize::from(end) % bytes.len()];
        payload::read(&bytes, parts.len()).as_ref() == Some(&parts)
            && payload::read(cut, parts.len()).is_none()
            && is_one(&sealed(&flipped))
            && is_one(&sealed(cut))
            && (flipped == bytes[CHECKSUM..]
                || payload::read(&[&bytes[..CHECKSUM], &flipped].concat(), parts.len()).is_none())
    }
    QuickCheck::new().tests(500).quickcheck(judged as fn(Vec<u16>, Vec<(u16, u8)>, u16) -> bool);
}

#[test]
fn frequencies_that_may_not_be_are_refused() {
    let refused = |context: u32, loss: u32, win: u32| {
        let [context, loss, win] = [context, loss, win].map(|n| u16::try_from(n).unwrap());
        !Frequencies::default().describe(context, [loss, win])
    };
    assert!(refused(CONTEXTS, 1, 1));
    assert!(refused(0, 0, 1) && refused(0, 1, 0));
    assert!(refused(0, 1, TOTAL - 1) && refused(0, TOTAL - 1, 1) && refused(0, 65535, 65535));
    assert!(refused(0, 5461, 5461), "the default");
    assert!(!refused(CONTEXTS - 1, 1, TOTAL - 2) && !refused(0, TOTAL - 2, 1) && !refused(0, 1, 1));
}

#[test]
fn frequencies_of_any_counts_may_be() {
    fn may_be(context: u16, counts: (u64, u64, u64)) -> bool {
        let context = context % 576;
        // The counts are reduced so that their sum does not overflow.
        let counts = [counts.0, counts.1, counts.2].map(|n| n / 4);
        let mut frequencies = Frequencies::default();
        frequencies.describe_counts(context, counts);
        frequencies.described().iter().all(|&(number, described)| {
            number == context && Frequencies::default().describe(number, described)
        })
    }
    QuickCheck::new().quickcheck(may_be as fn(u16, (u64, u64, u64)) -> bool);
    for counts in [(0, 0, 0), (1, 0, 0), (0, 0, 1), (0, 1, 0), (u64::MAX, 0, 0), (1, 1, 1)] {
        assert!(may_be(7, counts), "{counts:?}");
    }
}

//! The entropy code: what is encoded is decoded, and nothing else decodes to it.

use certificate_spec::coding::{CONTEXTS, Decoder, Frequencies, TOTAL, encode};
use certificate_spec::value::{CHECKSUM, Value, checksum};
use quickcheck::{Arbitrary, Gen, QuickCheck};

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
        // Few contexts, so that they come again.
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

    /// The values in a payload, if it is one of as many values in these contexts.
    fn decode(&self, frequencies: &Frequencies, payload: &[u8]) -> Option<Vec<(u16, Value)>> {
        let mut decoder = Decoder::new(frequencies, payload)?;
        let next = |&(context, _): &(u16, Value)| (context, decoder.next(context.into()));
        let values = self.values.iter().map(next).collect();
        decoder.is_finished().then_some(values)
    }
}

/// A payload with this code and the right checksum.
fn with_checksum(code: &[u8]) -> Vec<u8> {
    [&checksum(code)[..], code].concat()
}

#[test]
fn what_is_encoded_is_decoded() {
    fn comes_back(message: Message) -> bool {
        let frequencies = message.frequencies();
        let payload = encode(&frequencies, &message.values);
        payload.len() >= 12 && message.decode(&frequencies, &payload) == Some(message.values)
    }
    QuickCheck::new().tests(2000).quickcheck(comes_back as fn(Message) -> bool);
}

#[test]
fn a_payload_of_another_length_is_refused() {
    fn refused(message: Message, more: Vec<u8>) -> bool {
        let frequencies = message.frequencies();
        let payload = encode(&frequencies, &message.values);
        let code = &payload[CHECKSUM..];
        let is_refused = |code: &[u8]| message.decode(&frequencies, &with_checksum(code)).is_none();
        (0..payload.len()).all(|end| message.decode(&frequencies, &payload[..end]).is_none())
            && (0..code.len()).all(|end| is_refused(&code[..end]))
            && (more.is_empty() || is_refused(&[code, &more].concat()))
            && is_refused(&[code, &[0, 0]].concat())
    }
    QuickCheck::new().quickcheck(refused as fn(Message, Vec<u8>) -> bool);
}

#[test]
fn flipped_bits_are_refused_or_another_message() {
    fn judged(message: Message, flips: Vec<(u16, u8)>) -> bool {
        let frequencies = message.frequencies();
        let payload = encode(&frequencies, &message.values);
        let mut flipped = payload.clone();
        for (at, bits) in flips {
            let at = usize::from(at) % payload.len();
            flipped[at] ^= bits;
        }
        let unseen = flipped == payload || message.decode(&frequencies, &flipped).is_none();
        // With a checksum that fits: whatever decodes is the one code of what it decodes to.
        let flipped = with_checksum(&flipped[CHECKSUM..]);
        let values = message.decode(&frequencies, &flipped);
        unseen && values.is_none_or(|values| encode(&frequencies, &values) == flipped)
    }
    QuickCheck::new().tests(2000).quickcheck(judged as fn(Message, Vec<(u16, u8)>) -> bool);
}

#[test]
fn a_state_below_the_least_is_refused() {
    let frequencies = Frequencies::default();
    let state = |state: u32| with_checksum(&state.to_le_bytes());
    assert!(Decoder::new(&frequencies, &state(0xffff)).is_none());
    assert!(Decoder::new(&frequencies, &state(0x10000)).unwrap().is_finished());
    // Nothing else is the code of nothing.
    assert!(!Decoder::new(&frequencies, &state(0x10001)).unwrap().is_finished());
}

#[test]
fn no_bytes_make_the_decoder_fail() {
    fn judged(message: Message, code: Vec<u8>) -> bool {
        let frequencies = message.frequencies();
        let payload = with_checksum(&code);
        let values = message.decode(&frequencies, &payload);
        message.decode(&frequencies, &code);
        values.is_none_or(|values| encode(&frequencies, &values) == payload)
    }
    QuickCheck::new().tests(2000).quickcheck(judged as fn(Message, Vec<u8>) -> bool);
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
        // So that they can be added up.
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

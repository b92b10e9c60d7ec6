//! The objects of certificates: nodes, and leaves with the bits of their strategies.

use super::bounded;
use crate::common::maker::draw_4x4;
use crate::common::oracle::oracle_4x4;
use certificate_spec::bits::{BitReader, BitWriter, width};
use certificate_spec::object::ObjectHead;
use certificate_spec::{leaves, nodes};

pub(super) fn run(bytes: &[u8]) {
    if let Ok((head, all)) = bounded(4, bytes, nodes::decode) {
        assert_eq!(nodes::encode(&head, &all), bytes);
        ends(&head, nodes::offset(&head, all.len()), bytes);
    }
    if let Ok((head, all)) = bounded(8, bytes, leaves::decode) {
        assert_eq!(leaves::encode(&head, &all), bytes);
        let strategies: usize = all.iter().map(|leaf| leaf.strategy.len()).sum();
        ends(&head, leaves::offset(&head, all.len()) + strategies as u64, bytes);
        all.iter().for_each(|leaf| bits(leaf.strategy));
    }
}

/// Checks that an object with this head ends where it should.
fn ends(head: &ObjectHead, end: u64, bytes: &[u8]) {
    assert!(end == bytes.len() as u64 && head.length() <= bytes.len());
}

/// Reads a strategy with choices among different numbers of successors, and writes it again.
fn bits(strategy: &[u8]) {
    let mut widths = (1..).map(|n: usize| width(n * n % 71)).take(8 * strategy.len());
    let (mut reader, mut writer) = (BitReader::new(strategy), BitWriter::default());
    while !reader.is_finished() {
        let Some(width) = widths.next() else { return };
        let Some(choice) = reader.take(width) else { return };
        assert!(u64::from(choice) < 1 << width);
        writer.push(choice, width);
    }
    assert_eq!(writer.finish(), strategy);
}

pub(super) fn seeds() -> Vec<Vec<u8>> {
    let certificate = draw_4x4(&oracle_4x4(), 2);
    certificate.objects().into_iter().map(|(_, bytes)| bytes).collect()
}

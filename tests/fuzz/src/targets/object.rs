//! The objects of certificates: nodes, leaves with the bits of their strategies, lines of text.

use super::bounded;
use crate::common::maker::draw_4x4;
use crate::common::oracle::oracle_4x4;
use certificate_spec::bits::{BitReader, BitWriter, width};
use certificate_spec::claim::Question;
use certificate_spec::manifest::ObjectHeader;
use certificate_spec::{about, leaves, nodes};

pub(super) fn run(bytes: &[u8]) {
    if let Ok((header, all)) = bounded(4, bytes, nodes::decode) {
        assert_eq!(nodes::encode(&header, &all), bytes);
    }
    if let Ok((header, all)) = bounded(8, bytes, leaves::decode) {
        assert_eq!(leaves::encode(&header, &all), bytes);
        all.iter().for_each(|leaf| bits(leaf.strategy));
    }
    if let Ok((header, text)) = bounded(2, bytes, about::decode) {
        let lines: Vec<String> = text.lines().map(String::from).collect();
        assert_eq!(about::encode(&header, &lines), bytes);
    }
}

/// Reads a strategy with choices among other numbers each time, and writes it again.
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
    let objects = certificate.objects().into_iter().map(|(_, bytes)| bytes);
    let lines = ["option --game 4x4", "", "s VERIFIED ~"].map(String::from);
    let header = ObjectHeader { question: Question::WhiteNotLost, first: 0, count: 3 };
    objects.chain([about::encode(&header, &lines)]).collect()
}

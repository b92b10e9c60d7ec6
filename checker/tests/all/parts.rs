//! How a check is cut into shards and samples.

use certificate_spec::Digest;
use certificate_spec::database::SliceName;
use checker::{Board, Sample, Shape, Shard, below, pairs};
use checker_parts::Work;
use std::ops::Range;

/// The indices of a slice and its twin, if that is another.
fn indices(board: &Board, pair: SliceName) -> u64 {
    let of = |slice| Shape::new(board, slice).indices;
    of(pair) + if pair == pair.twin() { 0 } else { of(pair.twin()) }
}

#[test]
fn shards_cover_the_work_without_overlap_and_are_balanced() {
    let board = Board::new(6, 6).unwrap();
    let pairs = pairs(&board, 6);
    let questions =
        [(0, 35, vec![100_000, 1, 7_000_000]), (1, 0, Vec::new()), (2, 1000, vec![u64::MAX])];
    let weights: Vec<u128> = pairs.iter().map(|&pair| indices(&board, pair).into()).collect();
    for of in [1, 2, 3, 16, 1000] {
        let mut ends = [0; 7];
        for number in 1..=of {
            let work = Work::new(Shard { number, of }, &weights, &questions);
            let ranges = std::iter::once(&work.slices).chain(work.questions.iter().flatten());
            for (end, range) in ends.iter_mut().zip(ranges) {
                assert_eq!(*end, range.start);
                *end = range.end;
            }
        }
        assert_eq!(ends, [pairs.len(), 36, 3, 1, 0, 1001, 1], "{of}");
    }
    let indices =
        |range: Range<usize>| pairs[range].iter().map(|&s| indices(&board, s)).sum::<u64>();
    let (all, most) = (indices(0..pairs.len()), (0..pairs.len()).map(|i| indices(i..i + 1)).max());
    for number in 1..=16 {
        let work = Work::new(Shard { number, of: 16 }, &weights, &[]);
        assert!(indices(work.slices).abs_diff(all / 16) <= most.unwrap());
    }
}

#[test]
fn a_pair_rests_on_groups_before_its_own() {
    let board = Board::new(4, 4).unwrap();
    let pairs = pairs(&board, 4);
    assert_eq!(below(&pairs, &(0..0)), 0);
    assert_eq!(below(&pairs, &(0..1)), 0);
    for i in 0..pairs.len() {
        let below = below(&pairs, &(0..i + 1));
        assert!(below <= i);
        assert!(pairs[..below].iter().all(|p| p.group() < pairs[i].group()));
        assert!(pairs[below..=i].iter().all(|p| p.group() == pairs[i].group()));
    }
}

#[test]
fn a_sample_has_its_share() {
    let count = |sample: Sample| {
        (0..20_000).filter(|i| sample.has(Digest([0; 32]), &format!("node {i}"))).count()
    };
    assert_eq!(count(Sample { millionths: 0, seed: 1 }), 0);
    assert_eq!(count(Sample { millionths: 1_000_000, seed: 1 }), 20_000);
    assert!((150..250).contains(&count(Sample { millionths: 10_000, seed: 1 })));
    let has =
        |seed, i| Sample { millionths: 500_000, seed }.has(Digest([0; 32]), &format!("node {i}"));
    assert!((0..100).any(|i| has(1, i) != has(2, i)));
}

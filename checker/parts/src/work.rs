//! What of a certificate and its database is verified: all of it, a shard or a sample (`SPEC.md` §11).
//!
//! The work is a sequence: the slices of the database, a slice and its twin at a time, then the nodes and
//! then the leaves of each question. A shard is a stretch of it; the shards of one number cover it without
//! gap, whatever the weights are.
//!
//! Soundness: a node or leaf is verified given the values of the database, and the values of a slice and
//! its twin given those of slices in groups before theirs (`derive.rs`; a group has as many pieces and as many
//! men). So if every item of the sequence has been verified by somebody against the same files, all of them
//! are right: the slices by induction over the groups, then nodes and leaves.
//!
//! Trusts: nothing. What a shard takes for granted is stated in its verdict.

use crate::Level;
use crate::numbering::{Shape, group, slices, twin};
use crate::rules::Board;
use certificate_spec::Digest;
use certificate_spec::database::SliceName;
use std::fmt;
use std::ops::Range;
use std::str::FromStr;

/// The weight of a node, and of a position that a leaf expands; an index of the database weighs 1.
const POSITION: u128 = 32;
/// The most shards.
const MOST: u32 = 1_000_000;

/// A shard: the `number`th, from 1, `of` so many.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shard {
    /// Which.
    pub number: u32,
    /// How many there are.
    pub of: u32,
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.number, self.of)
    }
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Shard, String> {
        let numbers =
            text.split_once('/').and_then(|(i, n)| Some((i.parse().ok()?, n.parse().ok()?)));
        let shard = numbers.map(|(number, of)| Shard { number, of }).filter(|shard| {
            (1..=MOST).contains(&shard.of) && (1..=shard.of).contains(&shard.number)
        });
        // Only one spelling, because it is compared as text.
        let shard = shard.filter(|shard| shard.to_string() == text);
        shard.ok_or_else(|| format!("not a shard; write I/N as in 3/16, at most {MOST}"))
    }
}

/// A random sample.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sample {
    /// How many of a million are looked at.
    pub millionths: u32,
    /// What the choice depends on besides the root.
    pub seed: u64,
}

impl fmt::Display for Sample {
    /// The seed and the share, and how likely it is that a sample like this misses every one of so many faults:
    /// a node, leaf or block each.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Sample { millionths, seed } = self;
        let share = f64::from(*millionths) / 1e6;
        write!(f, "share={share} seed={seed} missed=")?;
        let chance = |faults: i32| match (1.0 - share).powi(faults) {
            chance @ ..1e-4 if chance > 0.0 => format!("{faults}:{chance:.1e}"),
            chance => format!("{faults}:{chance:.4}"),
        };
        f.write_str(&[1, 10, 100, 1000].map(chance).join(","))
    }
}

impl Sample {
    /// Whether something is in the sample. `what` is different for each thing.
    pub(crate) fn has(self, root: Digest, what: &str) -> bool {
        let digest = Digest::of(format!("{} {root} {what}", self.seed).as_bytes());
        let first = digest.0.iter().take(8).fold(0u64, |n, &byte| n << 8 | u64::from(byte));
        u128::from(first) * 1_000_000 < u128::from(self.millionths) << 64
    }
}

/// The slices of a database, of a slice and its twin the one that comes later or is its own twin.
pub fn pairs(board: &Board, pieces: u8) -> Vec<SliceName> {
    slices(board, pieces).into_iter().filter(|slice| slice.0 >= twin(*slice).0).collect()
}

/// The number of pairs in groups before the one that the last pair of `own` is in: those that the values
/// of these pairs can rest on.
pub fn below(pairs: &[SliceName], own: &Range<usize>) -> usize {
    let last = own.end.checked_sub(1).filter(|_| !own.is_empty()).and_then(|i| pairs.get(i));
    last.map_or(0, |&last| pairs.partition_point(|&pair| group(pair) < group(last)))
}

/// A question of a claim: its number, how many nodes it has, and the positions that each of its leaves states.
pub(crate) type Size = (u8, usize, Vec<u64>);

/// What is verified: ranges of the sequence, by place in each part of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Work {
    /// All [`pairs`] of slices,
    pub(crate) pairs: Vec<SliceName>,
    /// and which of them.
    pub(crate) slices: Range<usize>,
    /// Of the start and the nodes after it, and of the leaves, of each question of the claim.
    pub(crate) questions: Vec<[Range<usize>; 2]>,
}

impl Work {
    /// All work, or a shard of it.
    pub(crate) fn new(shard: Option<Shard>, board: &Board, pieces: u8, questions: &[Size]) -> Work {
        let pairs = pairs(board, pieces);
        let indices = |slice| u128::from(Shape::new(board, slice).indices);
        let pair = |&slice: &SliceName| match twin(slice) {
            same if same == slice => indices(slice),
            other => indices(slice) + indices(other),
        };
        let mut parts = vec![pairs.iter().map(pair).collect::<Vec<u128>>()];
        parts.extend(questions.iter().map(|&(_, nodes, _)| vec![POSITION; nodes + 1]));
        let leaves = |leaves: &Vec<u64>| leaves.iter().map(|&n| POSITION * u128::from(n)).collect();
        parts.extend(questions.iter().map(|(.., all)| leaves(all)));
        // An item is in the shard in which it begins. A weight is less than 2⁷⁰, so sums do not wrap around.
        // A product may reach its bound if leaves state absurd numbers; the shards cover all even then.
        let all: u128 = parts.iter().flatten().sum::<u128>().max(1);
        let mut begin = 0u128;
        let mut range = |weights: &Vec<u128>| {
            let Some(Shard { number, of }) = shard else { return 0..weights.len() };
            let mut before = [0; 2];
            for weight in weights {
                let here = begin.saturating_mul(of.into()) / all + 1;
                before[0] += usize::from(here < number.into());
                before[1] += usize::from(here <= number.into());
                begin += weight;
            }
            before[0]..before[1]
        };
        let slices = range(&parts[0]);
        let (nodes, leaves) = parts[1..].split_at(questions.len());
        let nodes: Vec<_> = nodes.iter().map(&mut range).collect();
        let questions = nodes.into_iter().zip(leaves).map(|(nodes, all)| [nodes, range(all)]);
        Work { questions: questions.collect(), slices, pairs }
    }

    /// Whether there are nodes or leaves in it.
    pub(crate) fn has_positions(&self) -> bool {
        self.questions.iter().flatten().any(|range| !range.is_empty())
    }

    /// The ranges, each with its end of all after a slash; and the slices whose values were taken for granted to
    /// verify other slices.
    pub(crate) fn words(&self, level: Level, questions: &[Size]) -> String {
        let range = |r: &Range<usize>, of| format!("{}-{}/{of}", r.start, r.end);
        let all = self.pairs.len();
        let given = match level {
            _ if self.slices.is_empty() => 0,
            Level::Exact => below(&self.pairs, &self.slices),
            Level::Consistent => all,
        };
        let mut words = format!("slices={} given=0-{given}/{all}", range(&self.slices, all));
        for (place, name) in ["nodes", "leaves"].into_iter().enumerate() {
            let own = questions.iter().zip(&self.questions).map(|((question, n, l), ranges)| {
                format!("{question}:{}", range(&ranges[place], [n + 1, l.len()][place]))
            });
            let own: Vec<String> = own.collect();
            if !own.is_empty() {
                words += &format!(" {name}={}", own.join(","));
            }
        }
        words
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shards_cover_the_work_without_overlap_and_are_balanced() {
        let board = Board::new(6, 6).unwrap();
        let pairs = pairs(&board, 6);
        let questions =
            [(0, 35, vec![100_000, 1, 7_000_000]), (1, 0, Vec::new()), (2, 1000, vec![u64::MAX])];
        let all = Work::new(None, &board, 6, &questions);
        assert_eq!(all, Work::new(Some(Shard { number: 1, of: 1 }), &board, 6, &questions));
        for of in [1, 2, 3, 16, 1000] {
            let mut ends = [0; 7];
            for number in 1..=of {
                let work = Work::new(Some(Shard { number, of }), &board, 6, &questions);
                let ranges = std::iter::once(&work.slices).chain(work.questions.iter().flatten());
                for (end, range) in ends.iter_mut().zip(ranges) {
                    assert_eq!(*end, range.start);
                    *end = range.end;
                }
            }
            assert_eq!(ends, [pairs.len(), 36, 3, 1, 0, 1001, 1], "{of}");
        }
        let indices = |range: Range<usize>| {
            let of = |s: &SliceName| Shape::new(&board, *s).indices;
            pairs[range]
                .iter()
                .map(|s| of(s) + if *s == twin(*s) { 0 } else { of(&twin(*s)) })
                .sum::<u64>()
        };
        let (all, most) =
            (indices(0..pairs.len()), (0..pairs.len()).map(|i| indices(i..i + 1)).max());
        for number in 1..=16 {
            let work = Work::new(Some(Shard { number, of: 16 }), &board, 6, &[]);
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
            assert!(pairs[..below].iter().all(|&p| group(p) < group(pairs[i])));
            assert!(pairs[below..=i].iter().all(|&p| group(p) == group(pairs[i])));
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
        let has = |seed, i| {
            Sample { millionths: 500_000, seed }.has(Digest([0; 32]), &format!("node {i}"))
        };
        assert!((0..100).any(|i| has(1, i) != has(2, i)));
    }
}

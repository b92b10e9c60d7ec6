//! What of a certificate and its database is verified: all of it, a shard or a sample (`SPEC.md` §11).
//!
//! The work is a sequence: the slices of the database, a slice and its twin at a time, then the nodes and
//! then the leaves of each question. A shard is a stretch of it; the shards of one number cover it without
//! gap, whatever the weights are.
//!
//! Soundness: a node or leaf is verified given the values of the database, and the values of a slice and
//! its twin given those of slices in groups before theirs (`derive.rs` in the checker; a group has as many pieces and as many
//! men). So if every item of the sequence has been verified by somebody against the same files, all of them
//! are right: the slices by induction over the groups, then nodes and leaves.
//!
//! Trusts: nothing. What a shard takes for granted is stated in its verdict.

use crate::journal::{GIVEN, Verified};
use crate::plan::needs;
use crate::tables::{both, of_list};
use certificate_spec::Digest;
use certificate_spec::database::SliceName;
use certificate_spec::manifest::Kind;
use std::fmt;
use std::ops::Range;
use std::str::FromStr;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

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
    pub fn has(self, root: Digest, what: &str) -> bool {
        let digest = Digest::of(format!("{} {root} {what}", self.seed).as_bytes());
        let first = digest.0.iter().take(8).fold(0u64, |n, &byte| n << 8 | u64::from(byte));
        u128::from(first) * 1_000_000 < u128::from(self.millionths) << 64
    }
}

/// The number of pairs in groups before the one that the last pair of `own` is in: those that the values
/// of these pairs can rest on.
pub fn below(pairs: &[SliceName], own: &Range<usize>) -> usize {
    let last = own.end.checked_sub(1).filter(|_| !own.is_empty()).and_then(|i| pairs.get(i));
    last.map_or(0, |last| pairs.partition_point(|pair| pair.group() < last.group()))
}

/// A question of a claim: its number, how many nodes it has, and the positions that each of its leaves states.
pub type Size = (u8, usize, Vec<u64>);

/// What is verified: ranges of the sequence, by place in each part of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Work {
    /// Of the pairs of slices.
    pub slices: Range<usize>,
    /// Of the start and the nodes after it, and of the leaves, of each question of the claim.
    pub questions: Vec<[Range<usize>; 2]>,
}

impl Work {
    /// A shard, given how many indices each pair of slices has.
    pub fn new(shard: Shard, indices: &[u128], questions: &[Size]) -> Work {
        let mut parts = vec![indices.to_vec()];
        parts.extend(questions.iter().map(|&(_, nodes, _)| vec![POSITION; nodes + 1]));
        let leaves = |leaves: &Vec<u64>| leaves.iter().map(|&n| POSITION * u128::from(n)).collect();
        parts.extend(questions.iter().map(|(.., all)| leaves(all)));
        // An item is in the shard in which it begins. A weight is less than 2⁷⁰, so sums do not wrap around.
        // A product may reach its bound if leaves state absurd numbers; the shards cover all even then.
        let all: u128 = parts.iter().flatten().sum::<u128>().max(1);
        let mut begin = 0u128;
        let mut range = |weights: &Vec<u128>| {
            let mut before = [0; 2];
            for weight in weights {
                let here = begin.saturating_mul(shard.of.into()) / all + 1;
                before[0] += usize::from(here < shard.number.into());
                before[1] += usize::from(here <= shard.number.into());
                begin += weight;
            }
            before[0]..before[1]
        };
        let slices = range(&parts[0]);
        let (nodes, leaves) = parts[1..].split_at(questions.len());
        let nodes: Vec<_> = nodes.iter().map(&mut range).collect();
        let questions = nodes.into_iter().zip(leaves).map(|(nodes, all)| [nodes, range(all)]);
        Work { questions: questions.collect(), slices }
    }

    /// The slices that are not verified here and whose tables are needed: those with fewer pieces than the last that
    /// is, those that crownings lead to, and for nodes and leaves all.
    pub fn given(&self, pairs: &[SliceName]) -> Vec<SliceName> {
        let own = both(pairs.get(self.slices.clone()).unwrap_or_default());
        let most = own.last().map_or(0, |slice| slice.pieces());
        let (needs, all) = (needs(&own), self.has_positions());
        let mut slices = both(pairs);
        slices.retain(|s| !own.contains(s) && (all || s.pieces() < most || needs.contains(s)));
        slices
    }

    /// Whether there are nodes or leaves in it.
    fn has_positions(&self) -> bool {
        self.questions.iter().flatten().any(|range| !range.is_empty())
    }

    /// The ranges, each with its end of all after a slash; the slices whose values were taken for granted to
    /// verify other slices; and what stands for the tables, given their digests: those verified one by one,
    /// and all others together.
    pub fn words(
        &self,
        pairs: &[SliceName],
        is_exact: bool,
        questions: &[Size],
        digests: &Verified,
    ) -> String {
        let range = |r: &Range<usize>, of| format!("{}-{}/{of}", r.start, r.end);
        let tables = |slices: Vec<SliceName>, kind: &str| {
            let digest = |s: &SliceName| digests.get(&format!("{kind}{}", s.file_name())).copied();
            slices.iter().map(|s| Some((*s, digest(s)?))).collect::<Option<Vec<_>>>()
        };
        // Unknown is never: nothing would come of such a note.
        let verified = match tables(both(&pairs[self.slices.clone()]), "").as_deref() {
            None => "unknown".into(),
            Some([]) => "none".into(),
            Some(list) => list.iter().map(|t| t.1.to_string()).collect::<Vec<_>>().join(","),
        };
        let count = digests.keys().filter(|key| key.starts_with(GIVEN)).count();
        let rests = match tables(self.given(pairs), GIVEN).as_deref() {
            Some(list) if list.len() != count => "unknown".into(),
            None => "unknown".into(),
            Some([]) => "none".into(),
            Some(list) => of_list(list).to_string(),
        };
        let all = pairs.len();
        let given = match self.slices.is_empty() {
            true => 0,
            false if is_exact => below(pairs, &self.slices),
            false => all,
        };
        let mut words = format!("slices={} tables={verified}", range(&self.slices, all));
        words += &format!(" given=0-{given}/{all} given-tables={rests}");
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

/// A shard or a sample that is being checked, and how much of it has been looked at.
pub struct Scope {
    part: Part,
    pairs: Vec<SliceName>,
    questions: Vec<Size>,
    is_exact: bool,
    /// Nodes (with the start), leaves, the positions that these state, and pairs of blocks; and of how many of these.
    seen: [AtomicU64; 4],
    blocks: AtomicU64,
    /// The digests of tables that were used.
    tables: Mutex<Verified>,
}

enum Part {
    Shard(Shard, Work),
    Sample(Sample),
}

impl Scope {
    /// Of a database with these pairs of slices, each with the indices of one of the two, and a claim with these questions.
    pub fn new(
        shard: Option<Shard>,
        sample: Option<Sample>,
        is_trusted: bool,
        pairs: &[(SliceName, u64)],
        questions: &[Size],
        is_exact: bool,
    ) -> Option<Scope> {
        // Slices whose values are trusted are no work.
        let both = |&(pair, indices): &(SliceName, u64)| match is_trusted {
            true => 0,
            false => u128::from(indices) * if pair == pair.twin() { 1 } else { 2 },
        };
        let indices: Vec<u128> = pairs.iter().map(both).collect();
        let shard = shard.map(|shard| {
            let mut work = Work::new(shard, &indices, questions);
            work.slices = if is_trusted { 0..0 } else { work.slices };
            Part::Shard(shard, work)
        });
        let (pairs, questions) = (pairs.iter().map(|pair| pair.0).collect(), questions.to_vec());
        let part = shard.or(sample.map(Part::Sample))?;
        let (seen, blocks, tables) = Default::default();
        Some(Scope { part, pairs, questions, is_exact, seen, blocks, tables })
    }

    /// The pairs of slices that are verified as a whole.
    pub fn slices(&self) -> Range<usize> {
        match &self.part {
            Part::Shard(_, work) => work.slices.clone(),
            Part::Sample(_) => 0..0,
        }
    }

    /// Whether blocks are verified one by one.
    pub fn has_blocks(&self) -> bool {
        matches!(self.part, Part::Sample(_))
    }

    /// Whether any value of the database may be asked for.
    pub fn has_positions(&self) -> bool {
        match &self.part {
            Part::Shard(_, work) => work.has_positions(),
            Part::Sample(_) => true,
        }
    }

    /// Puts down the digests of all tables that were verified or taken for granted.
    pub fn seal(&self, digests: Verified) {
        *self.tables.lock().unwrap_or_else(PoisonError::into_inner) = digests;
    }

    /// Whether a block with this name, of the database with this root, is wanted.
    pub fn has_block(&self, root: Digest, name: &str) -> bool {
        let is_wanted = match &self.part {
            Part::Shard(..) => false,
            Part::Sample(sample) => sample.has(root, name),
        };
        self.blocks.fetch_add(1, Relaxed);
        self.seen[3].fetch_add(is_wanted.into(), Relaxed);
        is_wanted
    }

    /// Whether node or leaf `i` of the `q`th question is wanted; the start is the first node.
    pub fn has(&self, root: Digest, kind: Kind, q: usize, i: usize) -> bool {
        let (place, size) = (usize::from(kind == Kind::Leaves), &self.questions[q]);
        let is_wanted = match &self.part {
            Part::Shard(_, work) => work.questions[q][place].contains(&i),
            Part::Sample(sample) => sample.has(root, &format!("{kind:?} {} {i}", size.0)),
        };
        if is_wanted {
            self.seen[place].fetch_add(1, Relaxed);
            let positions = size.2.get(i).filter(|_| kind == Kind::Leaves);
            self.seen[2].fetch_add(*positions.unwrap_or(&0), Relaxed);
        }
        is_wanted
    }

    /// What a verdict says, given the words for what is checked.
    pub fn words(&self, words: &str) -> String {
        let [nodes, leaves, positions, blocks] = self.seen.each_ref().map(|n| n.load(Relaxed));
        let is_database = self.questions.is_empty();
        match &self.part {
            Part::Shard(shard, work) => {
                let digests = self.tables.lock().unwrap_or_else(PoisonError::into_inner);
                let ranges = work.words(&self.pairs, self.is_exact, &self.questions, &digests);
                let words = format!("{shard} {words} {ranges}");
                if is_database { words } else { format!("{words} positions={positions}") }
            }
            Part::Sample(sample) => {
                let mut words = format!("{words} blocks={blocks}/{}", self.blocks.load(Relaxed));
                if !is_database {
                    let all: usize = self.questions.iter().map(|question| question.1 + 1).sum();
                    let all_leaves: usize = self.questions.iter().map(|q| q.2.len()).sum();
                    words += &format!(" nodes={nodes}/{all} leaves={leaves}/{all_leaves}");
                }
                format!("{words} {sample}")
            }
        }
    }
}

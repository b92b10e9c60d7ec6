//! The part of a certificate and its database that is verified: all of it, a shard or a sample
//! (`SPEC.md` §11).
//!
//! The work is a sequence: the slices of the database, a slice and its twin at a time, then the
//! nodes and then the leaves of each question. A shard is a range of that sequence; the N shards
//! 1/N to N/N cover it without gap, whatever the weights are.
//!
//! Soundness: a node or leaf is verified given the values of the database, and the values of a
//! slice and its twin given those of slices in groups before theirs (`derive/pairs.rs` in the core;
//! a group has as many pieces and as many men). So if every item of the sequence has been verified
//! by some check against the same files, all of them are right: the slices by induction over the
//! groups, then nodes and leaves.
//!
//! Trusts: nothing. What a shard takes for granted is stated in its verdict.

use crate::sample::Sample;
use crate::statement::believed;
use crate::tables::{TableDigest, both, of_list};
use crate::trusted::TrustedDatabase;
use certificate_notes::Shard;
use certificate_spec::Digest;
use certificate_spec::database::SliceName;
use certificate_spec::manifest::Kind;
use checker_core::{
    Count, Level, LookedAt, PartReport, QuestionSize, Selection, Shape, Stop, TableDigests,
    WorkSize,
};
use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::OnceLock;

/// The weight of a node, and of a position that a leaf expands; an index of the database weighs 1.
const POSITION: u128 = 32;

/// The number of pairs in the groups before that of the last pair of `own`: the values of the pairs
/// `own` can rest only on those.
pub fn below(pairs: &[SliceName], own: &Range<usize>) -> usize {
    let last = own.end.checked_sub(1).filter(|_| !own.is_empty()).and_then(|i| pairs.get(i));
    last.map_or(0, |last| pairs.partition_point(|pair| pair.group() < last.group()))
}

/// The slice that a crowning without a capture leads to, if there are men to crown (`SPEC.md` §11).
/// The core has the same rule for itself: what a note must list is decided here alone.
fn crowned(SliceName([a, b, c, d]): SliceName) -> Option<SliceName> {
    Some(SliceName([c, d, a.checked_sub(1)?, b + 1]))
}

/// The work that is verified: a range of each part of the sequence.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Work {
    /// The range of the pairs of slices.
    pub slices: Range<usize>,
    /// For each question of the claim, the ranges of the start with the nodes after it, and of the
    /// leaves.
    pub questions: Vec<[Range<usize>; 2]>,
}

impl Work {
    /// The work of a shard, given how many indices each pair of slices has.
    pub fn new(shard: Shard, indices: &[u128], questions: &[QuestionSize]) -> Work {
        let mut parts = vec![indices.to_vec()];
        parts.extend(questions.iter().map(|size| vec![POSITION; size.nodes + 1]));
        let leaves =
            |size: &QuestionSize| size.leaves.iter().map(|&n| POSITION * u128::from(n)).collect();
        parts.extend(questions.iter().map(leaves));
        // An item is in the shard in which it begins. A weight is less than 2⁷⁰, so sums do not
        // wrap around. A product may reach its bound if leaves state absurd numbers; the shards
        // cover all even then.
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

    /// The slices that are not verified here and whose tables are needed: those with fewer pieces
    /// than the last slice verified here, those that crownings lead to, and for nodes and leaves
    /// all.
    pub fn prerequisites(&self, pairs: &[SliceName]) -> Vec<SliceName> {
        let own: HashSet<SliceName> = both(&pairs[self.slices.clone()]).into_iter().collect();
        let crowned: HashSet<SliceName> = self.crowned(pairs).collect();
        let (needed, others) = pairs.split_at(self.needed(pairs));
        let is_crowned = |slice: &SliceName| crowned.contains(slice);
        let mut slices = both(needed);
        slices.extend(both(others).into_iter().filter(is_crowned));
        slices.retain(|slice| !own.contains(slice));
        slices
    }

    /// The number of the first pairs that are all needed, as far as they are not verified here.
    pub(crate) fn needed(&self, pairs: &[SliceName]) -> usize {
        let last = pairs[self.slices.clone()].last();
        match (self.has_positions(), last) {
            (true, _) => pairs.len(),
            (false, None) => 0,
            (false, Some(last)) => pairs.partition_point(|pair| pair.pieces() < last.pieces()),
        }
    }

    /// The slices that crownings lead to from those that are verified here.
    pub(crate) fn crowned(&self, pairs: &[SliceName]) -> impl Iterator<Item = SliceName> {
        both(&pairs[self.slices.clone()]).into_iter().filter_map(crowned)
    }

    /// Whether there are no prerequisites; this takes no more time than the slices verified here.
    pub(crate) fn rests_on_nothing(&self, pairs: &[SliceName]) -> bool {
        let needed = self.needed(pairs);
        let own: HashSet<SliceName> = both(&pairs[self.slices.clone()]).into_iter().collect();
        let all_needed = self.slices.start == 0 && needed <= self.slices.end || needed == 0;
        all_needed && self.crowned(pairs).all(|slice| own.contains(&slice))
    }

    /// Whether nodes or leaves are part of this work.
    fn has_positions(&self) -> bool {
        self.questions.iter().flatten().any(|range| !range.is_empty())
    }

    /// The fields of a verdict: the ranges, each with the number of all items after a slash; the
    /// slices whose values were taken for granted to verify other slices; and the digests of the
    /// tables: one for each table verified, and one for the list of all tables taken for granted.
    pub fn verdict_fields(
        &self,
        pairs: &[SliceName],
        is_exact: bool,
        questions: &[QuestionSize],
        digests: &TableDigests,
    ) -> String {
        let range = |r: &Range<usize>, of| format!("{}-{}/{of}", r.start, r.end);
        let tables = |slices: Vec<SliceName>, digests: &HashMap<SliceName, Digest>| {
            let table =
                |&slice: &SliceName| Some(TableDigest { slice, digest: *digests.get(&slice)? });
            slices.iter().map(table).collect::<Option<Vec<_>>>()
        };
        // `unknown` never occurs; merging would not accept such a note.
        let verified = match tables(both(&pairs[self.slices.clone()]), &digests.verified).as_deref()
        {
            None => "unknown".into(),
            Some([]) => "none".into(),
            Some(list) => list.iter().map(|t| t.digest.to_string()).collect::<Vec<_>>().join(","),
        };
        let rests = match tables(self.prerequisites(pairs), &digests.assumed).as_deref() {
            Some(list) if list.len() != digests.assumed.len() => "unknown".into(),
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
        let mut fields = format!("slices={} tables={verified}", range(&self.slices, all));
        fields += &format!(" given=0-{given}/{all} given-tables={rests}");
        for (place, name) in ["nodes", "leaves"].into_iter().enumerate() {
            let own = questions.iter().zip(&self.questions).map(|(size, ranges)| {
                let of = [size.nodes + 1, size.leaves.len()][place];
                format!("{}:{}", size.question, range(&ranges[place], of))
            });
            let own: Vec<String> = own.collect();
            if !own.is_empty() {
                fields += &format!(" {name}={}", own.join(","));
            }
        }
        fields
    }
}

/// Everything: what a whole check looks at, where a journal may speak for some of it.
pub struct Everything {
    /// Whether the values of the database are verified. Where notes are trusted, they are not.
    values: bool,
    /// Whether there are nodes and leaves.
    positions: bool,
    size: OnceLock<WorkSize>,
}

impl Everything {
    /// A selection that has not been told the work yet.
    pub fn new(values: bool, positions: bool) -> Everything {
        Everything { values, positions, size: OnceLock::new() }
    }

    /// The root of the database that the check has used, if there is one.
    pub fn database_root(&self) -> Option<Digest> {
        self.size.get()?.database_root
    }
}

impl Selection for Everything {
    fn begin(&self, size: &WorkSize) {
        let _ = self.size.set(size.clone());
    }
    fn has_pair(&self, _: usize) -> bool {
        self.values
    }
    fn has_positions(&self) -> bool {
        self.positions
    }
    fn has(&self, _: Kind, _: usize, _: usize) -> bool {
        self.positions
    }
}

/// A shard that is being checked.
pub struct ShardSelection {
    shard: Shard,
    /// Whether the values of the database are verified. Where they are trusted, they are not work.
    values: bool,
    work: OnceLock<(Work, WorkSize)>,
}

impl ShardSelection {
    /// A selection of this shard. With `values` the values of the database are verified; otherwise
    /// they are trusted and are not work.
    pub fn new(shard: Shard, values: bool) -> Self {
        ShardSelection { shard, values, work: OnceLock::new() }
    }

    fn work(&self) -> Option<&Work> {
        self.work.get().map(|(work, _)| work)
    }

    /// The root of the database that the check has used, if there is one.
    pub fn database_root(&self) -> Option<Digest> {
        self.work.get()?.1.database_root
    }

    /// The fields of the verdict, given what the core has looked at.
    ///
    /// # Errors
    /// The core has looked at something other than this shard, which would be a bug.
    pub fn verdict_fields(
        &self,
        looked: &PartReport,
        level: Level,
        trusted: Option<&TrustedDatabase>,
    ) -> Result<String, Stop> {
        let mistake = || Stop::Error("another part was checked than the shard".into());
        let (work, size) = self.work.get().ok_or_else(mistake)?;
        let ranges = looked.questions.iter().zip(&work.questions);
        let agrees = |(looked, [nodes, leaves]): (&LookedAt, &[Range<usize>; 2])| {
            let counts = (looked.nodes.looked_at, looked.leaves.looked_at);
            counts == (nodes.len() as u64, leaves.len() as u64)
        };
        if looked.questions.len() != work.questions.len()
            || !ranges.clone().all(agrees)
            || !looked.pairs.iter().all(|pair| work.slices.contains(pair))
            || looked.pairs.len() + looked.believed != work.slices.len()
        {
            return Err(mistake());
        }
        let is_exact = level == Level::Exact;
        let ranges = work.verdict_fields(&size.pairs, is_exact, &size.questions, &looked.tables);
        let PartReport { subject, positions, .. } = looked;
        let trusted = trusted.map_or(String::new(), |trusted| format!(" {trusted}"));
        let journal = believed(looked, work.slices.len());
        let fields = format!("{} {subject}{trusted}{journal} {ranges}", self.shard);
        let is_database = size.questions.is_empty();
        Ok(if is_database { fields } else { format!("{fields} positions={positions}") })
    }
}

impl Selection for ShardSelection {
    fn begin(&self, size: &WorkSize) {
        let indices = |slice: SliceName| u128::from(Shape::new(&size.board, slice).indices);
        let both = |&pair: &SliceName| match self.values {
            true => both(&[pair]).into_iter().map(indices).sum(),
            false => 0,
        };
        let indices: Vec<u128> = size.pairs.iter().map(both).collect();
        let mut work = Work::new(self.shard, &indices, &size.questions);
        if !self.values {
            work.slices = 0..0;
        }
        // Only the first check that this selection is for counts.
        let _ = self.work.set((work, size.clone()));
    }
    fn has_pair(&self, pair: usize) -> bool {
        self.work().is_some_and(|work| work.slices.contains(&pair))
    }
    fn has_positions(&self) -> bool {
        self.work().is_some_and(Work::has_positions)
    }
    fn names_tables(&self) -> bool {
        true
    }
    fn has(&self, kind: Kind, q: usize, i: usize) -> bool {
        let place = usize::from(kind == Kind::Leaves);
        let question = self.work().and_then(|work| work.questions.get(q));
        question.is_some_and(|ranges| ranges[place].contains(&i))
    }
}

/// A kind of item that exists and of which a sample contains none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unseen {
    /// The verdict's word for the items: blocks, nodes or leaves.
    pub what: &'static str,
    /// The number of such items that there are.
    pub of: u64,
}

/// A sample that is being checked.
pub struct SampleSelection {
    sample: Sample,
    size: OnceLock<WorkSize>,
}

impl SampleSelection {
    /// A selection that has not been told the work yet.
    pub fn new(sample: Sample) -> Self {
        SampleSelection { sample, size: OnceLock::new() }
    }

    /// The numbers of blocks, nodes and leaves that were looked at, out of all that there are.
    fn counts(looked: &PartReport) -> [(&'static str, Count); 3] {
        let sum = |count: fn(&LookedAt) -> Count| {
            let counts = looked.questions.iter().map(count);
            counts.fold(Count::default(), |sum, count| Count {
                looked_at: sum.looked_at + count.looked_at,
                of: sum.of + count.of,
            })
        };
        [("blocks", looked.blocks), ("nodes", sum(|q| q.nodes)), ("leaves", sum(|q| q.leaves))]
    }

    /// The fields of the verdict, given what the core has looked at.
    pub fn verdict_fields(&self, looked: &PartReport) -> String {
        let mut fields = looked.subject.clone();
        // A database alone has neither nodes nor leaves.
        let parts = if looked.questions.is_empty() { 1 } else { 3 };
        for (what, Count { looked_at, of }) in &Self::counts(looked)[..parts] {
            fields += &format!(" {what}={looked_at}/{of}");
        }
        format!("{fields} {}", self.sample)
    }

    /// The kinds of items that exist and of which the sample contains none.
    pub fn unseen(looked: &PartReport) -> Vec<Unseen> {
        let counts = Self::counts(looked).into_iter();
        let unseen = counts.filter(|(_, count)| count.of > 0 && count.looked_at == 0);
        unseen.map(|(what, count)| Unseen { what, of: count.of }).collect()
    }
}

impl Selection for SampleSelection {
    fn begin(&self, size: &WorkSize) {
        let _ = self.size.set(size.clone());
    }
    fn has_blocks(&self) -> bool {
        true
    }
    fn has_block(&self, name: &str) -> bool {
        let root = self.size.get().and_then(|size| size.database_root);
        root.is_some_and(|root| self.sample.has(root, name))
    }
    fn has_positions(&self) -> bool {
        true
    }
    fn has(&self, kind: Kind, q: usize, i: usize) -> bool {
        self.size.get().is_some_and(|size| {
            let question = size.questions.get(q).map_or(0, |size| size.question);
            self.sample.has(size.root, &format!("{kind:?} {question} {i}"))
        })
    }
}

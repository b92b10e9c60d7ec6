//! The division of a check into shards and samples.

use crate::common::*;
use checker_audit::{SampleSelection, ShardSelection, TableDigest, Work, below, of_list};
use checker_core::{LookedAt, QuestionSize, TableDigests, WorkSize};

use std::ops::Range;

/// The number of indices of a slice and its twin, unless the slice is its own twin.
fn indices(board: &Board, pair: SliceName) -> u64 {
    let of = |slice| Shape::new(board, slice).indices;
    of(pair) + if pair == pair.twin() { 0 } else { of(pair.twin()) }
}

#[test]
fn shards_cover_the_work_without_overlap_and_are_balanced() {
    let board = Board::new(6, 6).unwrap();
    let pairs = pairs(&board, &Cover::up_to(6));
    let size = |question, nodes, leaves| QuestionSize { question, nodes, leaves };
    let questions = [
        size(0, 35, vec![100_000, 1, 7_000_000]),
        size(1, 0, Vec::new()),
        size(2, 1000, vec![u64::MAX]),
    ];
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
    let pairs = pairs(&board, &Cover::up_to(4));
    assert_eq!(below(&pairs, &(0..0)), 0);
    assert_eq!(below(&pairs, &(0..1)), 0);
    for i in 0..pairs.len() {
        let below = below(&pairs, &(0..i + 1));
        assert!(below <= i);
        assert!(pairs[..below].iter().all(|p| p.group() < pairs[i].group()));
        assert!(pairs[below..=i].iter().all(|p| p.group() == pairs[i].group()));
    }
}

/// `SPEC.md` §11, field `given-tables`, in its own words.
#[test]
fn a_shard_lists_the_tables_that_it_rests_on() {
    let board = Board::new(4, 4).unwrap();
    let pairs = pairs(&board, &Cover::up_to(4));
    let all = both(&pairs);
    for start in 0..pairs.len() {
        for end in start + 1..=pairs.len() {
            let own = both(&pairs[start..end]);
            let is_given = |slice: &&SliceName| {
                let SliceName([c, d, a, b]) = **slice;
                let is_crowned = b > 0 && own.contains(&SliceName([a + 1, b - 1, c, d]));
                let has_fewer = slice.pieces() < pairs[end - 1].pieces();
                !own.contains(*slice) && (has_fewer || is_crowned)
            };
            let given: Vec<SliceName> = all.iter().filter(is_given).copied().collect();
            let work = Work { slices: start..end, questions: Vec::new() };
            assert_eq!(work.prerequisites(&pairs), given, "{start}-{end}");
        }
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

#[test]
fn a_shard_has_one_spelling() {
    for text in ["1/1", "3/16", "16/16", "1000000/1000000"] {
        assert_eq!(text.parse::<Shard>().unwrap().to_string(), text);
    }
    for text in ["", "3", "0/3", "4/3", "1/0", "0/0", "1/1000001", "03/16", "+3/16", "3/16/2"] {
        assert!(text.parse::<Shard>().is_err(), "{text}");
    }
}

#[test]
fn a_sample_says_how_likely_it_is_to_miss_faults() {
    let says = |millionths| Sample { millionths, seed: 7 }.to_string();
    assert_eq!(says(0), "share=0 seed=7 missed=1:1.0000,10:1.0000,100:1.0000,1000:1.0000");
    assert_eq!(says(10_000), "share=0.01 seed=7 missed=1:0.9900,10:0.9044,100:0.3660,1000:4.3e-5");
    assert_eq!(
        says(500_000),
        "share=0.5 seed=7 missed=1:0.5000,10:0.0010,100:7.9e-31,1000:9.3e-302"
    );
    assert_eq!(says(1_000_000), "share=1 seed=7 missed=1:0.0000,10:0.0000,100:0.0000,1000:0.0000");
}

/// The work of a certificate with two questions.
fn work() -> WorkSize {
    let board = Board::new(4, 4).unwrap();
    let size = |question, nodes, leaves| QuestionSize { question, nodes, leaves };
    WorkSize {
        root: Digest([1; 32]),
        database_root: Some(Digest([2; 32])),
        pairs: pairs(&board, &Cover::up_to(3)),
        board,
        questions: vec![size(0, 1, vec![10, 20, 30]), size(2, 0, vec![4000])],
    }
}

/// Returns the report of an honest core for a selection, with these digests.
fn look(selection: &dyn Selection, work: &WorkSize, tables: TableDigests) -> PartReport {
    let mut questions = Vec::new();
    for (q, size) in work.questions.iter().enumerate() {
        let count = |kind, of: usize| Count {
            looked_at: (0..of).filter(|&i| selection.has(kind, q, i)).count() as u64,
            of: of as u64,
        };
        let leaves = size.leaves.iter().enumerate();
        let own = leaves.filter(|(i, _)| selection.has(Kind::Leaves, q, *i));
        questions.push(LookedAt {
            question: size.question,
            nodes: count(Kind::Nodes, size.nodes + 1),
            leaves: count(Kind::Leaves, size.leaves.len()),
            positions: own.map(|(_, n)| n).sum(),
        });
    }
    let all_pairs = work.pairs.len();
    PartReport {
        subject: "SUBJECT".into(),
        pairs: (0..all_pairs).filter(|&pair| selection.has_pair(pair)).collect(),
        all_pairs,
        positions: questions.iter().map(|looked| looked.positions).sum(),
        questions,
        tables,
        ..PartReport::default()
    }
}

#[test]
fn a_shard_says_what_it_has_looked_at() {
    let size = work();
    let pairs = &size.pairs;
    for level in [Level::Exact, Level::Consistent] {
        let (mut slices, mut wanted, mut positions) = (0, 0, 0);
        for number in 1..=4 {
            let selection = ShardSelection::new(Shard { number, of: 4 }, true);
            selection.begin(&size);
            assert!(!selection.has_blocks() && !selection.has_block("a block"));
            let looked = look(&selection, &size, TableDigests::default());
            let all = looked.questions.iter().map(|q| q.nodes.looked_at + q.leaves.looked_at);
            let all: u64 = all.sum();
            assert_eq!(selection.has_positions(), all > 0);
            let own = match looked.pairs[..] {
                [] => 0..0,
                [first, ..] => first..first + looked.pairs.len(),
            };

            // Every table has a different digest, whether verified or taken for granted.
            let of = |slice: &SliceName| Digest::of(slice.file_name().as_bytes());
            let ranges = Work { slices: own.clone(), questions: Vec::new() };
            let mut assumed = ranges.prerequisites(pairs);
            if all > 0 {
                assumed = both(pairs);
                assumed.retain(|slice| !both(&pairs[own.clone()]).contains(slice));
            }
            let mine = both(&pairs[own.clone()]);
            let digests = |slices: &[SliceName]| slices.iter().map(|s| (*s, of(s))).collect();
            let tables = TableDigests { verified: digests(&mine), assumed: digests(&assumed) };
            let list: Vec<_> =
                assumed.iter().map(|s| TableDigest { slice: *s, digest: of(s) }).collect();
            let rests = if list.is_empty() { "none".into() } else { of_list(&list).to_string() };
            let own_tables: Vec<_> = mine.iter().map(|s| of(s).to_string()).collect();
            let own_tables = if mine.is_empty() { "none".into() } else { own_tables.join(",") };
            let below = match own.is_empty() {
                true => 0,
                false if level == Level::Exact => below(pairs, &own),
                false => pairs.len(),
            };
            let n = pairs.len();
            let looked = look(&selection, &size, tables.clone());
            let fields = selection.verdict_fields(&looked, level, None).unwrap();
            assert!(fields.starts_with(&format!("{number}/4 SUBJECT slices=")), "{fields}");
            if !own.is_empty() {
                assert!(fields.contains(&format!(" slices={}-{}/{n} ", own.start, own.end)));
            }
            let rest =
                format!(" tables={own_tables} given=0-{below}/{n} given-tables={rests} nodes=0:");
            assert!(fields.contains(&rest), "{fields}\n{rest}");
            let here = looked.positions;
            assert!(fields.ends_with(&format!(" positions={here}")), "{fields}");

            // With one digest missing, or one more, the verdict cannot be merged.
            if let Some(slice) = mine.last() {
                let mut less = tables.clone();
                less.verified.remove(slice);
                let looked = look(&selection, &size, less);
                let fields = selection.verdict_fields(&looked, level, None).unwrap();
                assert!(fields.contains("tables=unknown"));
            }
            let mut more = tables;
            more.assumed.insert(SliceName([9, 9, 9, 9]), Digest([2; 32]));
            let looked = look(&selection, &size, more);
            let fields = selection.verdict_fields(&looked, level, None).unwrap();
            assert!(fields.contains(" given-tables=unknown "));

            // The report of a core that has looked at something else than the shard is an error.
            let mut other = looked.clone();
            other.questions[0].nodes.looked_at += 1;
            assert!(selection.verdict_fields(&other, level, None).is_err());
            let mut other = looked.clone();
            other.pairs.push(if own.contains(&0) { n } else { 0 });
            assert!(selection.verdict_fields(&other, level, None).is_err());
            // Each pair was verified here, or before, as a journal says.
            let mut other = looked.clone();
            other.believed += 1;
            assert!(selection.verdict_fields(&other, level, None).is_err());
            if other.pairs.pop().is_some() {
                let fields = selection.verdict_fields(&other, level, None).unwrap();
                assert!(fields.contains(&format!(" journal=1/{} ", own.len())), "{fields}");
                other.believed = 0;
                assert!(selection.verdict_fields(&other, level, None).is_err());
            }

            slices += own.len();
            (wanted, positions) = (wanted + all, positions + here);
        }
        assert_eq!((slices, wanted, positions), (pairs.len(), 7, 4060));
    }
}

#[test]
fn a_sample_says_what_it_has_looked_at() {
    let sample = Sample { millionths: 500_000, seed: 3 };
    let (selection, size) = (SampleSelection::new(sample), work());
    selection.begin(&size);
    assert!(selection.has_blocks() && selection.has_positions());
    assert!((0..size.pairs.len()).all(|pair| !selection.has_pair(pair)));
    let blocks = (0..100).filter(|i| selection.has_block(&format!("{i}"))).count() as u64;
    assert!((25..75).contains(&blocks), "{blocks}");
    let mut looked = look(&selection, &size, TableDigests::default());
    looked.blocks = Count { looked_at: blocks, of: 100 };
    let sum = |of: fn(&LookedAt) -> Count| looked.questions.iter().map(|q| of(q).looked_at).sum();
    let (nodes, leaves): (u64, u64) = (sum(|q| q.nodes), sum(|q| q.leaves));
    let fields = format!("SUBJECT blocks={blocks}/100 nodes={nodes}/3 leaves={leaves}/4 {sample}");
    assert_eq!(selection.verdict_fields(&looked), fields);

    let of_a_database = PartReport { questions: Vec::new(), blocks: Count::default(), ..looked };
    let fields = selection.verdict_fields(&of_a_database);
    assert_eq!(fields, format!("SUBJECT blocks=0/0 {sample}"));
}

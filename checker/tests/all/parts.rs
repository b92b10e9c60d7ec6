//! How a check is cut into shards and samples.

use certificate_spec::Digest;
use certificate_spec::database::SliceName;
use certificate_spec::manifest::Kind;
use checker::{Board, Sample, Shape, Shard, below, pairs};
use checker_parts::{GIVEN, Plan, Scope, Size, TableFolder, Verified, Work, both, of_list};
use std::collections::HashSet;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

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

/// Pairs of slices with their indices, and two questions.
fn scope_of(shard: Option<Shard>, sample: Option<Sample>, is_exact: bool) -> Scope {
    let board = Board::new(4, 4).unwrap();
    let pairs: Vec<_> =
        pairs(&board, 3).into_iter().map(|s| (s, Shape::new(&board, s).indices)).collect();
    let questions: [Size; 2] = [(0, 1, vec![10, 20, 30]), (2, 0, vec![4000])];
    Scope::new(shard, sample, false, &pairs, &questions, is_exact).unwrap()
}

/// Asks a scope for all that there is; what it wants of each kind, by question.
fn ask(scope: &Scope, nodes: [usize; 2], leaves: [usize; 2]) -> [[Vec<usize>; 2]; 2] {
    let wants = |kind, counts: [usize; 2]| {
        [0, 1].map(|q| (0..counts[q]).filter(|&i| scope.has(Digest([1; 32]), kind, q, i)).collect())
    };
    [wants(Kind::Nodes, nodes), wants(Kind::Leaves, leaves)]
}

#[test]
fn a_shard_says_what_it_has_looked_at() {
    let board = Board::new(4, 4).unwrap();
    let pairs = pairs(&board, 3);
    for is_exact in [true, false] {
        let (mut slices, mut wanted, mut positions) = (0, 0, 0);
        for number in 1..=4 {
            let scope = scope_of(Some(Shard { number, of: 4 }), None, is_exact);
            assert!(!scope.has_blocks() && !scope.has_block(Digest([1; 32]), "a block"));
            let own = scope.slices();
            let got = ask(&scope, [2, 1], [3, 1]);
            let all: usize = got.iter().flatten().map(Vec::len).sum();
            assert_eq!(scope.has_positions(), all > 0);
            let range = |list: &[usize], of| match list {
                [] => None,
                [first, .., last] => Some(format!("{first}-{}/{of}", last + 1)),
                [one] => Some(format!("{one}-{}/{of}", one + 1)),
            };
            let here: u64 = got[1][0].iter().map(|&i| [10, 20, 30][i]).sum::<u64>()
                + 4000 * got[1][1].len() as u64;

            // Every table has a digest of its own, and so have those that were taken for granted.
            let of = |slice: &SliceName| Digest::of(slice.file_name().as_bytes());
            let work = Work { slices: own.clone(), questions: Vec::new() };
            let mut given = work.given(&pairs);
            if all > 0 {
                given = both(&pairs);
                given.retain(|slice| !both(&pairs[own.clone()]).contains(slice));
            }
            let mine = both(&pairs[own.clone()]);
            let mut digests: Verified = mine.iter().map(|s| (s.file_name(), of(s))).collect();
            digests.extend(given.iter().map(|s| (format!("{GIVEN}{}", s.file_name()), of(s))));
            let list: Vec<_> = given.iter().map(|s| (*s, of(s))).collect();
            let rests = if list.is_empty() { "none".into() } else { of_list(&list).to_string() };
            let tables: Vec<_> = mine.iter().map(|s| of(s).to_string()).collect();
            let tables = if mine.is_empty() { "none".into() } else { tables.join(",") };
            let below = match own.is_empty() {
                true => 0,
                false if is_exact => below(&pairs, &own),
                false => pairs.len(),
            };
            let n = pairs.len();
            let start = format!(
                "{number}/4 WORDS slices={}-{}/{n} tables={tables} given=0-{below}/{n} given-tables={rests} nodes=0:",
                own.start, own.end
            );
            scope.seal(digests.clone());
            let words = scope.words("WORDS");
            assert!(words.starts_with(&start), "{words}\n{start}");
            assert!(words.ends_with(&format!(" positions={here}")), "{words}");
            for (lists, sizes) in got.iter().zip([[2, 1], [3, 1]]) {
                for ((list, of), q) in lists.iter().zip(sizes).zip([0, 2]) {
                    let range = range(list, of).map(|range| format!("{q}:{range}"));
                    assert!(range.is_none_or(|range| words.contains(&range)), "{words}");
                }
            }

            // One that is missing, or one more, and nobody can merge it.
            if let Some((name, digest)) = digests.pop_last() {
                scope.seal(digests.clone());
                assert!(scope.words("WORDS").contains("tables=unknown"));
                digests.insert(name, digest);
            }
            digests.insert(format!("{GIVEN}of no slice"), Digest([2; 32]));
            scope.seal(digests);
            assert!(scope.words("WORDS").contains(" given-tables=unknown "));

            (slices, wanted, positions) = (slices + own.len(), wanted + all, positions + here);
        }
        assert_eq!((slices, wanted, positions), (pairs.len(), 7, 4060));
    }
}

#[test]
fn a_sample_says_what_it_has_looked_at() {
    let sample = Sample { millionths: 500_000, seed: 3 };
    let scope = scope_of(None, Some(sample), true);
    assert!(scope.has_blocks() && scope.has_positions() && scope.slices().is_empty());
    let blocks = (0..100).filter(|i| scope.has_block(Digest([1; 32]), &format!("{i}"))).count();
    let [nodes, leaves] = ask(&scope, [2, 1], [3, 1]).map(|lists| lists.concat().len());
    assert!((25..75).contains(&blocks), "{blocks}");
    let words = format!("WORDS blocks={blocks}/100 nodes={nodes}/3 leaves={leaves}/4 {sample}");
    assert_eq!(scope.words("WORDS"), words);

    let of_a_database = Scope::new(None, Some(sample), false, &[], &[], true).unwrap();
    assert_eq!(of_a_database.words("WORDS"), format!("WORDS blocks=0/0 {sample}"));
    let shard = Some(Shard { number: 1, of: 1 });
    let of_a_database = Scope::new(shard, None, false, &[], &[], true).unwrap();
    assert!(!of_a_database.words("WORDS").contains("positions="));
    assert!(!of_a_database.has_positions());
}

/// The slices of a batch and those that crowning leads to.
fn needs(batch: &[SliceName]) -> HashSet<SliceName> {
    let crowned = |&SliceName([a, b, c, d])| (a > 0).then(|| SliceName([c, d, a - 1, b + 1]));
    batch.iter().filter_map(crowned).chain(batch.iter().copied()).collect()
}

/// What is in memory while the values of a database are checked: within the bound, all that is needed, and
/// nothing goes without need.
#[test]
fn tables_in_memory_keep_to_the_bound() {
    let board = Board::new(6, 4).unwrap();
    let mut slices = both(&pairs(&board, 6));
    slices.sort_by_key(|slice| slice.order());
    let size = |slice: SliceName| Shape::new(&board, slice).indices.div_ceil(64) * 16;
    let bytes = |of: &HashSet<SliceName>| of.iter().map(|&slice| size(slice)).sum::<u64>();
    let sizes: Vec<_> = slices.iter().map(|&slice| (slice, size(slice))).collect();
    let all = bytes(&slices.iter().copied().collect());
    let fewer = |pieces| slices.iter().copied().filter(move |slice| slice.pieces() < pieces);
    let needed = |batch: &[SliceName]| {
        needs(batch).into_iter().chain(fewer(batch[0].pieces())).collect::<HashSet<_>>()
    };
    let pair = |batch: &[SliceName]| 1 + usize::from(batch[0] != batch[0].twin());
    let (mut tight, mut gone) = (0, 0);
    for percent in (1..=100).rev() {
        let memory = all * percent / 100;
        let plan = Plan::new(&sizes, memory);
        assert_eq!(plan.batches(false, true).is_ok(), memory == all);
        let Ok(batches) = plan.batches(false, false) else {
            // There is one that does not fit even alone.
            assert!(plan.batches(true, false).is_err());
            let fits = |&slice: &SliceName| bytes(&needed(&[slice.twin(), slice])) <= memory;
            assert!(!slices.iter().all(fits), "{percent}");
            continue;
        };
        let single = plan.batches(true, false).unwrap();
        assert!(single.iter().all(|batch| batch.len() == pair(batch)));
        for next in batches.windows(2).filter(|next| next[0][0].group() == next[1][0].group()) {
            let more = [&next[0][..], &next[1][..pair(&next[1])]].concat();
            assert!(bytes(&needed(&more)) > memory, "{percent}: {next:?}");
            tight += 1;
        }
        for batches in [batches, single] {
            let checked: Vec<_> = batches.iter().flatten().copied().collect();
            assert_eq!(checked.len(), slices.len());
            assert_eq!(checked.iter().collect::<HashSet<_>>(), slices.iter().collect());
            let mut there = HashSet::new();
            for (i, batch) in batches.iter().enumerate() {
                let (missing, out) = plan.swap(|slice| there.contains(&slice), &batches[i..]);
                let needed = needed(batch);
                let before: HashSet<_> = there.iter().copied().chain(missing.clone()).collect();
                assert_eq!(before.len(), there.len() + missing.len());
                assert!(missing.iter().all(|slice| needed.contains(slice)));
                there = before.clone();
                out.iter()
                    .for_each(|slice| assert!(there.remove(slice) && !needed.contains(slice)));
                assert!(there.is_superset(&needed) && bytes(&there) <= memory);
                // Those go that are needed last, and none when there was room.
                let next_use = |slice: &SliceName| {
                    batches[i..].iter().position(|batch| needs(batch).contains(slice))
                };
                let last = |slice: &SliceName| next_use(slice).unwrap_or(usize::MAX);
                if let Some(latest) = out.last() {
                    assert!(bytes(&there) + size(*latest) > memory);
                    let stays = there.iter().filter(|slice| !needed.contains(slice));
                    assert!(stays.map(last).max() <= out.iter().map(last).min());
                    gone += 1;
                }
            }
        }
    }
    assert!(tight > 10 && gone > 10, "{tight} {gone}");
}

#[test]
fn tables_come_back_as_they_went() {
    let root = tempfile::tempdir().unwrap();
    let folder = TableFolder::new(&root.path().join("tables")).unwrap();
    let words = |length: u64, factor: u64| -> Vec<[AtomicU64; 2]> {
        (0..length).map(|i| [i * factor, !(i * factor)].map(AtomicU64::new)).collect()
    };
    let plain = |words: &[[AtomicU64; 2]]| {
        words.iter().flatten().map(|word| word.load(Relaxed)).collect::<Vec<_>>()
    };
    for length in [1, 3, 17, 4096, 4097, 10_000] {
        let (slice, digest) = (Digest::of(&length.to_string().into_bytes()), Digest::of(b"values"));
        let (went, came) = (words(length, 0x9e37_79b9), words(length, 0));
        assert!(folder.read(slice, &came).is_none());
        folder.write(slice, &went, digest).unwrap();
        assert_eq!(folder.read(slice, &came), Some(digest));
        assert_eq!(plain(&came), plain(&went));
        // A table of another size is none, and neither is a file with more in it.
        assert!(folder.read(slice, &words(length + 1, 0)).is_none());
        let file = root.path().join("tables").join(slice.to_string());
        let bytes = std::fs::read(&file).unwrap();
        std::fs::write(&file, [&bytes[..], &[0]].concat()).unwrap();
        assert!(folder.read(slice, &came).is_none());
    }
}

//! Which of the tables of a database are in memory while it is checked.

use certificate_spec::cover::Cover;
use certificate_spec::database::SliceName;
use checker_aid::{Layer, Plan, Step};
use checker_audit::both;
use checker_core::{Board, Shape, pairs};
use std::collections::HashSet;

/// The slices of a batch and those that crowning leads to.
fn needs(batch: &[SliceName]) -> HashSet<SliceName> {
    let crowned = |&SliceName([a, b, c, d])| (a > 0).then(|| SliceName([c, d, a - 1, b + 1]));
    batch.iter().filter_map(crowned).chain(batch.iter().copied()).collect()
}

/// Where each batch fits with all that it needs: the tables keep to the bound, all tables needed
/// are in memory, and none is removed without need.
#[test]
fn tables_in_memory_keep_to_the_bound() {
    let board = Board::new(6, 4).unwrap();
    let mut slices = both(&pairs(&board, &Cover::up_to(6)));
    slices.sort_by_key(|slice| slice.order());
    let size = |slice: SliceName| Shape::new(&board, slice).indices.div_ceil(64) * 16;
    let bytes = |of: &HashSet<SliceName>| of.iter().map(|&slice| size(slice)).sum::<u64>();
    let sizes: Vec<_> = slices.iter().map(|&slice| (slice, vec![size(slice)])).collect();
    let all = bytes(&slices.iter().copied().collect());
    let needed = |batch: &[SliceName]| self::needed(batch, &slices);
    let pair = |batch: &[SliceName]| 1 + usize::from(batch[0] != batch[0].twin());
    let (mut tight, mut gone) = (0, 0);
    for percent in (1..=100).rev() {
        let memory = all * percent / 100;
        let plan = Plan::new(sizes.clone(), 4, memory);
        assert_eq!(plan.fits(), memory == all);
        assert_eq!(plan.batches(false, true, false).is_ok(), memory == all);
        let Ok(batches) = plan.batches(false, false, false) else {
            // A batch does not fit even alone.
            assert!(plan.batches(true, false, false).is_err());
            let fits = |&slice: &SliceName| bytes(&needed(&[slice.twin(), slice])) <= memory;
            assert!(!slices.iter().all(fits), "{percent}");
            continue;
        };
        let single = plan.batches(true, false, false).unwrap();
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
            let mut steps = plan.schedule(&batches, Vec::new()).unwrap().into_iter();
            let mut there = HashSet::new();
            for (i, batch) in batches.iter().enumerate() {
                let needed = needed(batch);
                for advance in (0..=men(batch) * 4).rev() {
                    let Step { out, bring } = steps.next().unwrap();
                    let is_first = advance == men(batch) * 4;
                    assert!(is_first || out.is_empty() && bring.is_empty());
                    let [out, bring] = [out, bring].map(|layers| {
                        assert!(layers.iter().all(|layer| layer.advance == 0));
                        layers.iter().map(|layer| layer.slice).collect::<Vec<_>>()
                    });
                    out.iter().for_each(|slice| {
                        assert!(there.remove(slice) && !needed.contains(slice));
                    });
                    bring.iter().for_each(|slice| assert!(there.insert(*slice)));
                    assert!(there.is_superset(&needed) && bytes(&there) <= memory);
                    // The tables removed are those that are needed last, and none is removed when
                    // there was room.
                    let next_use = |slice: &SliceName| {
                        let later = &batches[i + 1..];
                        later.iter().position(|batch| self::needed(batch, &slices).contains(slice))
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
            assert!(steps.next().is_none());
        }
    }
    assert!(tight > 10 && gone > 10, "{tight} {gone}");
}

/// The number of men of both sides in the slices of a batch.
fn men(batch: &[SliceName]) -> usize {
    usize::from(batch[0].0[0] + batch[0].0[2])
}

/// The slices that a batch needs where there is room.
fn needed(batch: &[SliceName], slices: &[SliceName]) -> HashSet<SliceName> {
    let fewer = slices.iter().filter(|slice| slice.pieces() < batch[0].pieces());
    needs(batch).into_iter().chain(fewer.copied()).collect()
}

/// Where a pair does not fit: the layers that each layer needs are in memory, and no layer of the
/// pair comes twice.
#[test]
fn layers_in_memory_keep_to_the_bound() {
    let board = Board::new(8, 8).unwrap();
    let mut slices = both(&pairs(&board, &Cover::up_to(5)));
    slices.sort_by_key(|slice| slice.order());
    let bytes = |&slice: &SliceName| (slice, Shape::new(&board, slice).layer_bytes(&board));
    let sizes: Vec<(SliceName, Vec<u64>)> = slices.iter().map(bytes).collect();
    let layers = |slice: SliceName| sizes.iter().find(|(s, _)| *s == slice).unwrap().1.clone();
    let size = |layer: &Layer| layers(layer.slice)[layer.advance];
    let all: u64 = sizes.iter().flat_map(|(_, layers)| layers).sum();
    let at = |slice: SliceName, advance: usize| {
        let count = layers(slice).len();
        let advance = if count == 1 { 0 } else { advance };
        (advance < count).then_some(Layer { slice, advance })
    };
    let mut least = None;
    for percent in [60, 40, 30, 20, 15, 10, 8, 6, 5, 4, 3, 2, 1] {
        let memory = all * percent / 100;
        let plan = Plan::new(sizes.clone(), 6, memory);
        let batches = plan.batches(true, false, true).unwrap();
        let end = Layer { slice: *slices.last().unwrap(), advance: 0 };
        let Ok(steps) = plan.schedule(&batches, vec![vec![end]]) else {
            continue;
        };
        least = Some(percent);
        let mut steps = steps.into_iter();
        let mut there: HashSet<Layer> = HashSet::new();
        for batch in &batches {
            let mut came = HashSet::new();
            for advance in (0..=men(batch) * 6).rev() {
                let Step { out, bring } = steps.next().unwrap();
                assert!(out.iter().all(|layer| there.remove(layer)));
                assert!(bring.iter().all(|layer| there.insert(*layer)));
                let own = bring.iter().filter(|layer| batch.contains(&layer.slice));
                own.for_each(|layer| assert!(came.insert(*layer), "{layer:?}"));
                assert!(there.iter().map(size).sum::<u64>() <= memory);
                for &slice in batch {
                    let SliceName([a, b, c, d]) = slice;
                    let mut needed = vec![at(slice, advance), at(slice, advance + 1)];
                    if let (Some(a), Some(advance)) = (a.checked_sub(1), advance.checked_sub(6)) {
                        needed.push(at(SliceName([c, d, a, b + 1]), advance));
                    }
                    let needed: Vec<Layer> = needed.into_iter().flatten().collect();
                    assert!(needed.iter().all(|layer| there.contains(layer)), "{slice:?}");
                }
            }
            assert_eq!(came.len(), batch.iter().map(|&slice| layers(slice).len()).sum::<usize>());
        }
        steps.next().unwrap();
        assert!(steps.next().is_none());
    }
    // As a whole, the largest pair takes more with all that it needs.
    let whole = |batch: &[SliceName]| {
        let needed = needed(batch, &slices).into_iter();
        needed.flat_map(&layers).sum::<u64>()
    };
    let pair = |&slice: &SliceName| whole(&[slice, slice.twin()]);
    assert!(slices.iter().map(pair).max().unwrap() > all * least.unwrap() / 100, "{least:?}");
}

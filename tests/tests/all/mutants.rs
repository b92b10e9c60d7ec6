//! A few thousand mutants, the same each time. The campaign of hundreds of thousands is a separate
//! program (`docs/hardening.md`).

use certificate_spec::claim::Value;
use tests::mutants::base::{Base, Selection, bases};
use tests::mutants::campaign::{Plan, Ruling, outcome, run};
use tests::mutants::judge::judge;
use tests::mutants::tally::Outcome;
use tests::mutants::{CLASSES, Mutant};
use tests::prelude::*;

const PLAN: Plan = Plan { mutants: 1800, seed: 20, threads: 1, sample: 25, progress: false };

/// The bases take longer to make than what is tried with them.
#[test]
fn false_mutants_are_never_verified() {
    let root = Scratch::empty();
    let bases = bases(&root, Selection::Small);
    mutants_are_distinct(&bases);
    a_lazy_checker_is_detected(&bases);
    let tally = run(&bases, &PLAN, &root.join("run"));
    let total = tally.total();
    assert!(total.wrong.is_empty(), "{}", tally.text());
    assert_eq!(total.mutants(), PLAN.mutants);
    assert!(tally.sampled >= CLASSES.len() as u64);
    for (class, of) in CLASSES.iter().zip(&tally.classes) {
        assert!(of.mutants() >= 50 && of.mutants() > of.valid(), "{}: {of:?}", class.name);
    }
    // The campaign must stay deep: many rules are hit, and some changes are harmless.
    assert!(total.refuted.len() >= 20, "{:?}", total.refuted);
    assert!(total.valid() >= 50 && total.conditional > 0, "{total:?}");

    let shared = Plan { threads: 3, mutants: 360, ..PLAN };
    let alone = run(&bases, &Plan { threads: 1, ..shared }, &root.join("alone"));
    assert_eq!(run(&bases, &shared, &root.join("shared")), alone);
}

fn mutants_are_distinct(bases: &[Base]) {
    let all: Vec<Mutant> = (0..720).map(|n| Mutant::new(bases, PLAN.seed, n)).collect();
    assert!(all.iter().all(|mutant| mutant.files != bases[mutant.base].files));
    let distinct: BTreeSet<_> = all.iter().map(|mutant| (mutant.base, &mutant.files)).collect();
    assert!(distinct.len() > 500, "{}", distinct.len());
    let again = Mutant::new(bases, PLAN.seed, 77);
    assert!(again.files == all[77].files && Mutant::new(bases, 1, 77).files != again.files);
}

/// A test of the test: a checker that accepts everything is found out in each class.
fn a_lazy_checker_is_detected(bases: &[Base]) {
    let mut found_out = vec![0; CLASSES.len()];
    for number in 0..1440 {
        let mutant = Mutant::new(bases, PLAN.seed, number);
        let shown = judge(&bases[mutant.base], &mutant.files);
        found_out[mutant.class] += u32::from(shown.is_err());
    }
    for (class, found_out) in CLASSES.iter().zip(found_out) {
        assert!(found_out >= 2, "{}: {found_out} of 40", class.name);
    }
    // The judge needs the rules of the claim's own board, which may be that of no base.
    let king = WirePosition { black: 0b1_0000, white: 0b100_0001, kings: 0b100_0001, turn: 1 };
    let node = Node { position: king, rank: 0, data: 0, kind: kind::OR, reserved: 0 };
    let mut draft = bases[2].draft.clone();
    draft.claim.value = Value::WhiteNotLost;
    (draft.claim.game, draft.claim.start) = ("4x6".into(), "W:WK1,K7:B5".into());
    draft.parts.remove(0);
    (draft.parts[0].nodes, draft.parts[0].leaves) = (vec![node], Vec::new());
    let judged = |draft: &Draft| judge(&bases[2], &bases[2].with_draft(draft)).map(|_| ());
    assert_eq!(judged(&draft), Ok(()));
    draft.parts[0].nodes[0].data = 2;
    assert!(judged(&draft).is_err());
    // A proof is not enough: the verdict has to repeat the claim.
    let base = &bases[0];
    for (words, right) in [("DRAW 4x4 start=initial", true), ("DRAW 8x8 start=initial", false)] {
        let outcome = outcome(base, &base.files, Ruling::Verified(words));
        assert_eq!(!matches!(outcome, Outcome::Wrong(_)), right, "{words}: {outcome:?}");
    }
}

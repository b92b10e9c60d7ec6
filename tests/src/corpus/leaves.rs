//! Cases about leaf strategies.

use certificate_spec::claim::Value;
use certificate_spec::leaves;

use super::*;

fn at(draft: &Draft, rule: &str, leaf: usize) -> Expected {
    let head = draft.parts[0].head(draft.parts[0].leaves.len());
    Expected::refuted(rule, object(draft, 0, Kind::Leaves)).at(leaves::offset(&head, leaf))
}

pub(super) fn add(corpus: &mut Corpus, bases: &Bases) {
    edits(corpus, "draw", &bases.draw);
    edits(corpus, "win", &bases.win);
    // The strategy of a draw as that of a win: it goes round in a cycle.
    corpus.add_draft("leaf-that-wins-in-a-circle", &bases.leaf, |draft| {
        draft.claim.value = Value::BlackWins;
        draft.parts.truncate(1);
        draft.parts[0].question = Question::BlackWins;
        Box::new(|draft| at(draft, "leaf-repetition", 0))
    });
    // The strategy of White for Black's question: the choices are read where Black is to move.
    corpus.add_draft("leaf-of-the-other-side", &bases.leaf, |draft| {
        draft.parts[0].leaves = draft.parts[1].leaves.clone();
        Box::new(|draft| Expected { words: "REFUTED".into(), ..at(draft, "", 0) })
    });
}

fn edits(corpus: &mut Corpus, prefix: &str, base: &Base) {
    let leaves = &base.draft.parts[0].leaves;
    let last = leaves.len() - 1;
    // The longest strategy has enough bits for every change.
    let long = (0..leaves.len()).max_by_key(|&i| leaves[i].strategy.len()).unwrap_or(0);
    type Edit<'a> = &'a dyn Fn(&mut Leaf<Vec<u8>>);
    let mut edit = |name: &str, leaf: usize, rule: &'static str, edit: Edit<'_>| {
        corpus.add_draft(&format!("leaf-{prefix}-{name}"), base, |draft| {
            edit(&mut draft.parts[0].leaves[leaf]);
            Box::new(move |draft| at(draft, rule, leaf))
        });
    };
    edit("one-position-too-many", long, "leaf-syntax", &|l| l.positions += 1);
    edit("one-position-too-few", long, "leaf-syntax", &|l| l.positions -= 1);
    edit("positions-2-to-64", last, "leaf-syntax", &|l| l.positions = u64::MAX);
    edit("one-byte-too-many", last, "leaf-syntax", &|l| l.strategy.push(0));
    edit("one-byte-too-few", long, "leaf-syntax", &|l| {
        l.strategy.pop();
    });
    edit("no-strategy", long, "leaf-syntax", &|l| l.strategy.clear());
}

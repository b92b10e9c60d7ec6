//! Other claims for the same nodes, and the same claim for nodes of another question.

use certificate_spec::claim::Value;

use super::base::Base;
use super::covers::any_cover;
use super::nodes::{put, take};
use super::random::Random;
use super::records::any_digest;
use crate::prelude::*;

const VALUES: [Value; 5] =
    [Value::Draw, Value::BlackNotLost, Value::WhiteNotLost, Value::BlackWins, Value::WhiteWins];

pub(super) fn value(_: &Base, draft: &mut Draft, random: &mut Random) -> Option<()> {
    draft.claim.value = *random.pick(&VALUES)?;
    let questions = draft.claim.value.questions();
    match random.below(4) {
        // The questions stay as they are.
        0 => {}
        // Only the questions of the new claim stay.
        1 => draft.parts.retain(|part| questions.contains(&part.question)),
        // The questions that there are stand for all that the claim asks.
        _ => {
            let has = |question| draft.parts.iter().find(|part| part.question == question);
            let other = draft.parts.first();
            let part = |&question: &Question| {
                let part = has(question).or(other)?.clone();
                Some(Part { question, ..part })
            };
            draft.parts = questions.iter().filter_map(part).collect();
        }
    }
    Some(())
}

pub(super) fn start(base: &Base, draft: &mut Draft, random: &mut Random) -> Option<()> {
    let rules = &base.rules;
    let parts: Vec<&Part> = draft.parts.iter().filter(|part| !part.nodes.is_empty()).collect();
    let old = rules.wire(&rules.board.read_fen(&draft.claim.start).ok()?);
    let node = random.pick(&parts)?;
    let node = random.pick(&node.nodes)?.position;
    let from = if random.one_in(2) { old } else { node };
    if !rules.is_possible(&from) {
        return None;
    }
    let squares = usize::from(rules.board.squares());
    let square = 1 << random.below(squares);
    let other = 1 << random.below(squares);
    let new = match random.below(7) {
        0 => from,
        1 => *random.pick(&rules.successors(&from))?,
        2 => WirePosition { turn: from.turn ^ 1, ..from },
        3 => rules.wire(&rules.read(&from).twin(&rules.board)),
        4 => WirePosition { kings: from.kings ^ square, ..from },
        5 => WirePosition { black: from.black ^ square, ..from },
        _ => WirePosition { white: from.white ^ square ^ other, ..from },
    };
    if !rules.is_possible(&new) {
        return None;
    }
    draft.claim.start = rules.board.write_fen(&rules.read(&new));
    Some(())
}

pub(super) fn game_or_cover(base: &Base, draft: &mut Draft, random: &mut Random) -> Option<()> {
    let claim = &mut draft.claim;
    if random.one_in(2) {
        let rows = base.rules.board.rows();
        let columns = base.rules.board.columns();
        let rows = if random.one_in(3) { rows ^ 2 } else { rows };
        let columns = if random.one_in(3) { columns ^ 2 } else { columns };
        claim.game = match random.below(3) {
            0 => format!("{rows}x{columns}"),
            k => format!("{rows}x{columns}/{k}"),
        };
    } else {
        claim.cover = any_cover(random);
        claim.database = match claim.cover.is_empty() {
            true => None,
            false => claim.database.filter(|_| !random.one_in(4)).or(Some(any_digest(random))),
        };
    }
    Some(())
}

/// The question of the same kind for the other side.
fn other_side(question: Question) -> Question {
    match question {
        Question::BlackNotLost => Question::WhiteNotLost,
        Question::WhiteNotLost => Question::BlackNotLost,
        Question::BlackWins => Question::WhiteWins,
        Question::WhiteWins => Question::BlackWins,
    }
}

/// Turns a node's position and exchanges its colours; the number of the chosen move stays the same.
fn turn(rules: &Rules, node: &mut Node) {
    let twin = |p: &WirePosition| rules.wire(&rules.read(p).twin(&rules.board));
    if !rules.is_possible(&node.position) {
        return;
    }
    let chosen = rules.successors(&node.position).get(node.data as usize).map(twin);
    node.position = twin(&node.position);
    if node.kind == kind::OR {
        let successors = rules.successors(&node.position);
        let choice = successors.iter().position(|y| Some(*y) == chosen);
        node.data = choice.and_then(|choice| choice.try_into().ok()).unwrap_or(node.data);
    }
}

pub(super) fn exchanged(base: &Base, draft: &mut Draft, random: &mut Random) -> Option<()> {
    let rules = &base.rules;
    // The colours of all positions are exchanged, or not.
    let turned = random.one_in(2);
    for part in &mut draft.parts {
        part.question = other_side(part.question);
        if turned {
            let mut pairs = take(part);
            pairs.iter_mut().for_each(|(node, _)| turn(rules, node));
            put(part, pairs);
        }
    }
    draft.parts.sort_by_key(|part| part.question);
    // The claim is changed in the same way, or not.
    if random.one_in(2) {
        draft.claim.value = match draft.claim.value {
            Value::Draw => Value::Draw,
            Value::BlackNotLost => Value::WhiteNotLost,
            Value::WhiteNotLost => Value::BlackNotLost,
            Value::BlackWins => Value::WhiteWins,
            Value::WhiteWins => Value::BlackWins,
        };
    }
    if turned && random.one_in(2) {
        let start = rules.board.read_fen(&draft.claim.start).ok()?;
        draft.claim.start = rules.board.write_fen(&start.twin(&rules.board));
    }
    Some(())
}

/// Labels a strategy that does not lose as one that wins, or the other way round.
pub(super) fn relabelled(_: &Base, draft: &mut Draft, random: &mut Random) -> Option<()> {
    let i = random.below(draft.parts.len());
    let mut part = draft.parts.get(i)?.clone();
    (part.question, draft.claim.value) = match part.question {
        Question::BlackNotLost => (Question::BlackWins, Value::BlackWins),
        Question::WhiteNotLost => (Question::WhiteWins, Value::WhiteWins),
        Question::BlackWins => (Question::BlackNotLost, Value::BlackNotLost),
        Question::WhiteWins => (Question::WhiteNotLost, Value::WhiteNotLost),
    };
    let is_win = part.question.is_win();
    let scheme = random.below(4);
    let all = part.nodes.len();
    for (number, node) in (0u32..).zip(&mut part.nodes) {
        node.rank = match scheme {
            _ if !is_win => 0,
            0 => 0,
            1 => number,
            2 => u32::MAX - number,
            _ => u32::try_from(random.below(all)).ok()?,
        };
    }
    draft.parts = vec![part];
    Some(())
}

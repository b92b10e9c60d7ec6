//! The remarks of earlier annotations, which are known by their form.

use super::judge::Verdict;
use crate::board::{Remark, RemarkKind};

/// Between the verdict on a move that is a mistake and the verdict on the position before it.
pub(super) const BEFORE: &str = "; before: ";
/// Before a strength that the mark of a mistake has replaced.
pub(super) const REPLACED: &str = "; the game had ";

/// Removes the remarks of earlier annotations, and restores the strengths that they have replaced.
pub(super) fn remove(remarks: Vec<Remark>) -> Vec<Remark> {
    let mut kept = Vec::new();
    for here in remarks.chunk_by(|one, next| one.after == next.after) {
        let replaced = here.iter().find_map(|remark| match &remark.what {
            RemarkKind::Comment(text) => replaced_by(&on_one_line(text)),
            _ => None,
        });
        let mut is_marked = replaced.is_some();
        for mark in replaced.iter().flatten() {
            kept.push(Remark { after: here[0].after, what: RemarkKind::Mark(mark.clone()) });
        }
        kept.extend(here.iter().filter(|remark| !is_own(&remark.what, &mut is_marked)).cloned());
    }
    kept
}

/// Whether a remark is one of an annotation. `is_marked` tells whether its mark of a mistake is
/// still to come.
fn is_own(what: &RemarkKind, is_marked: &mut bool) -> bool {
    match what {
        RemarkKind::Comment(text) => {
            let text = on_one_line(text);
            Verdict::is_text(&text) || replaced_by(&text).is_some()
        }
        RemarkKind::Mark(mark) => {
            let is_mistake = matches!(mark.as_str(), "?" | "??" | "$2" | "$4");
            is_mistake && std::mem::take(is_marked)
        }
        RemarkKind::Variation(text) => is_better_play(&on_one_line(text)),
        RemarkKind::SetUp(_) => false,
    }
}

/// The strengths that a mistake has replaced, if a comment is the comment on a mistake.
fn replaced_by(comment: &str) -> Option<Vec<String>> {
    let (after, rest) = comment.split_once(BEFORE)?;
    let mut parts = rest.split(REPLACED);
    let is_own = Verdict::is_text(after) && parts.next().is_some_and(Verdict::is_text);
    let replaced: Vec<String> = parts.map(String::from).collect();
    let is_strength = |mark: &String| !mark.contains(char::is_whitespace);
    (is_own && replaced.iter().all(is_strength)).then_some(replaced)
}

/// Whether a variation is a number, a move, the verdict on it and moves without remarks.
fn is_better_play(text: &str) -> bool {
    let inner = text.strip_prefix('(').and_then(|text| text.strip_suffix(')'));
    let parts = inner.and_then(|text| {
        let (first, rest) = text.split_once('{')?;
        let (verdict, moves) = rest.split_once('}')?;
        Some((first, verdict, moves))
    });
    let is_moves = |text: &str| text.chars().all(|c| c.is_ascii_digit() || "-x. ".contains(c));
    parts.is_some_and(|(first, verdict, moves)| {
        is_moves(first) && first.contains('.') && is_moves(moves) && Verdict::is_text(verdict)
    })
}

/// A text as it was before another program broke its lines.
fn on_one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

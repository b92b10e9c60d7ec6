//! A verdict in one plain sentence, for people. The line on standard output is what counts.

use checker_audit::{Statement, Unseen};
use checker_core::{Finding, Stop, Verdict, escaped, write_fen};

/// The sentence for a statement.
pub(crate) fn of(statement: &Statement) -> String {
    match statement {
        Statement::Whole(Verdict::Verified(_)) => {
            "check: everything was checked and is right: the claim in the line holds".into()
        }
        Statement::Whole(Verdict::Consistent(_)) | Statement::Trusting { consistent: true, .. } => {
            "check: every value follows from the others, and they may all be wrong; that is enough for \
             claims of not losing"
                .into()
        }
        Statement::Whole(Verdict::Conditional(_)) | Statement::Trusting { assumed: 1.., .. } => {
            "check: right if the assumed nodes hold; they were not proved".into()
        }
        Statement::Trusting { unsigned: true, .. } => {
            "check: right if the notes are true; no signature was looked at (give --keys)".into()
        }
        Statement::Trusting { .. } => {
            "check: the claim in the line holds, if the journal or the notes are true".into()
        }
        Statement::Shard(_) => "check: this shard is right; the others were not looked at".into(),
        Statement::Sampled { .. } => {
            "check: nothing wrong in the sample; the rest was not looked at".into()
        }
        Statement::Whole(Verdict::Stopped(Stop::Refuted(finding))) => {
            format!("check: refuted: {}", told(finding))
        }
        Statement::Whole(Verdict::Stopped(Stop::Declined(finding))) => {
            format!("check: declined: {}", told(finding))
        }
        Statement::Whole(Verdict::Stopped(Stop::Error(text))) => {
            format!("check: not checked: {text}")
        }
    }
}

/// The warnings that a user must not overlook in a verdict.
pub(crate) fn warnings(statement: &Statement) -> Vec<String> {
    let Statement::Sampled { unseen, .. } = statement else { return Vec::new() };
    let warning = |unseen: &Unseen| {
        let Unseen { what, of } = unseen;
        format!("check: warning: none of {of} {what} is in the sample, which says nothing of them")
    };
    unseen.iter().map(warning).collect()
}

/// The place of a finding, what was expected and found there, and the rule.
fn told(finding: &Finding) -> String {
    let Finding { rule, expected, found, file, offset, position } = finding;
    let mut place = escaped(file);
    if let Some(offset) = offset {
        place += &format!(" at offset {offset}");
    }
    if let Some(position) = position {
        place += &format!(", position {}", write_fen(position));
    }
    format!("{place}: expected {expected}, found {found} (rule {rule})")
}

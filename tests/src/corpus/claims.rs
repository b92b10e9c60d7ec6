//! Cases about CLAIM, and about what a certificate says it proves.

use certificate_spec::claim::Value;

use super::*;

pub(super) fn add(corpus: &mut Corpus, bases: &Bases) {
    let base = &bases.draw;
    let text = base.draft.claim.encode();
    let line =
        |n: usize| -> u64 { text.split_inclusive('\n').take(n).map(|l| l.len() as u64).sum() };
    let mut edit = |name: &str, from: &str, to: &str, expected: Expected| {
        assert!(text.contains(from), "{name}: the claim has no {from:?}");
        let changed = text.replacen(from, to, 1);
        corpus.add(name, base, |d| {
            fs::write(d.join("cert/CLAIM"), changed).expect("CLAIM");
            expected
        });
    };
    let syntax = |n| Expected::refuted("claim-syntax", "CLAIM").at(n);
    edit("claim-crlf", "1\nrules", "1\r\nrules", syntax(0));
    edit("claim-two-blanks", "game 4x4", "game  4x4", syntax(line(2)));
    edit("claim-pieces-leading-zero", "pieces 3", "pieces 03", syntax(line(5)));
    edit("claim-pieces-one", "pieces 3", "pieces 1", syntax(line(5)));
    edit("claim-pieces-beyond-the-board", "pieces 3", "pieces 9", syntax(line(5)));
    edit("claim-value-unknown", "value DRAW", "value WIN", syntax(line(4)));
    edit("claim-value-lower-case", "value DRAW", "value draw", syntax(line(4)));
    edit("claim-game-not-canonical", "game 4x4", "game 4x4/1", syntax(line(2)));
    edit("claim-game-impossible", "game 4x4", "game 4x5", syntax(line(2)));
    edit("claim-fen-not-canonical", "B:W7,8:B1,2", "B:W8,7:B1,2", syntax(line(3)));
    edit("claim-fen-leading-zero", "B:W7,8:B1,2", "B:W07,8:B1,2", syntax(line(3)));
    edit("claim-database-upper-case", "database ", "database A", syntax(line(6)));
    let start = Expected::refuted("claim-start", "CLAIM").at(line(3));
    edit("claim-start-man-on-crowning-row", "B:W7,8:B1,2", "B:W5,6:B1,7", start.clone());
    edit("claim-start-off-the-board", "B:W7,8:B1,2", "B:W7,9:B1,2", start.clone());
    edit("claim-start-two-on-a-square", "B:W7,8:B1,2", "B:W2,8:B1,2", start);
    let version = |what| Expected::declined(what, "CLAIM");
    edit("claim-future-version", "certificate 1", "certificate 2", version("version"));
    edit("claim-other-rules", "rules english-checkers-1", "rules russian-1", version("rules"));
    edit(
        "claim-changed-start",
        "B:W7,8:B1,2",
        "B:W7,8:B1,3",
        Expected::refuted("claim-hash", "CLAIM"),
    );
    for (name, extra) in [("claim-trailing-line", "x\n"), ("claim-trailing-byte", "\0")] {
        corpus.add(name, base, |d| {
            fs::write(d.join("cert/CLAIM"), format!("{text}{extra}")).expect("CLAIM");
            syntax(text.len() as u64)
        });
    }
    corpus.add("claim-empty", base, |d| {
        fs::write(d.join("cert/CLAIM"), "").expect("CLAIM");
        syntax(0)
    });
    corpus.add("claim-forged-verdict", base, |d| {
        fs::write(d.join("cert/CLAIM"), "s VERIFIED DRAW 8x8 start=initial\n").expect("CLAIM");
        syntax(0)
    });
    corpus.add("claim-without-line-feed", base, |d| {
        fs::write(d.join("cert/CLAIM"), text.trim_end()).expect("CLAIM");
        syntax(line(6))
    });

    // Right hashes, wrong claim.
    corpus.add_draft("start-of-another-position", base, |draft| {
        draft.claim.start = "B:W7,8:B1,3".into();
        Box::new(|_| Expected::refuted("start-missing", "CLAIM"))
    });
    corpus.add_draft("start-with-the-other-side-to-move", base, |draft| {
        draft.claim.start = "W:W7,8:B1,2".into();
        Box::new(|_| Expected::refuted("start-missing", "CLAIM"))
    });
    corpus.add_draft("colours-swapped", base, |draft| {
        draft.parts.swap(0, 1);
        draft.parts[0].question = Question::BlackNotLost;
        draft.parts[1].question = Question::WhiteNotLost;
        Box::new(|draft| first_wrong_turn(draft, 0))
    });
    corpus.add_draft("white-wins-claimed-for-black", &bases.win, |draft| {
        draft.claim.value = Value::BlackWins;
        draft.parts[0].question = Question::BlackWins;
        Box::new(|draft| first_wrong_turn(draft, 0))
    });
    corpus.add_draft("draw-claimed-with-one-question", base, |draft| {
        draft.parts.truncate(1);
        Box::new(|_| Expected::refuted("start-missing", "CLAIM"))
    });
    corpus.add_draft("draw-claimed-without-nodes", base, |draft| {
        draft.parts.clear();
        Box::new(|_| Expected::refuted("start-missing", "CLAIM"))
    });
    corpus.add_draft("one-question-more-than-claimed", base, |draft| {
        draft.claim.value = Value::BlackNotLost;
        Box::new(|_| Expected::refuted("manifest-syntax", "MANIFEST"))
    });
    corpus.add_draft("accept-bound-of-black", base, |draft| {
        draft.claim.value = Value::BlackNotLost;
        draft.parts.truncate(1);
        Box::new(|_| Expected::verified("BLACK-NOT-LOST 4x4 start=initial"))
    });
    corpus.add_draft("accept-bound-of-white", base, |draft| {
        draft.claim.value = Value::WhiteNotLost;
        draft.parts.remove(0);
        Box::new(|_| Expected::verified("WHITE-NOT-LOST 4x4 start=initial"))
    });
    let consistent = ["cert", "--db", "egdb", "--level", "consistent"];
    corpus.add_with("level-consistent-for-a-win", &bases.win, &consistent, |_| {
        Expected::declined("level", "CLAIM")
    });
    corpus.add_with("accept-level-consistent", base, &consistent, |_| {
        Expected::verified("DRAW 4x4 start=initial")
    });
    corpus.add_with("no-such-certificate", base, &["nowhere", "--db", "egdb"], |_: &Path| {
        Expected::error()
    });
    corpus
        .add_with("wrong-usage", base, &["cert", "--no-such-option"], |_: &Path| Expected::error());
}

/// The first node that has the wrong side to move for its kind.
fn first_wrong_turn(draft: &Draft, part: usize) -> Expected {
    use certificate_spec::{manifest::Kind, nodes};
    let part_of = &draft.parts[part];
    let white = u8::from(part_of.question.claimant_is_white());
    let wrong = part_of.nodes.iter().position(|n| match n.kind {
        nodes::kind::OR => n.position.turn != white,
        nodes::kind::AND => n.position.turn == white,
        _ => false,
    });
    let file = super::object(draft, part, Kind::Nodes);
    let head = part_of.head(part_of.nodes.len());
    Expected::refuted("node-turn", file).at(nodes::offset(&head, wrong.expect("a node")))
}

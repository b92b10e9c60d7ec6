//! The provenance of a certificate: a typed object that is shown and never relied on.

use super::bounded;
use certificate_spec::claim::Question;
use certificate_spec::cover::Cover;
use certificate_spec::object::ObjectHead;
use certificate_spec::provenance::{
    Asked, Iteration, Mode, Provenance, Request, Resources, Thresholds,
};

/// The most bytes of memory for a byte of input: a byte may stand for an empty text, which takes
/// more than twenty, and growing takes as many again while the old contents are copied.
const TIMES: usize = 100;

pub(super) fn run(bytes: &[u8]) {
    let Ok((head, provenance)) = bounded(TIMES, bytes, Provenance::decode) else { return };
    assert_eq!(provenance.encode(&head), bytes);
    // The text is shown to people, who must not take it for a verdict.
    let shown = provenance.to_string();
    assert!(shown.is_ascii() && shown.lines().all(|line| !line.starts_with("s ")), "{shown}");
    let cover = &provenance.request.cover;
    assert_eq!(Cover::parse(&cover.to_string()).as_ref(), Some(cover));
}

pub(super) fn seeds() -> Vec<Vec<u8>> {
    let request = Request {
        game: "4x4".into(),
        start: "B:W7,8:B1,2".into(),
        claim: Asked::Value,
        cover: Cover::up_to(3),
        leaf_nodes: 1000,
        leaf_table: 1 << 30,
        max_nodes: None,
        thresholds: None,
        seed_line: Vec::new(),
    };
    let iteration =
        Iteration { threshold: None, nodes: 45, leaves: 10, searches: 32, searched: 87, depth: 12 };
    let plain = Provenance {
        program: "draughtproof-prove 0.1.0".into(),
        mode: Mode::Reproducible,
        request,
        iterations: vec![iteration],
    };
    let mut rich = plain.clone();
    let resources = Resources { threads: 64, workers: 300, seconds: 86_400 };
    rich.mode = Mode::FreeRunning(resources);
    rich.request.cover = Cover::parse("7,8:4").expect("a cover");
    rich.request.claim = Asked::WhiteNotLost;
    rich.request.max_nodes = Some(u64::MAX);
    rich.request.thresholds = Some(Thresholds { first: 50, increment: 30, until: Some(80) });
    rich.request.seed_line = ["1-3", "7-5"].map(String::from).into();
    rich.iterations.push(Iteration { threshold: Some(50), ..iteration });
    let farm = Provenance { mode: Mode::Farm(resources), ..plain.clone() };
    let head = |question| ObjectHead { question, first: 0, count: 1 };
    vec![
        plain.encode(&head(Question::BlackNotLost)),
        rich.encode(&head(Question::WhiteNotLost)),
        farm.encode(&head(Question::WhiteWins)),
    ]
}

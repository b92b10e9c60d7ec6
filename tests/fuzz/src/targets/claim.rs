//! CLAIM, and the other texts: FEN, games, covers, shards, digests.

use super::bounded;
use crate::common::board;
use crate::common::maker::draw_4x4;
use crate::common::oracle::oracle_4x4;
use certificate_spec::Digest;
use certificate_spec::claim::{Claim, Value};
use certificate_spec::cover::Cover;
use checker_audit::Shard;
use checker_core::{Game, parse_fen, write_fen};

pub(super) fn run(bytes: &[u8]) {
    if let Ok(claim) = bounded(8, bytes, Claim::decode) {
        assert_eq!(claim.encode().as_bytes(), bytes);
        text(&claim.game);
        text(&claim.start);
    }
    text(&String::from_utf8_lossy(bytes));
}

fn text(text: &str) {
    let decode = |_: &[u8]| {
        if let Some(position) = parse_fen(text) {
            assert_eq!(write_fen(&position), text);
        }
        if let Some(game) = Game::parse(text) {
            assert_eq!(game.name(), text);
            assert!(game.board().is_possible(&game.initial()));
        }
        if let Some(cover) = Cover::parse(text) {
            assert_eq!(cover.to_string(), text);
            read(&cover);
        }
        if let Ok(cover) = text.parse::<Cover>() {
            let canonical = cover.to_string();
            assert_eq!(Cover::parse(&canonical), Some(cover));
        }
        if let Ok(shard) = text.parse::<Shard>() {
            assert_eq!(shard.to_string(), text);
        }
        if let Some(digest) = Digest::parse(text) {
            assert_eq!(digest.to_string(), text);
        }
    };
    bounded(8, text.as_bytes(), decode);
}

/// Checks that a cover in canonical form equals the cover of its clauses, and that it is closed
/// under captures.
fn read(cover: &Cover) {
    assert_eq!(&Cover::of(cover.clauses().iter().copied()), cover);
    for (own, theirs) in (0..=33).flat_map(|own| (0..=33).map(move |theirs| (own, theirs))) {
        let by_clause = cover
            .clauses()
            .iter()
            .any(|c| own + theirs <= u32::from(c.pieces) && own.max(theirs) <= u32::from(c.side));
        let admits = cover.admits(own, theirs);
        assert_eq!(admits, by_clause && own.min(theirs) > 0);
        assert_eq!(admits, cover.admits(theirs, own));
        assert!(!admits || theirs == 1 || cover.admits(own, theirs - 1));
    }
}

pub(super) fn seeds() -> Vec<Vec<u8>> {
    let claim = draw_4x4(&oracle_4x4(), 0).claim;
    let database = Some(Digest::of(b""));
    let other = Claim {
        game: "8x8/2".into(),
        start: "W:W18,24,K30:B12,K16".into(),
        value: Value::WhiteWins,
        cover: Cover::parse("7,8:4").expect("a cover"),
        database,
    };
    let texts = [
        "W:W:B",
        "B:W32:BK1",
        "5x5/2",
        "3/16",
        "0",
        "10:5",
        "7,8:4",
        "8:4,7",
        &board("6x4").name(),
    ];
    let texts = texts.map(String::from).into_iter();
    let claims = [claim, other].map(|claim| claim.encode());
    let digest = Digest::of(b"").to_string();
    texts.chain(claims).chain([digest]).map(String::into_bytes).collect()
}

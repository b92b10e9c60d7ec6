//! CLAIM, and the other texts: FEN, games, shards, digests.

use super::bounded;
use crate::common::board;
use crate::common::maker::draw_4x4;
use crate::common::oracle::oracle_4x4;
use certificate_spec::Digest;
use certificate_spec::claim::{Claim, Value};
use checker::{Game, Shard, parse_fen, write_fen};

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
        if let Ok(shard) = text.parse::<Shard>() {
            assert_eq!(shard.to_string(), text);
        }
        if let Some(digest) = Digest::parse(text) {
            assert_eq!(digest.to_string(), text);
        }
    };
    bounded(8, text.as_bytes(), decode);
}

pub(super) fn seeds() -> Vec<Vec<u8>> {
    let claim = draw_4x4(&oracle_4x4(), 0).claim;
    let database = Some(Digest::of(b""));
    let other = Claim {
        game: "8x8/2".into(),
        start: "W:W18,24,K30:B12,K16".into(),
        value: Value::WhiteWins,
        pieces: 31,
        database,
    };
    let texts = ["W:W:B", "B:W32:BK1", "5x5/2", "3/16", &board("6x4").name()];
    let texts = texts.map(String::from).into_iter();
    let claims = [claim, other].map(|claim| claim.encode());
    let digest = Digest::of(b"").to_string();
    texts.chain(claims).chain([digest]).map(String::into_bytes).collect()
}

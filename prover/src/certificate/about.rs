//! Lines that say how a certificate was made (`SPEC.md` §7.1).

use crate::board::Game;
use crate::proof::{Asked, Manager, Request};

/// What has a bearing on the certificate of a request, a line each, spelt like options.
pub fn option_lines(game: &Game, request: &Request, pieces: u8) -> Vec<String> {
    let Request { start, asked, manager } = request;
    let Manager { leaf_nodes, leaf_table, max_nodes, thresholds, seed } = manager;
    let fen = (*start != game.start()).then(|| game.board.write_fen(start));
    let claim = match asked {
        Asked::Value => "value",
        Asked::BlackNotLost => "black-not-lost",
        Asked::WhiteNotLost => "white-not-lost",
    };
    let moves = seed.windows(2).filter_map(|w| game.board.write_move(&w[0], &w[1]).ok());
    let options = [
        ("option --game", Some(game.to_string())),
        ("option --fen", fen),
        ("option --claim", Some(claim.into())),
        ("option --pieces", Some(pieces.to_string())),
        ("option --leaf-nodes", Some(leaf_nodes.to_string())),
        ("option --leaf-table", Some(leaf_table.to_string())),
        ("option --max-nodes", max_nodes.map(|n| n.to_string())),
        ("option --threshold", thresholds.map(|t| t.first.to_string())),
        ("option --increment", thresholds.map(|t| t.increment.to_string())),
        ("option --until-threshold", thresholds.and_then(|t| Some(t.until?.to_string()))),
        ("seed-line", (!seed.is_empty()).then(|| moves.collect::<Vec<_>>().join(" "))),
    ];
    options.into_iter().filter_map(|(name, value)| Some(format!("{name} {}", value?))).collect()
}

//! The nodes that df-pn takes to decide whether a side wins, for each position of a table: what
//! docs/experiments/070 compares.
//!
//! ```text
//! cargo run --release -p prover --example efforts -- 8x8 7 egdb positions.tsv 30000000 score
//! ```
//! The table has a line of titles and then a name, a FEN and the attacker (`B` or `W`) in each
//! line; columns after these are passed over. The number is the most nodes of a search. The last
//! word is where first numbers come from: `score` (the network) or `material`. Prints for each
//! position the name, `win`, `no win` or `open`, nodes and seconds. One thread; the database must
//! be there.

use std::error::Error;
use std::fs;
use std::path::Path;
use std::time::Instant;

use draughtproof_egdb::{Cover, Store};
use draughtproof_game::{Game, Side};
use draughtproof_proof::prepare_database::{Holding, Room, load_finished};
use draughtproof_proof::progress::Progress;
use draughtproof_proof::search::{Goal, Outcome, Search};

/// Bytes of the table of a search.
const TABLE: u64 = 6 << 30;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [game, pieces, databases, positions, most, numbers] = arguments.as_slice() else {
        return Err("expected a game, pieces, a directory, a table, nodes, score|material".into());
    };
    let (game, cover): (Game, Cover) = (game.parse()?, pieces.parse()?);
    let (board, most): (_, u64) = (&game.board, most.parse()?);
    let store = Store::new(Path::new(databases), board);
    let room = Room { memory: 8 << 30, holding: Some(Holding::MappedIfThere), map_space: None };
    let values = load_finished(&store, &cover, &room, &Progress::new(false))?;
    println!("name\toutcome\tnodes\tseconds");
    for line in fs::read_to_string(positions)?.lines().skip(1) {
        let columns: Vec<&str> = line.split('\t').collect();
        let [name, fen, attacker, ..] = columns[..] else {
            return Err(format!("expected a name, a FEN and an attacker: {line}").into());
        };
        let position = board.read_fen(fen)?;
        let attacker = if attacker == "B" { Side::Black } else { Side::White };
        let goal = Goal::new(board, &values, attacker);
        let goal = if numbers == "material" { goal.without_network() } else { goal };
        let begin = Instant::now();
        let mut search = Search::new(goal, TABLE);
        let outcome = match search.run(&position, most) {
            Outcome::Proved => "win",
            Outcome::Disproved => "no win",
            Outcome::Unknown(_) => "open",
        };
        let (nodes, seconds) = (search.nodes(), begin.elapsed().as_secs_f64());
        println!("{name}\t{outcome}\t{nodes}\t{seconds:.1}");
    }
    Ok(())
}

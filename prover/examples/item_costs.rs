//! The cost of the searches of a proof, repeated one by one: the times that
//! `docs/farm_simulation.py` distributes over workers.
//!
//! ```text
//! prove --game 8x8 --opening 15 --pieces 6 --leaf-nodes 1000000 --max-nodes 100000000 \
//!     --results r --emit cert
//! cargo run --release -p prover --example item_costs -- 8x8 6 egdb r 200
//! ```
//! takes a number of the items in a file of results, evenly from all, and prints for each: nodes,
//! seconds of processor time of the search (which a worker needs), and of the replay of its result
//! (which the manager needs), bytes of item and result. It uses one thread; the database must
//! exist.

use std::error::Error;
use std::ops::ControlFlow;
use std::path::Path;

use draughtproof_egdb::{Cover, Store};
use draughtproof_game::Game;
use draughtproof_proof::prepare_database::{Holding, Room, load_finished};
use draughtproof_proof::progress::Progress;
use draughtproof_proof::proof::{Answer, Item, Ledger, SearchContext};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [game, pieces, databases, results, count] = arguments.as_slice() else {
        return Err("expected a game, pieces, a directory, a file of results, how many".into());
    };
    let (game, cover): (Game, Cover) = (game.parse()?, pieces.parse()?);
    let count: usize = count.parse()?;
    let store = Store::new(Path::new(databases), &game.board);
    let room = Room { memory: 4 << 30, holding: Some(Holding::Mapped), map_space: None };
    let values = load_finished(&store, &cover, &room, &Progress::new(false))?;
    let context = SearchContext {
        board: &game.board,
        database: &values,
        database_root: Some(store.manifest_of(&cover)?.root()),
    };
    let ledger = Ledger::open(Path::new(results))?;
    let items = ledger.items()?;
    let step = items.len().div_ceil(count.max(1)).max(1);
    println!("nodes\tsearch_seconds\treplay_seconds\titem_bytes\tresult_bytes");
    for bytes in items.iter().step_by(step) {
        let item = Item::decode(bytes, &context).ok_or("an item of another proof")?;
        let begin = processor_seconds()?;
        let answer = Answer::of(&item, &context, &|_| ControlFlow::Continue(()), None);
        let result = answer.ok_or("a search that was stopped")?.encode();
        let found = processor_seconds()?;
        let answer = Answer::decode(&result, &item, &context)?;
        let replayed = processor_seconds()?;
        let (search, replay) = (found - begin, replayed - found);
        let sizes = [bytes.len(), result.len()];
        println!("{}\t{search:.4}\t{replay:.6}\t{}\t{}", answer.nodes, sizes[0], sizes[1]);
    }
    Ok(())
}

/// The processor time of this thread so far, in seconds, as Linux counts it.
fn processor_seconds() -> Result<f64, Box<dyn Error>> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat")?;
    let nanoseconds = text.split_whitespace().next().ok_or("an empty schedstat")?;
    Ok(nanoseconds.parse::<f64>()? * 1e-9)
}

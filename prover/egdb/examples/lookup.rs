//! Looks up the positions on standard input, a FEN a line:
//!
//! ```sh
//! echo 'W:W31,10:B3,1' | cargo run --release -p draughtproof-egdb --example lookup -- egdb 8x8
//! ```

use std::error::Error;
use std::io::{self, BufRead};

use draughtproof_egdb::{Database, Mode, Value};
use draughtproof_game::Game;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let (Some(directory), Some(game)) = (arguments.next(), arguments.next()) else {
        return Err("usage: lookup DIRECTORY RxC < POSITIONS".into());
    };
    let board = game.parse::<Game>()?.board;
    let database = Database::open(directory, &board, Mode::default())?;
    for line in io::stdin().lock().lines() {
        let line = line?;
        let position = board.read_fen(&line)?;
        let value = database.probe(&position)?.map_or("unknown", Value::name);
        println!("{line}\t{value}");
    }
    Ok(())
}

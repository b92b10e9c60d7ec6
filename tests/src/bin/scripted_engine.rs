//! An engine for tests of matches: it plays the first legal move at once, and commits the fault
//! that its arguments name after AFTER moves of a game.
//!
//! ```text
//! scripted_engine NAME [illegal|crash|hang AFTER]
//! ```

use std::io::{BufRead, Write, stdin, stdout};

use draughtproof_game::{Board, Game, Move, Position};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let name = arguments.first().ok_or("expected a name")?;
    let fault = arguments.get(1).map_or("", String::as_str);
    let after = arguments.get(2).map_or(Ok(usize::MAX), |n| n.parse())?;
    let game: Game = "8x8".parse()?;
    let mut out = stdout().lock();
    let (mut moves, mut answered) = (String::new(), 0);
    for line in stdin().lock().lines() {
        let line = line?;
        match line.split(' ').next().unwrap_or_default() {
            "hub" => {
                writeln!(out, "id name=\"{name}\" version=1.0 author=tests")?;
                writeln!(out, "param name=threads value=2 type=int")?;
                writeln!(out, "wait")?;
            }
            // The match sets one thread, although the engine's command does not.
            "set-param" if line != "set-param name=threads value=1" => return Err(line.into()),
            "init" => writeln!(out, "ready")?,
            "new-game" => answered = 0,
            "pos" => moves = line.split('"').nth(1).unwrap_or_default().into(),
            "go" if answered == after && fault == "crash" => return Err("a crash".into()),
            "go" if answered == after && fault == "hang" => {}
            "go" if answered == after && fault == "illegal" => writeln!(out, "done move=1-32")?,
            "go" => {
                let position = replay(&game, &moves).ok_or("an illegal move")?;
                let legal = game.board.moves(&position);
                let first = legal.first().ok_or("no move")?;
                writeln!(out, "info depth=7\ndone move={}", write(&game.board, &position, first))?;
                answered += 1;
            }
            "quit" => break,
            _ => {}
        }
        out.flush()?;
    }
    Ok(())
}

fn replay(game: &Game, moves: &str) -> Option<Position> {
    moves.split_whitespace().try_fold(game.start(), |at, name| {
        let legal = game.board.moves(&at);
        Some(legal.iter().find(|m| write(&game.board, &at, m) == name)?.after)
    })
}

/// A move in Hub notation: its ends and the captured pieces, ascending.
fn write(board: &Board, position: &Position, m: &Move) -> String {
    let path = m.paths.first().map_or(&[][..], Vec::as_slice);
    let other = position.turn.opponent();
    let taken = board.squares_of(position.of(other) & !m.after.of(other));
    let squares = path.first().into_iter().chain(path.last()).copied().chain(taken);
    let names: Vec<_> = squares.map(|square| (square + 1).to_string()).collect();
    names.join(if m.is_capture { "x" } else { "-" })
}

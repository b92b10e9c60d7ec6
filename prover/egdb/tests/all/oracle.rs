//! The builder against the simplest one there is: a byte a position, nothing but the rules of the
//! game, and passes over all positions until nothing changes.

use std::collections::HashMap;

use crate::common::{build, each_index};
use draughtproof_egdb::{Slice, Value};
use draughtproof_game::{Board, Position, Side};

/// Where a move leads.
enum After {
    /// To a position of the list.
    Place(usize),
    /// To one in which the opponent has no piece.
    Won,
}

/// Positions with Black to move; others are turned.
struct Oracle {
    board: Board,
    places: HashMap<Position, usize>,
    values: Vec<Value>,
}

impl Oracle {
    fn solve(board: &Board, pieces: u8) -> Self {
        let mut places = HashMap::new();
        for slice in Slice::all(board, pieces) {
            each_index(board, slice, |_, position| {
                if let Some(position) = position {
                    places.insert(position, places.len());
                }
            });
        }
        let values = vec![Value::Draw; places.len()];
        let mut oracle = Oracle { board: board.clone(), places, values };
        oracle.value_all();
        oracle
    }

    fn after(&self, position: &Position) -> After {
        if !position.both_sides() {
            return After::Won;
        }
        let twin = position.twin(&self.board);
        After::Place(self.places[if position.turn == Side::Black { position } else { &twin }])
    }

    fn value_all(&mut self) {
        let mut list = Vec::new();
        let mut moves: Vec<(usize, Vec<After>)> = Vec::new();
        for (position, &place) in &self.places {
            self.board.successors(position, &mut list);
            moves.push((place, list.iter().map(|p| self.after(p)).collect()));
        }
        // Level by level: what is decided in a pass follows from the passes before.
        loop {
            let mut decided = Vec::new();
            for (place, moves) in &moves {
                if self.values[*place] == Value::Draw {
                    match self.value(moves) {
                        Value::Draw => {}
                        value => decided.push((*place, value)),
                    }
                }
            }
            if decided.is_empty() {
                return;
            }
            decided.into_iter().for_each(|(place, value)| self.values[place] = value);
            moves.retain(|(place, _)| self.values[*place] == Value::Draw);
        }
    }

    /// As far as it is known.
    fn value(&self, moves: &[After]) -> Value {
        let after = |after: &After| match *after {
            After::Place(place) => self.values[place],
            After::Won => Value::Loss,
        };
        if moves.iter().any(|m| after(m) == Value::Loss) {
            return Value::Win;
        }
        if moves.iter().all(|m| after(m) == Value::Win) { Value::Loss } else { Value::Draw }
    }
}

fn agree(rows: u8, columns: u8, pieces: u8) {
    let board = Board::new(rows, columns).unwrap();
    let (oracle, database) = (Oracle::solve(&board, pieces), build(&board, pieces));
    for (position, &place) in &oracle.places {
        let fen = board.write_fen(position);
        assert_eq!(database.probe(position), Some(oracle.values[place]), "{fen}");
        assert_eq!(database.probe(&position.twin(&board)), Some(oracle.values[place]), "{fen}");
    }
    // Indices of no position have no value.
    for slice in Slice::all(&board, pieces) {
        let table = database.table(slice);
        each_index(&board, slice, |index, position| match position {
            Some(position) => {
                assert_eq!(table.value(index), oracle.values[oracle.places[&position]])
            }
            None => assert_eq!(table.value(index), Value::Draw, "{slice:?} {index}"),
        });
    }
}

#[test]
fn the_builder_agrees_on_4x4() {
    agree(4, 4, 4);
}

#[test]
fn the_builder_agrees_on_5x5() {
    agree(5, 5, 4);
}

#[test]
fn the_builder_agrees_on_6x6() {
    agree(6, 6, 4);
}

//! The builder compared with a simple oracle: a byte a position, only the rules of the game, and
//! passes over all positions until no value changes.

use std::collections::HashMap;

use crate::common::*;

/// The target of a move.
enum After {
    /// The move leads to the position with this number in the list.
    Place(usize),
    /// The move leads to a position in which the opponent has no piece.
    Won,
}

/// The positions with Black to move; others are turned.
struct Oracle {
    board: Board,
    places: HashMap<Position, usize>,
    values: Vec<Value>,
}

impl Oracle {
    fn solve(board: &Board, cover: &Cover) -> Self {
        let mut places = HashMap::new();
        for slice in Slice::all(board, cover) {
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
        // Each pass decides values from those of the passes before only.
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

    /// The value by the known values of the successors.
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

fn agree(rows: u8, columns: u8, text: &str) {
    let (board, cover) = (Board::new(rows, columns).unwrap(), cover(text));
    let (oracle, database) = (Oracle::solve(&board, &cover), build(&board, &cover));
    for (position, &place) in &oracle.places {
        let fen = board.write_fen(position);
        assert_eq!(database.probe(position), Some(oracle.values[place]), "{fen}");
        assert_eq!(database.probe(&position.twin(&board)), Some(oracle.values[place]), "{fen}");
    }
    // Indices without a position have no value.
    for slice in Slice::all(&board, &cover) {
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
fn the_builder_agrees_with_the_oracle() {
    agree(4, 4, "4");
    agree(5, 5, "4");
    agree(6, 6, "4");
}

#[test]
fn the_builder_agrees_where_a_side_has_few_pieces() {
    agree(4, 4, "5,6:3");
    agree(5, 5, "4:2");
}

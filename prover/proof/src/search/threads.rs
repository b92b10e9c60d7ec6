//! One question on several threads that share a table.
//!
//! They go down from the root all at the same time, each on a path of its own, and come back when
//! one of them has decided the root, when the table has to grow, or when the search has to be kept
//! or to end. Then there is one thread, which does what is to be done to the whole table, and they
//! begin at the root again.
//!
//! **Why no result can be wrong.** The values that threads read may be of a moment ago; all that
//! hangs on it is where they go. A *proof* of a position is noted after its children were read as
//! proved, by a database or in the table. Its time is later than all those that its thread has read
//! there, so times fall along every line of a proof as they do with one thread. Of two proofs of a
//! position the one with the earlier time stays, so no later time takes the place of one that a
//! parent rests on. A *disproof* is tentative, whichever thread made it on whichever path, until
//! the closed set of all threads' tentative disproofs is found, while they wait. And whatever comes
//! out of the table is a strategy that is replayed: a mistake here would be a search without an
//! answer, never a wrong one.
//!
//! A table that several threads use at the same time. Each of its slots is an atomic number, so all
//! that can go wrong between them is that a position is in the table twice, until the table grows,
//! or that a number is of a moment ago.

use std::sync::atomic::{AtomicBool, Ordering};

use super::descent::Run;
use super::descent::{Control, Descent};
use super::numbers::Outcome;
use super::slot::{Key, Known, Slot};
use super::table::{Positions, Table};
use crate::board::Position;

/// The least nodes that a thread expands before it comes back because there are no more to expand.
const LEAST_SHARE: u64 = 1 << 10;

/// The state that the threads of a round share.
struct Round<'r, 'a> {
    run: &'r Run<'a>,
    /// Whether all are to come back.
    is_over: AtomicBool,
    /// Whether one found no room in the table.
    is_full: AtomicBool,
    /// Whether the callback stops the search.
    is_stopped: AtomicBool,
    /// Nodes that each may expand.
    share: u64,
}

struct Member<'r, 'a>(&'r Round<'r, 'a>);

/// Searches until the root is proved, or disproved if only tentatively, or the search has to end.
/// `descent` has what all threads learn and what they count together.
pub(super) fn search(
    root: &Position,
    table: &mut Table,
    descent: &mut Descent<'_>,
    run: &mut Run<'_>,
    threads: u32,
) -> Outcome {
    // A search that was kept by one thread.
    descent.leave_all(table);
    loop {
        let left = run.end.map_or(u64::MAX, |end| end.saturating_sub(descent.counters.nodes));
        let round = Round {
            run,
            is_over: false.into(),
            is_full: false.into(),
            is_stopped: false.into(),
            share: (left / u64::from(threads)).max(LEAST_SHARE),
        };
        let goal = descent.goal;
        let learned = &descent.learned;
        let shared: &Table = table;
        let found = std::thread::scope(|scope| {
            let search = || {
                let mut descent = Descent::new(goal, learned.clone());
                let mut table = SharedTable::new(shared);
                descent.run(root, &mut table, &mut Member(&round));
                round.is_over.store(true, Ordering::Relaxed);
                (descent.counters, descent.learned, table.time)
            };
            let threads: Vec<_> = (0..threads).map(|_| scope.spawn(search)).collect();
            let found = threads.into_iter().map(|thread| thread.join());
            found.collect::<Result<(Vec<_>, Vec<_>, Vec<_>), _>>()
        });
        let is_full = round.is_full;
        let is_stopped = round.is_stopped;
        let (counters, learned, times) =
            found.unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        counters.into_iter().for_each(|counters| descent.counters += counters);
        descent.learned.merge(&learned);
        table.time = times.into_iter().fold(table.time, u64::max);
        run.is_stopped |= is_stopped.into_inner();
        if is_full.into_inner() {
            table.grow();
        }
        run.keep(descent, table);
        let outcome = Outcome::of(descent.see(root, table.key(root), table).numbers);
        let is_unknown = matches!(outcome, Outcome::Unknown(_));
        if !is_unknown || run.is_over(descent.counters.nodes) || table.is_over() {
            return outcome;
        }
    }
}

impl Control<SharedTable<'_>> for Member<'_, '_> {
    fn is_over(&self, nodes: u64) -> bool {
        nodes >= self.0.share || self.0.is_over.load(Ordering::Relaxed)
    }

    fn report(&mut self, descent: &mut Descent<'_>, table: &mut SharedTable<'_>) {
        let Round { run, is_over, is_stopped, .. } = self.0;
        let progress = descent.progress(table.table());
        descent.counters.reported = descent.counters.nodes;
        let stops = run.callback.is_some_and(|callback| callback(progress).is_break())
            || descent.goal.database.has_failed();
        is_stopped.fetch_or(stops, Ordering::Relaxed);
        if stops || run.is_to_keep() {
            is_over.store(true, Ordering::Relaxed);
        }
    }

    fn stop_for_room(&mut self) {
        self.0.is_full.store(true, Ordering::Relaxed);
        self.0.is_over.store(true, Ordering::Relaxed);
    }
}

/// A table that other threads use, too, with a clock of this thread's own. A counter of proofs
/// that all of them share would be a line of the cache that each of them has to get from another
/// core, for each proof, and with it whatever else of the table is in that line.
pub(super) struct SharedTable<'t> {
    table: &'t Table,
    /// The latest time of the proofs that this thread has read or found (a clock of Lamport's,
    /// 1978): what it proves next is later than all that it can rest on.
    pub(super) time: u64,
}

impl<'t> SharedTable<'t> {
    pub(super) fn new(table: &'t Table) -> Self {
        SharedTable { table, time: table.time }
    }

    /// Notes the time of a proof that is read.
    fn see(&mut self, slot: Slot) {
        if let Known::Proved(time) = slot.known() {
            self.time = self.time.max(time);
        }
    }

    /// Changes the slot of a position, which is put into the table if it is not there. Returns the
    /// slot as it is then; `None` if there is no room for it.
    fn change(&mut self, key: Key, change: impl Fn(Slot) -> Slot) -> Option<Slot> {
        let table = self.table;
        // It begins again when another thread was faster.
        loop {
            let (at, old, slot) = match table.place(key) {
                Some((at, slot)) => (at, slot, slot),
                None => {
                    // Nothing moves to its other bucket here: for a moment it would be in the table
                    // twice, and a thread that changes it would leave what was known of it in the
                    // other place.
                    let Some(at) = table.room_here(key) else {
                        if table.bytes() == table.limit() {
                            table.set_spent();
                        }
                        return None;
                    };
                    let old = table.at(at);
                    // Another thread may have put it there in the meantime, or taken the slot.
                    if !table.can_go(at, old) || table.place(key).is_some() {
                        continue;
                    }
                    (at, old, table.new_slot(key, at))
                }
            };
            let new = change(slot);
            if table.swap(at, old, new) {
                self.see(new);
                return Some(new);
            }
        }
    }
}

impl Positions for SharedTable<'_> {
    const IS_SHARED: bool = true;

    fn table(&self) -> &Table {
        self.table
    }

    fn look_up(&mut self, key: Key) -> Option<Slot> {
        let (_, slot) = self.table.place(key)?;
        self.see(slot);
        Some(slot)
    }

    fn enter(&mut self, key: Key) -> bool {
        self.change(key, |slot| slot.with_threads(slot.threads() + 1)).is_some()
    }

    fn leave(&mut self, key: Key, found: Known, nodes: u64) -> Known {
        self.change(key, |slot| {
            let threads = slot.threads().saturating_sub(1);
            slot.with_threads(threads).with_found(found).with_more_work(nodes)
        })
        .map_or(found, Slot::known)
    }

    fn note(&mut self, key: Key, found: Known) {
        self.change(key, |slot| slot.with_found(found));
    }

    fn stamp(&mut self, outcome: Outcome) -> Known {
        self.time += u64::from(outcome == Outcome::Proved);
        Known::of(outcome, self.time)
    }
}

#[cfg(test)]
mod tests {
    use crate::board::{Game, Side};
    use crate::egdb::Values;
    use crate::search::dfpn::Search;
    use crate::search::estimate::Goal;
    use crate::search::learned_estimate::LearnedEstimate;
    use crate::search::numbers::Outcome;

    #[test]
    fn what_threads_find_is_brought_together() {
        let game: Game = "6x6".parse().expect("a game");
        let database = Values::empty(&game.board);
        let goal = Goal::new(&game.board, &database, Side::White);
        // Rounds end whenever this table grows.
        let mut search = Search::new(goal, 1 << 22).with_threads(3);
        assert!(matches!(search.run(&game.start(), 30_000), Outcome::Unknown(_)));
        assert_ne!(search.descent.learned, LearnedEstimate::new(false));
        assert!(search.table.time > 0);
        assert!(search.nodes() >= 30_000);
    }
}

#[cfg(test)]
mod shared_table_tests {
    use super::SharedTable;
    use crate::board::{Board, Position};
    use crate::search::numbers::Outcome;
    use crate::search::slot::{Known, Slot};
    use crate::search::table::Positions;
    use crate::search::table::Table;
    use crate::search::table::tests::{OPEN, positions};

    #[test]
    fn threads_count_each_other() {
        let board = Board::new(6, 6).expect("a board");
        let table = Table::new(&board, 1 << 22);
        let all = positions(&board);
        let keys: Vec<_> = all.iter().take(500).map(|p| table.key(p)).collect();
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    let mut shared = SharedTable::new(&table);
                    for _ in 0..50 {
                        keys.iter().for_each(|&key| assert!(shared.enter(key)));
                        keys.iter().for_each(|&key| assert_eq!(shared.leave(key, OPEN, 1), OPEN));
                    }
                });
            }
        });
        for &key in &keys {
            let slot = SharedTable::new(&table).look_up(key).expect("it was entered");
            assert_eq!((slot.threads(), slot.known()), (0, OPEN));
        }
    }

    #[test]
    fn a_proof_is_later_than_those_that_were_read() {
        let board = Board::new(6, 6).expect("a board");
        let table = Table::new(&board, 1 << 22);
        let key = |i: usize| table.key(&positions(&board)[i]);
        let prove = |thread: &mut SharedTable<'_>, i: usize| {
            let found = thread.stamp(Outcome::Proved);
            assert!(thread.enter(key(i)));
            thread.leave(key(i), found, 1)
        };
        let mut fast = SharedTable::new(&table);
        let mut slow = SharedTable::new(&table);
        for i in 0..5 {
            assert_eq!(prove(&mut fast, i), Known::Proved(i as u64 + 1));
        }
        assert_eq!(prove(&mut slow, 5), Known::Proved(1));
        slow.look_up(key(2));
        assert_eq!(prove(&mut slow, 6), Known::Proved(4));
        // Positions that the other thread has proved earlier are not proved anew.
        slow.note(key(4), Known::Proved(9));
        assert_eq!(prove(&mut slow, 7), Known::Proved(6));
        slow.note(key(4), Known::Proved(1));
        assert_eq!(fast.look_up(key(4)).map(Slot::known), Some(Known::Proved(1)));
    }

    /// Fills a table of 4,096 slots by twice as many positions, and says what is left of them.
    fn filled(board: &Board, mut enter: impl FnMut(&mut Table, &Position, usize)) -> Table {
        let mut table = Table::new(board, 1 << 16);
        for (i, position) in positions(board).iter().enumerate() {
            enter(&mut table, position, i);
        }
        table
    }

    #[test]
    fn cheap_entries_are_forgotten() {
        let board = Board::new(6, 6).expect("a board");
        let all = positions(&board);
        assert!(all.len() > 8192, "{}", all.len());
        // One in 16 is decided, one in 16 took more work than the others.
        let found = |i: usize| if i.is_multiple_of(16) { Known::Proved(1) } else { OPEN };
        let nodes = |i: usize| if i % 16 == 1 { 1000 } else { 1 };
        let alone = filled(&board, |table, position, i| {
            let key = table.key(position);
            assert!(table.enter(key));
            table.leave(key, found(i), nodes(i));
        });
        let shared = filled(&board, |table, position, i| {
            let key = table.key(position);
            if !SharedTable::new(table).enter(key) {
                table.grow();
                assert!(SharedTable::new(table).enter(key));
            }
            SharedTable::new(table).leave(key, found(i), nodes(i));
        });
        for table in [alone, shared] {
            assert!(!table.is_spent());
            let of = |rest: usize| all.iter().skip(rest).step_by(16);
            let share = |positions: &mut dyn Iterator<Item = &Position>| {
                let there: Vec<bool> = positions.map(|p| table.find(p).is_some()).collect();
                there.iter().filter(|there| **there).count() as f64 / there.len() as f64
            };
            assert_eq!(share(&mut of(0).filter(|p| !board.can_capture(p))), 1.0);
            assert!(share(&mut of(0).filter(|p| board.can_capture(p))) < 0.9);
            assert!(share(&mut of(1)) > 0.95);
            assert!(share(&mut of(2)) < 0.5);
        }
    }
}

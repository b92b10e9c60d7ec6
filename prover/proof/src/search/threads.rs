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

use std::sync::atomic::{AtomicBool, Ordering};

use super::descent::{Control, Descent};
use super::numbers::Outcome;
use super::positions::Positions;
use super::run::Run;
use super::shared_table::SharedTable;
use super::table::Table;
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

/// A thread of a round.
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
        assert_ne!(search.descent.learned, LearnedEstimate::new());
        assert!(search.table.time > 0);
        assert!(search.nodes() >= 30_000);
    }
}

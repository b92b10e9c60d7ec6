//! Deciding one question, by threads of this process or by the workers of a farm.

use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};

use super::manager::{ProofError, ProofResult, Question};
use super::queue::{
    Answer, Item, Lease, LocalQueue, QueueSource, SearchContext, WorkerQueue, search_digest,
};
use super::settings::{Environment, ProofSettings, Threads, Workers};
use super::tree::Tree;
use crate::board::{Board, Position, Side};
use crate::egdb::OutOfMemory;
use crate::egdb::numbers::size;
use crate::search::{Checkpoint, ProofNumbers, SearchProgress};

/// A proof that has ended, decided or not.
pub struct Grown<'a> {
    pub tree: Tree<'a>,
    pub result: ProofResult,
}

/// Decides whether `attacker` wins from `root`.
///
/// # Errors
/// [`ProofError`]
pub fn prove<'g>(
    settings: &ProofSettings,
    context: &SearchContext<'g>,
    attacker: Side,
    root: &Position,
    environment: Environment<'_>,
) -> Result<Grown<'g>, ProofError> {
    let question = Question {
        settings,
        context: *context,
        attacker,
        root,
        environment,
        bar: environment.progress.start(format!("does {attacker:?} win?"), 0, "node"),
    };
    let done = match environment.workers {
        Workers::Threads(threads) => decide_by_threads(&question, threads),
        Workers::Farm(farm) => decide_by_farm(&question, &**farm),
    };
    question.bar.finish();
    let (tree, result) = done?;
    Ok(Grown { tree, result })
}

/// Decides a question with the workers of a farm.
fn decide_by_farm<'g>(
    question: &Question<'_, 'g>,
    farm: &dyn QueueSource,
) -> Result<(Tree<'g>, ProofResult), ProofError> {
    let (tree, result) = question.decide(&*farm.open())?;
    // Workers of a farm go on with their items when this process has ended.
    Ok((tree, ProofResult { is_kept: true, ..result }))
}

/// Decides a question with threads of this process.
fn decide_by_threads<'g>(
    question: &Question<'_, 'g>,
    threads: &Threads,
) -> Result<(Tree<'g>, ProofResult), ProofError> {
    let queue = LocalQueue::default();
    let is_kept = AtomicBool::new(false);
    let (tree, result) = std::thread::scope(|scope| {
        let _closing = Closing(&queue);
        for _ in 0..threads.number() {
            scope.spawn(|| {
                work(&queue, |lease| {
                    let _thread = threads.take();
                    search(question, lease.item(), &is_kept)
                });
            });
        }
        question.decide(&queue)
    })?;
    // All threads have ended here.
    let is_kept = result.is_kept || is_kept.load(Ordering::Relaxed);
    Ok((tree, ProofResult { is_kept, ..result }))
}

/// Closes the queue when it is dropped, even by a panic; otherwise the workers would wait for ever.
struct Closing<'a>(&'a LocalQueue);

impl Drop for Closing<'_> {
    fn drop(&mut self) {
        self.0.close();
    }
}

/// Searches an item of a question. Sets `is_kept` if the search is stopped and leaves a checkpoint.
fn search(question: &Question<'_, '_>, bytes: &[u8], is_kept: &AtomicBool) -> Work {
    let Question { root, environment, bar, .. } = question;
    let context = question.context;
    let Some(item) = Item::decode(bytes, &context) else {
        return Work::Impossible("bytes that are no item".into());
    };
    let report = |heard: SearchProgress| {
        if let Some(numbers) = heard.root.filter(|_| item.position == **root) {
            bar.note(&describe_progress(context.board, root, numbers, &heard));
        }
        bar.resume(heard.before);
        bar.add(heard.nodes);
        if (environment.is_stopped)() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let say = |text| environment.progress.say(text);
    let file = environment.ledger.checkpoint(bytes);
    let checkpoint = file.clone().map(|file| {
        let checkpoint = Checkpoint::new(file, search_digest(bytes), &say);
        if question.settings.lines.is_some() { checkpoint.also_at_end() } else { checkpoint }
    });
    match Answer::of(&item, &context, &report, checkpoint) {
        Some(answer) => Work::Done(answer.encode()),
        None => {
            if file.is_some_and(|file| file.exists()) {
                is_kept.store(true, Ordering::Relaxed);
            }
            Work::Stopped
        }
    }
}

/// Describes the progress of the search of the root, for a user who follows it for days.
fn describe_progress(
    board: &Board,
    root: &Position,
    numbers: ProofNumbers,
    heard: &SearchProgress,
) -> String {
    let mut text = numbers.to_string();
    if let Some((position, ProofNumbers { proof, disproof })) = heard.below
        && let Ok(written) = board.write_move(root, &position)
    {
        text += &format!("; below {written}: {proof}, {disproof}, depth {}", heard.depth);
    }
    let share = heard.probes.percent_known();
    let [table, limit] = [heard.table.0, heard.table.1].map(size);
    format!("{text}; {share:.0} % of look-ups in the database; table {table} of {limit}")
}

/// The outcome of an item.
pub enum Work {
    /// The encoded result.
    Done(Vec<u8>),
    /// No result, now or later, for this reason.
    Impossible(String),
    /// No result, because the worker is to end.
    Stopped,
}

/// Does items until there are no more, or the worker is to end. An item during which it is stopped
/// goes back to the queue; an item whose search panics has no result.
pub fn work<Q: WorkerQueue>(queue: &Q, answer: impl Fn(&Q::Lease<'_>) -> Work) {
    while let Some(lease) = queue.lease() {
        match catch_unwind(AssertUnwindSafe(|| answer(&lease))) {
            Ok(Work::Done(result)) => lease.complete(result),
            Ok(Work::Impossible(why)) => lease.give_up(why),
            Ok(Work::Stopped) => return,
            Err(panic) => {
                if let Some(lack) = panic.downcast_ref::<OutOfMemory>() {
                    lease.give_up(lack.to_string());
                    continue;
                }
                let text = panic.downcast_ref::<String>().cloned();
                let text = text.or_else(|| panic.downcast_ref::<&str>().map(|s| (*s).to_owned()));
                lease.give_up(format!("the search panicked: {}", text.unwrap_or_default()));
            }
        }
    }
}

//! The manager's side of a farm: queues through the broker, one for each question.
//!
//! The broker is treated as lossy. Only the ledger counts: an item without a result in the ledger
//! is requested until one comes. Sending an item that the broker still has does nothing, so the
//! manager simply sends again what may be lost, and sends everything again when the broker has lost
//! its streams. A result is acknowledged when it is in the ledger on disk: a manager that dies
//! loses no result.

mod receive;
mod state;

pub use state::JobSettings;

use std::fmt;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use self::state::State;
use super::FarmError;
use super::connection::Connection;
use super::objects::Objects;
use super::stream::{self, item_subject, items_stream};
use certificate_spec::Digest;
use draughtproof_proof::proof::{BadAnswer, Delivery, ManagerQueue, QuestionState, QueueSource};
use state::{Receipt, Shared};
use tokio::sync::Notify;
use tokio::task::JoinHandle;

/// A farm, as seen by its manager.
pub struct Farm {
    connection: Connection,
    shared: Arc<Shared>,
    tasks: Vec<JoinHandle<()>>,
}

impl Farm {
    /// Begins to serve a job through a broker.
    ///
    /// # Errors
    /// [`FarmError::Broker`] when the broker has no JetStream, or does not allow what is needed.
    pub fn start(
        connection: Connection,
        job: JobSettings,
        objects: Option<Objects>,
    ) -> Result<Farm, FarmError> {
        let link = connection.link.clone();
        let name = job.name.clone();
        let lease = job.lease;
        let first = loop {
            let before = link.connections();
            let first = connection.runtime.block_on(async {
                stream::deliver_again(&link.context, &name).await?;
                stream::ensure(&link.context, &name, lease).await
            });
            match &first {
                // An error over a connection that is lost does not tell whether the broker is
                // usable.
                Err(trouble) if link.was_lost(before) => {
                    link.log.warn(&format!("no streams yet: {trouble}; trying again"));
                }
                _ => break first,
            }
        };
        if let Err(trouble) = first {
            let why = format!("no streams for the job, is JetStream on (-js)? {trouble}");
            return Err(FarmError::Broker { address: link.log.address().into(), why });
        }
        let shared = Arc::new(Shared {
            link,
            job,
            objects,
            state: Mutex::new(State::new()),
            arrived: Condvar::new(),
            to_send: Notify::new(),
            is_doubtful: Notify::new(),
            announce: Notify::new(),
            start: Instant::now(),
        });
        let spawn = &connection.runtime;
        let tasks = vec![
            spawn.spawn(receive::send_items(Arc::clone(&shared))),
            spawn.spawn(receive::keep_streams(Arc::clone(&shared))),
            spawn.spawn(receive::receive_results(Arc::clone(&shared))),
            spawn.spawn(receive::announce(Arc::clone(&shared))),
            spawn.spawn(receive::receive_heartbeats(Arc::clone(&shared))),
            spawn.spawn(receive::answer_status(Arc::clone(&shared))),
        ];
        Ok(Farm { connection, shared, tasks })
    }

    /// Ends the farm. If the proof is done the broker forgets the job; otherwise it keeps the
    /// results that workers send until the manager is started again.
    pub fn finish(&self, is_done: bool) {
        self.tasks.iter().for_each(JoinHandle::abort);
        let shared = Arc::clone(&self.shared);
        self.connection.runtime.block_on(async {
            if is_done {
                receive::announce_end(&shared).await;
                stream::remove(&shared.link.context, &shared.job.name).await;
            }
        });
        self.connection.flush();
    }

    fn acknowledge(&self, receipts: Vec<Receipt>) {
        let objects = self.shared.objects.clone();
        self.connection.runtime.spawn(async move {
            for Receipt { message, object } in receipts {
                // If the acknowledgement is lost, the result is delivered again and dropped as not
                // needed.
                let _ = message.ack().await;
                if let (Some(objects), Some(object)) = (&objects, object) {
                    objects.remove(object).await;
                }
            }
        });
    }
}

impl fmt::Debug for Farm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Farm({})", self.shared.job.name)
    }
}

impl QueueSource for Farm {
    fn open(&self) -> Box<dyn ManagerQueue + '_> {
        let number = self.shared.lock().open();
        Box::new(FarmQueue { farm: self, number, question: Mutex::default() })
    }
}

/// The queue of one question.
struct FarmQueue<'a> {
    farm: &'a Farm,
    number: u64,
    question: Mutex<Option<QuestionState>>,
}

impl ManagerQueue for FarmQueue<'_> {
    fn submit(&self, item: Vec<u8>) {
        self.farm.shared.lock().submit(self.number, item);
        self.farm.shared.to_send.notify_one();
    }

    fn collect(&self, wait: Duration) -> Vec<Delivery> {
        let shared = &self.farm.shared;
        let nothing = |state: &mut State<Receipt>| !state.has_results(self.number);
        let waited = shared.arrived.wait_timeout_while(shared.lock(), wait, nothing);
        let (mut state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        state.take(self.number)
    }

    fn accept(&self, delivery: &Delivery) {
        self.farm.shared.lock().accept(delivery);
    }

    fn reject(&self, delivery: &Delivery, why: &BadAnswer) {
        let shared = &self.farm.shared;
        let worker = delivery.worker.as_deref().unwrap_or_default();
        let is_honest = matches!(why, BadAnswer::None(_));
        let receipt = shared.lock().reject(delivery, is_honest);
        if is_honest {
            let item = delivery.item;
            shared.link.log.say(&format!("worker {worker}: item {item}: {why}"));
        } else {
            shared.report_wrong(worker, &why.to_string());
        }
        self.farm.acknowledge(receipt.into_iter().collect());
    }

    fn confirm_saved(&self) {
        let receipts = self.farm.shared.lock().take_accepted();
        self.farm.acknowledge(receipts);
    }

    fn publish_state(&self, state: &QuestionState) {
        let mut shared = self.farm.shared.lock();
        shared.questions.retain(|question| question.attacker != state.attacker);
        shared.questions.push(*state);
        *self.question.lock().unwrap_or_else(PoisonError::into_inner) = Some(*state);
    }
}

impl Drop for FarmQueue<'_> {
    /// Withdraws the items that have no result, because no proof needs them any more.
    fn drop(&mut self) {
        let shared = Arc::clone(&self.farm.shared);
        let withdrawn = {
            let mut state = shared.lock();
            let question = self.question.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(question) = *question {
                state.questions.retain(|other| other.attacker != question.attacker);
            }
            state.close(self.number)
        };
        if withdrawn.is_empty() {
            return;
        }
        self.farm.connection.runtime.spawn(async move { withdraw(&shared, withdrawn).await });
    }
}

/// Removes items from the stream.
async fn withdraw(shared: &Shared, items: Vec<Digest>) {
    let Ok(stream) = shared.link.context.get_stream_no_info(items_stream(&shared.job.name)).await
    else {
        return;
    };
    for item in items {
        // If an item stays in the stream, a worker searches it in vain.
        if stream.purge().filter(item_subject(&shared.job.name, &item)).await.is_err() {
            return;
        }
    }
}

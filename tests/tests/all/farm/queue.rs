//! The manager's queue by itself: many items, large results, results from before a restart.

use super::*;
use async_nats::jetstream::consumer::PullConsumer;
use async_nats::jetstream::{self, AckKind};
use certificate_spec::RULES;
use draughtproof_farm::wire::{FoundMessage, JobContext, ResultMessage, encode};
use draughtproof_farm::{
    Connection, Farm, JobSettings, Login, Objects, items_stream, result_subject,
};
use draughtproof_proof::progress::Progress;
use draughtproof_proof::proof::{Delivery, ManagerQueue, QueueSource};
use futures_util::StreamExt;
use tests::farm::PATIENCE;
use tokio::runtime::Runtime;

const JOB: &str = "test";

fn context() -> JobContext {
    JobContext { rules: RULES.into(), rows: 4, columns: 4, cover: Cover::none(), database: None }
}

fn farm(broker: &Broker, objects: Option<Objects>) -> Farm {
    let login = Login { url: broker.url(), ..Login::default() };
    let connection = Connection::open(&login, "manager", &Progress::Quiet, &|| false);
    let job = JobSettings {
        name: JOB.into(),
        context: context(),
        nodes: 1,
        table: 1,
        lease: Duration::from_secs(30),
    };
    Farm::start(connection.unwrap().unwrap(), job, objects).unwrap()
}

/// A worker that the test controls step by step.
struct Hand {
    runtime: Runtime,
    context: jetstream::Context,
    consumer: PullConsumer,
}

impl Hand {
    fn new(broker: &Broker) -> Hand {
        let runtime = Runtime::new().unwrap();
        let (context, consumer) = runtime.block_on(async {
            let context = jetstream::new(async_nats::connect(broker.url()).await.unwrap());
            let found = context.get_consumer_from_stream("workers", items_stream(JOB)).await;
            (context, found.unwrap())
        });
        Hand { runtime, context, consumer }
    }

    /// Takes `number` items, and acknowledges none.
    fn take(&self, number: usize) -> Vec<jetstream::Message> {
        let deadline = Instant::now() + PATIENCE;
        let mut taken = Vec::new();
        self.runtime.block_on(async {
            while taken.len() < number {
                assert!(Instant::now() < deadline, "{} of {number} items", taken.len());
                let wanted = (number - taken.len()).min(500);
                let expires = Duration::from_secs(2);
                let batch = self.consumer.batch().max_messages(wanted).expires(expires);
                let mut batch = batch.messages().await.unwrap();
                while let Some(item) = batch.next().await {
                    taken.push(item.unwrap());
                }
            }
        });
        taken
    }

    fn send(&self, item: &[u8], found: FoundMessage) {
        let message = ResultMessage { context: context(), item: Digest::of(item), found };
        let subject = result_subject(JOB, "hand");
        self.runtime.block_on(async {
            let sent = self.context.publish(subject, encode(&message).into()).await.unwrap();
            sent.await.unwrap();
        });
    }

    fn acknowledge(&self, item: &jetstream::Message) {
        self.runtime.block_on(item.ack_with(AckKind::Ack)).unwrap();
    }
}

/// Waits for `number` results.
fn collect(queue: &dyn ManagerQueue, number: usize) -> Vec<Delivery> {
    let mut found = Vec::new();
    wait_for("results", || {
        for delivery in queue.collect(Duration::from_millis(50)) {
            queue.accept(&delivery);
            found.push(delivery);
        }
        queue.confirm_saved();
        (found.len() >= number).then_some(())
    });
    found
}

#[test]
#[ignore = "needs nats-server"]
fn more_than_a_thousand_items_are_under_way() {
    const ITEMS: usize = 2500;
    let broker = Broker::start();
    let farm = farm(&broker, None);
    let queue = farm.open();
    let item = |i: usize| format!("item {i}").into_bytes();
    (0..ITEMS).for_each(|i| queue.submit(item(i)));
    let hand = Hand::new(&broker);
    // All items are leased at the same time.
    let taken = hand.take(ITEMS);
    let found: HashSet<Vec<u8>> = taken.iter().map(|item| item.payload.to_vec()).collect();
    assert_eq!(found, (0..ITEMS).map(item).collect());
    for item in &taken {
        hand.send(&item.payload, FoundMessage::Here(item.payload.to_vec()));
        hand.acknowledge(item);
    }
    let results = collect(&*queue, ITEMS);
    for Delivery { item, result, worker, .. } in results {
        assert_eq!(Digest::of(&result.unwrap()), item);
        assert_eq!(worker.as_deref(), Some("hand"));
    }
}

#[test]
#[ignore = "needs nats-server"]
fn large_results_go_through_the_object_store() {
    let broker = Broker::start();
    let directory = tempfile::tempdir().unwrap();
    let objects = Objects::open(directory.path().to_str().unwrap()).unwrap();
    let farm = farm(&broker, Some(objects.clone()));
    let queue = farm.open();
    let hand = Hand::new(&broker);
    let result: Vec<u8> =
        (0..1_250_000u32).flat_map(|i| i.wrapping_mul(0x9e37_79b9).to_le_bytes()).collect();
    queue.submit(b"large".to_vec());
    let item = &hand.take(1)[0];
    let digest = hand.runtime.block_on(objects.put(result.clone())).unwrap();
    // An object of another length, a missing one, and one that has been changed.
    hand.send(&item.payload, FoundMessage::Object(digest, 4_999_999));
    hand.send(&item.payload, FoundMessage::Object(Digest::of(b"none"), 4));
    let other = hand.runtime.block_on(objects.put(b"another".to_vec())).unwrap();
    let file = format!("results/{}/{other}", &other.to_string()[..2]);
    std::fs::write(directory.path().join(file), "changed").unwrap();
    hand.send(&item.payload, FoundMessage::Object(other, 7));
    let trouble = &collect(&*queue, 1)[0];
    let why = trouble.result.clone().unwrap_err();
    assert!(why.contains("object store"), "{why}");
    // The result was accepted above for another item, so the same item is submitted again.
    queue.submit(b"large".to_vec());
    hand.send(&item.payload, FoundMessage::Object(digest, 5_000_000));
    let found = &collect(&*queue, 1)[0];
    assert!(found.result.as_ref() == Ok(&result));
    // Once the result is on disk, the object is no longer needed.
    let name = digest.to_string();
    let file = directory.path().join("results").join(&name[..2]).join(&name);
    wait_for("the removal of the object", || (!file.exists()).then_some(()));
}

#[test]
#[ignore = "needs nats-server"]
fn unsaved_results_are_delivered_again() {
    let broker = Broker::start();
    let first = farm(&broker, None);
    {
        let queue = first.open();
        queue.submit(b"item".to_vec());
        let hand = Hand::new(&broker);
        let item = &hand.take(1)[0];
        hand.send(&item.payload, FoundMessage::Here(b"result".to_vec()));
        hand.acknowledge(item);
        // The result is received, and its manager ends before it has written the result down.
        wait_for("a result", || queue.collect(Duration::from_millis(50)).pop());
    }
    first.finish(false);
    drop(first);
    let second = farm(&broker, None);
    let queue = second.open();
    queue.submit(b"item".to_vec());
    let found = collect(&*queue, 1);
    assert_eq!(found[0].result.as_deref(), Ok(&b"result"[..]));
}

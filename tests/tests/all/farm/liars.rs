//! Workers that send false results.

use super::*;
use draughtproof_egdb::Store;
use draughtproof_farm::wire::{
    Announcement, FoundMessage, JobContext, ResultMessage, decode, encode,
};
use draughtproof_farm::{items_stream, result_subject};
use draughtproof_proof::proof::{Answer, Finding, Item, SearchContext};
use draughtproof_proof::search::{PackedStrategy, ProofNumbers};
use futures_util::StreamExt;

/// A proof that is long enough for every lie.
const JOB: Job<'_> = Job { game: "6x6", pieces: "4", leaf_nodes: "1000" };

/// A false result. Lies that are not about a certain kind of item are sent for any item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Lie {
    Garbage,
    Nothing,
    OtherFormat,
    OtherRules,
    OtherBoard,
    OtherCover,
    OtherDatabase,
    /// The answer to another item.
    WrongItem,
    /// A strategy of a win instead of one of not losing, or the other way round.
    OtherAnswer,
    /// A strategy that is truncated.
    ShortStrategy,
    /// Guesses for fewer successors than there are.
    FewGuesses,
    /// A guess that counts as decided.
    DecidingGuess,
}

const LIES: [Lie; 12] = [
    Lie::Garbage,
    Lie::Nothing,
    Lie::OtherFormat,
    Lie::OtherRules,
    Lie::OtherBoard,
    Lie::OtherCover,
    Lie::OtherDatabase,
    Lie::WrongItem,
    Lie::OtherAnswer,
    Lie::ShortStrategy,
    Lie::FewGuesses,
    Lie::DecidingGuess,
];

/// A worker that sends false results.
struct Liar<'a> {
    client: async_nats::Client,
    job: Announcement,
    context: SearchContext<'a>,
}

impl Liar<'_> {
    /// The true answer to an item.
    fn answer(&self, item: &[u8]) -> (Item, Answer) {
        let item = Item::decode(item, &self.context).expect("an item");
        let go_on = |_| ControlFlow::Continue(());
        (item, Answer::of(&item, &self.context, &go_on, None).expect("it is not stopped"))
    }

    /// The false result for an item; `None` if this lie is not possible for it.
    fn lie(&self, lie: Lie, item: &[u8]) -> Option<Vec<u8>> {
        let (_, answer) = self.answer(item);
        let found = |found| Answer { found, ..answer.clone() }.encode();
        let true_context = self.job.context.clone();
        let message = |context: JobContext, found: Vec<u8>| {
            let found = FoundMessage::Here(found);
            encode(&ResultMessage { context, item: Digest::of(item), found })
        };
        let truth = || message(true_context.clone(), answer.encode());
        let of_context = |context: JobContext| Some(message(context, answer.encode()));
        let of_found = |f| Some(message(true_context.clone(), found(f)));
        match (lie, &answer.found) {
            (Lie::Garbage, _) => Some(b"\x01 this is no message".to_vec()),
            (Lie::Nothing, _) => Some(Vec::new()),
            (Lie::OtherFormat, _) => Some([&[2], &truth()[1..]].concat()),
            (Lie::OtherRules, _) => {
                of_context(JobContext { rules: "international-1".into(), ..true_context.clone() })
            }
            (Lie::OtherBoard, _) => of_context(JobContext { rows: 8, ..true_context.clone() }),
            (Lie::OtherCover, _) => {
                of_context(JobContext { cover: Cover::up_to(5), ..true_context.clone() })
            }
            (Lie::OtherDatabase, _) => {
                let database = Some(Digest([7; 32]));
                of_context(JobContext { database, ..true_context.clone() })
            }
            (Lie::WrongItem, Finding::Decided(_)) => of_found(Finding::TooHard(Vec::new())),
            (Lie::WrongItem, Finding::TooHard(_)) => {
                let strategy = PackedStrategy { is_win: true, leaf: other_strategy() };
                of_found(Finding::Decided(strategy))
            }
            (Lie::OtherAnswer, Finding::Decided(PackedStrategy { is_win, leaf })) => {
                let (is_win, leaf) = (!is_win, leaf.clone());
                of_found(Finding::Decided(PackedStrategy { is_win, leaf }))
            }
            (Lie::ShortStrategy, Finding::Decided(strategy)) => {
                let mut strategy = strategy.clone();
                strategy.leaf.strategy.pop()?;
                of_found(Finding::Decided(strategy))
            }
            (Lie::FewGuesses, Finding::TooHard(guesses)) => {
                of_found(Finding::TooHard(guesses[1..].to_vec()))
            }
            (Lie::DecidingGuess, Finding::TooHard(guesses)) => {
                let mut guesses = guesses.clone();
                guesses[0].numbers = ProofNumbers { proof: 0, disproof: 1 };
                of_found(Finding::TooHard(guesses))
            }
            _ => None,
        }
    }

    async fn tell_the_truth(
        &self,
        context: &async_nats::jetstream::Context,
        name: &str,
        item: &[u8],
    ) {
        let (_, answer) = self.answer(item);
        let found = FoundMessage::Here(answer.encode());
        let (job, item) = (self.job.context.clone(), Digest::of(item));
        let message = encode(&ResultMessage { context: job, item, found });
        let subject = result_subject(&self.job.job, name);
        context.publish(subject, message.into()).await.unwrap().await.unwrap();
    }

    /// Sends all lies, three under each name, each about an item that it takes and does not
    /// acknowledge.
    async fn tell_all(&self) {
        let context = async_nats::jetstream::new(self.client.clone());
        let stream = items_stream(&self.job.job);
        let consumer: async_nats::jetstream::consumer::PullConsumer =
            context.get_consumer_from_stream("workers", stream).await.unwrap();
        let mut untold = LIES.to_vec();
        while !untold.is_empty() {
            let told_before = LIES.len() - untold.len();
            let mut items = consumer.fetch().max_messages(1).messages().await.unwrap();
            let Some(item) = items.next().await else { continue };
            let item = item.unwrap();
            let fits = |&lie: &Lie| self.lie(lie, &item.payload).is_some();
            let Some(told) = untold.iter().position(fits) else {
                // A true result, so that the proof gets to items of another kind.
                self.tell_the_truth(&context, "fair", &item.payload).await;
                item.ack().await.unwrap();
                continue;
            };
            let lie = untold.remove(told);
            let subject = result_subject(&self.job.job, &format!("liar-{}", told_before / 3));
            let payload = self.lie(lie, &item.payload).unwrap();
            context.publish(subject, payload.into()).await.unwrap().await.unwrap();
            item.ack().await.unwrap();
        }
        // After three lies the manager ignores a worker, even if a result is true.
        let mut items = consumer.fetch().max_messages(1).messages().await.unwrap();
        if let Some(Ok(item)) = items.next().await {
            self.tell_the_truth(&context, "liar-0", &item.payload).await;
            item.ack().await.unwrap();
        }
        self.client.flush().await.unwrap();
    }
}

/// The strategy of another position.
fn other_strategy() -> certificate_spec::leaves::Leaf<Vec<u8>> {
    certificate_spec::leaves::Leaf { positions: 1, strategy: vec![0, 0, 0] }
}

#[test]
#[ignore = "needs nats-server"]
fn lies_are_counted() {
    let directory = tempfile::tempdir().unwrap();
    let want = JOB.root(directory.path());
    let broker = Broker::start();
    let mut manager = JOB.manager(&broker.url(), directory.path());
    let game: Game = JOB.game.parse().unwrap();
    let values: Values = database(&game.board, 4);
    let store = Store::new(&directory.path().join("egdb"), &game.board);
    let root = store.manifest_of(&Cover::up_to(4)).unwrap().root();
    let context =
        SearchContext { board: &game.board, database: &values, database_root: Some(root) };
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        let client = async_nats::connect(broker.url()).await.unwrap();
        let mut jobs = client.subscribe("draughtproof.jobs").await.unwrap();
        let job = decode(&jobs.next().await.unwrap().payload).unwrap();
        Liar { client, job, context }.tell_all().await;
    });
    for place in 0..LIES.len() {
        let (name, number) = (place / 3, place % 3 + 1);
        manager.wait_to_say(&format!("worker liar-{name}: wrong result {number}: "));
        if number == 3 {
            manager.wait_to_say("its results are no longer read");
        }
    }
    let _honest = Running::worker(&broker.url(), "honest", directory.path(), &[]);
    let said = || std::fs::read_to_string(directory.path().join("manager.log")).unwrap();
    assert_eq!(manager.root(), want);
    let said = said();
    assert!(!said.contains("wrong result 4") && !said.contains("worker honest"), "{said}");
    for words in [
        "bytes that are no message",
        "a message of format 2",
        "a result for the rules \"international-1\"",
        "a result for the board 8x6",
        "a result over 5 pieces",
        "a result over the database 0707",
        "bytes that are no answer",
        "a strategy that does not hold",
    ] {
        assert!(said.contains(words), "{words}: {said}");
    }
}

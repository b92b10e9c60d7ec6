//! The searches of a round: its items, the answers of the ledger, and the results that come back.

use std::collections::HashMap;

use certificate_spec::Digest;
use rayon::prelude::*;

use super::ledger::{Ledger, LedgerError, Record};
use super::queue::{Answer, BadAnswer, Delivery, Found, Item, ManagerQueue, SearchContext};

/// The number of invalid results of this process for one item after which the proof fails.
pub(super) const TRIES: u32 = 3;

/// The items of a round, in the order in which their results are applied.
pub(super) struct Round<'a> {
    context: &'a SearchContext<'a>,
    slots: Vec<Slot>,
    /// The place of each item, by the digest of its bytes.
    places: HashMap<Digest, usize>,
    /// Whether searches that are not decided go on later, with larger budgets.
    goes_on: bool,
}

struct Slot {
    item: Item,
    bytes: Vec<u8>,
    answer: Option<Answer>,
    /// Whether the item was answered.
    done: bool,
    /// The number of bad results of this process.
    bad: u32,
}

impl<'a> Round<'a> {
    /// Makes a round with the answers of the ledger, which are replayed; submits the other items.
    pub(super) fn begin(
        items: Vec<Item>,
        context: &'a SearchContext<'a>,
        ledger: &Ledger,
        queue: &dyn ManagerQueue,
        goes_on: bool,
    ) -> Result<Self, LedgerError> {
        let bytes: Vec<Vec<u8>> = items.iter().map(|item| item.encode(context)).collect();
        let stored = ledger.get(&bytes)?;
        let places = bytes.iter().enumerate().map(|(i, bytes)| (Digest::of(bytes), i)).collect();
        let slot = |((item, bytes), stored): ((Item, Vec<u8>), Option<Vec<u8>>)| {
            let answer = stored.and_then(|result| Answer::decode(&result, &item, context).ok());
            Slot { item, bytes, done: answer.is_some(), answer, bad: 0 }
        };
        let slots = items.into_iter().zip(bytes).zip(stored).collect::<Vec<_>>();
        let slots: Vec<Slot> = slots.into_par_iter().map(slot).collect();
        for slot in slots.iter().filter(|slot| !slot.done) {
            queue.submit(slot.bytes.clone());
        }
        Ok(Round { context, slots, places, goes_on })
    }

    /// The nodes of the searches whose answers are here.
    pub(super) fn known_nodes(&self) -> u64 {
        self.slots.iter().filter_map(|slot| slot.answer.as_ref()).map(|answer| answer.nodes).sum()
    }

    /// Takes the answer to an item out, if it is here.
    pub(super) fn take(&mut self, place: usize) -> Option<Answer> {
        self.slots.get_mut(place)?.answer.take()
    }

    /// Takes results that have come back: good ones go to the ledger, and an item with a bad one is
    /// submitted again. Returns the number of nodes of the searches outside of this process.
    ///
    /// # Errors
    /// [`BadAnswer`] if [`TRIES`] results of this process for an item were bad.
    pub(super) fn receive(
        &mut self,
        deliveries: Vec<Delivery>,
        ledger: &Ledger,
        queue: &dyn ManagerQueue,
    ) -> Result<u64, BadAnswer> {
        let judge = |delivery: Delivery| (self.judge(&delivery), delivery);
        let judged: Vec<_> = if deliveries.iter().all(|delivery| delivery.worker.is_none()) {
            deliveries.into_iter().map(judge).collect()
        } else {
            // Results of other machines are judged in parallel, since their strategies are
            // replayed.
            deliveries.into_par_iter().map(judge).collect()
        };
        let mut nodes = 0;
        for (judgement, delivery) in judged {
            let place = self.places.get(&delivery.item).copied();
            // The second result of an item has no effect.
            let place = place.filter(|&place| !self.slots[place].done);
            let (Some(place), Some(judgement)) = (place, judgement) else {
                queue.accept(&delivery);
                continue;
            };
            let slot = &mut self.slots[place];
            match judgement {
                Ok(answer) => {
                    nodes += if delivery.worker.is_some() { answer.nodes } else { 0 };
                    let is_over = !self.goes_on || matches!(answer.found, Found::Decided(_));
                    (slot.answer, slot.done) = (Some(answer), true);
                    queue.accept(&delivery);
                    let result = delivery.result.unwrap_or_default();
                    ledger.put(Record { item: slot.bytes.clone(), result, is_over });
                }
                Err(bad) => {
                    queue.reject(&delivery, &bad);
                    slot.bad += u32::from(delivery.worker.is_none());
                    if slot.bad >= TRIES {
                        return Err(bad);
                    }
                    queue.submit(slot.bytes.clone());
                }
            }
        }
        Ok(nodes)
    }

    /// Checks a result; `None` if no item of the round waits for it.
    fn judge(&self, delivery: &Delivery) -> Option<Result<Answer, BadAnswer>> {
        let slot = &self.slots[*self.places.get(&delivery.item)?];
        if slot.done {
            return None;
        }
        let result = match &delivery.result {
            Ok(result) => result,
            Err(why) => return Some(Err(BadAnswer::None(why.clone()))),
        };
        Some(match delivery.worker {
            Some(_) => Answer::decode(result, &slot.item, self.context),
            // A worker of this process has already replayed its result.
            None => Answer::parse(result, &slot.item, self.context).ok_or(BadAnswer::Bytes),
        })
    }
}

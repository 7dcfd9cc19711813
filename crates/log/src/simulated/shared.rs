//! A log that several machines share, as a replicated one behaves: what a node appends comes into
//! the log late, in the node's order, perhaps after others have taken over; every node reads all of
//! it in the same order, late as well, and now and then once more.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use disk::simulated::Random;

use crate::batch::{Batch, Committed};
use crate::chain::ChainHash;
use crate::contract::{Log, Room};
use crate::error::LogError;
use crate::frame::{self, Link, PAYLOAD_SIZE_MAX};

/// Cheap to clone: all clones are the same log.
#[derive(Clone, Debug)]
pub struct SharedLog(Arc<Mutex<State>>);

#[derive(Debug)]
struct State {
    now: u64,
    entries: Vec<Committed>,
    last_hash: ChainHash,
    /// What nodes have sent, and when it arrives; in order for each node.
    on_the_way: Vec<(Sender, VecDeque<(u64, Batch)>)>,
    senders: u64,
    random: Random,
    delay_max: u64,
}

type Sender = u64;

/// One machine's view of the log.
#[derive(Debug)]
pub struct Node {
    log: SharedLog,
    sender: Sender,
    /// Entries that were read.
    read: u64,
    /// Before that nothing more is seen.
    sees_from: u64,
    in_flight_max: usize,
}

impl SharedLog {
    pub fn new(seed: u64, delay_max: u64) -> Self {
        Self(Arc::new(Mutex::new(State {
            now: 0,
            entries: Vec::new(),
            last_hash: ChainHash::GENESIS,
            on_the_way: Vec::new(),
            senders: 0,
            random: Random::new(seed),
            delay_max,
        })))
    }

    /// A machine that goes on behind this batch. One that is started again is a new node: what it
    /// had sent before may still arrive.
    pub fn join(&self, last_batch: u64) -> Node {
        let mut state = self.state();
        state.senders += 1;
        let sender = state.senders;
        state.on_the_way.push((sender, VecDeque::new()));
        Node { log: self.clone(), sender, read: last_batch, sees_from: 0, in_flight_max: 4 }
    }

    /// Time goes on: what is due arrives.
    pub fn advance(&self, now: u64) {
        self.state().advance(now);
    }

    /// What has arrived so far, in its order.
    pub fn entries(&self) -> Vec<Committed> {
        self.state().entries.clone()
    }

    /// What a node has sent waits so much longer, as when the network is cut.
    pub fn hold_up(&self, node: &Node, for_ns: u64) {
        let mut state = self.state();
        let sent = state.on_the_way.iter_mut().find(|(sender, _)| *sender == node.sender);
        for (arrives, _) in sent.into_iter().flat_map(|(_, sent)| sent) {
            *arrives += for_ns;
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn advance(&mut self, now: u64) {
        self.now = self.now.max(now);
        loop {
            let due = |(_, sent): &&mut (Sender, VecDeque<(u64, Batch)>)| {
                sent.front().is_some_and(|(arrives, _)| *arrives <= now)
            };
            let first = self.on_the_way.iter_mut().filter(due);
            let Some((_, sent)) = first.min_by_key(|(_, sent)| sent[0].0) else { return };
            let (_, batch) = sent.pop_front().expect("its first is due");
            self.commit(batch);
        }
    }

    fn commit(&mut self, batch: Batch) {
        let batch_number = self.entries.len() as u64 + 1;
        let link = Link { batch_number, durable_batch: 0, previous_hash: self.last_hash };
        self.last_hash = frame::encode(&mut Vec::new(), &batch, link);
        self.entries.push(Committed { batch_number, hash: self.last_hash, batch });
    }
}

impl Node {
    /// Sees nothing of the log until then.
    pub fn cut_off_until(&mut self, ns: u64) {
        self.sees_from = ns;
    }
}

impl Log for Node {
    fn append(&mut self, batch: Batch) -> Result<(), LogError> {
        let size = batch.payload.len();
        if size > PAYLOAD_SIZE_MAX {
            return Err(LogError::TooLarge { size, max: PAYLOAD_SIZE_MAX });
        }
        let mut state = self.log.state();
        let (now, delay_max) = (state.now, state.delay_max);
        let arrives = now + state.random.below(delay_max);
        let mut nodes = state.on_the_way.iter_mut();
        let (_, sent) = nodes.find(|(sender, _)| *sender == self.sender).expect("it has joined");
        if sent.len() >= self.in_flight_max {
            return Err(LogError::Busy { in_flight: sent.len() });
        }
        let after = sent.back().map_or(0, |(arrives, _)| *arrives);
        sent.push_back((arrives.max(after), batch));
        Ok(())
    }

    fn poll(&mut self) -> Result<Option<Committed>, LogError> {
        let mut state = self.log.state();
        if state.now < self.sees_from || state.random.one_in(3) {
            return Ok(None);
        }
        // What was read already comes once more now and then.
        if self.read > 0 && state.random.one_in(16) {
            let again = self.read - state.random.below(self.read.min(3));
            return Ok(Some(state.entries[again as usize - 1].clone()));
        }
        let next = state.entries.get(self.read as usize).cloned();
        self.read += u64::from(next.is_some());
        Ok(next)
    }

    fn ready(&self) -> bool {
        let state = self.log.state();
        let mut nodes = state.on_the_way.iter();
        let (_, sent) = nodes.find(|(sender, _)| *sender == self.sender).expect("it has joined");
        sent.len() < self.in_flight_max
    }

    fn room(&self) -> Room {
        Room::Enough
    }

    /// What all nodes have left behind is the broker's business.
    fn trim(&mut self, _: u64) -> Result<(), LogError> {
        Ok(())
    }
}

//! The log that is gone with its process.

use std::collections::VecDeque;

use crate::batch::{Batch, Committed, Start};
use crate::chain::ChainHash;
use crate::contract::{Log, Room};
use crate::error::LogError;
use crate::frame::{self, Link, PAYLOAD_SIZE_MAX};

/// Commits what it is given at once, and keeps nothing.
#[derive(Debug)]
pub struct MemoryLog {
    next_batch: u64,
    last_hash: ChainHash,
    in_flight_max: usize,
    committed: VecDeque<Committed>,
    frame: Vec<u8>,
}

impl MemoryLog {
    pub fn new(start: Start, in_flight_max: usize) -> Self {
        Self {
            next_batch: start.last_batch + 1,
            last_hash: start.last_hash,
            in_flight_max: in_flight_max.max(1),
            committed: VecDeque::new(),
            frame: Vec::new(),
        }
    }
}

impl Log for MemoryLog {
    fn append(&mut self, batch: Batch) -> Result<(), LogError> {
        let size = batch.payload.len();
        if size > PAYLOAD_SIZE_MAX {
            return Err(LogError::TooLarge { size, max: PAYLOAD_SIZE_MAX });
        }
        if !self.ready() {
            return Err(LogError::Busy { in_flight: self.committed.len() });
        }
        let batch_number = self.next_batch;
        let link = Link { batch_number, durable_batch: 0, previous_hash: self.last_hash };
        self.frame.clear();
        self.last_hash = frame::encode(&mut self.frame, &batch, link);
        self.committed.push_back(Committed { batch_number, hash: self.last_hash, batch });
        self.next_batch += 1;
        Ok(())
    }

    fn poll(&mut self) -> Result<Option<Committed>, LogError> {
        Ok(self.committed.pop_front())
    }

    fn ready(&self) -> bool {
        self.committed.len() < self.in_flight_max
    }

    fn room(&self) -> Room {
        Room::Enough
    }

    fn trim(&mut self, _: u64) -> Result<(), LogError> {
        Ok(())
    }
}

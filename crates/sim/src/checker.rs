//! Checks a log against the clients' replies: nothing lost, nothing twice, each account's history
//! in the order in which it came about, money conserved, all replicas equal.

use std::collections::BTreeMap;

use engine::Engine;
use log::LoggedBatch;
use types::{Entry, Reader};
use venue::{FollowError, Follower, Position, Step};

use crate::answer::Answer;
use crate::clients::{Clients, RequestId, request_id};

/// What must not be.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Violation {
    /// A request was answered, and the log does not have it.
    #[error("request {request} was answered as command {sequence}, and is not in the log")]
    Lost { request: RequestId, sequence: u64 },
    /// A request was answered with something else than the log leads to.
    #[error("request {request} was answered as command {sequence}, and the log says otherwise")]
    Changed { request: RequestId, sequence: u64 },
    /// A request was carried out twice.
    #[error("request {request} was carried out as command {first}, and again as {second}")]
    Doubled { request: RequestId, first: u64, second: u64 },
    /// A request was carried out before one that its client had the answer of when it sent this.
    #[error(
        "request {request} was sent when command {after} had been answered, and became \
         command {sequence}"
    )]
    OutOfOrder { request: RequestId, sequence: u64, after: u64 },
    /// A request that was never answered, though everything worked for long enough.
    #[error("request {request} was never answered")]
    Unanswered { request: RequestId },
    /// Two machines that applied the same log have different states.
    #[error("after command {sequence} two states differ")]
    StatesDiffer { sequence: u64 },
    /// A venue that does not come up again after what it must survive.
    #[error("the venue does not start: {0}")]
    DoesNotStart(String),
    /// It did not stop at what it cannot survive, or stopped for another reason.
    #[error("the venue stopped: {0}")]
    WrongStop(String),
    /// What was changed on the disk was not seen, or seen as something else.
    #[error("damage was not seen: {0}")]
    DamageUnseen(String),
    #[error("the log cannot be followed: {0}")]
    NotFollowed(FollowError),
}

/// The history of a log, read from its beginning.
#[derive(Debug)]
pub(super) struct History {
    pub(super) follower: Follower,
    pub(super) commands: u64,
    pub(super) repeated: u64,
    pub(super) skipped_batches: u64,
    /// Of the states whose hash the log asks for, by their sequence.
    hashes: BTreeMap<u64, [u8; 32]>,
    carried_out: BTreeMap<RequestId, Answer>,
}

pub(super) fn first_state() -> Follower {
    let engine = Engine::with_rules(1).expect("the first rules are known");
    Follower::new(engine, Position::default())
}

impl History {
    pub(super) fn new() -> Self {
        Self {
            follower: first_state(),
            commands: 0,
            repeated: 0,
            skipped_batches: 0,
            hashes: BTreeMap::new(),
            carried_out: BTreeMap::new(),
        }
    }

    pub(super) fn read(&mut self, batch: LoggedBatch<'_>) -> Result<(), Violation> {
        let mut replies = Vec::new();
        let step = self.follower.follow(batch, |reply| replies.push(reply));
        match step.map_err(Violation::NotFollowed)? {
            Step::Skipped | Step::EpochRefused(_) => self.skipped_batches += 1,
            Step::Applied { takes_hash, claim } => {
                if takes_hash {
                    let engine = self.follower.engine();
                    let state_hash = *blake3::hash(&state_of(engine)).as_bytes();
                    self.hashes.insert(engine.sequence(), state_hash);
                }
                if let Some(claim) = claim
                    && self.hashes.get(&claim.sequence) != Some(&claim.state_hash)
                {
                    return Err(Violation::StatesDiffer { sequence: claim.sequence });
                }
            }
            Step::EpochBegun(_) | Step::Repeated => {}
        }
        let mut r = Reader(batch.payload);
        for reply in replies {
            let entry: Entry = r.read().expect("the follower has read it");
            self.commands += 1;
            let Some(key) = entry.envelope.retry_key else { continue };
            let (request, answer) = (request_id(&key), Answer::of(&reply));
            if answer.events_hash.is_none() {
                self.repeated += 1;
            } else if let Some(first) = self.carried_out.insert(request, answer) {
                let (first, second) = (first.sequence, answer.sequence);
                return Err(Violation::Doubled { request, first, second });
            }
        }
        Ok(())
    }

    /// Whether all that was answered is here, as it was answered.
    pub(super) fn check_answers(&self, clients: &Clients) -> Result<(), Violation> {
        for (&request, sent) in &clients.requests {
            let Some(answer) = sent.answer else { continue };
            let sequence = answer.sequence;
            let Some(found) = self.carried_out.get(&request) else {
                return Err(Violation::Lost { request, sequence });
            };
            let is_same_result =
                answer.events_hash.is_none() || answer.events_hash == found.events_hash;
            if found.sequence != sequence || !is_same_result {
                return Err(Violation::Changed { request, sequence });
            }
            if sequence <= sent.after_sequence {
                let after = sent.after_sequence;
                return Err(Violation::OutOfOrder { request, sequence, after });
            }
        }
        Ok(())
    }

    pub(super) fn check_all_answered(&self, clients: &Clients) -> Result<(), Violation> {
        let mut open = clients.requests.iter().filter(|(_, sent)| sent.answer.is_none());
        match open.next() {
            Some((&request, _)) => Err(Violation::Unanswered { request }),
            None => Ok(()),
        }
    }

    /// Whether a machine that applied the log live has the state of this reading; money adds up
    /// in both, which the engine looks at itself.
    pub(super) fn check_equal(&self, engine: &Engine) -> Result<(), Violation> {
        engine.assert_consistent();
        if state_of(engine) == state_of(self.follower.engine()) {
            Ok(())
        } else {
            Err(Violation::StatesDiffer { sequence: engine.sequence() })
        }
    }
}

pub(super) fn state_of(engine: &Engine) -> Vec<u8> {
    let mut state = Vec::new();
    engine.write_state(&mut state);
    state
}

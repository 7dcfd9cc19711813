//! Questions about the log, which a running venue asks of a process that reads its folder.
//!
//! A question is a line of JSON. An answer is a line, [`AnswerHead`], and a text of the length that
//! it has: JSON, or the sentence of a failure. The venue sends the text on without parsing it.

use serde::{Deserialize, Serialize};
use types::{AccountId, InstrumentId, OrderId};

/// Bytes of the longest text: a client's part of the venue's unread answers holds it.
pub const TEXT_LEN_MAX: usize = 32 << 20;

/// Commands of the largest page.
pub const PAGE_MAX: usize = 1_000;

#[derive(Debug, Deserialize, Serialize)]
pub enum LogQuestion {
    State(StateQuestion),
    Commands(CommandsQuestion),
}

/// The state at a moment; of one account or instrument, if they are named.
#[derive(Debug, Deserialize, Serialize)]
pub struct StateQuestion {
    /// The end of the log if there is none.
    pub at: Option<String>,
    pub account: Option<u32>,
    pub instrument: Option<u32>,
}

/// A page of commands. With `from` it begins there; else it ends at `to`.
#[derive(Debug, Deserialize, Serialize)]
pub struct CommandsQuestion {
    pub from: Option<String>,
    pub to: Option<String>,
    pub account: Option<u32>,
    pub instrument: Option<u32>,
    /// Of the instrument.
    pub order: Option<u64>,
    pub kind: Option<String>,
    pub limit: usize,
}

#[derive(Debug, Deserialize, Serialize)]
pub struct AnswerHead {
    pub outcome: Outcome,
    pub len: usize,
}

#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub enum Outcome {
    Answered,
    /// The question is invalid.
    Refused,
    /// An error of the folder or the machine.
    Failed,
}

impl StateQuestion {
    pub fn account(&self) -> Option<AccountId> {
        self.account.map(AccountId)
    }

    pub fn instrument(&self) -> Option<InstrumentId> {
        self.instrument.map(InstrumentId)
    }
}

impl CommandsQuestion {
    pub fn account(&self) -> Option<AccountId> {
        self.account.map(AccountId)
    }

    pub fn instrument(&self) -> Option<InstrumentId> {
        self.instrument.map(InstrumentId)
    }

    pub fn order(&self) -> Option<OrderId> {
        self.order.map(OrderId)
    }
}

//! Requests to a venue until their outcome is known.
//!
//! The client repeats or finds out what it can within its patience. Beyond it the order is asked
//! for until the venue answers, so that no fate stays unknown while the run goes on.

use std::time::Duration;

use client::{Client, Error, MyTrade, NewOrder, OrderKey, Reply, Venue};
use thiserror::Error as ThisError;

const AGAIN: Duration = Duration::from_secs(1);
const UNKNOWN_ORDER: i32 = -2011;
const NO_SUCH_ORDER: i32 = -2013;
/// Trades that one question may return.
const TRADES_MAX: usize = 1_000;

/// Why a run on a venue ended early.
#[derive(Debug, ThisError)]
pub enum LiveError {
    #[error("the venue: {0}")]
    Client(#[from] Error),
    #[error("cannot write the results: {0}")]
    Io(#[from] std::io::Error),
    #[error("the strategy: {0}")]
    Strategy(String),
    /// What a venue reports does not fit its own sizes.
    #[error("the venue: {0}")]
    Report(String),
}

/// What became of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Fate {
    /// The order as the venue has it.
    Known {
        order_id: u64,
        /// A word of the Binance API, such as `NEW` or `FILLED`.
        status: String,
        executed: String,
        /// The quantity that it was entered with, where the venue was asked for it.
        entered: Option<String>,
    },
    Refused {
        code: i32,
        reason: String,
    },
    /// The order did not get to the venue.
    Absent,
    /// The order has ended before, in a way to be asked for.
    Over,
}

#[derive(Clone, Debug)]
pub(super) struct Access {
    pub(super) client: Client,
    pub(super) venue: Venue,
}

impl Access {
    pub(super) async fn enter(&self, order: &NewOrder, name: &str) -> Fate {
        self.outcome(self.venue.enter(order).await, &order.symbol, name).await
    }

    /// `order` has the name of the replacement, which is also asked for.
    pub(super) async fn replace(&self, old: &str, order: &NewOrder, name: &str) -> Fate {
        self.outcome(self.venue.replace(old, order).await, &order.symbol, name).await
    }

    pub(super) async fn cancel(&self, symbol: &str, name: &str) -> Fate {
        self.outcome(self.venue.cancel(symbol, name).await, symbol, name).await
    }

    async fn outcome(&self, replied: Result<Reply, Error>, symbol: &str, name: &str) -> Fate {
        match replied {
            Ok(Reply { order_id, status, executed_qty, .. }) => {
                Fate::Known { order_id, status, executed: executed_qty, entered: None }
            }
            Err(error) if error.code() == Some(UNKNOWN_ORDER) => Fate::Over,
            Err(Error::Api { code, msg, .. }) => Fate::Refused { code, reason: msg },
            Err(Error::Usage(reason)) => Fate::Refused { code: 0, reason },
            Err(_) => self.look(symbol, name).await,
        }
    }

    /// Asks for an order until the venue answers.
    pub(super) async fn look(&self, symbol: &str, name: &str) -> Fate {
        loop {
            match self.client.order(symbol, OrderKey::ClOrdId(name)).await {
                Ok(found) => {
                    return Fate::Known {
                        order_id: found.order_id,
                        status: found.status.into_owned(),
                        executed: found.executed_qty.to_string(),
                        entered: Some(found.orig_qty.to_string()),
                    };
                }
                Err(error) if error.code() == Some(NO_SUCH_ORDER) => return Fate::Absent,
                Err(_) => tokio::time::sleep(AGAIN).await,
            }
        }
    }

    /// The account's latest trades; asked for until the venue answers.
    pub(super) async fn trades(&self, symbol: &str) -> Vec<MyTrade> {
        loop {
            match self.client.my_trades(symbol, None, TRADES_MAX).await {
                Ok(trades) => return trades,
                Err(_) => tokio::time::sleep(AGAIN).await,
            }
        }
    }
}

//! One client: what it sends, and what it has under way.

use std::collections::VecDeque;
use std::time::Instant;

use cli::Failure;
use protocol::ouch::outbound::{OrderAccepted, OrderExecuted, Rejected};
use protocol::soup::server::Due;
use protocol::soup::{Client, LogOn, Received};

use crate::ouch::order::order;
use crate::socket::Connection;
use crate::spec::Key;

pub(super) struct Trader {
    pub(super) connection: Connection,
    /// `None` beside an echo.
    soup: Option<Client>,
    /// When the latency of each order under way began.
    pub(super) under_way: VecDeque<Instant>,
    number: u32,
    window: usize,
    batch: usize,
}

/// What a client has read.
#[derive(Debug, Default)]
pub(super) struct Seen {
    pub(super) answered: usize,
    pub(super) refused: usize,
    pub(super) executed: u64,
}

impl Trader {
    /// Logs on, unless the other side is an echo.
    pub(super) fn new(
        connection: Connection,
        key: Option<&Key>,
        (window, batch): (usize, usize),
    ) -> Result<Self, Failure> {
        let mut trader = Self {
            connection,
            soup: None,
            under_way: VecDeque::new(),
            number: 0,
            window,
            batch: batch.min(window),
        };
        if let Some(key) = key {
            let request = LogOn::new(&key.api_key, &key.secret_key, None, 0);
            let request = request.ok_or_else(|| Failure::fault("a user or password too long"))?;
            let soup = Client::log_on(&request, &mut trader.connection.outbox, 0);
            trader.soup = Some(soup);
        }
        Ok(trader)
    }

    pub(super) fn is_ready(&self) -> bool {
        self.soup.as_ref().is_none_or(Client::is_logged_on)
    }

    /// Orders that it may send: none until that is a batch.
    pub(super) fn room(&self) -> usize {
        let room = self.window - self.under_way.len();
        if room < self.batch { 0 } else { room }
    }

    /// Adds an order to the outbox for each of these moments, at which its latency begins.
    pub(super) fn send(&mut self, since: impl IntoIterator<Item = Instant>) {
        for since in since {
            self.number += 1;
            let order = order(self.number);
            Client::message(&mut self.connection.outbox, |out| order.write(out, |_| {}));
            self.under_way.push_back(since);
        }
    }

    /// Counts what has arrived.
    pub(super) fn receive(&mut self, now_ms: u64) -> Result<Seen, Failure> {
        let mut seen = Seen::default();
        let arrived = self.connection.arrived();
        let mut rest = arrived;
        match &mut self.soup {
            None => {
                while take_frame(&mut rest) {
                    seen.answered += 1;
                }
            }
            Some(soup) => loop {
                match soup.receive(&mut rest, now_ms) {
                    Received::NeedMore => break,
                    Received::Message(message) => match message.first() {
                        Some(&OrderAccepted::KIND) => seen.answered += 1,
                        Some(&OrderExecuted::KIND) => seen.executed += 1,
                        Some(&Rejected::KIND) => seen.refused += 1,
                        _ => {}
                    },
                    Received::Nothing | Received::Accepted { .. } => {}
                    other => return Err(Failure::new(format!("the venue sent {other:?}"))),
                }
            },
        }
        let consumed = arrived.len() - rest.len();
        self.connection.discard(consumed);
        Ok(seen)
    }

    /// Sends a heartbeat that is due.
    pub(super) fn tick(&mut self, now_ms: u64) -> Result<(), Failure> {
        let due = self.soup.as_mut().map(|soup| soup.tick(&mut self.connection.outbox, now_ms));
        if due == Some(Due::Close) {
            return Err(Failure::new("the venue was silent for 15 s"));
        }
        Ok(())
    }
}

impl AsMut<Connection> for Trader {
    fn as_mut(&mut self) -> &mut Connection {
        &mut self.connection
    }
}

fn take_frame(rest: &mut &[u8]) -> bool {
    let Some((length, after)) = rest.split_first_chunk::<2>() else { return false };
    let Some(after) = after.get(usize::from(u16::from_be_bytes(*length))..) else { return false };
    *rest = after;
    true
}

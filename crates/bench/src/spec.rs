//! The messages between a run and its processes of clients and readers: a line of JSON each.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::tally::{Tally, per};
use super::usage::Usage;

/// Orders in one request of [`Load::Batch`].
pub(super) const BATCH: u64 = 20;

/// A load: of all agents together, or, once it is divided, of one of them. Then it is the first
/// line on the agent's standard input.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(super) struct Spec {
    /// Host and port.
    pub(super) address: String,
    pub(super) load: Load,
    /// One for each of its clients; each has a connection of its own.
    pub(super) keys: Vec<Key>,
    /// Processes that share it.
    pub(super) agents: usize,
    /// Requests a second. `None` is a closed loop: a client sends its next request when it has the
    /// answer to its last.
    pub(super) rate: Option<f64>,
    /// Requests that a client may have under way.
    pub(super) window: usize,
    pub(super) seed: u64,
    pub(super) warm_up: Duration,
    pub(super) measured: Duration,
    /// A closed loop ends after this many answers, or after its time.
    pub(super) requests_max: Option<u64>,
    /// Clients begin one after the other, the last of them after this time.
    pub(super) ramp: Duration,
    /// The venue's process, whose use of the machine is measured.
    pub(super) process: Option<u32>,
}

/// What clients send.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Load {
    /// Orders over REST, in the mix of `rest-mix`.
    RestMix,
    /// Limit orders and market orders over REST, 80 to 20, half of which put back what the others
    /// take.
    KeptBook,
    /// Limit orders over REST, of which every second one trades.
    Alternating,
    /// `GET /health/live`.
    Health,
    /// 20 orders a request.
    Batch,
    /// Likewise, and all of them rest.
    Fill,
    /// The mix of `rest-mix` over the WebSocket API, after a logon.
    WebSocket,
    /// Orders by OUCH, of which every second one trades; as many are written at once.
    Ouch { batch: u16 },
    /// The frames of these orders, for a server that sends them back.
    OuchEcho { batch: u16 },
    /// The same orders by datagrams, with as many in one, over a network that loses some.
    OuchUdp { batch: u16, loss: u8 },
    /// The frames of these orders, for a server that sends datagrams back.
    OuchUdpEcho { batch: u16 },
    /// Orders on a stream of gRPC, of which every second one trades; as many are in one message.
    Grpc { batch: u16 },
    /// The same orders, each in a call.
    GrpcCalls,
}

impl Load {
    pub(super) fn orders_per_request(self) -> u64 {
        match self {
            Self::Batch | Self::Fill => BATCH,
            _ => 1,
        }
    }
}

#[derive(Clone, Deserialize, Serialize)]
pub(super) struct Key {
    pub(super) api_key: String,
    pub(super) secret_key: String,
}

impl Key {
    pub(super) fn of((api_key, secret_key): (String, String)) -> Self {
        Self { api_key, secret_key }
    }
}

impl std::fmt::Debug for Key {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Key({})", self.api_key)
    }
}

/// A line of an agent on its standard output.
#[derive(Debug, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Word {
    /// All its clients are connected. It waits for a line with the Unix time in ns at which to
    /// begin.
    Connected,
    /// Orders answered since the last such line.
    Done(u64),
    Ended(Box<Outcome>),
}

/// The counts and latencies of the measured time.
#[derive(Debug, Default, Deserialize, Serialize)]
pub(super) struct Outcome {
    /// By kind of order.
    pub(super) by_type: BTreeMap<String, Tally>,
    /// Of each second.
    pub(super) seconds: Vec<Tally>,
    /// Failed orders by cause.
    pub(super) errors: BTreeMap<String, u64>,
    /// Requests that were answered with an error, and how long that took.
    pub(super) refused: Tally,
    pub(super) trades: u64,
    /// Messages that were sent again because a datagram was lost, or late.
    #[serde(default)]
    pub(super) sent_again: u64,
    /// Sessions that took the place of one whose acknowledgements stayed out.
    #[serde(default)]
    pub(super) reopened: u64,
    pub(super) bytes_sent: u64,
    pub(super) bytes_received: u64,
    /// CPU time of the agent itself.
    pub(super) cpu_s: f64,
    /// What the venue's process used.
    #[serde(skip)]
    pub(super) usage: Option<Usage>,
}

impl Outcome {
    /// Exact: every count of both histograms lands in the same bucket.
    pub(super) fn add(&mut self, other: &Self) {
        for (name, tally) in &other.by_type {
            self.by_type.entry(name.clone()).or_default().add(tally);
        }
        self.seconds.resize_with(self.seconds.len().max(other.seconds.len()), Tally::default);
        self.seconds.iter_mut().zip(&other.seconds).for_each(|(sum, tally)| sum.add(tally));
        add_counts(&mut self.errors, &other.errors);
        self.refused.add(&other.refused);
        self.trades += other.trades;
        self.sent_again += other.sent_again;
        self.reopened += other.reopened;
        self.bytes_sent += other.bytes_sent;
        self.bytes_received += other.bytes_received;
        self.cpu_s += other.cpu_s;
    }

    /// Adds what came after it.
    pub(super) fn append(&mut self, mut later: Self) {
        let seconds = std::mem::take(&mut later.seconds);
        self.add(&later);
        self.seconds.extend(seconds);
        self.usage = match (self.usage.take(), later.usage) {
            (Some(usage), Some(later)) => Some(usage.plus(later)),
            (usage, later) => usage.or(later),
        };
    }

    /// All kinds together.
    pub(super) fn total(&self) -> Tally {
        let mut total = Tally::default();
        self.by_type.values().for_each(|tally| total.add(tally));
        total
    }

    pub(super) fn orders(&self) -> u64 {
        self.by_type.values().map(|tally| tally.orders).sum()
    }

    pub(super) fn orders_per_s(&self, measured: Duration) -> f64 {
        self.orders() as f64 / measured.as_secs_f64()
    }

    pub(super) fn failed(&self) -> u64 {
        self.errors.values().sum()
    }

    pub(super) fn success_rate(&self) -> f64 {
        per(self.orders() as f64, self.orders() + self.failed())
    }
}

/// The task of a process of readers, and the first line on its standard input.
#[derive(Debug, Deserialize, Serialize)]
pub(super) struct ReaderSpec {
    /// Host and port.
    pub(super) address: String,
    pub(super) path: String,
    pub(super) readers: usize,
    /// Signs the probes.
    pub(super) key: Key,
    /// Probes of different processes have prices of their own.
    pub(super) lane: u64,
    pub(super) seed: u64,
}

/// The lines after that.
#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Cue {
    /// The measured time begins.
    Begin,
    End,
    /// A reader ends when it has this update.
    Until(u64),
}

/// What readers received.
#[derive(Debug, Default, Deserialize, Serialize)]
pub(super) struct Reading {
    /// Within the measured time, as the next two.
    pub(super) messages: u64,
    pub(super) bytes: u64,
    pub(super) measured_s: f64,
    /// From a probe's sending until a reader had the update with its level.
    pub(super) order_to_update: Tally,
    /// From the time that the venue put on a message until a reader had it.
    pub(super) since_event: Tally,
    /// Places where `U` was not the `u` before plus 1.
    pub(super) gaps: u64,
    /// Readers that did not receive the last update.
    pub(super) behind: u64,
    pub(super) probes: u64,
    pub(super) errors: BTreeMap<String, u64>,
    /// CPU time of the process itself.
    pub(super) cpu_s: f64,
}

impl Reading {
    pub(super) fn add(&mut self, other: &Self) {
        self.messages += other.messages;
        self.bytes += other.bytes;
        self.measured_s = self.measured_s.max(other.measured_s);
        self.order_to_update.add(&other.order_to_update);
        self.since_event.add(&other.since_event);
        self.gaps += other.gaps;
        self.behind += other.behind;
        self.probes += other.probes;
        add_counts(&mut self.errors, &other.errors);
        self.cpu_s += other.cpu_s;
    }
}

pub(super) fn add_counts(counts: &mut BTreeMap<String, u64>, more: &BTreeMap<String, u64>) {
    for (cause, count) in more {
        *counts.entry(cause.clone()).or_default() += count;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outcomes_of_agents_add_up_exactly_through_their_lines() {
        let mut whole = Tally::default();
        let mut merged = Outcome::default();
        for agent in 0..3_u64 {
            let mut outcome = Outcome::default();
            for at in 0..1_000 {
                let latency_ns = (agent + 1) * 1_000 + at * at * 977;
                outcome.by_type.entry("limit".into()).or_default().record(latency_ns, 1);
                whole.record(latency_ns, 1);
            }
            *outcome.errors.entry("full".into()).or_default() += agent;
            let line = serde_json::to_string(&outcome).expect("it has a form");
            merged.add(&serde_json::from_str(&line).expect("it reads what it wrote"));
        }
        assert_eq!(merged.total(), whole);
        assert_eq!(merged.orders(), 3_000);
        assert_eq!(merged.errors["full"], 3);
    }
}

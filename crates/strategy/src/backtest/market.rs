//! What all simulated markets have in common: events and requests go in, answers come out.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use recorded::Event;
use types::OrderId;

use super::latency::{Arrival, Clockwork, OrderLatency};
use crate::context::View;
use crate::order::{Answer, Outcome, Rejected, Request, account_of};

/// One instrument's market.
pub(crate) trait Market {
    /// What the strategy's side needs besides its view to follow the same events.
    type Eyes: Default;

    /// Something happened in the record.
    fn event(&mut self, event: &Event, answers: &mut Answers<'_>);

    /// A request of the strategy arrived.
    fn request(&mut self, request: &Request, now_ns: i64, answers: &mut Answers<'_>);

    /// The event reached the strategy: brings its view up to date.
    fn see(eyes: &mut Self::Eyes, view: &mut View, event: &Event);
}

/// Takes the answers of one instrument's market.
pub(crate) struct Answers<'a> {
    pub(crate) wires: &'a mut Wires,
    pub(crate) instrument: u16,
}

impl Answers<'_> {
    pub(crate) fn push(&mut self, id: OrderId, exchange_ns: i64, outcome: Outcome) {
        let answer = Answer { id, instrument: self.instrument, exchange_ns, outcome };
        self.wires.answer(answer);
    }
}

/// Requests and answers on their way.
#[derive(Debug)]
pub(crate) struct Wires {
    /// By account, so that none changes what another one's draws are.
    clockworks: Vec<Clockwork>,
    instruments: usize,
    pub(crate) requests: Wire<Request>,
    pub(crate) answers: Wire<Answer>,
}

impl Wires {
    pub(crate) fn new(latency: &OrderLatency, instruments: usize, accounts: usize) -> Self {
        let clockwork = |account| Clockwork::new(latency.clone(), account);
        Self {
            clockworks: (0..accounts).map(clockwork).collect(),
            instruments,
            requests: Wire::new(instruments * accounts),
            answers: Wire::new(instruments * accounts),
        }
    }

    /// The connection of an account to an instrument's market.
    #[inline]
    fn line(&self, id: OrderId, instrument: u16) -> usize {
        account_of(id) * self.instruments + usize::from(instrument)
    }

    fn answer(&mut self, answer: Answer) {
        let arrives_ns = self.clockworks[account_of(answer.id)].answer(answer.exchange_ns);
        self.answers.push(self.line(answer.id, answer.instrument), arrives_ns, answer);
    }

    pub(crate) fn send(&mut self, request: Request) {
        let Request { id, instrument, sent_ns, .. } = request;
        let line = self.line(id, instrument);
        match self.clockworks[account_of(id)].order(sent_ns) {
            Arrival::AtMarket(ns) => self.requests.push(line, ns, request),
            Arrival::Rejected(ns) => {
                let outcome = Outcome::Rejected(Rejected::Overloaded);
                let answer = Answer { id, instrument, exchange_ns: 0, outcome };
                self.answers.push(line, ns, answer);
            }
        }
    }
}

/// Messages in one direction. Those of an account and an instrument never overtake each other: they
/// share a connection, a *line*.
#[derive(Debug)]
pub(crate) struct Wire<T> {
    heap: BinaryHeap<Reverse<OnTheWay<T>>>,
    latest_ns: Vec<i64>,
    sent: u64,
}

#[derive(Debug)]
struct OnTheWay<T> {
    arrives_ns: i64,
    sent: u64,
    message: T,
}

impl<T> Wire<T> {
    fn new(lines: usize) -> Self {
        Self { heap: BinaryHeap::with_capacity(64), latest_ns: vec![i64::MIN; lines], sent: 0 }
    }

    pub(crate) fn push(&mut self, line: usize, arrives_ns: i64, message: T) {
        let latest_ns = &mut self.latest_ns[line];
        let arrives_ns = arrives_ns.max(*latest_ns);
        *latest_ns = arrives_ns;
        self.sent += 1;
        self.heap.push(Reverse(OnTheWay { arrives_ns, sent: self.sent, message }));
    }

    /// When the next message arrives, `i64::MAX` where none is on its way.
    #[inline]
    pub(crate) fn next_ns(&self) -> i64 {
        self.heap.peek().map_or(i64::MAX, |Reverse(next)| next.arrives_ns)
    }

    /// The next message that arrives at `ns`.
    pub(crate) fn pop_at(&mut self, ns: i64) -> Option<T> {
        if self.next_ns() != ns {
            return None;
        }
        self.heap.pop().map(|Reverse(next)| next.message)
    }
}

impl<T> OnTheWay<T> {
    fn key(&self) -> (i64, u64) {
        (self.arrives_ns, self.sent)
    }
}

impl<T> PartialEq for OnTheWay<T> {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}

impl<T> Eq for OnTheWay<T> {}

impl<T> PartialOrd for OnTheWay<T> {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl<T> Ord for OnTheWay<T> {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.key().cmp(&other.key())
    }
}

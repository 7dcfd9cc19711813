//! `buttonwood bench agent`: one process that drives the venue. It reads its task from standard
//! input and writes its outcome to standard output (`spec.rs`). The run starts it.
//!
//! One thread and one epoll serve all its clients, with a read and a write per answer: on one
//! machine, the load generator takes its CPU time from the venue.
//!
//! In a closed loop, a latency begins when the request is handed to the socket. In an open loop it
//! begins when the request is due, however late it is sent.

mod client;

use std::collections::VecDeque;
use std::io::ErrorKind;
use std::net::SocketAddr;
use std::ops::Range;
use std::time::{Duration, Instant};

use cli::Failure;
use mio::{Events, Interest, Poll, Token};

pub(super) use self::client::cause;
use self::client::{Answer, Client, Sent};
use super::fleet::{connected, emit, receive};
use super::pace::Pace;
use super::spec::{Outcome, Spec, Word};
use super::timer::{TIMER, Timer};
use super::{socket, usage};

/// The wait for answers after the end.
const GRACE: Duration = Duration::from_secs(10);
/// Requests that were due before the end of an open loop may be sent up to this much later.
const LATE: Duration = Duration::from_millis(100);
const WORD_EVERY: Duration = Duration::from_millis(200);
const RAMP_STEP: Duration = Duration::from_millis(5);
const EVENTS: usize = 1_024;
pub(super) const NOT_SENT: &str = "not sent: all clients were waiting for answers";

pub(super) fn run() -> Result<(), Failure> {
    let mut agent = Agent::connect(receive()?)?;
    let begin = connected()?;
    let outcome = agent.drive(begin)?;
    emit(&Word::Ended(Box::new(outcome)))
}

struct Agent {
    address: SocketAddr,
    spec: Spec,
    poll: Poll,
    /// The clients that have joined.
    clients: Vec<Client>,
    timer: Timer,
    plan: Plan,
    outcome: Outcome,
    in_flight: usize,
    /// Requests.
    sent: u64,
    /// Clients that have begun.
    started: usize,
    /// Of these, in an open loop, one entry for each free slot.
    idle: VecDeque<usize>,
    /// Answered since the last [`Word::Done`].
    done: u64,
}

/// The times of a run.
#[derive(Clone, Copy)]
struct Plan {
    begin: Instant,
    measured: Instant,
    end: Instant,
    /// In an open loop.
    pace: Option<Pace>,
}

impl Agent {
    fn connect(spec: Spec) -> Result<Self, Failure> {
        let poll = Poll::new()?;
        let address = socket::parse(&spec.address)?;
        let timer = Timer::new(poll.registry())?;
        let now = Instant::now();
        let mut agent = Self {
            address,
            plan: Plan { begin: now, measured: now, end: now, pace: None },
            spec,
            poll,
            clients: Vec::new(),
            timer,
            outcome: Outcome::default(),
            in_flight: 0,
            sent: 0,
            started: 0,
            idle: VecDeque::new(),
            done: 0,
        };
        // Later clients connect when they join: a venue closes silent connections after a minute.
        if agent.spec.ramp.is_zero() {
            (0..agent.spec.keys.len()).try_for_each(|_| agent.join())?;
        }
        Ok(agent)
    }

    /// The next client connects.
    fn join(&mut self) -> Result<(), Failure> {
        let at = self.clients.len();
        let mut client = Client::connect(self.address, &self.spec, &self.spec.keys[at], at as u64)?;
        let interest = Interest::READABLE | Interest::WRITABLE;
        self.poll.registry().register(&mut client.connection.stream, Token(at), interest)?;
        self.clients.push(client);
        Ok(())
    }

    fn drive(&mut self, begin: Instant) -> Result<Outcome, Failure> {
        let measured = begin + self.spec.warm_up;
        let end = measured + self.spec.measured;
        let ramp_s = self.spec.ramp.as_secs_f64();
        let pace = self.spec.rate.map(|rate| Pace { rate, ramp_s });
        self.plan = Plan { begin, measured, end, pace };
        std::thread::sleep(begin.saturating_duration_since(Instant::now()));
        let mut events = Events::with_capacity(EVENTS);
        let mut next_word = begin + WORD_EVERY;
        loop {
            let now = Instant::now();
            if now >= end + GRACE || self.is_over(now) && self.in_flight == 0 {
                break;
            }
            let joined = self.begin_clients(now)?;
            match pace {
                Some(pace) => self.send_due(pace, joined, now)?,
                None => self.send_first(joined)?,
            }
            if now >= next_word {
                emit(&Word::Done(std::mem::take(&mut self.done)))?;
                next_word = now + WORD_EVERY;
            }
            self.wait(&mut events)?;
            for event in &events {
                match event.token() {
                    TIMER => {}
                    Token(at) => self.attend(at)?,
                }
            }
        }
        self.close();
        Ok(std::mem::take(&mut self.outcome))
    }

    /// Starts the clients that are due, and returns which these are.
    fn begin_clients(&mut self, now: Instant) -> Result<Range<usize>, Failure> {
        let (first, count) = (self.started, self.spec.keys.len());
        while self.started < count
            && now >= self.plan.begin + self.spec.ramp.mul_f64(self.started as f64 / count as f64)
        {
            if self.started == self.clients.len() {
                self.join()?;
            }
            self.started += 1;
        }
        Ok(first..self.started)
    }

    /// Fills the windows of clients of a closed loop when they begin.
    fn send_first(&mut self, joined: Range<usize>) -> Result<(), Failure> {
        for at in joined {
            for slot in 0..self.spec.window {
                self.send(at, slot, Instant::now());
            }
            self.clients[at].connection.flush()?;
        }
        Ok(())
    }

    fn send(&mut self, at: usize, slot: usize, since: Instant) {
        if !self.is_exhausted() {
            self.clients[at].send(slot, since);
            self.in_flight += 1;
            self.sent += 1;
        }
    }

    /// Whether no more requests are to be sent.
    fn is_over(&self, now: Instant) -> bool {
        let late = if self.plan.pace.is_some() { LATE } else { Duration::ZERO };
        now >= self.plan.end + late || self.is_exhausted()
    }

    fn is_exhausted(&self) -> bool {
        self.spec.requests_max.is_some_and(|max| self.sent >= max)
    }

    /// Sends the requests that are due, as far as clients have free slots, and sets the timer for
    /// the next one.
    fn send_due(&mut self, pace: Pace, joined: Range<usize>, now: Instant) -> Result<(), Failure> {
        // Clients take turns.
        (0..self.spec.window).for_each(|_| self.idle.extend(joined.clone()));
        let begin = self.plan.begin;
        let mut unwritten = Vec::new();
        let due = |sent: u64| begin + Duration::from_secs_f64(pace.due_s(sent));
        while due(self.sent) <= now && due(self.sent) < self.plan.end && !self.is_over(now) {
            let Some(at) = self.idle.pop_front() else { break };
            let slot = self.clients[at].free_slot().expect("an idle client has a free slot");
            self.send(at, slot, due(self.sent));
            unwritten.push(at);
        }
        while let Some(at) = unwritten.pop() {
            self.clients[at].connection.flush()?;
        }
        let next = due(self.sent);
        // While all clients wait, and after the end, answers wake the thread.
        if self.idle.is_empty() || next >= self.plan.end || self.is_over(now) {
            return Ok(());
        }
        self.timer.wake_at(next)
    }

    fn wait(&mut self, events: &mut Events) -> Result<(), Failure> {
        // No answer wakes the thread for clients that are still to begin.
        let is_ramping = self.started < self.spec.keys.len();
        let wait = if is_ramping { RAMP_STEP } else { WORD_EVERY };
        match self.poll.poll(events, Some(wait)) {
            Err(error) if error.kind() != ErrorKind::Interrupted => Err(error.into()),
            _ => Ok(()),
        }
    }

    /// Reads a client's answers, and sends its next request in a closed loop.
    fn attend(&mut self, at: usize) -> Result<(), Failure> {
        loop {
            let client = &mut self.clients[at];
            let is_drained = client.connection.fill()?;
            let now = Instant::now();
            while let Some(answer) = self.clients[at].take_answer()? {
                self.apply(at, &answer, now);
            }
            self.clients[at].connection.flush()?;
            if is_drained {
                return Ok(());
            }
        }
    }

    fn apply(&mut self, at: usize, answer: &Answer, now: Instant) {
        let Some(sent) = self.clients[at].take(answer.slot) else {
            *self.outcome.errors.entry("an answer without a request".into()).or_default() += 1;
            return;
        };
        self.in_flight -= 1;
        self.record(sent, answer, now);
        if self.plan.pace.is_some() {
            self.idle.push_back(at);
        } else if now < self.plan.end {
            self.send(at, answer.slot, now);
        }
    }

    fn record(&mut self, sent: Sent, answer: &Answer, now: Instant) {
        let orders = self.spec.load.orders_per_request();
        self.done += orders;
        // A closed loop counts the answers within the time, an open one the requests that were due
        // in it.
        let moment = if self.plan.pace.is_some() { sent.since } else { now };
        if moment < self.plan.measured || moment >= self.plan.end {
            return;
        }
        let latency = now.saturating_duration_since(sent.since);
        let latency_ns = u64::try_from(latency.as_nanos()).unwrap_or(u64::MAX);
        let outcome = &mut self.outcome;
        outcome.bytes_sent += sent.bytes;
        outcome.bytes_received += answer.bytes_received;
        if let Some(cause) = &answer.error {
            *outcome.errors.entry(cause.clone()).or_default() += answer.failed;
            outcome.refused.record(latency_ns, answer.failed);
        }
        let orders = orders - answer.failed.min(orders);
        if orders == 0 {
            return;
        }
        outcome.trades += answer.trades;
        let name = sent.kind.name();
        // `entry` would copy the name for each answer.
        match outcome.by_type.get_mut(name) {
            Some(tally) => tally.record(latency_ns, orders),
            None => outcome.by_type.entry(name.into()).or_default().record(latency_ns, orders),
        }
        let second = moment.saturating_duration_since(self.plan.measured).as_secs() as usize;
        if outcome.seconds.len() <= second {
            outcome.seconds.resize_with(second + 1, Default::default);
        }
        outcome.seconds[second].record(latency_ns, orders);
    }

    /// Counts the requests without an answer, and those that were never sent.
    fn close(&mut self) {
        let orders = self.spec.load.orders_per_request();
        if self.in_flight > 0 {
            let late = format!("no answer within {} s after the end", GRACE.as_secs());
            *self.outcome.errors.entry(late).or_default() += self.in_flight as u64 * orders;
        }
        if let Some(pace) = self.plan.pace {
            let planned = pace.requests_in((self.plan.end - self.plan.begin).as_secs_f64());
            let missing = planned.saturating_sub(self.sent);
            if missing > 0 {
                *self.outcome.errors.entry(NOT_SENT.into()).or_default() += missing * orders;
            }
        }
        self.outcome.cpu_s = usage::cpu_s("self").unwrap_or(0.0);
    }
}

#[cfg(test)]
mod tests {
    use super::super::spec::{Key, Load};
    use super::*;

    /// A venue closes a connection that is silent for a minute, and the last user of `ramp-200`
    /// joins after five.
    #[test]
    fn a_client_that_joins_later_connects_when_it_joins() {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
        let key = Key { api_key: "key".into(), secret_key: "secret".into() };
        let spec = Spec {
            address: listener.local_addr().expect("it is bound").to_string(),
            load: Load::RestMix,
            keys: vec![key; 3],
            agents: 1,
            rate: None,
            window: 1,
            seed: 1,
            warm_up: Duration::ZERO,
            measured: Duration::from_secs(1),
            requests_max: None,
            ramp: Duration::from_secs(60),
            process: None,
        };
        let connected = |spec| Agent::connect(spec).expect("the test listens").clients.len();
        assert_eq!(connected(Spec { ramp: Duration::ZERO, ..spec.clone() }), 3);
        assert_eq!(connected(spec.clone()), 0);

        let mut agent = Agent::connect(spec).expect("the test listens");
        let begin = Instant::now();
        agent.plan.begin = begin;
        for (at_s, joined) in [(0, 0..1), (19, 1..1), (20, 1..2), (59, 2..3)] {
            let begun = agent.begin_clients(begin + Duration::from_secs(at_s));
            assert_eq!(begun.expect("it connects"), joined, "after {at_s} s");
            assert_eq!(agent.clients.len(), joined.end, "after {at_s} s");
        }
    }
}

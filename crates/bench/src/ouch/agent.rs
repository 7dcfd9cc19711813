//! `buttonwood bench ouch-agent`: one process with all clients, on one thread and one epoll.

use std::time::{Duration, Instant};

use cli::Failure;
use mio::{Events, Interest, Poll, Token};

use super::polled;
use super::trader::{Seen, Trader};
use crate::fleet::{connected, emit, receive};
use crate::score::Score;
use crate::socket::{self, SHM};
use crate::spec::{Load, Outcome, Spec, Word};

const EVENTS: usize = 1_024;
const WORD_EVERY: Duration = Duration::from_millis(200);
const WAIT: Duration = Duration::from_millis(100);
const LOG_ON_PATIENCE: Duration = Duration::from_secs(60);
/// The wait for answers after the end.
const GRACE: Duration = Duration::from_secs(10);

pub(crate) fn run() -> Result<(), Failure> {
    let spec: Spec = receive()?;
    let mut agent = Agent::connect(spec)?;
    let begin = connected()?;
    std::thread::sleep(begin.saturating_duration_since(Instant::now()));
    let outcome = agent.drive(begin)?;
    emit(&Word::Ended(Box::new(outcome)))
}

struct Agent {
    spec: Spec,
    poll: Poll,
    /// The traders are polled, rather than waited for.
    has_lanes: bool,
    traders: Vec<Trader>,
    begun: Instant,
    score: Score,
}

impl Agent {
    fn connect(spec: Spec) -> Result<Self, Failure> {
        let poll = Poll::new()?;
        let (is_echo, batch) = match spec.load {
            Load::OuchEcho { batch } => (true, batch),
            Load::Ouch { batch } => (false, batch),
            _ => return Err(Failure::fault("this agent speaks OUCH")),
        };
        let sizes = (spec.window, usize::from(batch));
        let mut traders = Vec::new();
        for (at, key) in spec.keys.iter().enumerate() {
            let mut connection = socket::connect_any(&spec.address, "the venue's OUCH port")?;
            let interest = Interest::READABLE | Interest::WRITABLE;
            poll.registry().register(&mut connection.stream, Token(at), interest)?;
            traders.push(Trader::new(connection, (!is_echo).then_some(key), sizes)?);
        }
        let has_lanes = spec.address.starts_with(SHM);
        let mut agent =
            Self { spec, poll, has_lanes, traders, begun: Instant::now(), score: Score::default() };
        agent.log_on()?;
        Ok(agent)
    }

    fn log_on(&mut self) -> Result<(), Failure> {
        for trader in &mut self.traders {
            trader.connection.flush()?;
            // One after the other: the venue checks passwords with one thread.
            while !trader.is_ready() {
                if self.begun.elapsed() > LOG_ON_PATIENCE {
                    return Err(Failure::new("a client was not let in within a minute"));
                }
                trader.connection.fill()?;
                trader.receive(0)?;
                std::thread::sleep(Duration::from_millis(1));
            }
        }
        Ok(())
    }

    fn drive(&mut self, begin: Instant) -> Result<Outcome, Failure> {
        let measured = begin + self.spec.warm_up;
        let end = measured + self.spec.measured;
        let mut events = Events::with_capacity(EVENTS);
        let mut word = begin;
        let (mut is_measured, mut outcome) = (false, None);
        for at in 0..self.traders.len() {
            self.send(at, begin)?;
        }
        loop {
            self.wait(&mut events)?;
            let mut now = Instant::now();
            if !is_measured && now >= measured {
                is_measured = true;
                self.score.begin();
            }
            let is_over = now >= end;
            if is_over && outcome.is_none() {
                outcome = Some(self.score.end());
            }
            for at in self.ready(&events)? {
                self.traders[at].connection.flush()?;
                while !self.read(at)? {}
                now = Instant::now();
                if !is_over {
                    self.send(at, now)?;
                }
            }
            if now - word >= WORD_EVERY {
                word = now;
                self.score.report()?;
                self.tick()?;
            }
            let is_idle = self.traders.iter().all(|trader| trader.under_way.is_empty());
            if is_over && (is_idle || now >= end + GRACE) {
                break;
            }
        }
        let mut outcome = outcome.unwrap_or_else(|| self.score.end());
        let left: usize = self.traders.iter().map(|trader| trader.under_way.len()).sum();
        if left > 0 {
            outcome.errors.insert("no answer".to_owned(), left as u64);
        }
        Ok(outcome)
    }

    fn wait(&mut self, events: &mut Events) -> Result<(), Failure> {
        if self.has_lanes {
            polled::wait(&mut self.poll, events, &mut self.traders, Some(WAIT))
        } else {
            Ok(self.poll.poll(events, Some(WAIT))?)
        }
    }

    /// The traders that have something to read or to write.
    fn ready(&mut self, events: &Events) -> Result<Vec<usize>, Failure> {
        let tokens = events.iter().map(|event| event.token().0);
        if !self.has_lanes {
            return Ok(tokens.collect());
        }
        for at in tokens {
            self.traders[at].connection.wake()?;
        }
        Ok((0..self.traders.len()).collect())
    }

    fn send(&mut self, at: usize, now: Instant) -> Result<(), Failure> {
        let trader = &mut self.traders[at];
        if trader.send(now) > 0 {
            self.score.outcome.bytes_sent += trader.connection.outbox.len() as u64;
            trader.connection.flush()?;
        }
        Ok(())
    }

    /// Reads once; `true` when the socket has no more at the moment.
    fn read(&mut self, at: usize) -> Result<bool, Failure> {
        let trader = &mut self.traders[at];
        let is_empty = trader.connection.fill()?;
        self.score.outcome.bytes_received += trader.connection.arrived().len() as u64;
        let now = Instant::now();
        let now_ms = self.begun.elapsed().as_millis() as u64;
        let Seen { answered, refused, executed } = trader.receive(now_ms)?;
        for _ in 0..answered {
            let sent = trader.under_way.pop_front();
            let sent = sent.ok_or_else(|| Failure::fault("an answer to no order"))?;
            self.score.answered(now - sent);
        }
        trader.under_way.drain(..refused.min(trader.under_way.len()));
        self.score.failed("rejected", refused as u64);
        // Each trade has a report for either side.
        self.score.outcome.trades += executed / 2;
        Ok(is_empty)
    }

    fn tick(&mut self) -> Result<(), Failure> {
        let now_ms = self.begun.elapsed().as_millis() as u64;
        for trader in &mut self.traders {
            trader.tick(now_ms)?;
            trader.connection.flush()?;
        }
        Ok(())
    }
}

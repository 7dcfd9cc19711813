//! `buttonwood bench ouch-agent`: one process with all clients, on one thread and one epoll.
//!
//! In a closed loop, the latency of an order begins when it is handed to the socket, and the
//! answers within the measured time count. In an open loop it begins when the order is due, however
//! late it is sent, and the orders that are due within the measured time count, whenever they are
//! answered.

use std::ops::Range;
use std::time::{Duration, Instant};

use cli::Failure;
use mio::event::Event;
use mio::{Events, Interest, Poll, Token};

use super::polled;
use super::schedule::Schedule;
use super::trader::{Seen, Trader};
use crate::agent::NOT_SENT;
use crate::fleet::{connected, emit, receive};
use crate::score::Score;
use crate::socket::{self, SHM};
use crate::spec::{Load, Outcome, Spec, Word};
use crate::timer::{TIMER, Timer};

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
    /// In an open loop.
    schedule: Option<Schedule>,
    /// The client whose turn it is in an open loop.
    turn: usize,
    timer: Timer,
    begun: Instant,
    measured: Range<Instant>,
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
        let begun = Instant::now();
        let mut agent = Self {
            has_lanes: spec.address.starts_with(SHM),
            schedule: None,
            turn: 0,
            timer: Timer::new(poll.registry())?,
            begun,
            measured: begun..begun,
            score: Score::default(),
            spec,
            poll,
            traders,
        };
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
        let begins = begin + self.spec.warm_up;
        let end = begins + self.spec.measured;
        self.measured = begins..end;
        let mut events = Events::with_capacity(EVENTS);
        let mut word = begin;
        let (mut is_measured, mut is_over) = (false, false);
        self.schedule = Schedule::new(&self.spec, begin);
        for at in 0..self.traders.len() {
            self.send_next(at, begin)?;
        }
        loop {
            let due = if is_over { None } else { self.send_due()? };
            self.wait(&mut events, due)?;
            let mut now = Instant::now();
            if !is_measured && now >= begins {
                is_measured = true;
                self.score.begin();
            }
            if !is_over && now >= end {
                is_over = true;
                self.send_due()?;
                self.score.over();
            }
            for at in self.ready(&events)? {
                self.traders[at].connection.flush()?;
                while !self.read(at)? {}
                now = Instant::now();
                if !is_over {
                    self.send_next(at, now)?;
                }
            }
            if now - word >= WORD_EVERY {
                word = now;
                self.score.report()?;
                self.tick()?;
            }
            let is_idle = self.traders.iter().all(|trader| trader.under_way.is_empty());
            if is_over && (is_idle || now >= end + GRACE) {
                return Ok(self.close());
            }
        }
    }

    fn wait(&mut self, events: &mut Events, due: Option<Instant>) -> Result<(), Failure> {
        if self.has_lanes {
            polled::wait(&mut self.poll, events, &mut self.traders, (Some(WAIT), due))
        } else {
            Ok(self.poll.poll(events, Some(WAIT))?)
        }
    }

    /// The traders that have something to read or to write.
    fn ready(&mut self, events: &Events) -> Result<Vec<usize>, Failure> {
        let tokens = events.iter().map(Event::token).filter(|token| *token != TIMER);
        let tokens = tokens.map(|Token(at)| at);
        if !self.has_lanes {
            return Ok(tokens.collect());
        }
        for at in tokens {
            self.traders[at].connection.wake()?;
        }
        Ok((0..self.traders.len()).collect())
    }

    /// The next orders of a client of a closed loop.
    fn send_next(&mut self, at: usize, now: Instant) -> Result<(), Failure> {
        let room = self.traders[at].room();
        if self.schedule.is_some() || room == 0 {
            return Ok(());
        }
        self.send(at, std::iter::repeat_n(now, room))
    }

    /// Sends the batches of an open loop that are due, as far as clients have room, and sets the
    /// timer for the next one, whose moment it returns.
    fn send_due(&mut self) -> Result<Option<Instant>, Failure> {
        let now = Instant::now();
        while let Some(next) = self.schedule.as_ref().and_then(Schedule::next) {
            if next > now {
                self.timer.wake_at(next)?;
                return Ok(Some(next));
            }
            let count = self.traders.len();
            let mut turns = (self.turn..self.turn + count).map(|turn| turn % count);
            // An answer makes room, and wakes the thread.
            let Some(at) = turns.find(|at| self.traders[*at].room() > 0) else { break };
            self.turn = at + 1;
            let batch = self.schedule.as_mut().expect("it has a next batch").take();
            self.send(at, batch)?;
        }
        Ok(None)
    }

    fn send(&mut self, at: usize, since: impl IntoIterator<Item = Instant>) -> Result<(), Failure> {
        let trader = &mut self.traders[at];
        let before = trader.connection.outbox.len();
        trader.send(since);
        self.score.outcome.bytes_sent += (trader.connection.outbox.len() - before) as u64;
        trader.connection.flush()
    }

    /// The figures of the measured time.
    fn close(&mut self) -> Outcome {
        let unsent = self.schedule.as_ref().map_or(0, Schedule::unsent);
        self.score.failed(NOT_SENT, unsent);
        let left: usize = self.traders.iter().map(|trader| trader.under_way.len()).sum();
        self.score.failed("no answer", left as u64);
        self.score.end()
    }

    /// Reads once; `true` when the socket has no more at the moment.
    fn read(&mut self, at: usize) -> Result<bool, Failure> {
        let trader = &mut self.traders[at];
        let is_empty = trader.connection.fill()?;
        let bytes = trader.connection.arrived().len() as u64;
        let now = Instant::now();
        let now_ms = self.begun.elapsed().as_millis() as u64;
        let Seen { answered, refused, executed } = trader.receive(now_ms)?;
        for _ in 0..answered {
            let since = trader.under_way.pop_front();
            let since = since.ok_or_else(|| Failure::fault("an answer to no order"))?;
            let moment = if self.schedule.is_some() { since } else { now };
            if self.measured.contains(&moment) {
                self.score.answered(now - since);
            } else {
                self.score.answered_outside();
            }
        }
        trader.under_way.drain(..refused.min(trader.under_way.len()));
        if self.schedule.is_some() || now < self.measured.end {
            self.score.failed("rejected", refused as u64);
            self.score.outcome.bytes_received += bytes;
            // Each trade has a report for either side.
            self.score.outcome.trades += executed / 2;
        }
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

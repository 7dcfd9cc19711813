//! `buttonwood bench ouch-udp-agent`: one process with all clients, on one thread and one epoll.

use std::time::{Duration, Instant};

use cli::Failure;
use mio::{Events, Interest, Poll, Token};

use super::trader::{Seen, Trader};
use crate::fleet::{connected, emit, receive};
use crate::score::Score;
use crate::spec::{Load, Outcome, Spec, Word};

const EVENTS: usize = 1_024;
const WORD_EVERY: Duration = Duration::from_millis(200);
/// How often clients look at the clock.
const WAIT: Duration = Duration::from_millis(1);
const OPEN_PATIENCE: Duration = Duration::from_secs(60);
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
    traders: Vec<Trader>,
    score: Score,
    /// Where the counts of the traders stood when the measured time began.
    before: (u64, u64),
}

impl Agent {
    fn connect(spec: Spec) -> Result<Self, Failure> {
        let poll = Poll::new()?;
        let (is_echo, batch, loss) = match spec.load {
            Load::OuchUdpEcho { batch } => (true, batch, 0),
            Load::OuchUdp { batch, loss } => (false, batch, loss),
            _ => return Err(Failure::fault("this agent speaks OUCH over UDP")),
        };
        let address = spec.address.parse();
        let address = address.map_err(|_| Failure::fault("the address has no port"))?;
        let sizes = (spec.window, usize::from(batch));
        let mut traders = Vec::new();
        for (at, key) in spec.keys.iter().enumerate() {
            let seed = (spec.seed, at as u64);
            let mut trader = Trader::new(address, (!is_echo).then_some(key), sizes, seed, loss)?;
            poll.registry().register(&mut trader.socket, Token(at), Interest::READABLE)?;
            traders.push(trader);
        }
        let mut agent = Self { spec, poll, traders, score: Score::default(), before: (0, 0) };
        agent.open()?;
        Ok(agent)
    }

    fn open(&mut self) -> Result<(), Failure> {
        let begun = Instant::now();
        for trader in &mut self.traders {
            while !trader.is_ready() {
                if begun.elapsed() > OPEN_PATIENCE {
                    return Err(Failure::new("a client was not let in within a minute"));
                }
                trader.poll()?;
                trader.read()?;
                trader.send_again()?;
                std::thread::sleep(Duration::from_micros(200));
            }
        }
        Ok(())
    }

    fn drive(&mut self, begin: Instant) -> Result<Outcome, Failure> {
        let measured = begin + self.spec.warm_up;
        let end = measured + self.spec.measured;
        let mut events = Events::with_capacity(EVENTS);
        let (mut word, mut looked) = (begin, begin);
        let (mut is_measured, mut outcome) = (false, None);
        for trader in &mut self.traders {
            trader.send(begin)?;
        }
        loop {
            self.poll.poll(&mut events, Some(WAIT))?;
            let now = Instant::now();
            if !is_measured && now >= measured {
                is_measured = true;
                self.score.begin();
                self.before = self.counts();
            }
            let is_over = now >= end;
            if is_over && outcome.is_none() {
                outcome = Some(self.close());
            }
            for event in &events {
                self.serve(event.token().0, is_over)?;
            }
            if now - looked >= WAIT {
                looked = now;
                for at in 0..self.traders.len() {
                    if self.traders[at].deadline().is_none_or(|deadline| now >= deadline) {
                        self.serve(at, is_over)?;
                    }
                }
            }
            if now - word >= WORD_EVERY {
                word = now;
                self.score.report()?;
            }
            let is_idle = self.traders.iter().all(|trader| trader.under_way.is_empty());
            if is_over && (is_idle || now >= end + GRACE) {
                break;
            }
        }
        let mut outcome = outcome.unwrap_or_else(|| self.close());
        let left: usize = self.traders.iter().map(|trader| trader.under_way.len()).sum();
        if left > 0 {
            outcome.errors.insert("no answer".to_owned(), left as u64);
        }
        Ok(outcome)
    }

    /// Reads what has come for a client, and sends what is due.
    fn serve(&mut self, at: usize, is_over: bool) -> Result<(), Failure> {
        let trader = &mut self.traders[at];
        let Seen { answered, refused, executed, bytes } = trader.read()?;
        self.score.outcome.bytes_received += bytes;
        let now = Instant::now();
        for _ in 0..answered {
            let sent = trader.under_way.pop_front();
            let sent = sent.ok_or_else(|| Failure::fault("an answer to no order"))?;
            self.score.answered(now - sent);
        }
        trader.under_way.drain(..refused.min(trader.under_way.len()));
        self.score.failed("rejected", refused as u64);
        // Each trade has a report for either side.
        self.score.outcome.trades += executed / 2;
        trader.send_again()?;
        if !is_over {
            trader.send(now)?;
        }
        trader.poll()?;
        self.score.outcome.bytes_sent += std::mem::take(&mut trader.bytes_sent);
        Ok(())
    }

    /// Messages that were sent again, and sessions that were opened again.
    fn counts(&self) -> (u64, u64) {
        let again = self.traders.iter().map(Trader::all_sent_again).sum();
        (again, self.traders.iter().map(|trader| trader.reopened).sum())
    }

    /// The figures of the measured time.
    fn close(&mut self) -> Outcome {
        let mut outcome = self.score.end();
        let (again, reopened) = self.counts();
        outcome.sent_again = again - self.before.0;
        outcome.reopened = reopened - self.before.1;
        outcome
    }
}

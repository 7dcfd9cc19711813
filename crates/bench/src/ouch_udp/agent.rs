//! `buttonwood bench ouch-udp-agent`: one process with all clients, on one thread and one epoll.

use std::time::{Duration, Instant};

use cli::Failure;
use mio::{Events, Interest, Poll, Token};
use server::now_ns;

use super::trader::{Seen, Trader};
use crate::fleet::{emit, receive};
use crate::spec::{Load, Outcome, Spec, Word};
use crate::tally::Tally;
use crate::usage;

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
    emit(&Word::Connected)?;
    let begin_ns: u64 = receive()?;
    let begin = Instant::now() + Duration::from_nanos(begin_ns.saturating_sub(now_ns()));
    std::thread::sleep(begin.saturating_duration_since(Instant::now()));
    let outcome = agent.drive(begin)?;
    emit(&Word::Ended(Box::new(outcome)))
}

struct Agent {
    spec: Spec,
    poll: Poll,
    traders: Vec<Trader>,
    tally: Tally,
    outcome: Outcome,
    /// Where the counts of the traders stood when the measured time began.
    before: (u64, u64),
    done: u64,
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
        let (tally, outcome) = (Tally::default(), Outcome::default());
        let mut agent = Self { spec, poll, traders, tally, outcome, before: (0, 0), done: 0 };
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
        let (mut word, mut cpu_s, mut looked) = (begin, 0.0, begin);
        let (mut is_measured, mut outcome) = (false, None);
        for trader in &mut self.traders {
            trader.send(begin)?;
        }
        loop {
            self.poll.poll(&mut events, Some(WAIT))?;
            let now = Instant::now();
            if !is_measured && now >= measured {
                (is_measured, cpu_s) = (true, usage::cpu_s("self").unwrap_or(0.0));
                (self.tally, self.outcome) = (Tally::default(), Outcome::default());
                self.before = self.counts();
            }
            let is_over = now >= end;
            if is_over && outcome.is_none() {
                outcome = Some(self.close(cpu_s));
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
                emit(&Word::Done(std::mem::take(&mut self.done)))?;
            }
            let is_idle = self.traders.iter().all(|trader| trader.under_way.is_empty());
            if is_over && (is_idle || now >= end + GRACE) {
                break;
            }
        }
        let mut outcome = outcome.unwrap_or_else(|| self.close(cpu_s));
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
        self.outcome.bytes_received += bytes;
        let now = Instant::now();
        for _ in 0..answered {
            let sent = trader.under_way.pop_front();
            let sent = sent.ok_or_else(|| Failure::fault("an answer to no order"))?;
            self.tally.record((now - sent).as_nanos() as u64, 1);
        }
        for _ in 0..refused {
            trader.under_way.pop_front();
            *self.outcome.errors.entry("rejected".to_owned()).or_default() += 1;
        }
        // Each trade has a report for either side.
        self.outcome.trades += executed / 2;
        self.done += answered as u64;
        trader.send_again()?;
        if !is_over {
            trader.send(now)?;
        }
        trader.poll()?;
        self.outcome.bytes_sent += std::mem::take(&mut trader.bytes_sent);
        Ok(())
    }

    /// Messages that were sent again, and sessions that were opened again.
    fn counts(&self) -> (u64, u64) {
        let again = self.traders.iter().map(Trader::all_sent_again).sum();
        (again, self.traders.iter().map(|trader| trader.reopened).sum())
    }

    /// The figures of the measured time.
    fn close(&mut self, cpu_s: f64) -> Outcome {
        let mut outcome = std::mem::take(&mut self.outcome);
        let (again, reopened) = self.counts();
        outcome.sent_again = again - self.before.0;
        outcome.reopened = reopened - self.before.1;
        outcome.cpu_s = usage::cpu_s("self").unwrap_or(0.0) - cpu_s;
        outcome.by_type.insert("limit".to_owned(), std::mem::take(&mut self.tally));
        outcome
    }
}

//! Orders that are a call each: all clients on one thread and one epoll, as those of REST, so that
//! the two compare the venue's ways and not two clients.

use std::time::{Duration, Instant};

use cli::Failure;
use mio::{Events, Interest, Poll, Token};

use super::caller::{Answer, Caller};
use crate::score::Score;
use crate::socket;
use crate::spec::{Outcome, Spec};

const EVENTS: usize = 1_024;
const WORD_EVERY: Duration = Duration::from_millis(200);
const WAIT: Duration = Duration::from_millis(100);
/// The wait for answers after the end.
const GRACE: Duration = Duration::from_secs(10);

pub(super) struct Calls {
    spec: Spec,
    poll: Poll,
    callers: Vec<Caller>,
    score: Score,
}

impl Calls {
    /// A connection for each token.
    pub(super) fn connect(spec: Spec, tokens: &[String]) -> Result<Self, Failure> {
        let poll = Poll::new()?;
        let mut callers = Vec::new();
        for (at, token) in tokens.iter().enumerate() {
            let mut connection = socket::connect_any(&spec.address, "the venue's gRPC port")?;
            let interest = Interest::READABLE | Interest::WRITABLE;
            poll.registry().register(&mut connection.stream, Token(at), interest)?;
            callers.push(Caller::new(connection, token));
        }
        Ok(Self { spec, poll, callers, score: Score::default() })
    }

    pub(super) fn drive(&mut self, begin: Instant) -> Result<Outcome, Failure> {
        let measured = begin + self.spec.warm_up;
        let end = measured + self.spec.measured;
        let mut events = Events::with_capacity(EVENTS);
        let mut word = begin;
        let (mut is_measured, mut outcome) = (false, None);
        for caller in &mut self.callers {
            caller.send(begin);
            caller.connection.flush()?;
        }
        loop {
            self.poll.poll(&mut events, Some(WAIT))?;
            let now = Instant::now();
            if !is_measured && now >= measured {
                is_measured = true;
                self.score.begin();
            }
            let is_over = now >= end;
            if is_over && outcome.is_none() {
                outcome = Some(self.score.end());
            }
            for event in &events {
                self.attend(event.token().0, is_over)?;
            }
            if now - word >= WORD_EVERY {
                word = now;
                self.score.report()?;
            }
            let is_idle = self.callers.iter().all(|caller| caller.under_way.is_none());
            if is_over && (is_idle || now >= end + GRACE) {
                break;
            }
        }
        let mut outcome = outcome.unwrap_or_else(|| self.score.end());
        let left = self.callers.iter().filter(|caller| caller.under_way.is_some()).count();
        if left > 0 {
            outcome.errors.insert("no answer".to_owned(), left as u64);
        }
        Ok(outcome)
    }

    /// Reads a client's answers, and sends its next order.
    fn attend(&mut self, at: usize, is_over: bool) -> Result<(), Failure> {
        let caller = &mut self.callers[at];
        loop {
            let is_drained = caller.connection.fill()?;
            let now = Instant::now();
            while let Some(answer) = caller.take_answer()? {
                let sent = caller.under_way.take();
                let sent = sent.ok_or_else(|| Failure::fault("an answer to no order"))?;
                match answer {
                    Answer::Reply { fills } => {
                        self.score.answered(now - sent);
                        self.score.outcome.trades += fills as u64;
                    }
                    Answer::Refused => self.score.failed("a call was refused", 1),
                }
                if !is_over {
                    caller.send(now);
                }
            }
            caller.connection.flush()?;
            if is_drained {
                return Ok(());
            }
        }
    }
}

//! `buttonwood bench readers`: one process that reads one stream of depth updates on many
//! connections, as many bots would, and counts missing updates. The scenario `stream` starts it and
//! sends it cues on standard input.
//!
//! One thread and one epoll serve all readers. Of a message only `U`, `u` and `E` are read: on one
//! machine, a reader takes its CPU time from the venue.
//!
//! The process's own orders, the probes, measure the age of market data on arrival: ten a second
//! at random times, each alone at its price. The first reader that has an update searches it for
//! the level of the newest probe. From then on the update's id shows when each reader has it.

mod connection;
mod count;
mod prober;

use std::io::ErrorKind;
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, TryRecvError};
use std::time::{Duration, Instant};

use cli::Failure;
use mio::{Events, Poll, Token, Waker};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use self::connection::Reader;
use self::count::Count;
use self::prober::{PROBER, Prober};
use super::fleet::{emit, receive};
use super::spec::{Cue, ReaderSpec, Reading, Word};
use super::{socket, usage};

/// The wait for the last updates.
const GRACE: Duration = Duration::from_secs(10);
const EVENTS: usize = 1_024;
/// Beside the readers' own: pipes, epoll, the prober, and a reserve.
const DESCRIPTORS_MORE: u64 = 32;
const WAKER: Token = Token(usize::MAX);

pub(super) fn run() -> Result<(), Failure> {
    let spec: ReaderSpec = receive()?;
    allow_descriptors(spec.readers)?;
    let crowd = Crowd::connect(&spec)?;
    let cues = listen(&crowd.poll)?;
    emit(&Word::Connected)?;
    let reading = crowd.follow(&cues)?;
    emit(&reading)
}

fn allow_descriptors(readers: usize) -> Result<(), Failure> {
    let needed = readers as u64 + DESCRIPTORS_MORE;
    let limit = getrlimit(Resource::Nofile);
    if let Some(most) = limit.maximum.filter(|most| *most < needed) {
        return Err(Failure::new(format!(
            "{readers} readers need {needed} open files, and this shell allows {most}: raise it with \
             `ulimit -n`, or spread them with --agents"
        )));
    }
    setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, ..limit })
        .map_err(|error| Failure::new(format!("the limit of open files cannot be raised: {error}")))
}

/// Cues from standard input, each of which wakes the poll.
fn listen(poll: &Poll) -> Result<Receiver<Result<Cue, Failure>>, Failure> {
    let waker = Arc::new(Waker::new(poll.registry(), WAKER)?);
    let (sender, cues) = mpsc::channel();
    std::thread::spawn(move || {
        loop {
            let cue = receive();
            let is_last = !matches!(cue, Ok(Cue::Begin | Cue::End));
            // The other side has ended: there is nothing left to send.
            if sender.send(cue).is_err() || waker.wake().is_err() || is_last {
                return;
            }
        }
    });
    Ok(cues)
}

struct Crowd {
    poll: Poll,
    readers: Vec<Reader>,
    prober: Prober,
    count: Count,
    until: Option<u64>,
}

impl Crowd {
    fn connect(spec: &ReaderSpec) -> Result<Self, Failure> {
        let poll = Poll::new()?;
        let address = socket::parse(&spec.address)?;
        let connect = |at| Reader::connect(address, &spec.path, poll.registry(), Token(at));
        let readers = (0..spec.readers).map(connect).collect::<Result<Vec<_>, _>>()?;
        let prober = Prober::connect(address, spec, poll.registry())?;
        let count = Count::new(spec.readers);
        Ok(Self { poll, readers, prober, count, until: None })
    }

    fn follow(mut self, cues: &Receiver<Result<Cue, Failure>>) -> Result<Reading, Failure> {
        let mut events = Events::with_capacity(EVENTS);
        let mut given_up: Option<Instant> = None;
        loop {
            match cues.try_recv() {
                Ok(cue) => match cue? {
                    Cue::Begin => self.begin(),
                    Cue::End => self.end()?,
                    Cue::Until(update) => {
                        self.until = Some(update);
                        given_up = Some(Instant::now() + GRACE);
                    }
                },
                // After the last cue the sender is gone.
                Err(TryRecvError::Empty | TryRecvError::Disconnected) => {}
            }
            if self.have_all() || given_up.is_some_and(|moment| Instant::now() >= moment) {
                return Ok(self.close());
            }
            self.prober.send_due(&mut self.count)?;
            self.wait(&mut events)?;
            for event in &events {
                match event.token() {
                    WAKER => {}
                    PROBER => self.prober.attend(&mut self.count)?,
                    Token(at) => self.readers[at].attend(&mut self.count),
                }
            }
        }
    }

    fn begin(&mut self) {
        self.count.measured_since = Some(Instant::now());
        self.prober.begin();
    }

    fn end(&mut self) -> Result<(), Failure> {
        if let Some(since) = self.count.measured_since.take() {
            self.count.reading.measured_s = since.elapsed().as_secs_f64();
        }
        self.prober.end()
    }

    fn wait(&mut self, events: &mut Events) -> Result<(), Failure> {
        match self.poll.poll(events, Some(self.prober.wait())) {
            Err(error) if error.kind() != ErrorKind::Interrupted => Err(error.into()),
            _ => Ok(()),
        }
    }

    fn have_all(&self) -> bool {
        let has = |reader: &Reader| {
            reader.connection.is_none() || self.until.is_some_and(|until| reader.last >= until)
        };
        self.until.is_some() && self.readers.iter().all(has)
    }

    fn close(mut self) -> Reading {
        let until = self.until.unwrap_or(0);
        let is_behind = |reader: &&Reader| reader.last < until;
        self.count.reading.behind = self.readers.iter().filter(is_behind).count() as u64;
        self.count.reading.cpu_s = usage::cpu_s("self").unwrap_or(0.0);
        self.count.close()
    }
}

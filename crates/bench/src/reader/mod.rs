//! `buttonwood bench readers`: one process that reads one stream of depth updates on many
//! connections, as many bots would, and counts what it is not sent. The scenario `stream` starts it
//! and tells it what to do on standard input.
//!
//! One thread and one epoll for all readers. Of a message only `U`, `u` and `E` are read: what a
//! reader burns is missing to the venue when both are on one machine.
//!
//! The age of market data on arrival is measured by the process's own orders, the probes: ten a
//! second at random times, each alone at its price. Whichever reader first has an update looks for
//! the newest probe's level in it; from then on the update's id tells for all readers when they
//! have it.

mod connection;
mod count;
mod prober;

use std::io::{ErrorKind, Read};
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, TryRecvError};
use std::time::{Duration, Instant};

use cli::Failure;
use mio::{Events, Poll, Token, Waker};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use self::connection::Reader;
use self::count::Count;
use self::prober::{PROBER, Prober};
use super::agent::{line, say};
use super::spec::{Cue, ReaderSpec, Reading, Word};
use super::{socket, usage};

/// How long the last updates are waited for.
const GRACE: Duration = Duration::from_secs(10);
const CHUNK: usize = 64 << 10;
const EVENTS: usize = 1_024;
/// Beside the readers' own: pipes, epoll, the prober, and what comes up.
const DESCRIPTORS_MORE: u64 = 32;
const WAKER: Token = Token(usize::MAX);

pub(super) fn run() -> Result<(), Failure> {
    let spec: ReaderSpec = serde_json::from_str(&line(&mut std::io::stdin().lock())?)?;
    allow_descriptors(spec.readers)?;
    let crowd = Crowd::connect(&spec)?;
    let cues = listen(&crowd.poll)?;
    say(&Word::Connected)?;
    let reading = crowd.follow(&cues)?;
    say(&reading)
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

/// Lines from standard input, each of which wakes the poll.
fn listen(poll: &Poll) -> Result<Receiver<Result<Cue, Failure>>, Failure> {
    let waker = Arc::new(Waker::new(poll.registry(), WAKER)?);
    let (sender, cues) = mpsc::channel();
    std::thread::spawn(move || {
        loop {
            let words = line(&mut std::io::stdin().lock());
            let cue = words.and_then(|line| Ok(serde_json::from_str(&line)?));
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
    /// What arrives on any connection, before it is looked at.
    chunk: Vec<u8>,
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
        Ok(Self { poll, readers, prober, chunk: vec![0; CHUNK], count, until: None })
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
                    Token(at) => self.attend(at),
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
            reader.stream.is_none() || self.until.is_some_and(|until| reader.last >= until)
        };
        self.until.is_some() && self.readers.iter().all(has)
    }

    /// Reads what has come for a reader. One that the venue ends is counted, and the others go on.
    fn attend(&mut self, at: usize) {
        let reader = &mut self.readers[at];
        while let Some(stream) = &mut reader.stream {
            let read = match stream.read(&mut self.chunk) {
                Ok(0) => Err("a reader's connection was closed".to_owned()),
                Ok(read) => reader.take(&self.chunk[..read], &mut self.count).map(|()| read),
                Err(error) if error.kind() == ErrorKind::WouldBlock => return,
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(error) => Err(format!("a reader's connection ended: {error}")),
            };
            match read {
                Ok(read) if read < CHUNK => return,
                Ok(_) => {}
                Err(cause) => {
                    self.count.fail(cause);
                    reader.stream = None;
                }
            }
        }
    }

    fn close(mut self) -> Reading {
        let until = self.until.unwrap_or(0);
        let is_behind = |reader: &&Reader| reader.last < until;
        self.count.reading.behind = self.readers.iter().filter(is_behind).count() as u64;
        self.count.reading.cpu_s = usage::cpu_s("self").unwrap_or(0.0);
        self.count.close()
    }
}

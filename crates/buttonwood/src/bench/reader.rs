//! `buttonwood bench readers`: one process that reads one stream of depth updates on many connections,
//! as many bots would, and counts what it is not sent. The scenario `stream` starts it and tells it what
//! to do on standard input.
//!
//! One thread and one epoll for all readers. Of a message only `U`, `u` and `E` are read: what a reader
//! burns is missing to the venue when both are on one machine.
//!
//! How old market data is when it arrives is told by orders of its own, the probes: ten a second at
//! random times, each alone at its price. Whichever reader first has an update looks for the newest
//! probe's level in it; from then on the update's id tells for all readers when they have it.

use std::collections::{BTreeMap, VecDeque};
use std::io::{ErrorKind, Read, Write};
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, TryRecvError};
use std::time::{Duration, Instant};

use mio::net::TcpStream;
use mio::{Events, Interest, Poll, Registry, Token, Waker};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use serde::{Deserialize, Serialize};

use super::agent::{cause, line, read_more, say};
use super::flow::ProbeOrder;
use super::frame::{self, Frame};
use super::spec::{Key, Word};
use super::tally::Tally;
use super::usage;
use super::wire::{Response, find};
use crate::clock::now_ns;
use crate::failure::Failure;
use crate::random::Random;

/// A probe is sent at a random time in each such span, so that it meets the publisher at any moment
/// between two of its ticks.
const PROBE_EVERY: Duration = Duration::from_millis(100);
/// How long the last updates are waited for.
const GRACE: Duration = Duration::from_secs(10);
/// Probes that not all readers have seen. More are given up, the oldest first.
const PROBES_MAX: usize = 1_024;
const CHUNK: usize = 64 << 10;
const MESSAGE_MAX: usize = 16 << 20;
const EVENTS: usize = 1_024;
/// Beside the readers' own: pipes, epoll, the prober, and what comes up.
const DESCRIPTORS_MORE: u64 = 32;
/// `U`, `u` and `E` stand within so many bytes.
const FRONT: usize = 160;
const WAKER: Token = Token(usize::MAX);
const PROBER: Token = Token(usize::MAX - 1);

/// What a process of readers is to do. The first line on its standard input.
#[derive(Debug, Deserialize, Serialize)]
pub(super) struct ReaderSpec {
    /// Host and port.
    pub(super) address: String,
    pub(super) path: String,
    pub(super) readers: usize,
    /// Its probes are sent with this.
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
    /// It is over for a reader when it has this update.
    Until(u64),
}

/// What came of it.
#[derive(Debug, Default, Deserialize, Serialize)]
pub(super) struct Reading {
    pub(super) readers: u64,
    /// Within the measured time, as the next three.
    pub(super) messages: u64,
    pub(super) bytes: u64,
    pub(super) measured_s: f64,
    /// From a probe's sending until a reader had the update with its level.
    pub(super) order_to_update: Tally,
    /// From the time that the venue put on a message until a reader had it.
    pub(super) since_event: Tally,
    /// Places where `U` was not the `u` before plus 1.
    pub(super) gaps: u64,
    /// Readers that did not come to the last update.
    pub(super) behind: u64,
    pub(super) probes: u64,
    pub(super) errors: BTreeMap<String, u64>,
    /// CPU time of the process itself.
    pub(super) cpu_s: f64,
}

impl Reading {
    pub(super) fn add(&mut self, other: &Self) {
        self.readers += other.readers;
        self.messages += other.messages;
        self.bytes += other.bytes;
        self.measured_s = self.measured_s.max(other.measured_s);
        self.order_to_update.add(&other.order_to_update);
        self.since_event.add(&other.since_event);
        self.gaps += other.gaps;
        self.behind += other.behind;
        self.probes += other.probes;
        for (cause, count) in &other.errors {
            *self.errors.entry(cause.clone()).or_default() += count;
        }
        self.cpu_s += other.cpu_s;
    }
}

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
            // Who is not listened to any more, or wakes nobody, has nothing left to say.
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

struct Reader {
    /// `None` once it has ended.
    stream: Option<TcpStream>,
    /// The beginning of a message whose end has not arrived.
    begun: Vec<u8>,
    /// The last update id; 0 before the first message.
    last: u64,
}

impl Crowd {
    fn connect(spec: &ReaderSpec) -> Result<Self, Failure> {
        let poll = Poll::new()?;
        let address: SocketAddr = spec
            .address
            .parse()
            .map_err(|_| Failure::new(format!("{} is not an address and a port", spec.address)))?;
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
                // After the last cue nobody speaks any more.
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

impl Reader {
    fn connect(
        address: SocketAddr,
        path: &str,
        registry: &Registry,
        token: Token,
    ) -> Result<Self, Failure> {
        let mut stream = connect(address)?;
        stream.write_all(frame::handshake(path).as_bytes())?;
        let mut arrived = Vec::new();
        let head_end = loop {
            read_more(&mut stream, &mut arrived)?;
            if let Some(at) = find(&arrived, b"\r\n\r\n") {
                break at + 4;
            }
        };
        if !arrived.starts_with(b"HTTP/1.1 101") {
            let answer = String::from_utf8_lossy(&arrived);
            return Err(Failure::new(format!("{address}{path}: no WebSocket: {answer}")));
        }
        // What came right behind is the beginning of the stream.
        let begun = arrived.split_off(head_end);
        Ok(Self { stream: Some(register(stream, registry, token)?), begun, last: 0 })
    }

    fn take(&mut self, arrived: &[u8], count: &mut Count) -> Result<(), String> {
        if self.begun.is_empty() {
            let used = self.take_messages(arrived, count)?;
            self.begun.extend(&arrived[used..]);
            return Ok(());
        }
        let mut begun = std::mem::take(&mut self.begun);
        begun.extend(arrived);
        let used = self.take_messages(&begun, count)?;
        begun.drain(..used);
        if begun.len() > MESSAGE_MAX {
            return Err("a message is larger than 16 MiB".into());
        }
        self.begun = begun;
        Ok(())
    }

    /// Says how many bytes were whole messages.
    fn take_messages(&mut self, arrived: &[u8], count: &mut Count) -> Result<usize, String> {
        let (now, now_ns) = (Instant::now(), now_ns());
        let mut used = 0;
        while let Some(Frame { opcode, payload, len }) = Frame::parse(&arrived[used..]) {
            match opcode {
                frame::TEXT => self.last = count.note(self.last, payload, now, now_ns),
                frame::PING => self.pong(payload)?,
                frame::CLOSE => return Err("the venue closed a reader's WebSocket".into()),
                _ => {}
            }
            used += len;
        }
        Ok(used)
    }

    /// Nothing else is sent on the connection, so there is room for it.
    fn pong(&mut self, payload: &[u8]) -> Result<(), String> {
        let mut out = Vec::new();
        frame::write_pong(&mut out, payload);
        let Some(stream) = &mut self.stream else { return Ok(()) };
        stream.write_all(&out).map_err(|error| format!("a reader's connection ended: {error}"))
    }
}

/// Of a message, what a reader needs to know whether it has them all.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
struct Update {
    first: u64,
    last: u64,
    event_ms: u64,
}

impl Update {
    fn parse(payload: &[u8]) -> Option<Self> {
        let front = &payload[..payload.len().min(FRONT)];
        let number = |name: &[u8]| -> Option<u64> {
            let at = find(front, name)? + name.len();
            let digits = front[at..].split(|byte| !byte.is_ascii_digit()).next()?;
            std::str::from_utf8(digits).ok()?.parse().ok()
        };
        let (first, last) = (number(br#""U":"#)?, number(br#""u":"#)?);
        Some(Self { first, last, event_ms: number(br#""E":"#)? })
    }
}

struct Count {
    readers: usize,
    measured_since: Option<Instant>,
    /// The last update that any reader has.
    newest: u64,
    probes: VecDeque<Probe>,
    reading: Reading,
}

/// An order that was sent, until all readers have seen its level.
struct Probe {
    level: String,
    sent: Instant,
    /// The last update id of the message that shows it.
    update: Option<u64>,
    unseen: usize,
}

impl Count {
    fn new(readers: usize) -> Self {
        let reading = Reading { readers: readers as u64, ..Reading::default() };
        Self { readers, measured_since: None, newest: 0, probes: VecDeque::new(), reading }
    }

    /// Takes in a message of a reader whose last update was `before`, and says which it is now.
    fn note(&mut self, before: u64, payload: &[u8], now: Instant, now_ns: u64) -> u64 {
        let Some(update) = Update::parse(payload) else {
            self.fail("a message that is no depth update".into());
            return before;
        };
        if before != 0 && update.first != before + 1 {
            self.reading.gaps += 1;
        }
        if update.last > self.newest {
            self.newest = update.last;
            self.find_probes(payload, update.last);
        }
        if self.measured_since.is_some() {
            self.reading.messages += 1;
            self.reading.bytes += payload.len() as u64;
            let since_event_ns = now_ns.saturating_sub(update.event_ms * 1_000_000);
            self.reading.since_event.record(since_event_ns, 1);
        }
        self.see_probes(update, now);
        update.last
    }

    fn find_probes(&mut self, payload: &[u8], update: u64) {
        for probe in self.probes.iter_mut().filter(|probe| probe.update.is_none()) {
            if find(payload, probe.level.as_bytes()).is_some() {
                probe.update = Some(update);
            }
        }
    }

    fn see_probes(&mut self, update: Update, now: Instant) {
        let Self { probes, reading, .. } = self;
        probes.retain_mut(|probe| {
            let shown = probe.update.filter(|id| (update.first..=update.last).contains(id));
            if shown.is_some() {
                let age = now.saturating_duration_since(probe.sent).as_nanos();
                reading.order_to_update.record(u64::try_from(age).unwrap_or(u64::MAX), 1);
                probe.unseen -= 1;
            }
            probe.unseen > 0
        });
    }

    fn expect(&mut self, order: ProbeOrder) {
        if self.probes.len() == PROBES_MAX {
            self.probes.pop_front();
            self.fail("a probe that not all readers saw".into());
        }
        self.reading.probes += 1;
        self.probes.push_back(Probe {
            level: order.level(),
            sent: Instant::now(),
            update: None,
            unseen: self.readers,
        });
    }

    fn fail(&mut self, cause: String) {
        *self.reading.errors.entry(cause).or_default() += 1;
    }

    fn close(mut self) -> Reading {
        for _ in 0..self.probes.len() {
            self.fail("a probe that not all readers saw".into());
        }
        self.reading
    }
}

/// Sends the probes, each of which is canceled when the next is sent.
struct Prober {
    stream: TcpStream,
    key: Key,
    random: Random,
    lane: u64,
    /// The one that rests.
    resting: Option<ProbeOrder>,
    sent: u64,
    /// The end of the span in which the next is sent, and the time in it; `None` when none is.
    next: Option<(Instant, Instant)>,
    arrived: Vec<u8>,
}

impl Prober {
    fn connect(
        address: SocketAddr,
        spec: &ReaderSpec,
        registry: &Registry,
    ) -> Result<Self, Failure> {
        Ok(Self {
            stream: register(connect(address)?, registry, PROBER)?,
            key: spec.key.clone(),
            random: Random::new(spec.seed, spec.lane),
            lane: spec.lane,
            resting: None,
            sent: 0,
            next: None,
            arrived: Vec::new(),
        })
    }

    fn begin(&mut self) {
        self.next = Some(self.draw(Instant::now()));
    }

    /// A moment in the span from there on.
    fn draw(&mut self, from: Instant) -> (Instant, Instant) {
        let within = self.random.between(0, PROBE_EVERY.as_micros() as u64 - 1);
        (from + PROBE_EVERY, from + Duration::from_micros(within))
    }

    fn wait(&self) -> Duration {
        let due = self.next.map(|(_, moment)| moment.saturating_duration_since(Instant::now()));
        due.unwrap_or(PROBE_EVERY)
    }

    fn send_due(&mut self, count: &mut Count) -> Result<(), Failure> {
        let Some((span_end, moment)) = self.next else { return Ok(()) };
        let now = Instant::now();
        if now < moment {
            return Ok(());
        }
        let order = ProbeOrder { lane: self.lane, number: self.sent };
        self.sent += 1;
        count.expect(order);
        let mut out = Vec::new();
        order.write(&mut out, &self.key);
        if let Some(before) = self.resting.replace(order) {
            before.write_cancel(&mut out, &self.key);
        }
        self.next = Some(self.draw(span_end.max(now)));
        self.send(&out)
    }

    fn end(&mut self) -> Result<(), Failure> {
        self.next = None;
        let mut out = Vec::new();
        if let Some(last) = self.resting.take() {
            last.write_cancel(&mut out, &self.key);
        }
        self.send(&out)
    }

    /// Twenty requests a second do not fill a socket whose answers are read.
    fn send(&mut self, out: &[u8]) -> Result<(), Failure> {
        self.stream.write_all(out).map_err(|error| ended(&error.to_string()))
    }

    fn attend(&mut self, count: &mut Count) -> Result<(), Failure> {
        let mut chunk = [0; 4_096];
        loop {
            match self.stream.read(&mut chunk) {
                Ok(0) => return Err(ended("it was closed")),
                Ok(read) => self.arrived.extend(&chunk[..read]),
                Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(ended(&error.to_string())),
            }
        }
        loop {
            let response = Response::parse(&self.arrived);
            let response = response.map_err(|_| ended("what arrived is not HTTP"))?;
            let Some(Response { status, body, len }) = response else { return Ok(()) };
            if status != 200 {
                count.fail(format!("a probe: {}", cause(status, body)));
            }
            self.arrived.drain(..len);
        }
    }
}

fn connect(address: SocketAddr) -> Result<std::net::TcpStream, Failure> {
    let stream = std::net::TcpStream::connect(address)
        .map_err(|error| Failure::new(format!("{address}: {error}")))?;
    stream.set_nodelay(true)?;
    Ok(stream)
}

fn register(
    stream: std::net::TcpStream,
    registry: &Registry,
    token: Token,
) -> Result<TcpStream, Failure> {
    stream.set_nonblocking(true)?;
    let mut stream = TcpStream::from_std(stream);
    registry.register(&mut stream, token, Interest::READABLE)?;
    Ok(stream)
}

fn ended(why: &str) -> Failure {
    Failure::new(format!("the probes' connection ended: {why}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn update(first: u64, last: u64, levels: &str) -> String {
        format!(
            r#"{{"e":"depthUpdate","E":1700000000000,"s":"BTCUSDT","U":{first},"u":{last},"b":[{levels}],"a":[]}}"#
        )
    }

    /// The updates of two readers, and what is told of them.
    fn read(readers: [&[(u64, u64)]; 2]) -> Reading {
        let mut count = Count::new(2);
        count.measured_since = Some(Instant::now());
        for updates in readers {
            let mut last = 0;
            for (first, to) in updates {
                last = count.note(last, update(*first, *to, "").as_bytes(), Instant::now(), 0);
            }
        }
        count.close()
    }

    #[test]
    fn an_update_that_is_missing_is_counted() {
        let all: &[_] = &[(5, 7), (8, 8), (9, 20)];
        assert_eq!(read([all, all]).gaps, 0);
        assert_eq!(read([all, &all[1..]]).gaps, 0, "who came later has missed nothing");
        assert_eq!(read([all, &[all[0], all[2]]]).gaps, 1);
        assert_eq!(read([all, &[all[0], all[0], all[1]]]).gaps, 1, "nor may one come twice");
        assert_eq!(read([all, all]).messages, 6);
    }

    #[test]
    fn a_probe_is_told_by_every_reader_that_has_its_update() {
        let (sent, order) = (Instant::now(), ProbeOrder { lane: 0, number: 7 });
        let mut count = Count::new(3);
        count.expect(order);
        let arrived = sent + Duration::from_secs(2);
        let shows = update(2, 3, &format!("{}000000\",\"1000.00000000\"]", order.level()));
        let mut note = |last, message: &str| count.note(last, message.as_bytes(), arrived, 0);
        note(0, &update(1, 1, ""));
        note(1, &shows);
        note(1, &shows);
        note(3, &update(4, 4, ""));
        let told = &count.reading.order_to_update;
        assert_eq!(told.orders, 2);
        assert!(told.min_ms() > 1_900.0, "{}", told.min_ms());
        assert_eq!(count.probes.len(), 1, "the third reader is still without it");
        count.note(1, shows.as_bytes(), arrived, 0);
        assert!(count.close().errors.is_empty());
    }

    #[test]
    fn a_message_that_is_cut_anywhere_is_read_once() {
        let mut stream = Vec::new();
        for payload in [update(1, 4, ""), update(5, 5, &"x".repeat(300))] {
            let len = payload.len();
            match u8::try_from(len) {
                Ok(short) if short < 126 => stream.extend([0x81, short]),
                _ => stream.extend([0x81, 126, (len >> 8) as u8, len as u8]),
            }
            stream.extend(payload.as_bytes());
        }
        for cut in 0..=stream.len() {
            let mut count = Count::new(1);
            let mut reader = Reader { stream: None, begun: Vec::new(), last: 0 };
            let (before, behind) = stream.split_at(cut);
            for arrived in [before, behind] {
                reader.take(arrived, &mut count).expect("it is well formed");
            }
            assert_eq!((reader.last, reader.begun.len()), (5, 0), "cut at {cut}");
            assert_eq!(count.close().gaps, 0, "cut at {cut}");
        }
    }
}

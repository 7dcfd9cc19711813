//! `buttonwood bench agent`: one process that drives the venue. It is told what to do on standard
//! input and says what came of it on standard output (`spec.rs`), and nobody starts it by hand.
//!
//! One thread and one epoll for all its clients, a read and a write per answer: what the load
//! generator burns is missing to the venue when both are on one machine.
//!
//! In a closed loop, a latency begins when the request is handed to the socket. In an open loop it
//! begins when the request was meant to be sent, however late that then happened.

use std::collections::VecDeque;
use std::io::{BufRead, ErrorKind, Read, Write};
use std::net::SocketAddr;
use std::os::fd::{AsRawFd, OwnedFd};
use std::time::{Duration, Instant};

use mio::net::TcpStream;
use mio::unix::SourceFd;
use mio::{Events, Interest, Poll, Token};
use rustix::time::{
    Itimerspec, TimerfdClockId, TimerfdFlags, TimerfdTimerFlags, Timespec, timerfd_create,
    timerfd_settime,
};
use serde::Serialize;

use super::flow::{self, Flow, Kind};
use super::frame::{self, Frame};
use super::spec::{Key, Load, Report, Spec, Word};
use super::usage;
use super::wire::{Response, count, find};
use crate::clock::now_ns;
use crate::failure::Failure;

/// How long answers are waited for when the time is over.
const GRACE: Duration = Duration::from_secs(10);
/// What was meant to be sent at the end of an open loop may be sent that much later.
const LATE: Duration = Duration::from_millis(100);
const WORD_EVERY: Duration = Duration::from_millis(200);
const RAMP_STEP: Duration = Duration::from_millis(5);
const INBOX: usize = 16 << 10;
const INBOX_MAX: usize = 16 << 20;
const EVENTS: usize = 1_024;
const TIMER: Token = Token(usize::MAX);
/// Of an error's text, as a name to count by.
const CAUSE_LEN_MAX: usize = 100;
pub(super) const NOT_SENT: &str = "not sent: all clients were waiting for answers";

pub(super) fn run() -> Result<(), Failure> {
    let mut words = std::io::stdin().lock();
    let spec: Spec = serde_json::from_str(&line(&mut words)?)?;
    let mut agent = Agent::connect(spec)?;
    say(&Word::Connected)?;
    let begin_ns: u64 = serde_json::from_str(&line(&mut words)?)?;
    let begin = Instant::now() + Duration::from_nanos(begin_ns.saturating_sub(now_ns()));
    let report = agent.drive(begin)?;
    say(&Word::Ended(Box::new(report)))
}

pub(super) fn line(words: &mut impl BufRead) -> Result<String, Failure> {
    let mut line = String::new();
    match words.read_line(&mut line)? {
        0 => Err(Failure::new("an agent was started by nobody: it is a part of `bench`")),
        _ => Ok(line),
    }
}

pub(super) fn say(word: &impl Serialize) -> Result<(), Failure> {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{}", serde_json::to_string(word)?)?;
    Ok(out.flush()?)
}

struct Agent {
    address: SocketAddr,
    spec: Spec,
    poll: Poll,
    /// Those that have joined.
    clients: Vec<Client>,
    timer: OwnedFd,
    plan: Plan,
    report: Report,
    in_flight: usize,
    /// Requests.
    sent: u64,
    /// Clients that have begun, in a closed loop.
    started: usize,
    /// Clients with a slot that is free, in an open loop.
    idle: VecDeque<usize>,
    /// Answered since the last word.
    done: u64,
}

/// What happens when.
#[derive(Clone, Copy)]
struct Plan {
    begin: Instant,
    measured: Instant,
    end: Instant,
    /// Between two requests, in an open loop.
    gap: Option<Duration>,
}

struct Client {
    stream: TcpStream,
    flow: Flow,
    is_websocket: bool,
    orders_per_request: u64,
    inbox: Vec<u8>,
    filled: usize,
    outbox: Vec<u8>,
    written: usize,
    /// What is under way, by slot.
    slots: Vec<Option<Sent>>,
}

#[derive(Clone, Copy)]
struct Sent {
    since: Instant,
    kind: Kind,
    bytes: u64,
}

impl Agent {
    fn connect(spec: Spec) -> Result<Self, Failure> {
        let poll = Poll::new()?;
        let address: SocketAddr = spec
            .address
            .parse()
            .map_err(|_| Failure::new(format!("{} is not an address and a port", spec.address)))?;
        let timer = timerfd_create(
            TimerfdClockId::Monotonic,
            TimerfdFlags::NONBLOCK | TimerfdFlags::CLOEXEC,
        )
        .map_err(std::io::Error::from)?;
        poll.registry().register(&mut SourceFd(&timer.as_raw_fd()), TIMER, Interest::READABLE)?;
        let slots = (0..spec.window).flat_map(|_| 0..spec.keys.len()).collect();
        let now = Instant::now();
        let mut agent = Self {
            address,
            plan: Plan { begin: now, measured: now, end: now, gap: None },
            spec,
            poll,
            clients: Vec::new(),
            timer,
            report: Report::default(),
            in_flight: 0,
            sent: 0,
            started: 0,
            idle: slots,
            done: 0,
        };
        // Whoever joins later connects then: a venue closes what has said nothing for a minute.
        if agent.spec.ramp_ms == 0 || agent.spec.rate.is_some() {
            (0..agent.spec.keys.len()).try_for_each(|_| agent.join())?;
        }
        Ok(agent)
    }

    /// The next client connects.
    fn join(&mut self) -> Result<(), Failure> {
        let at = self.clients.len();
        let mut client = Client::connect(self.address, &self.spec, &self.spec.keys[at], at as u64)?;
        let interest = Interest::READABLE | Interest::WRITABLE;
        self.poll.registry().register(&mut client.stream, Token(at), interest)?;
        self.clients.push(client);
        Ok(())
    }

    fn drive(&mut self, begin: Instant) -> Result<Report, Failure> {
        let measured = begin + Duration::from_millis(self.spec.warm_up_ms);
        let end = measured + Duration::from_millis(self.spec.measured_ms);
        let gap = self.spec.rate.map(|rate| Duration::from_secs_f64(1.0 / rate));
        self.plan = Plan { begin, measured, end, gap };
        std::thread::sleep(begin.saturating_duration_since(Instant::now()));
        let mut events = Events::with_capacity(EVENTS);
        let mut next_word = begin + WORD_EVERY;
        loop {
            let now = Instant::now();
            if now >= end + GRACE || self.is_over(now) && self.in_flight == 0 {
                break;
            }
            match gap {
                Some(gap) => self.send_due(gap, now)?,
                None => self.send_first(now)?,
            }
            if now >= next_word {
                say(&Word::Done(std::mem::take(&mut self.done)))?;
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
        Ok(std::mem::take(&mut self.report))
    }

    /// Has those clients of a closed loop begin whose time has come.
    fn send_first(&mut self, now: Instant) -> Result<(), Failure> {
        let ramp = Duration::from_millis(self.spec.ramp_ms);
        let count = self.spec.keys.len();
        while self.started < count
            && now >= self.plan.begin + ramp.mul_f64(self.started as f64 / count as f64)
        {
            let at = self.started;
            if at == self.clients.len() {
                self.join()?;
            }
            self.started += 1;
            for slot in 0..self.spec.window {
                self.send(at, slot, Instant::now());
            }
            self.clients[at].flush()?;
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

    /// Whether nothing more is to be sent.
    fn is_over(&self, now: Instant) -> bool {
        let late = if self.plan.gap.is_some() { LATE } else { Duration::ZERO };
        now >= self.plan.end + late || self.is_exhausted()
    }

    fn is_exhausted(&self) -> bool {
        self.spec.requests_max.is_some_and(|max| self.sent >= max)
    }

    /// Sends what was meant to be sent by now, as far as clients are free to, and sets the timer for
    /// what comes next.
    fn send_due(&mut self, gap: Duration, now: Instant) -> Result<(), Failure> {
        let begin = self.plan.begin;
        let due = |sent: u64| begin + Duration::from_secs_f64(gap.as_secs_f64() * sent as f64);
        while due(self.sent) <= now && due(self.sent) < self.plan.end && !self.is_over(now) {
            let Some(at) = self.idle.pop_front() else { return Ok(()) };
            let slot = self.clients[at].free_slot().expect("who is idle has a free slot");
            self.send(at, slot, due(self.sent));
            self.clients[at].flush()?;
        }
        let wait = due(self.sent).saturating_duration_since(Instant::now());
        let wait = wait.max(Duration::from_nanos(1));
        let spec = Itimerspec {
            it_interval: Timespec { tv_sec: 0, tv_nsec: 0 },
            it_value: Timespec {
                tv_sec: wait.as_secs().cast_signed(),
                tv_nsec: i64::from(wait.subsec_nanos()),
            },
        };
        timerfd_settime(&self.timer, TimerfdTimerFlags::empty(), &spec)
            .map_err(std::io::Error::from)?;
        Ok(())
    }

    fn wait(&mut self, events: &mut Events) -> Result<(), Failure> {
        // Clients that are still to begin wait for no answer.
        let is_ramping = self.plan.gap.is_none() && self.started < self.spec.keys.len();
        let wait = if is_ramping { RAMP_STEP } else { WORD_EVERY };
        match self.poll.poll(events, Some(wait)) {
            Err(error) if error.kind() != ErrorKind::Interrupted => Err(error.into()),
            _ => Ok(()),
        }
    }

    /// Reads what has come for a client, and sends its next request in a closed loop.
    fn attend(&mut self, at: usize) -> Result<(), Failure> {
        loop {
            let client = &mut self.clients[at];
            let is_drained = client.fill()?;
            let now = Instant::now();
            while let Some(answer) = self.clients[at].take_answer()? {
                self.note(at, &answer, now);
            }
            self.clients[at].flush()?;
            if is_drained {
                return Ok(());
            }
        }
    }

    fn note(&mut self, at: usize, answer: &Answer, now: Instant) {
        let client = &mut self.clients[at];
        // An answer to nothing is one that the venue gave unasked.
        let Some(sent) = client.slots.get_mut(answer.slot).and_then(Option::take) else {
            *self.report.errors.entry("an answer that nobody waited for".into()).or_default() += 1;
            return;
        };
        self.in_flight -= 1;
        self.record(sent, answer, now);
        if self.plan.gap.is_some() {
            self.idle.push_back(at);
        } else if now < self.plan.end {
            self.send(at, answer.slot, now);
        }
    }

    fn record(&mut self, sent: Sent, answer: &Answer, now: Instant) {
        let orders = self.spec.load.orders_per_request();
        self.done += orders;
        // A closed loop is measured by what was answered in time, an open one by what was meant to
        // be sent.
        let moment = if self.plan.gap.is_some() { sent.since } else { now };
        if moment < self.plan.measured || moment >= self.plan.end {
            return;
        }
        let latency = now.saturating_duration_since(sent.since);
        let latency_ns = u64::try_from(latency.as_nanos()).unwrap_or(u64::MAX);
        let report = &mut self.report;
        report.bytes_sent += sent.bytes;
        report.bytes_received += answer.bytes_received;
        if let Some(cause) = &answer.error {
            *report.errors.entry(cause.clone()).or_default() += answer.failed;
            report.refused.record(latency_ns, answer.failed);
        }
        let orders = orders - answer.failed.min(orders);
        if orders == 0 {
            return;
        }
        report.trades += answer.trades;
        let name = sent.kind.name();
        if !report.by_type.contains_key(name) {
            report.by_type.insert(name.into(), Default::default());
        }
        let tally = report.by_type.get_mut(name).expect("it was put there");
        tally.record(latency_ns, orders);
        let second = moment.saturating_duration_since(self.plan.measured).as_secs() as usize;
        if report.seconds.len() <= second {
            report.seconds.resize_with(second + 1, Default::default);
        }
        report.seconds[second].record(latency_ns, orders);
    }

    /// What was never answered, and what was never sent, is counted as well.
    fn close(&mut self) {
        let orders = self.spec.load.orders_per_request();
        if self.in_flight > 0 {
            let late = format!("no answer within {} s after the end", GRACE.as_secs());
            *self.report.errors.entry(late).or_default() += self.in_flight as u64 * orders;
        }
        if let Some(rate) = self.spec.rate {
            let planned = (self.plan.end - self.plan.begin).as_secs_f64() * rate;
            let missing = (planned as u64).saturating_sub(self.sent);
            if missing > 0 {
                *self.report.errors.entry(NOT_SENT.into()).or_default() += missing * orders;
            }
        }
        self.report.cpu_s = usage::cpu_s("self").unwrap_or(0.0);
    }
}

/// What came of one request.
struct Answer {
    slot: usize,
    /// Orders that were not taken on.
    failed: u64,
    error: Option<String>,
    trades: u64,
    bytes_received: u64,
}

impl Client {
    fn connect(address: SocketAddr, spec: &Spec, key: &Key, at: u64) -> Result<Self, Failure> {
        let refused = |error: std::io::Error| Failure::new(format!("{address}: {error}"));
        let mut stream = std::net::TcpStream::connect(address).map_err(refused)?;
        stream.set_nodelay(true)?;
        let is_websocket = spec.load == Load::WebSocket;
        if is_websocket {
            log_on(&mut stream, key)?;
        }
        stream.set_nonblocking(true)?;
        Ok(Self {
            stream: TcpStream::from_std(stream),
            flow: Flow::new(spec.load, key.clone(), spec.seed, at),
            is_websocket,
            orders_per_request: spec.load.orders_per_request(),
            inbox: vec![0; INBOX],
            filled: 0,
            outbox: Vec::new(),
            written: 0,
            slots: vec![None; spec.window],
        })
    }

    fn free_slot(&self) -> Option<usize> {
        self.slots.iter().position(Option::is_none)
    }

    fn send(&mut self, slot: usize, since: Instant) {
        let before = self.outbox.len();
        let kind = self.flow.next(slot, &mut self.outbox);
        let bytes = (self.outbox.len() - before) as u64;
        self.slots[slot] = Some(Sent { since, kind, bytes });
    }

    fn flush(&mut self) -> Result<(), Failure> {
        while self.written < self.outbox.len() {
            match self.stream.write(&self.outbox[self.written..]) {
                Ok(written) => self.written += written,
                // The socket says when it has room again.
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(()),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(ended(&error.to_string())),
            }
        }
        self.outbox.clear();
        self.written = 0;
        Ok(())
    }

    /// Reads once; `true` when there is nothing more at the moment.
    fn fill(&mut self) -> Result<bool, Failure> {
        if self.filled == self.inbox.len() {
            if self.inbox.len() >= INBOX_MAX {
                return Err(ended("an answer is larger than 16 MiB"));
            }
            self.inbox.resize(2 * self.inbox.len(), 0);
        }
        let room = self.inbox.len() - self.filled;
        match self.stream.read(&mut self.inbox[self.filled..]) {
            Ok(0) => Err(ended("it was closed")),
            Ok(read) => {
                self.filled += read;
                Ok(read < room)
            }
            Err(error) if error.kind() == ErrorKind::WouldBlock => Ok(true),
            Err(error) if error.kind() == ErrorKind::Interrupted => Ok(false),
            Err(error) => Err(ended(&error.to_string())),
        }
    }

    fn take_answer(&mut self) -> Result<Option<Answer>, Failure> {
        if self.filled == 0 {
            return Ok(None);
        }
        match self.is_websocket {
            true => self.take_message(),
            false => self.take_response(),
        }
    }

    fn take_response(&mut self) -> Result<Option<Answer>, Failure> {
        let arrived = &self.inbox[..self.filled];
        let response = Response::parse(arrived);
        let response = response.map_err(|_| ended("what arrived is not HTTP"))?;
        let Some(Response { status, body, len }) = response else { return Ok(None) };
        let is_batch = body.first() == Some(&b'[');
        let failed = match status {
            200 if is_batch => count(body, br#""code":-"#),
            200 => 0,
            _ => u64::MAX,
        };
        let mut answer = Answer::of(0, body, len);
        match failed {
            0 => self.flow.answered(body),
            _ => answer.fail(status, body, failed, self.orders_per_request),
        }
        self.discard(len);
        Ok(Some(answer))
    }

    fn take_message(&mut self) -> Result<Option<Answer>, Failure> {
        loop {
            let Some(Frame { opcode, payload, len }) = Frame::parse(&self.inbox[..self.filled])
            else {
                return Ok(None);
            };
            match opcode {
                frame::TEXT => {
                    let (slot, status) = id_and_status(payload);
                    let mut answer = Answer::of(slot, payload, len);
                    if status != 200 {
                        answer.fail(status, payload, 1, 1);
                    }
                    self.discard(len);
                    return Ok(Some(answer));
                }
                frame::PING => frame::write_pong(&mut self.outbox, payload),
                frame::CLOSE => return Err(ended("the venue closed the WebSocket")),
                _ => {}
            }
            self.discard(len);
        }
    }

    fn discard(&mut self, len: usize) {
        self.inbox.copy_within(len..self.filled, 0);
        self.filled -= len;
    }
}

impl Answer {
    fn of(slot: usize, body: &[u8], len: usize) -> Self {
        Self {
            slot,
            failed: 0,
            error: None,
            trades: count(body, br#""tradeId""#),
            bytes_received: len as u64,
        }
    }

    fn fail(&mut self, status: u16, body: &[u8], failed: u64, of: u64) {
        self.failed = failed.min(of);
        self.error = Some(cause(status, body));
    }
}

/// The venue's code and words, as they stand in the first error of an answer.
pub(super) fn cause(status: u16, body: &[u8]) -> String {
    let words = find(body, br#""code":"#).map_or(body, |at| &body[at..]);
    let words = words.split(|byte| *byte == b'}').next().unwrap_or_default();
    let words = String::from_utf8_lossy(words).replace('"', "");
    let words: String = words.chars().take(CAUSE_LEN_MAX).collect();
    format!("{status} {words}")
}

/// Both stand at the front: `{"id":7,"status":200,…`
fn id_and_status(payload: &[u8]) -> (usize, u16) {
    let number = |name: &[u8]| -> Option<usize> {
        let at = find(payload, name)? + name.len();
        let digits = payload[at..].split(|byte| !byte.is_ascii_digit()).next()?;
        std::str::from_utf8(digits).ok()?.parse().ok()
    };
    let status = number(br#""status":"#).and_then(|status| u16::try_from(status).ok());
    (number(br#""id":"#).unwrap_or(usize::MAX), status.unwrap_or(0))
}

/// Makes the connection a WebSocket on which nothing has to be signed any more.
fn log_on(stream: &mut std::net::TcpStream, key: &Key) -> Result<(), Failure> {
    stream.write_all(frame::handshake("/ws-api/v3?returnRateLimits=false").as_bytes())?;
    let mut arrived = Vec::new();
    while find(&arrived, b"\r\n\r\n").is_none() {
        read_more(stream, &mut arrived)?;
    }
    if !arrived.starts_with(b"HTTP/1.1 101") {
        return Err(ended(&format!("no WebSocket: {}", String::from_utf8_lossy(&arrived))));
    }
    let mut out = Vec::new();
    frame::write_text(&mut out, flow::logon(key).as_bytes());
    stream.write_all(&out)?;
    arrived.clear();
    loop {
        read_more(stream, &mut arrived)?;
        let Some(frame) = Frame::parse(&arrived) else { continue };
        return match id_and_status(frame.payload) {
            (_, 200) => Ok(()),
            (_, status) => Err(ended(&cause(status, frame.payload))),
        };
    }
}

pub(super) fn read_more(
    stream: &mut std::net::TcpStream,
    arrived: &mut Vec<u8>,
) -> Result<(), Failure> {
    let mut chunk = [0; 4_096];
    match stream.read(&mut chunk)? {
        0 => Err(ended("it was closed")),
        read => {
            arrived.extend(&chunk[..read]);
            Ok(())
        }
    }
}

fn ended(why: &str) -> Failure {
    Failure::new(format!("a client's connection ended: {why}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A venue closes what says nothing for a minute, and the last user of `ramp-200` joins after five.
    #[test]
    fn who_joins_later_connects_when_it_joins() {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
        let key = Key { api_key: "key".into(), secret_key: "secret".into() };
        let spec = Spec {
            address: listener.local_addr().expect("it is bound").to_string(),
            load: Load::RestMix,
            keys: vec![key; 3],
            rate: None,
            window: 1,
            seed: 1,
            warm_up_ms: 0,
            measured_ms: 1_000,
            requests_max: None,
            ramp_ms: 60_000,
        };
        let connected = |spec| Agent::connect(spec).expect("somebody listens").clients.len();
        assert_eq!(connected(Spec { ramp_ms: 0, ..spec.clone() }), 3);
        // An open loop has no ramp.
        assert_eq!(connected(Spec { rate: Some(1.0), ..spec.clone() }), 3);

        let mut agent = Agent::connect(spec).expect("somebody listens");
        let begin = Instant::now();
        agent.plan.begin = begin;
        for (at_s, joined) in [(0, 1), (19, 1), (20, 2), (59, 3)] {
            agent.send_first(begin + Duration::from_secs(at_s)).expect("it connects");
            assert_eq!(agent.clients.len(), joined, "after {at_s} s");
        }
    }
}

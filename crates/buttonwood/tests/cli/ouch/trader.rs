//! A venue with the door, and a client on a socket.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::time::{Duration, Instant};

use protocol::soup::{Client, LogOn, Received, SessionName};
use serde_json::Value;
use tempfile::TempDir;

use crate::ouch::lines::{print, write_message};
use crate::process::{Serving, text};

const PATIENCE: Duration = Duration::from_secs(20);

/// A demo venue with the port, and its log-ins.
pub(super) struct House {
    dir: TempDir,
    pub(super) venue: Option<Serving>,
    more_args: &'static [&'static str],
}

impl House {
    pub(super) fn new() -> Self {
        Self::with(&[])
    }

    pub(super) fn with(more_args: &'static [&'static str]) -> Self {
        let mut house = Self { dir: tempfile::tempdir().unwrap(), venue: None, more_args };
        house.start();
        house
    }

    fn start(&mut self) {
        let args = ["--demo", "--no-bots", "--data", text(self.data()), "--ouch", "127.0.0.1:0"];
        self.venue = Some(Serving::start(&[&args, self.more_args].concat()));
    }

    pub(super) fn kill(&mut self) {
        self.venue.take().unwrap().kill();
        self.start();
    }

    pub(super) fn stop(&mut self) {
        self.venue.take().unwrap().stop();
        self.start();
    }

    pub(super) fn data(&self) -> &Path {
        self.dir.path()
    }

    pub(super) fn login(&self, account: usize) -> Value {
        let demo = std::fs::read(self.data().join("demo.json")).unwrap();
        let demo: Value = serde_json::from_slice(&demo).unwrap();
        demo["accounts"][account]["login"].clone()
    }

    pub(super) fn password(&self, account: usize) -> String {
        self.login(account)["password"].as_str().unwrap().to_owned()
    }

    pub(super) fn log_on(&self, account: usize, sequence: u64) -> Trader {
        let login = self.login(account);
        let (user, password) = (login["user"].as_str().unwrap(), self.password(account));
        let mut trader = self.connect(user, &password, None, sequence);
        match trader.next() {
            Found::Accepted(next) => assert_eq!(next, sequence),
            found => panic!("{found:?}"),
        }
        trader
    }

    pub(super) fn refused(
        &self,
        user: &str,
        password: &str,
        session: Option<SessionName>,
        sequence: u64,
    ) -> String {
        match self.connect(user, password, session, sequence).next() {
            Found::End(text) => text,
            found => panic!("{found:?}"),
        }
    }

    pub(super) fn connect(
        &self,
        user: &str,
        password: &str,
        session: Option<SessionName>,
        sequence: u64,
    ) -> Trader {
        let address = self.venue.as_ref().unwrap().ouch.as_ref().unwrap();
        let mut stream = TcpStream::connect(address).unwrap();
        stream.set_read_timeout(Some(Duration::from_millis(200))).unwrap();
        let request = LogOn::new(user, password, session, sequence).unwrap();
        let mut bytes = Vec::new();
        let soup = Client::log_on(&request, &mut bytes, 0);
        stream.write_all(&bytes).unwrap();
        Trader { stream, soup, begun: Instant::now(), input: Vec::new() }
    }
}

/// A client on a socket.
pub(super) struct Trader {
    pub(super) stream: TcpStream,
    soup: Client,
    begun: Instant,
    input: Vec<u8>,
}

#[derive(Debug)]
pub(super) enum Found {
    Accepted(u64),
    Report(String),
    End(String),
}

impl Trader {
    /// Sends a message for each line, and expects these reports.
    #[track_caller]
    pub(super) fn check(&mut self, lines: &str, reports: &[&str]) {
        lines
            .lines()
            .map(str::trim)
            .filter(|line| !line.is_empty())
            .for_each(|line| self.send(line));
        assert_eq!(self.read(reports.len()), reports);
    }

    pub(super) fn send(&mut self, line: &str) {
        let mut message = Vec::new();
        write_message(line, &mut message);
        self.send_message(&message);
    }

    pub(super) fn send_message(&mut self, message: &[u8]) {
        let mut packet = Vec::new();
        Client::message(&mut packet, |out| out.extend_from_slice(message));
        self.stream.write_all(&packet).unwrap();
    }

    /// As many reports.
    pub(super) fn read(&mut self, count: usize) -> Vec<String> {
        let report = |_| match self.next() {
            Found::Report(report) => report,
            found => panic!("{found:?}"),
        };
        (0..count).map(report).collect()
    }

    /// How the connection ends.
    pub(super) fn end(&mut self) -> String {
        loop {
            if let Found::End(end) = self.next() {
                return end;
            }
        }
    }

    pub(super) fn next(&mut self) -> Found {
        let begun = Instant::now();
        loop {
            let mut rest = &self.input[..];
            let received = self.soup.receive(&mut rest, 0);
            let found = match received {
                Received::NeedMore => None,
                Received::Nothing => Some(None),
                Received::Accepted { next, .. } => Some(Some(Found::Accepted(next))),
                Received::Rejected(reason) => {
                    Some(Some(Found::End(format!("rejected {reason:?}"))))
                }
                Received::EndOfSession => Some(Some(Found::End("end of session".to_owned()))),
                Received::Message(message) => Some(Some(Found::Report(print(message)))),
                other => panic!("{other:?}"),
            };
            let consumed = self.input.len() - rest.len();
            self.input.drain(..consumed);
            match found {
                Some(Some(found)) => return found,
                Some(None) => continue,
                None => {}
            }
            assert!(begun.elapsed() < PATIENCE, "nothing comes");
            self.read_more();
            if self.input.is_empty() && self.is_closed() {
                return Found::End("closed".to_owned());
            }
        }
    }

    fn read_more(&mut self) {
        let mut heartbeat = Vec::new();
        self.soup.tick(&mut heartbeat, self.begun.elapsed().as_millis().min(14_000) as u64);
        // A venue that has closed is found out by reading.
        let _gone = self.stream.write_all(&heartbeat);
        let mut bytes = [0; 65_536];
        match self.stream.read(&mut bytes) {
            Ok(len) => self.input.extend(&bytes[..len]),
            Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => {}
            Err(_) => {}
        }
    }

    fn is_closed(&self) -> bool {
        let mut byte = [0];
        match self.stream.peek(&mut byte) {
            Ok(len) => len == 0,
            Err(error) => error.kind() != std::io::ErrorKind::WouldBlock,
        }
    }
}

//! Messages from memory, and from a socket that a third thread writes to.

use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicU64, Ordering};

use super::clock::{Clock, Pace, Waiting};
use super::feed::Source;
use super::{RunError, WARM_UP};
use crate::flow::Flow;
use crate::message::Wire;

const BUFFER_BYTES: usize = 64 << 10;
/// More than any message has.
const MESSAGE_BYTES_MAX: usize = 1 << 10;

/// Opens when a message is due. The first messages, which are not measured, are due at once.
#[derive(Debug)]
pub(super) struct Gate<'a> {
    clock: Clock,
    pace: Option<Pace>,
    /// When the first measured message is due; for the trading thread.
    origin_ns: &'a AtomicU64,
    begun_ns: u64,
}

impl<'a> Gate<'a> {
    pub(super) fn new(clock: Clock, pace: Option<Pace>, origin_ns: &'a AtomicU64) -> Self {
        Self { clock, pace, origin_ns, begun_ns: 0 }
    }

    #[inline]
    pub(super) fn wait(&mut self, number: u64) {
        let Some(pace) = self.pace.filter(|_| number >= WARM_UP) else { return };
        if number == WARM_UP {
            self.begin();
        }
        let due_ns = self.begun_ns + pace.due_ns(number - WARM_UP);
        let mut waiting = Waiting::default();
        while self.clock.ns() < due_ns {
            waiting.turn();
        }
    }

    fn begin(&mut self) {
        self.begun_ns = self.clock.ns();
        self.origin_ns.store(self.begun_ns, Ordering::Release);
    }
}

/// The cycle of messages, without a copy.
#[derive(Debug)]
pub(super) struct Memory<'a> {
    bytes: &'a [u8],
    at: usize,
    gate: Gate<'a>,
}

impl<'a> Memory<'a> {
    pub(super) fn new(flow: &'a Flow, gate: Gate<'a>) -> Self {
        Self { bytes: flow.bytes(), at: 0, gate }
    }
}

impl Source for Memory<'_> {
    #[inline]
    fn next(&mut self, number: u64, taken: usize) -> Result<&[u8], RunError> {
        self.at += taken;
        if self.at == self.bytes.len() {
            self.at = 0;
        }
        self.gate.wait(number);
        Ok(&self.bytes[self.at..])
    }
}

/// A connection over this machine's own network.
#[derive(Debug)]
pub(super) struct Socket {
    stream: TcpStream,
    wire: Wire,
    buffer: Box<[u8]>,
    begin: usize,
    end: usize,
}

/// Both ends of a connection.
pub(super) fn connect(wire: Wire) -> io::Result<(TcpStream, Socket)> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    let sender = TcpStream::connect(listener.local_addr()?)?;
    sender.set_nodelay(true)?;
    let (stream, _) = listener.accept()?;
    let buffer = vec![0; BUFFER_BYTES].into_boxed_slice();
    Ok((sender, Socket { stream, wire, buffer, begin: 0, end: 0 }))
}

impl Source for Socket {
    fn next(&mut self, number: u64, taken: usize) -> Result<&[u8], RunError> {
        self.begin += taken;
        loop {
            let bytes = self.begin..self.end;
            // A message that is not whole needs more bytes; one that is wrong is the parser's.
            let is_ready = bytes.len() >= MESSAGE_BYTES_MAX
                || self.wire.read(&self.buffer[bytes.clone()]).is_some();
            if is_ready {
                return Ok(&self.buffer[bytes]);
            }
            if self.buffer.len() - self.end < MESSAGE_BYTES_MAX {
                self.buffer.copy_within(bytes, 0);
                self.end -= self.begin;
                self.begin = 0;
            }
            match self.stream.read(&mut self.buffer[self.end..]).map_err(RunError::Socket)? {
                0 => return Err(RunError::Message { number }),
                size => self.end += size,
            }
        }
    }
}

/// Writes messages when they are due, as many at a time as are.
pub(super) fn send<const PACED: bool>(
    flow: &Flow,
    total: u64,
    mut gate: Gate<'_>,
    mut stream: TcpStream,
) -> io::Result<()> {
    let cycle = flow.messages() as u64;
    let mut number = 0;
    while number < total {
        let in_cycle = number % cycle;
        let mut end = total.min(number - in_cycle + cycle);
        if PACED && number < WARM_UP {
            end = end.min(WARM_UP);
        } else if PACED {
            gate.wait(number);
            let now_ns = gate.clock.ns() - gate.begun_ns;
            let pace = gate.pace.unwrap_or_default();
            let is_due = |number: u64| pace.due_ns(number - WARM_UP) <= now_ns;
            let due = (number + 1..end).take_while(|number| is_due(*number)).count();
            end = number + 1 + due as u64;
        }
        stream.write_all(flow.part(in_cycle as usize, (in_cycle + end - number) as usize))?;
        number = end;
    }
    Ok(())
}

//! Sessions of messages over datagrams, for both sides: encrypted, in order, and once each, over a
//! network that loses, doubles, reorders and delays.
//!
//! This is a protocol of the venue's own: Nasdaq's OUCH is for TCP. A session carries the messages
//! of a client, and those of the venue with their numbers, as SoupBinTCP does over a stream.
//! docs/udp.md has the layouts.
//!
//! ```text
//!  client                                     server
//!  HELLO user, nonce, padding        ─►
//!                                    ◄─       COOKIE, which is no longer than the hello
//!  OPEN cookie, next number, proof   ─►       checks the cookie, then the proof, then opens
//!                                    ◄─       OPENED nonce, connection, proof, or REFUSED
//!  DATA connection, sequence, sealed ◄─►      messages and acknowledgements in frames
//! ```
//!
//! Times are microseconds of a clock of the caller's choice.
//!
//! # Invariants
//! - A datagram that is not sealed with the session's key, or comes again, changes nothing.
//! - Each message is delivered once, in order, as long as the session lives.
//! - The server keeps nothing of a client that has not returned its cookie.
//! - Memory of a session is bounded, whatever arrives.
//!
//! # Known limits
//! The key of a login seals all its sessions: with it, a recorded session can be read.

pub mod cipher;
pub mod frame;
pub mod handshake;
mod incoming;
mod outgoing;
mod pace;
pub mod session;
#[cfg(test)]
mod tests;
mod window;

pub use self::cipher::{Keys, LoginKey, Secrets, Side};
pub use self::handshake::{Cookies, Hello, NONCE_SIZE, Nonce, Open, Opened, Opening, Refusal};
pub use self::session::{Closed, Dropped, Session, connection_of};

/// The longest datagram: with the headers of IPv6 and UDP it fits into one frame of Ethernet, also
/// in a tunnel.
pub const DATAGRAM_MAX: usize = 1_400;
/// The longest message.
pub const MESSAGE_MAX: usize = DATAGRAM_MAX - session::OVERHEAD_MAX;
/// A side that has sent nothing for this long sends a heartbeat.
pub const HEARTBEAT_AFTER_US: u64 = 1_000_000;
/// A side that has heard nothing for this long takes the session for dead.
pub const DEAD_AFTER_US: u64 = 15_000_000;

/// The first byte of a datagram.
pub mod kind {
    pub const HELLO: u8 = 1;
    pub const COOKIE: u8 = 2;
    pub const OPEN: u8 = 3;
    pub const OPENED: u8 = 4;
    pub const REFUSED: u8 = 5;
    pub const DATA: u8 = 6;
}

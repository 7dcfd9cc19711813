//! A stream of bytes between two processes of a machine, through memory that both have.
//!
//! ```text
//!             ┌────────────── memory ──────────────┐
//!  client ──► │ ring: written, read, asleep, words │ ──► venue
//!         ◄── │ ring: written, read, asleep, words │ ◄──
//!             └────────────────────────────────────┘
//!         ◄──── Unix socket: the memory's file, ────►
//!               then a byte to wake, then the end
//! ```
//!
//! The venue makes the memory and passes its file through the socket, which stays open: a side that
//! sleeps is woken by a byte, and the end of a process is the end of its socket. While bytes come
//! briskly, a side polls the memory for [`POLLS_FOR`] after each arrival and needs no system call.
//!
//! # Invariants
//! - Nothing that the other side writes is trusted. Each side keeps its own position, checks the
//!   other's and every length, and copies a frame before it is read. What cannot be is an error of
//!   this stream alone.
//! - The memory is sealed: neither side can cut it, so no access ends in a signal.
//!
//! # Known limits
//! A side that shuts its writing down can still read only what is written already, or fits.
//!
//! A stream takes 512 KiB of memory as soon as all of both rings was used once.

mod atomic;
mod lane;
mod memory;
mod ring;
mod stream;

pub use self::lane::Lane;
pub use self::stream::{POLLS_FOR, Stream};

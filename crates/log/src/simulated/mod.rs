//! Logs in which everything can go wrong, decided by a seed.
//!
//! [`FileLog`] is the real log of one machine, its thread taken out, to be stepped on a
//! [simulated disk](disk::simulated::Disk). [`SharedLog`] is a log that several machines write to,
//! with messages that come late, twice, or after their sender has been deposed.

mod file;
mod reseal;
mod shared;

pub use file::FileLog;
pub use reseal::reseal;
pub use shared::{Node, SharedLog};

//! What all tools of the binary share: [`Failure`], the flags of the settings, moments in a log,
//! progress, log lines, and the client of the admin socket.

mod failure;
mod flags;
pub mod moment;
mod recovery;
pub mod socket;
mod trace;
mod words;

pub use failure::{Cause, Failure};
pub use flags::Flags;
pub use recovery::Recovery;
pub use trace::init as init_trace;
pub use words::{Durability, HugePages, word};

//! What all tools of the binary share: [`Failure`], the flags of the settings, moments in a log,
//! progress, log lines, and the client of the admin socket.

mod failure;
mod flags;
mod huge_pages;
pub mod moment;
mod recovery;
pub mod socket;
mod trace;

pub use failure::{Cause, Failure};
pub use flags::Flags;
pub use huge_pages::HugePages;
pub use recovery::Recovery;
pub use trace::init as init_trace;

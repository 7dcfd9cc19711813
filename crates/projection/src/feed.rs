//! The feed: a thread that takes events from the spool to a read model or a publisher, at its own
//! pace.

pub(crate) mod backend;
pub(crate) mod followed;
pub(crate) mod gauges;
pub(crate) mod older;
mod opening;
pub(crate) mod pace;
pub(crate) mod projection;
pub(crate) mod thread;

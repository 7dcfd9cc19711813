//! How a venue is read back from its data folder, at start and by tools.

pub(crate) mod archive;
pub(crate) mod base;
pub(crate) mod data_dir;
pub(crate) mod error;
mod log_events;
mod ownership;
pub(crate) mod rebuild;
pub(crate) mod replay;

//! Files and folders behind one trait, [`FileSystem`].
//!
//! The log, its snapshots and the event spool write through a [`Disk`], so that every failure names
//! its file, that tests watch each call or make it fail ([`failing`]), and that the same code runs on
//! a [`simulated`] disk.
//!
//! # Invariants
//! - A [`Disk`] makes no call of its own: one call to it is one call to the file system, in the order
//!   of its user. Only [`Disk::remove_by_pieces`] makes several.
//! - The real disk has no watch and no simulation in its way.

mod error;
pub mod failing;
mod file_system;
mod handle;
mod random;
mod real;
pub mod simulated;

pub use error::DiskError;
pub use file_system::{Access, FileSystem, StoredFile};
pub use handle::{Disk, DiskFile, FileReader};

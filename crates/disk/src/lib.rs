//! Files and folders behind one trait, [`FileSystem`].
//!
//! The log, its snapshots and the event spool write through a [`Disk`]. So every error names its
//! file, tests watch each call or make it fail ([`failing`]), and the same code runs on a
//! [`simulated`] disk.
//!
//! # Invariants
//! - One change asked of a [`Disk`] is one call to the file system, in the caller's order. Only
//!   those that work by pieces make several.
//! - A [`Disk`] of this machine has no watch and no simulation in its way.
//!
//! # Known limits
//! Locks, archives on another file system and the making of private folders are not behind the
//! trait: the log's lock and the venue's data folder call the operating system for these.

mod error;
pub mod failing;
mod file_system;
mod handle;
mod random;
mod real;
pub mod simulated;

pub use error::{DiskError, is_full};
pub use file_system::{Access, FileSystem, StoredFile};
pub use handle::{Disk, DiskFile, FileReader};
pub use real::free_bytes;

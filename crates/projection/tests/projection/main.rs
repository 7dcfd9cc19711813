//! The read model beside a running venue, on real files.

#![allow(clippy::unwrap_used, reason = "a test that fails there says where")]

mod audit;
mod faults;
mod follow;
mod older;
mod retention;
mod support;
mod upgrade;

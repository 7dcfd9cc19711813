//! The binary as its users see it.

mod edges;
mod process;
mod serve;

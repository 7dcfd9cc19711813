//! Cell for the callback that the log's writer thread runs after each commit.
//!
//! The log is opened before the combiner exists. `running.rs` fills the cell with
//! `Combiner::on_commit`, which runs the engine.

use std::fmt;
use std::sync::OnceLock;

/// Does nothing until the venue is started.
#[derive(Default)]
pub(crate) struct OnCommit(OnceLock<Box<dyn Fn() + Send + Sync>>);

impl OnCommit {
    pub(crate) fn attach(&self, call: impl Fn() + Send + Sync + 'static) {
        assert!(self.0.set(Box::new(call)).is_ok(), "a venue is started once");
    }

    pub(crate) fn call(&self) {
        if let Some(call) = self.0.get() {
            call();
        }
    }
}

impl fmt::Debug for OnCommit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("OnCommit")
    }
}

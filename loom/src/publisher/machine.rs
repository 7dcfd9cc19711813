//! What the machine gives for a command.

use std::sync::Arc;

use crate::run::publisher::Applied;

#[derive(Debug)]
pub(crate) struct MachineError;

pub(crate) struct Output<T> {
    pub(crate) reply: Reply,
    pub(crate) ticket: Option<T>,
}

#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) applied: Arc<Applied>,
    pub(crate) continued: Vec<Arc<Applied>>,
}

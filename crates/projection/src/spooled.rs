//! What the read model takes from the event spool: all that it knows of what lies below it.

pub(crate) use venue::{Applied, SpoolError, SpoolReader};

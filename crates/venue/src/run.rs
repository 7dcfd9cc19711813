//! The running venue: its inbox, the threads around the machine, and the publisher.

pub(crate) mod combiner;
pub(crate) mod dispatch;
pub(crate) mod handle;
pub(crate) mod inbox;
pub(crate) mod on_commit;
pub(crate) mod outbox;
pub(crate) mod publisher;
pub(crate) mod reporter;
pub(crate) mod running;
pub(crate) mod shell;
pub(crate) mod ticket;
pub(crate) mod watched;

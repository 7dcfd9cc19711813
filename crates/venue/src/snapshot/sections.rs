//! The names of the sections of a snapshot file.

pub(crate) const ENGINE_SECTION: &str = "engine";
pub(crate) const VIEWS_SECTION: &str = "views";
pub(crate) const EVENT_HASH_SECTION: &str = "event_hash";
pub(crate) const EPOCH_SECTION: &str = "epoch";

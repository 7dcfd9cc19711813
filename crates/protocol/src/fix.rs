//! FIX: the encoding of messages as tags and values. Sessions are not here yet.

pub mod tag_value;

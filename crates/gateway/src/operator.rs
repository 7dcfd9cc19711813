//! The operators' API over HTTP, at `/admin/v1`.

pub(crate) mod serve;

//! The read model in an SQLite file, which `sqlite3` may open at any time.

pub(crate) mod backend;
mod column;
mod failure;
pub(crate) mod files;
pub(crate) mod history;
mod query;
mod reader;
pub(crate) mod rebuild;
pub(crate) mod schema;
pub(crate) mod status;
pub(crate) mod store;
#[cfg(test)]
mod tests;

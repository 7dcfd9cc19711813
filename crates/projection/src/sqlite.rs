//! The read model in an SQLite file, which `sqlite3` may open at any time.

mod audit;
mod backend;
mod column;
mod failure;
mod files;
mod forget;
mod history;
mod names;
mod order;
mod query;
mod reader;
mod rebuild;
mod rows;
mod schema;
mod status;
mod store;
#[cfg(test)]
mod tests;
mod transfer;

pub use self::backend::Sqlite;
pub use self::files::path;
pub use self::history::ask;
pub use self::rebuild::rebuild;
pub use self::schema::SCHEMA_VERSION;
pub use self::status::{Status, status};
pub use self::store::SqliteStore;

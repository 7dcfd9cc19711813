//! What a failure of SQLite means for the read model.

use std::path::Path;

use rusqlite::{Error, ErrorCode};

use crate::error::ProjectionError;

/// What a failure of the file at this path means.
pub(crate) fn at(path: &Path) -> impl Fn(Error) -> ProjectionError {
    move |error| {
        let path = path.to_path_buf();
        match &error {
            Error::SqliteFailure(failure, text) => match failure.code {
                ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked => {
                    ProjectionError::Locked { path }
                }
                ErrorCode::DiskFull => ProjectionError::DiskFull { path },
                ErrorCode::CannotOpen if !path.exists() => ProjectionError::Missing { path },
                ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase => {
                    let damage = text.clone().unwrap_or_else(|| failure.to_string());
                    ProjectionError::Damaged { path, damage }
                }
                _ => ProjectionError::Database { path, error: error.into() },
            },
            Error::FromSqlConversionFailure(..)
            | Error::IntegralValueOutOfRange(..)
            | Error::InvalidColumnType(..)
            | Error::InvalidColumnName(..)
            | Error::QueryReturnedNoRows => {
                ProjectionError::Damaged { path, damage: error.to_string() }
            }
            _ => ProjectionError::Database { path, error: error.into() },
        }
    }
}

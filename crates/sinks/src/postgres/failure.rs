//! What a failure of PostgreSQL means for the read model, in one sentence.

use std::error::Error as _;

use projection::{ProjectionError, Standstill};
use tokio_postgres::error::SqlState;

use crate::postgres::address::Address;

/// Why something was not done, before it is said of which database.
#[derive(Debug)]
pub(crate) enum Failed {
    Postgres(tokio_postgres::Error),
    /// A value that cannot be.
    Damaged(String),
    /// No answer within this many seconds.
    Silent(u64),
    /// The venue ends.
    Interrupted,
    Other(Standstill, String),
}

impl From<tokio_postgres::Error> for Failed {
    fn from(error: tokio_postgres::Error) -> Self {
        Self::Postgres(error)
    }
}

impl Failed {
    pub(crate) fn damaged(column: &str) -> Self {
        Self::Damaged(column.to_owned())
    }

    /// Whether a lock was not to be had in time.
    pub(crate) fn is_locked(&self) -> bool {
        match self {
            Self::Postgres(error) => error.code() == Some(&SqlState::LOCK_NOT_AVAILABLE),
            _ => false,
        }
    }

    /// The error of the database at this address.
    pub(crate) fn at(self, address: &Address) -> ProjectionError {
        let (standstill, rest) = match self {
            Self::Postgres(error) => of_postgres(&error, address),
            Self::Damaged(column) => (
                Standstill::Failed,
                format!(
                    "holds a value that cannot be, in the column {column}: make the read model anew \
                     with `buttonwood projection rebuild --history URL`"
                ),
            ),
            Self::Silent(seconds) => {
                (Standstill::Unreachable, format!("has not answered for {seconds} s"))
            }
            Self::Interrupted => (Standstill::Unreachable, "did not answer until the end".into()),
            Self::Other(standstill, sentence) => (standstill, sentence),
        };
        ProjectionError::Server { standstill, sentence: format!("{address} {rest}") }
    }
}

fn of_postgres(error: &tokio_postgres::Error, address: &Address) -> (Standstill, String) {
    let Some(said) = error.as_db_error() else {
        return of_connection(error);
    };
    let (user, message) = (address.user(), said.message());
    let code = said.code();
    if [SqlState::INVALID_PASSWORD, SqlState::INVALID_AUTHORIZATION_SPECIFICATION].contains(code) {
        return (
            Standstill::Refused,
            format!(
                "does not admit {user}: {message}; correct the user, the password or pg_hba.conf"
            ),
        );
    }
    if *code == SqlState::INVALID_CATALOG_NAME {
        let database = address.database();
        let sentence =
            format!("has no database {database}: make it with `createdb -O {user} {database}`");
        return (Standstill::Refused, sentence);
    }
    if *code == SqlState::INSUFFICIENT_PRIVILEGE {
        let sentence = format!("does not give {user} the rights that it needs: {message}");
        return (Standstill::Refused, sentence);
    }
    if *code == SqlState::READ_ONLY_SQL_TRANSACTION {
        let sentence = "is read-only, as a standby is: name the primary".into();
        return (Standstill::Refused, sentence);
    }
    if *code == SqlState::DISK_FULL {
        return (Standstill::DiskFull, format!("has no room on its disk: {message}"));
    }
    if is_absence(code) {
        return (Standstill::Unreachable, format!("does not serve now: {message}"));
    }
    if *code == SqlState::LOCK_NOT_AVAILABLE {
        return (
            Standstill::Locked,
            format!("has its tables locked by another program: {message}"),
        );
    }
    if [SqlState::UNDEFINED_TABLE, SqlState::UNDEFINED_COLUMN, SqlState::DATATYPE_MISMATCH]
        .contains(code)
    {
        return (
            Standstill::OtherVersion,
            format!(
                "has tables that are not the venue's ({message}): make them anew with `buttonwood \
                 projection rebuild --history URL`"
            ),
        );
    }
    (Standstill::Failed, format!("fails: {message} ({})", code.code()))
}

/// Whether the server is starting, ending or full.
fn is_absence(code: &SqlState) -> bool {
    [
        SqlState::ADMIN_SHUTDOWN,
        SqlState::CRASH_SHUTDOWN,
        SqlState::CANNOT_CONNECT_NOW,
        SqlState::TOO_MANY_CONNECTIONS,
        SqlState::QUERY_CANCELED,
        SqlState::IDLE_SESSION_TIMEOUT,
    ]
    .contains(code)
}

/// Without an answer in words of the server.
fn of_connection(error: &tokio_postgres::Error) -> (Standstill, String) {
    let mut cause = error.to_string();
    let mut source = error.source();
    while let Some(deeper) = source {
        cause = deeper.to_string();
        source = deeper.source();
    }
    if cause.contains("password missing") {
        let sentence = "wants a password: put it in the URL or in the file that \
                        history_password_file names";
        return (Standstill::Refused, sentence.into());
    }
    (Standstill::Unreachable, format!("cannot be reached: {cause}"))
}

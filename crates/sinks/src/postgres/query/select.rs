//! A statement that is put together with its parameters, and limits as columns hold them.

use projection::Times;
use tokio_postgres::Row;
use tokio_postgres::types::ToSql;

use crate::postgres::failure::Failed;
use crate::postgres::session::{Parameter, Session};

/// Conditions that are not asked for are left out, so that an index fits the others.
#[derive(Default)]
pub(crate) struct Select {
    text: String,
    values: Vec<Box<Parameter>>,
}

impl Select {
    pub(crate) fn new(text: &str) -> Self {
        Self { text: text.to_owned(), values: Vec::new() }
    }

    pub(crate) fn text(&mut self, text: &str) -> &mut Self {
        self.text.push_str(text);
        self
    }

    /// Text and then a parameter.
    pub(crate) fn with<T: ToSql + Sync + Send + 'static>(
        &mut self,
        text: &str,
        value: T,
    ) -> &mut Self {
        self.values.push(Box::new(value));
        self.text.push_str(text);
        self.text.push_str(&format!("${}", self.values.len()));
        self
    }

    /// [`Self::with`], if there is a value.
    pub(crate) fn maybe<T: ToSql + Sync + Send + 'static>(
        &mut self,
        text: &str,
        value: Option<T>,
    ) -> &mut Self {
        match value {
            Some(value) => self.with(text, value),
            None => self,
        }
    }

    /// Both inclusive.
    pub(crate) fn within(&mut self, column: &str, times: Times) -> &mut Self {
        self.maybe(&format!(" AND {column} >= "), times.start_ns.map(bound));
        self.maybe(&format!(" AND {column} <= "), times.end_ns.map(bound))
    }

    pub(crate) async fn rows(&self, session: &Session) -> Result<Vec<Row>, Failed> {
        let values: Vec<&Parameter> = self.values.iter().map(|value| &**value).collect();
        session.query(&self.text, &values).await
    }

    /// What `read` makes of each row.
    pub(crate) async fn all<T>(
        &self,
        session: &Session,
        read: impl Fn(&Row) -> Result<T, Failed>,
    ) -> Result<Vec<T>, Failed> {
        self.rows(session).await?.iter().map(read).collect()
    }

    /// What `read` makes of the first row.
    pub(crate) async fn first<T>(
        &self,
        session: &Session,
        read: impl Fn(&Row) -> Result<T, Failed>,
    ) -> Result<Option<T>, Failed> {
        self.rows(session).await?.first().map(read).transpose()
    }
}

/// How a number that a client sent compares with those in a column.
pub(crate) fn bound(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// The number of an instrument or an asset, which may be none that there is.
pub(crate) fn small(number: impl Into<u32>) -> i32 {
    i32::try_from(number.into()).unwrap_or(i32::MAX)
}

/// A page of at most `limit` rows.
pub(crate) fn page(limit: usize) -> i64 {
    i64::try_from(limit).unwrap_or(i64::MAX)
}

/// In which order rows are read.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Direction {
    Ascending,
    Descending,
}

impl Direction {
    /// From the first one, if a beginning was named, else from the last one.
    pub(crate) fn of(from_the_first: bool) -> Self {
        if from_the_first { Self::Ascending } else { Self::Descending }
    }

    pub(crate) fn sql(self) -> &'static str {
        match self {
            Self::Ascending => "ASC",
            Self::Descending => "DESC",
        }
    }

    /// `ORDER BY` these columns, each in this direction.
    pub(crate) fn by(self, columns: &[&str]) -> String {
        let direction = self.sql();
        let columns: Vec<_> =
            columns.iter().map(|column| format!("{column} {direction}")).collect();
        format!(" ORDER BY {}", columns.join(", "))
    }

    /// Rows that were read in this direction, oldest first.
    pub(crate) fn oldest_first<T>(self, mut rows: Vec<T>) -> Vec<T> {
        if self == Self::Descending {
            rows.reverse();
        }
        rows
    }
}

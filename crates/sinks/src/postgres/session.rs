//! A connection, and the statements that are prepared on it.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use futures_util::{SinkExt, StreamExt};
use tokio::time::timeout;
use tokio_postgres::types::ToSql;
use tokio_postgres::{Client, Connection, CopyOutStream, Row, Statement};

use crate::postgres::address::Address;
use crate::postgres::copy::Rows;
use crate::postgres::failure::Failed;
use crate::postgres::tls;
use projection::{ProjectionError, Standstill};

/// Of the whole handshake.
const CONNECT_MAX: Duration = Duration::from_secs(10);
/// Sent at a time, so that the rows of a page are not in memory twice.
const CHUNK: usize = 256 << 10;

pub(crate) type Parameter = dyn ToSql + Sync + Send;

#[derive(Debug)]
pub(crate) struct Session {
    pub(crate) address: Address,
    client: Client,
    /// By their text.
    prepared: Mutex<HashMap<String, Statement>>,
}

impl Session {
    /// Connects on this runtime, and sets what holds for the session.
    pub(crate) async fn connect(address: &Address, settings: &str) -> Result<Self, Failed> {
        let connected = timeout(CONNECT_MAX, Self::connect_now(address, settings)).await;
        connected.unwrap_or(Err(Failed::Silent(CONNECT_MAX.as_secs())))
    }

    async fn connect_now(address: &Address, settings: &str) -> Result<Self, Failed> {
        let client = match address.no_tls() {
            Some(none) => {
                let (client, connection) = address.config.connect(none).await?;
                serve(connection);
                client
            }
            None => {
                let connector = tls::connector(&address.security).map_err(|reason| {
                    Failed::Other(
                        Standstill::Refused,
                        format!("cannot be reached by TLS: {reason}"),
                    )
                })?;
                let (client, connection) = address.config.connect(connector).await?;
                serve(connection);
                client
            }
        };
        let schema = &address.schema;
        let session = Self { address: address.clone(), client, prepared: Mutex::default() };
        session.run(&format!("SET search_path TO {schema}; {settings}")).await?;
        Ok(session)
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.client.is_closed()
    }

    /// Runs statements without parameters.
    pub(crate) async fn run(&self, statements: &str) -> Result<(), Failed> {
        Ok(self.client.batch_execute(statements).await?)
    }

    pub(crate) async fn query(
        &self,
        text: &str,
        parameters: &[&Parameter],
    ) -> Result<Vec<Row>, Failed> {
        let statement = self.prepare(text).await?;
        Ok(self.client.query(&statement, &plain(parameters)).await?)
    }

    pub(crate) async fn query_maybe(
        &self,
        text: &str,
        parameters: &[&Parameter],
    ) -> Result<Option<Row>, Failed> {
        Ok(self.query(text, parameters).await?.into_iter().next())
    }

    /// Returns the number of rows that were changed.
    pub(crate) async fn execute(
        &self,
        text: &str,
        parameters: &[&Parameter],
    ) -> Result<u64, Failed> {
        let statement = self.prepare(text).await?;
        Ok(self.client.execute(&statement, &plain(parameters)).await?)
    }

    /// Adds rows by `COPY`, with a statement that names the columns.
    pub(crate) async fn copy(&self, text: &str, rows: Rows) -> Result<(), Failed> {
        if rows.count() == 0 {
            return Ok(());
        }
        let statement = self.prepare(text).await?;
        let sink = self.client.copy_in::<_, Bytes>(&statement).await?;
        let mut sink = std::pin::pin!(sink);
        let mut bytes = rows.finish();
        while !bytes.is_empty() {
            let chunk = bytes.split_to(CHUNK.min(bytes.len()));
            sink.send(chunk).await?;
        }
        sink.finish().await?;
        Ok(())
    }

    /// The rows of a statement `COPY … TO STDOUT`, in chunks.
    pub(crate) async fn copy_out(&self, text: &str) -> Result<CopyOutStream, Failed> {
        let statement = self.client.prepare(text).await?;
        Ok(self.client.copy_out(&statement).await?)
    }

    /// Adds rows by a statement `COPY … FROM STDIN`, in the chunks in which `next` hands them out.
    /// Returns their number.
    pub(crate) async fn copy_in(
        &self,
        text: &str,
        mut next: impl AsyncFnMut() -> Result<Option<Bytes>, Failed>,
    ) -> Result<u64, Failed> {
        let statement = self.client.prepare(text).await?;
        let sink = self.client.copy_in::<_, Bytes>(&statement).await?;
        let mut sink = std::pin::pin!(sink);
        while let Some(chunk) = next().await? {
            sink.send(chunk).await?;
        }
        Ok(sink.finish().await?)
    }

    /// Copies rows to another database. Returns their number.
    pub(crate) async fn pipe(
        &self,
        out: &str,
        to: &Self,
        into: &str,
    ) -> Result<u64, ProjectionError> {
        let stream = self.copy_out(out).await.map_err(|failed| failed.at(&self.address))?;
        let mut stream = std::pin::pin!(stream);
        let mut lost = None;
        let next = async || match stream.next().await.transpose() {
            Ok(chunk) => Ok(chunk),
            Err(error) => {
                lost = Some(Failed::from(error).at(&self.address));
                Err(Failed::Interrupted)
            }
        };
        let copied = to.copy_in(into, next).await;
        copied.map_err(|failed| lost.unwrap_or_else(|| failed.at(&to.address)))
    }

    async fn prepare(&self, text: &str) -> Result<Statement, Failed> {
        let known = self.prepared().get(text).cloned();
        if let Some(statement) = known {
            return Ok(statement);
        }
        let statement = self.client.prepare(text).await?;
        self.prepared().insert(text.to_owned(), statement.clone());
        Ok(statement)
    }

    fn prepared(&self) -> std::sync::MutexGuard<'_, HashMap<String, Statement>> {
        self.prepared.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The library wants references without `Send`.
fn plain<'a>(parameters: &[&'a Parameter]) -> Vec<&'a (dyn ToSql + Sync)> {
    parameters.iter().map(|parameter| *parameter as &(dyn ToSql + Sync)).collect()
}

/// Moves what is sent and received. Its failure shows at the client.
fn serve<S, T>(connection: Connection<S, T>)
where
    S: tokio::io::AsyncRead + tokio::io::AsyncWrite + Unpin + Send + 'static,
    T: tokio::io::AsyncRead + tokio::io::AsyncWrite + Unpin + Send + 'static,
{
    tokio::spawn(async move {
        if let Err(error) = connection.await {
            tracing::debug!(%error, "a connection to PostgreSQL has ended");
        }
    });
}

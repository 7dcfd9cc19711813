//! The server of the admin socket: one request a connection, one line each way.

use std::fmt::Display;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use cli::Failure;
use cli::socket::{self, SocketPath};
use projection::History;
use serde_json::{Map, Value, json};
use server::OperatedVenue;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{UnixListener, UnixStream};
use types::KeyId;
use venue::{Handle, Keyring};

use super::backend::Request;
use super::online::Online;
use super::operations::{Work, named};

/// More than the largest request of an operator.
const REQUEST_SIZE_MAX: u64 = 64 << 10;
const REQUEST_TIME_MAX: Duration = Duration::from_secs(10);

/// The pause after the operating system refuses a connection.
const ACCEPT_RETRY: Duration = Duration::from_millis(50);

pub(crate) struct AdminServer {
    listener: UnixListener,
    path: PathBuf,
    handle: Handle,
    history: Arc<dyn History>,
    keyring: Keyring,
}

impl AdminServer {
    /// This process has locked the data folder, so a socket in it is that of a killed venue.
    pub(crate) fn bind(venue: &OperatedVenue) -> Result<Self, Failure> {
        let OperatedVenue { handle, history, keyring, data_dir, .. } = venue.clone();
        let path = data_dir.join(socket::FILE_NAME);
        let named = |error: std::io::Error| Failure::new(format!("{}: {error}", path.display()));
        match std::fs::remove_file(&path) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(named(error)),
            _ => {}
        }
        let short = SocketPath::of(&data_dir).map_err(named)?;
        let listener = UnixListener::bind(short.path()).map_err(named)?;
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).map_err(named)?;
        Ok(Self { listener, path, handle, history, keyring })
    }

    pub(crate) async fn serve(self, stopped: impl Future<Output = ()>) -> std::io::Result<()> {
        tokio::pin!(stopped);
        loop {
            tokio::select! {
                () = &mut stopped => return std::fs::remove_file(&self.path),
                connection = self.listener.accept() => {
                    let stream = match connection {
                        Ok((stream, _)) => stream,
                        Err(error) => {
                            tracing::warn!(%error, "an operator's connection was not accepted");
                            tokio::time::sleep(ACCEPT_RETRY).await;
                            continue;
                        }
                    };
                    let online = Online {
                        handle: self.handle.clone(),
                        history: Arc::clone(&self.history),
                        key: KeyId(0),
                        is_sent: false,
                    };
                    let keyring = self.keyring.clone();
                    tokio::spawn(async move {
                        let served = tokio::time::timeout(
                            REQUEST_TIME_MAX,
                            answer(stream, online, keyring),
                        );
                        match served.await {
                            Ok(Ok(())) => {}
                            Ok(Err(error)) => tracing::debug!(%error, "an admin connection broke"),
                            Err(_) => tracing::debug!("an admin request took too long"),
                        }
                    });
                }
            }
        }
    }
}

async fn answer(stream: UnixStream, online: Online, keyring: Keyring) -> std::io::Result<()> {
    let (reader, mut writer) = stream.into_split();
    let mut line = String::new();
    BufReader::new(reader.take(REQUEST_SIZE_MAX)).read_line(&mut line).await?;
    let answer = match read(&line) {
        Err(failure) => Err(failure),
        Ok(request) => online.execute(request, keyring).await.0,
    };
    let answer: Value = match answer {
        Ok(answer) => json!({ "answer": answer }),
        Err(failure) => json!({ "error": failure.to_string() }),
    };
    writer.write_all(format!("{answer}\n").as_bytes()).await
}

/// A request as one line of JSON: the words of its operation beside its arguments.
pub(super) fn request(words: &str, mut fields: Value) -> Value {
    fields["request"] = words.into();
    fields
}

fn read(line: &str) -> Result<Request, Failure> {
    let unknown =
        |error: &dyn Display| Failure::new(format!("this venue does not understand: {error}"));
    let mut fields: Map<String, Value> =
        serde_json::from_str(line).map_err(|error| unknown(&error))?;
    let words = fields.remove("request").unwrap_or_default();
    let operation = words.as_str().and_then(named);
    let operation = operation.ok_or_else(|| unknown(&format!("the request {words}")))?;
    match (operation.work)(fields.into()).map_err(|error| unknown(&error))? {
        Work::Ask(request) => Ok(request),
        _ => Err(unknown(&"a request of HTTP")),
    }
}

//! The server of the admin socket: one request a connection, one line each way.

use std::fmt::Display;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use cli::Failure;
use cli::socket::{self, SocketPath};
use gateway::Faults;
use projection::History;
use serde_json::{Map, Value, json};
use server::OperatedVenue;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{UnixListener, UnixStream};
use tokio::time::timeout;
use venue::{Handle, Keyring};

use super::backend::Request;
use super::online::{Online, Sender};
use super::operations::{Work, named};

/// More than the largest request of an operator.
const REQUEST_SIZE_MAX: u64 = 64 << 10;
/// Until a request is read.
const REQUEST_TIME_MAX: Duration = Duration::from_secs(10);
/// Until the answer of a request is written.
const ANSWER_TIME_MAX: Duration = Duration::from_secs(60);

/// Interval of the checks whether the socket's file still exists.
const LOOK_AGAIN: Duration = Duration::from_secs(1);

/// The pause after the operating system refuses a connection.
const ACCEPT_RETRY: Duration = Duration::from_millis(50);

pub(crate) struct AdminServer {
    listener: UnixListener,
    /// The file of the listener.
    file: FileId,
    data_dir: PathBuf,
    path: PathBuf,
    handle: Handle,
    history: Arc<dyn History>,
    keyring: Keyring,
    faults: Option<Arc<Faults>>,
}

impl AdminServer {
    pub(crate) fn bind(venue: &OperatedVenue) -> Result<Self, Failure> {
        let OperatedVenue { handle, history, keyring, data_dir, faults, .. } = venue.clone();
        let path = data_dir.join(socket::FILE_NAME);
        let (listener, file) = listen(&data_dir, &path)
            .map_err(|error| Failure::new(format!("{}: {error}", path.display())))?;
        Ok(Self { listener, file, data_dir, path, handle, history, keyring, faults })
    }

    pub(crate) async fn serve(mut self, stopped: impl Future<Output = ()>) -> std::io::Result<()> {
        tokio::pin!(stopped);
        let mut look_again = tokio::time::interval(LOOK_AGAIN);
        let mut is_failing = false;
        loop {
            tokio::select! {
                () = &mut stopped => return remove(&self.path),
                _ = look_again.tick() => if let Err(error) = self.restore() {
                    if !is_failing {
                        let path = self.path.display();
                        tracing::warn!(%error, "{path} is gone, and cannot be made again");
                    }
                    is_failing = true;
                } else {
                    is_failing = false;
                },
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
                        faults: self.faults.clone(),
                        sender: Sender::SOCKET,
                        is_sent: false,
                    };
                    let keyring = self.keyring.clone();
                    tokio::spawn(async move {
                        if let Err(error) = serve_one(stream, online, keyring).await {
                            tracing::debug!(%error, "an admin connection broke");
                        }
                    });
                }
            }
        }
    }
}

impl AdminServer {
    /// Makes the socket again if its file was removed or replaced: without the file no operator
    /// reaches the venue.
    fn restore(&mut self) -> std::io::Result<()> {
        if file_id(&self.path).is_ok_and(|file| file == self.file) {
            return Ok(());
        }
        (self.listener, self.file) = listen(&self.data_dir, &self.path)?;
        tracing::warn!(path = %self.path.display(), "the admin socket was gone, and is made again");
        Ok(())
    }
}

/// Device and inode.
type FileId = (u64, u64);

fn file_id(path: &Path) -> std::io::Result<FileId> {
    std::fs::symlink_metadata(path).map(|found| (found.dev(), found.ino()))
}

/// This process has locked the data folder, so a socket in it is an old one.
fn listen(data_dir: &Path, path: &Path) -> std::io::Result<(UnixListener, FileId)> {
    remove(path)?;
    let short = SocketPath::of(data_dir)?;
    let listener = UnixListener::bind(short.path())?;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o600))?;
    Ok((listener, file_id(path)?))
}

fn remove(path: &Path) -> std::io::Result<()> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

async fn serve_one(stream: UnixStream, online: Online, keyring: Keyring) -> std::io::Result<()> {
    let (reader, mut writer) = stream.into_split();
    let mut line = String::new();
    let mut reader = BufReader::new(reader.take(REQUEST_SIZE_MAX));
    timeout(REQUEST_TIME_MAX, reader.read_line(&mut line)).await??;
    let answered = timeout(ANSWER_TIME_MAX, async {
        let answer = match read(&line) {
            Err(failure) => Err(failure),
            Ok(request) => online.execute(request, keyring).await.0,
        };
        let answer: Value = match answer {
            Ok(answer) => json!({ "answer": answer }),
            Err(failure) => json!({ "error": failure.to_string() }),
        };
        writer.write_all(format!("{answer}\n").as_bytes()).await
    });
    answered.await?
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

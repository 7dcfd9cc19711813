//! The admin socket in the data folder, and its client.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Write};
use std::os::fd::AsRawFd;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde_json::Value;

use crate::failure::Failure;

pub const FILE_NAME: &str = "admin.sock";

/// The longest path that a socket's address has room for, in bytes.
const ADDRESS_MAX: usize = 107;

/// The path of the socket: through the folder's descriptor where its own path is too long for an
/// address. Such a venue needs `/proc`.
#[derive(Debug)]
pub struct SocketPath {
    own: PathBuf,
    dir: Option<File>,
}

impl SocketPath {
    pub fn of(data_dir: &Path) -> io::Result<Self> {
        let own = data_dir.join(FILE_NAME);
        let is_long = own.as_os_str().len() > ADDRESS_MAX;
        let dir = if is_long { Some(File::open(data_dir)?) } else { None };
        Ok(Self { own, dir })
    }

    /// Valid while `self` exists.
    pub fn path(&self) -> PathBuf {
        match &self.dir {
            Some(dir) => format!("/proc/self/fd/{}/{FILE_NAME}", dir.as_raw_fd()).into(),
            None => self.own.clone(),
        }
    }
}

/// `None` when no venue is running on this folder.
pub fn connect(data_dir: &Path) -> Result<Option<UnixStream>, Failure> {
    let connected = SocketPath::of(data_dir).and_then(|short| UnixStream::connect(short.path()));
    match connected {
        Ok(stream) => Ok(Some(stream)),
        // A killed venue leaves its socket.
        Err(error)
            if matches!(
                error.kind(),
                io::ErrorKind::NotFound | io::ErrorKind::ConnectionRefused
            ) =>
        {
            Ok(None)
        }
        Err(error) => Err(Failure::new(format!("{}: {error}", data_dir.join(FILE_NAME).display()))),
    }
}

/// Sends a request to the venue that runs on a folder, and returns its answer.
pub fn ask_running(data_dir: &Path, request: &impl Serialize) -> Result<Value, Failure> {
    let stream = connect(data_dir)?;
    let stream = stream.ok_or_else(|| {
        Failure::new(format!("no venue is running on the folder {}", data_dir.display()))
    })?;
    ask(stream, request)
}

pub fn ask(mut stream: UnixStream, request: &impl Serialize) -> Result<Value, Failure> {
    stream.write_all(format!("{}\n", serde_json::to_string(request)?).as_bytes())?;
    let mut line = String::new();
    BufReader::new(stream).read_line(&mut line)?;
    if line.is_empty() {
        return Err(Failure::unavailable(
            "the venue closed the connection without an answer: it may have carried out the \
             command, so check before another try",
        ));
    }
    let mut answer: Value = serde_json::from_str(&line)?;
    match answer["error"].as_str() {
        Some(error) => Err(Failure::new(error)),
        None => Ok(answer["answer"].take()),
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::net::UnixListener;

    use super::*;

    #[test]
    fn folders_with_short_and_with_long_paths_have_their_socket() {
        let dir = tempfile::tempdir().expect("a folder");
        for name in ["short".to_owned(), "l".repeat(200)] {
            let data_dir = dir.path().join(name);
            std::fs::create_dir(&data_dir).expect("a folder");
            assert!(connect(&data_dir).expect("no error").is_none());
            let socket = SocketPath::of(&data_dir).expect("the folder is there");
            let _listener = UnixListener::bind(socket.path()).expect("the address fits");
            assert!(connect(&data_dir).expect("no error").is_some());
        }
    }
}

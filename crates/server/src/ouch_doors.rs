//! Where OUCH is spoken: a port, and sockets for clients of this machine.

use std::io::{self, ErrorKind};
use std::os::unix::fs::{FileTypeExt, PermissionsExt};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};

use gateway::OuchListeners;
use tokio::net::{TcpListener, UnixListener};

use crate::error::ServeError;
use crate::run::bind;
use crate::settings::ouch::Ouch;

/// The user of the venue and its group may connect.
const MODE: u32 = 0o660;
/// The user of the venue alone gets memory that the venue reads.
const SHM_MODE: u32 = 0o600;

/// The name and the address of each, for the lines before `ready`.
pub(crate) type OuchPlaces = Vec<(&'static str, String)>;

#[derive(Debug)]
pub(crate) struct OuchDoors {
    tcp: Option<TcpListener>,
    unix: Option<(UnixListener, PathBuf)>,
    shm: Option<(UnixListener, PathBuf)>,
}

impl OuchDoors {
    pub(crate) async fn bind(settings: &Ouch) -> Result<Self, ServeError> {
        let tcp = match settings.address {
            Some(address) => Some(bind(address).await?),
            None => None,
        };
        let bind_unix = |path: &PathBuf, mode| match bind_unix(path, mode) {
            Ok(unix) => Ok((unix, path.clone())),
            Err(error) => {
                Err(ServeError::new(format!("cannot listen on {}: {error}", path.display())))
            }
        };
        let unix = settings.unix.as_ref().map(|path| bind_unix(path, MODE)).transpose()?;
        let shm = settings.shm.as_ref().map(|path| bind_unix(path, SHM_MODE)).transpose()?;
        Ok(Self { tcp, unix, shm })
    }

    pub(crate) fn places(&self) -> io::Result<OuchPlaces> {
        let tcp = self.tcp.as_ref().map(|tcp| Ok(("ouch", tcp.local_addr()?.to_string())));
        let sockets = [("ouch-unix", &self.unix), ("ouch-shm", &self.shm)];
        let sockets = sockets.into_iter().filter_map(|(name, socket)| {
            let (_, path) = socket.as_ref()?;
            Some(Ok((name, path.display().to_string())))
        });
        tcp.into_iter().chain(sockets).collect()
    }

    pub(crate) fn listeners(self) -> Option<OuchListeners> {
        let Self { tcp, unix, shm } = self;
        let is_on = tcp.is_some() || unix.is_some() || shm.is_some();
        let [unix, shm] = [unix, shm].map(|socket| socket.map(|(listener, _)| listener));
        is_on.then_some(OuchListeners { tcp, unix, shm })
    }
}

/// A socket that a killed venue has left is replaced. One in use stays, and so does another file.
fn bind_unix(path: &Path, mode: u32) -> io::Result<UnixListener> {
    if let Ok(found) = std::fs::symlink_metadata(path)
        && found.file_type().is_socket()
        && UnixStream::connect(path).is_err_and(|e| e.kind() == ErrorKind::ConnectionRefused)
    {
        std::fs::remove_file(path)?;
    }
    let unix = UnixListener::bind(path)?;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode))?;
    Ok(unix)
}

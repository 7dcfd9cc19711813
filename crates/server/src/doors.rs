//! Where OUCH is spoken: a port, and a socket for clients of this machine.

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

/// The name and the address of each, for the lines before `ready`.
pub(crate) type OuchPlaces = Vec<(&'static str, String)>;

#[derive(Debug)]
pub(crate) struct OuchDoors {
    tcp: Option<TcpListener>,
    unix: Option<(UnixListener, PathBuf)>,
}

impl OuchDoors {
    pub(crate) async fn bind(settings: &Ouch) -> Result<Self, ServeError> {
        let tcp = match settings.address {
            Some(address) => Some(bind(address).await?),
            None => None,
        };
        let unix = settings.unix.as_ref().map(|path| {
            let bound = bind_unix(path).map_err(|error| {
                ServeError::new(format!("cannot listen on {}: {error}", path.display()))
            });
            bound.map(|unix| (unix, path.clone()))
        });
        Ok(Self { tcp, unix: unix.transpose()? })
    }

    pub(crate) fn places(&self) -> io::Result<OuchPlaces> {
        let tcp = self.tcp.as_ref().map(|tcp| Ok(("ouch", tcp.local_addr()?.to_string())));
        let unix =
            self.unix.as_ref().map(|(_, path)| Ok(("ouch-unix", path.display().to_string())));
        tcp.into_iter().chain(unix).collect()
    }

    pub(crate) fn listeners(self) -> Option<OuchListeners> {
        let Self { tcp, unix } = self;
        let is_on = tcp.is_some() || unix.is_some();
        is_on.then(|| OuchListeners { tcp, unix: unix.map(|(unix, _)| unix) })
    }
}

/// A socket that a killed venue has left is replaced. One in use stays, and so does another file.
fn bind_unix(path: &Path) -> io::Result<UnixListener> {
    if let Ok(found) = std::fs::symlink_metadata(path)
        && found.file_type().is_socket()
        && UnixStream::connect(path).is_err_and(|e| e.kind() == ErrorKind::ConnectionRefused)
    {
        std::fs::remove_file(path)?;
    }
    let unix = UnixListener::bind(path)?;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(MODE))?;
    Ok(unix)
}

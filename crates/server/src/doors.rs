//! Ports and sockets beside the HTTP port: of OUCH, of gRPC, and of ITCH.

use std::io::{self, ErrorKind};
use std::net::{SocketAddr, UdpSocket};
use std::os::unix::fs::{FileTypeExt, PermissionsExt};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};

use gateway::{ItchDoors, Listeners};
use tokio::net::{TcpListener, UnixListener};

use crate::error::ServeError;
use crate::itch_doors;
use crate::run::bind;
use crate::settings::Settings;

/// The user of the venue and its group may connect.
const MODE: u32 = 0o660;

/// The name and the address of each, for the lines before `ready`.
pub(crate) type Places = Vec<(&'static str, String)>;

/// Of each dialect that has some.
#[derive(Debug)]
pub(crate) struct AllDoors {
    pub(crate) ouch: Doors,
    pub(crate) ouch_udp: Option<UdpSocket>,
    pub(crate) grpc: Doors,
    pub(crate) itch: Option<ItchDoors>,
}

impl AllDoors {
    pub(crate) async fn bind(
        Settings { ouch, grpc, itch, .. }: &Settings,
    ) -> Result<(Self, Places), ServeError> {
        let ouch_udp = ouch.udp.map(bind_udp).transpose()?;
        let itch = itch_doors::open(itch).await?;
        let ouch = Doors::bind(ouch.address, ouch.unix.as_ref()).await?;
        let grpc = Doors::bind(grpc.address, grpc.unix.as_ref()).await?;
        let udp = ouch_udp.as_ref().map(|udp| Ok(("ouch-udp", udp.local_addr()?.to_string())));
        let places = [
            ouch.places(["ouch", "ouch-unix"])?,
            udp.into_iter().collect::<io::Result<_>>()?,
            grpc.places(["grpc", "grpc-unix"])?,
            itch_doors::places(itch.as_ref())?,
        ];
        Ok((Self { ouch, ouch_udp, grpc, itch }, places.concat()))
    }
}

/// A port for clients of the network, and a socket for those of this machine.
#[derive(Debug)]
pub(crate) struct Doors {
    tcp: Option<TcpListener>,
    unix: Option<(UnixListener, PathBuf)>,
}

impl Doors {
    async fn bind(address: Option<SocketAddr>, unix: Option<&PathBuf>) -> Result<Self, ServeError> {
        let tcp = match address {
            Some(address) => Some(bind(address).await?),
            None => None,
        };
        let unix = unix.map(|path| {
            let bound = bind_unix(path).map_err(|error| {
                ServeError::new(format!("cannot listen on {}: {error}", path.display()))
            });
            bound.map(|unix| (unix, path.clone()))
        });
        Ok(Self { tcp, unix: unix.transpose()? })
    }

    /// Where clients connect, under the names of the port and of the socket.
    fn places(&self, [port, socket]: [&'static str; 2]) -> io::Result<Places> {
        let tcp = self.tcp.as_ref().map(|tcp| Ok((port, tcp.local_addr()?.to_string())));
        let unix = self.unix.as_ref().map(|(_, path)| Ok((socket, path.display().to_string())));
        tcp.into_iter().chain(unix).collect()
    }

    pub(crate) fn listeners(self) -> Option<Listeners> {
        let Self { tcp, unix } = self;
        let is_on = tcp.is_some() || unix.is_some();
        is_on.then(|| Listeners { tcp, unix: unix.map(|(unix, _)| unix) })
    }
}

pub(crate) fn bind_udp(address: SocketAddr) -> Result<UdpSocket, ServeError> {
    UdpSocket::bind(address)
        .map_err(|error| ServeError::new(format!("cannot listen on {address} (UDP): {error}")))
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

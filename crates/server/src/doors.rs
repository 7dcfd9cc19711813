//! Ports and sockets beside the HTTP port: of OUCH, of gRPC, and of ITCH.

use std::io::{self, ErrorKind};
use std::net::{SocketAddr, UdpSocket};
use std::os::unix::fs::{FileTypeExt, PermissionsExt};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};

#[cfg(feature = "redis")]
use gateway::IntakeSettings;
use gateway::{ItchDoors, Listeners};
use tokio::net::{TcpListener, UnixListener};

use crate::error::ServeError;
use crate::itch_doors;
use crate::run::bind;
use crate::settings::Settings;

/// The user of the venue and its group may connect.
const MODE: u32 = 0o660;
/// The user of the venue alone gets memory that the venue reads.
const SHM_MODE: u32 = 0o600;

/// The name and the address of each, for the lines before `ready`.
pub(crate) type Places = Vec<(&'static str, String)>;

/// Of each dialect that has some.
#[derive(Debug)]
pub(crate) struct AllDoors {
    pub(crate) ouch: Doors,
    pub(crate) ouch_udp: Option<UdpSocket>,
    #[cfg(feature = "grpc")]
    pub(crate) grpc: Doors,
    pub(crate) itch: Option<ItchDoors>,
    #[cfg(feature = "redis")]
    pub(crate) intake: Option<IntakeSettings>,
}

impl AllDoors {
    pub(crate) async fn bind(settings: &Settings) -> Result<(Self, Places), ServeError> {
        let Settings { ouch, grpc, itch, .. } = settings;
        let ouch_udp = ouch.udp.map(bind_udp).transpose()?;
        let itch = itch_doors::open(itch).await?;
        let ouch = Doors::bind(ouch.address, ouch.unix.as_ref(), ouch.shm.as_ref()).await?;
        let grpc = Doors::bind(grpc.address, grpc.unix.as_ref(), None).await?;
        let udp = ouch_udp.as_ref().map(|udp| Ok(("ouch-udp", udp.local_addr()?.to_string())));
        let places = [
            ouch.places(["ouch", "ouch-unix", "ouch-shm"])?,
            udp.into_iter().collect::<io::Result<_>>()?,
            grpc.places(["grpc", "grpc-unix", "grpc-shm"])?,
            itch_doors::places(itch.as_ref())?,
        ];
        let all = Self {
            ouch,
            ouch_udp,
            #[cfg(feature = "grpc")]
            grpc,
            itch,
            #[cfg(feature = "redis")]
            intake: settings.intake.intake_settings(settings.log.durability)?,
        };
        Ok((all, places.concat()))
    }
}

/// A port for clients of the network, and sockets for those of this machine.
#[derive(Debug)]
pub(crate) struct Doors {
    tcp: Option<TcpListener>,
    unix: Option<(UnixListener, PathBuf)>,
    shm: Option<(UnixListener, PathBuf)>,
}

impl Doors {
    async fn bind(
        address: Option<SocketAddr>,
        unix: Option<&PathBuf>,
        shm: Option<&PathBuf>,
    ) -> Result<Self, ServeError> {
        let tcp = match address {
            Some(address) => Some(bind(address).await?),
            None => None,
        };
        let bind_unix = |path: &PathBuf, mode| match bind_unix(path, mode) {
            Ok(unix) => Ok((unix, path.clone())),
            Err(error) => {
                Err(ServeError::new(format!("cannot listen on {}: {error}", path.display())))
            }
        };
        let unix = unix.map(|path| bind_unix(path, MODE)).transpose()?;
        let shm = shm.map(|path| bind_unix(path, SHM_MODE)).transpose()?;
        Ok(Self { tcp, unix, shm })
    }

    /// Where clients connect, under the names of the port and of the sockets.
    fn places(&self, [port, unix, shm]: [&'static str; 3]) -> io::Result<Places> {
        let tcp = self.tcp.as_ref().map(|tcp| Ok((port, tcp.local_addr()?.to_string())));
        let sockets = [(unix, &self.unix), (shm, &self.shm)];
        let sockets = sockets.into_iter().filter_map(|(name, socket)| {
            let (_, path) = socket.as_ref()?;
            Some(Ok((name, path.display().to_string())))
        });
        tcp.into_iter().chain(sockets).collect()
    }

    pub(crate) fn listeners(self) -> Option<Listeners> {
        let Self { tcp, unix, shm } = self;
        let is_on = tcp.is_some() || unix.is_some() || shm.is_some();
        let [unix, shm] = [unix, shm].map(|socket| socket.map(|(listener, _)| listener));
        is_on.then_some(Listeners { tcp, unix, shm })
    }
}

pub(crate) fn bind_udp(address: SocketAddr) -> Result<UdpSocket, ServeError> {
    UdpSocket::bind(address)
        .map_err(|error| ServeError::new(format!("cannot listen on {address} (UDP): {error}")))
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

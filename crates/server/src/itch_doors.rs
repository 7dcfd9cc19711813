//! Where the market order by order is served.

use std::io;

use tokio::net::TcpListener;

use crate::doors::{Places, bind_udp};
use crate::error::ServeError;
use crate::run::bind;
use crate::settings::itch::Itch;

/// The ports of a feed, before anything is written.
pub(crate) async fn open(settings: &Itch) -> Result<Option<gateway::ItchDoors>, ServeError> {
    if !settings.is_on() {
        return Ok(None);
    }
    let recovery = settings.recovery.map(bind_udp).transpose()?;
    let glimpse: Option<TcpListener> = match settings.glimpse {
        Some(address) => Some(bind(address).await?),
        None => None,
    };
    Ok(Some(gateway::ItchDoors {
        receivers: settings.receivers().map_err(ServeError::new)?,
        interface: settings.interface,
        ttl: settings.ttl,
        recovery,
        glimpse,
    }))
}

/// The name and the address of each port.
pub(crate) fn places(doors: Option<&gateway::ItchDoors>) -> io::Result<Places> {
    let Some(doors) = doors else { return Ok(Places::new()) };
    let recovery = doors.recovery.as_ref().map(|udp| Ok(("itch-recovery", udp.local_addr()?)));
    let glimpse = doors.glimpse.as_ref().map(|tcp| Ok(("glimpse", tcp.local_addr()?)));
    let named = recovery.into_iter().chain(glimpse);
    named.map(|place: io::Result<_>| place.map(|(name, at)| (name, at.to_string()))).collect()
}

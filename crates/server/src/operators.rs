//! Operators' requests as a running venue is given them: over HTTP, and through the admin socket.
//!
//! The types of the requests are those of the operators' command line, which sees this crate. So the
//! program that runs a venue hands in what answers them.

use std::path::PathBuf;
use std::pin::Pin;
use std::sync::Arc;

use gateway::OperatorApi;
use venue::{Handle, Keyring};

use crate::error::ServeError;
use crate::settings::log::Durability;

/// Resolves when the venue stops.
pub type Stopped = Pin<Box<dyn Future<Output = ()> + Send>>;

/// A service that runs until the venue stops.
pub type Serving = Pin<Box<dyn Future<Output = std::io::Result<()>> + Send>>;

/// What operators' requests need of a running venue.
#[derive(Clone, Debug)]
pub struct OperatedVenue {
    pub handle: Handle,
    pub keyring: Keyring,
    pub data_dir: PathBuf,
    pub durability: Durability,
}

pub trait Operators {
    /// The API below [`gateway::OPERATOR_ROOT`].
    fn api(&self, venue: &OperatedVenue) -> Arc<dyn OperatorApi>;

    /// Binds the admin socket of the data folder. It is gone when the service has ended.
    fn socket(&self, venue: &OperatedVenue, stopped: Stopped) -> Result<Serving, ServeError>;
}

//! Operators' requests as a running venue is given them: over HTTP, and through the admin socket.
//!
//! The crate of the requests is also that of their command line, and sees this one. So the program
//! that runs a venue hands in what answers the requests.

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

/// Answers the operators of a running venue.
pub trait Operators {
    /// The API below [`gateway::OPERATOR_ROOT`].
    fn api(&self, venue: &OperatedVenue) -> Arc<dyn OperatorApi>;

    /// Binds the admin socket of the data folder. It is gone when the service has ended.
    fn socket(&self, venue: &OperatedVenue, stopped: Stopped) -> Result<Serving, ServeError>;
}

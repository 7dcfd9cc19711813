//! The traits by which a running venue answers operators, over HTTP and through the admin socket.
//!
//! The crate `admin` has the requests and their command line, and sees this crate. So the program
//! that runs a venue hands the answering side in.

use std::path::PathBuf;
use std::pin::Pin;
use std::sync::Arc;

use gateway::{Faults, OperatorApi};
use projection::History;
use venue::{Handle, Keyring};

use crate::error::ServeError;
use crate::settings::log::Durability;

/// Resolves when the venue stops.
pub type Stopped = Pin<Box<dyn Future<Output = ()> + Send>>;

/// A service that runs until the venue stops.
pub type Serving = Pin<Box<dyn Future<Output = std::io::Result<()>> + Send>>;

/// The parts of a running venue that operators' requests use.
#[derive(Clone, Debug)]
pub struct OperatedVenue {
    pub handle: Handle,
    pub history: Arc<dyn History>,
    pub keyring: Keyring,
    pub data_dir: PathBuf,
    /// False for a test, whose folder ends with it.
    pub is_kept: bool,
    pub durability: Durability,
    /// Of a test or a demo, whose clock can be advanced, too.
    pub faults: Option<Arc<Faults>>,
}

/// Answers the operators of a running venue.
pub trait Operators {
    /// The API below [`gateway::OPERATOR_ROOT`].
    fn api(&self, venue: &OperatedVenue) -> Arc<dyn OperatorApi>;

    /// Binds the admin socket of the data folder, which the service removes at its end.
    fn socket(&self, venue: &OperatedVenue, stopped: Stopped) -> Result<Serving, ServeError>;
}

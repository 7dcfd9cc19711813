//! The link from a running venue to the operators' requests.

use std::sync::Arc;

use gateway::OperatorApi;
use server::{OperatedVenue, Operators, ServeError, Serving, Stopped};

use super::http::AdminApi;
use super::socket_service::AdminServer;

/// Answers the operators of a running venue.
#[derive(Clone, Copy, Debug)]
pub struct Requests;

impl Operators for Requests {
    fn api(&self, venue: &OperatedVenue) -> Arc<dyn OperatorApi> {
        Arc::new(AdminApi::new(venue.clone()))
    }

    fn socket(&self, venue: &OperatedVenue, stopped: Stopped) -> Result<Serving, ServeError> {
        let OperatedVenue { handle, keyring, data_dir, .. } = venue;
        let bound = AdminServer::bind(data_dir, handle.clone(), keyring.clone());
        let server = bound.map_err(|failure| ServeError::new(failure.to_string()))?;
        Ok(Box::pin(server.serve(stopped)))
    }
}

//! Certificates of authorities that a tool trusts when it connects to a venue over TLS.

use std::path::Path;

use client::RootCertStore;

use crate::Failure;

/// Those in a file of PEM, or those that this machine trusts.
pub fn authorities(ca: Option<&Path>) -> Result<RootCertStore, Failure> {
    client::authorities(ca).map_err(|error| Failure::new(error.to_string()))
}

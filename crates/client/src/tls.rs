//! TLS of the connections to a venue.

use std::fmt;
use std::io;
use std::sync::Arc;

use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use tokio_rustls::rustls::ClientConfig;
pub use tokio_rustls::rustls::RootCertStore;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName};

use crate::Error;

/// Which certificates are trusted, and the name that the venue's must have.
#[derive(Clone)]
pub struct Tls {
    connector: TlsConnector,
    name: ServerName<'static>,
}

impl fmt::Debug for Tls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Tls").field(&self.name).finish()
    }
}

impl Tls {
    /// `trusted` has certificates of authorities, or that of the venue itself, in PEM; `name` is
    /// that of the venue, or its address.
    pub fn new(trusted: &[u8], name: &str) -> Result<Self, Error> {
        let mut roots = RootCertStore::empty();
        for certificate in CertificateDer::pem_slice_iter(trusted) {
            let certificate = certificate.map_err(|error| unusable(&error))?;
            roots.add(certificate).map_err(|error| unusable(&error))?;
        }
        Self::trusting(roots, name)
    }

    /// Likewise, with certificates that are read already.
    pub fn trusting(roots: RootCertStore, name: &str) -> Result<Self, Error> {
        if roots.is_empty() {
            return Err(unusable(&"no certificate is trusted"));
        }
        let config = ClientConfig::builder().with_root_certificates(roots).with_no_client_auth();
        let name = ServerName::try_from(name.to_owned()).map_err(|error| unusable(&error))?;
        Ok(Self { connector: TlsConnector::from(Arc::new(config)), name })
    }

    pub(crate) async fn connect(&self, stream: TcpStream) -> io::Result<TlsStream<TcpStream>> {
        self.connector.connect(self.name.clone(), stream).await
    }
}

fn unusable(error: &dyn fmt::Display) -> Error {
    Error::Usage(format!("TLS: {error}"))
}

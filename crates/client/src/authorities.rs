//! Certificates of authorities that a client trusts when it connects to a venue over TLS.

use std::fmt::Display;
use std::path::Path;

use tokio_rustls::rustls::RootCertStore;
use tokio_rustls::rustls::pki_types::CertificateDer;
use tokio_rustls::rustls::pki_types::pem::PemObject;

use crate::Error;

/// Those in a file of PEM, or those that this machine trusts.
pub fn authorities(ca: Option<&Path>) -> Result<RootCertStore, Error> {
    let mut roots = RootCertStore::empty();
    match ca {
        Some(file) => {
            let invalid = |error: &dyn Display| {
                Error::Usage(format!("{}: no certificate (PEM): {error}", file.display()))
            };
            let found = CertificateDer::pem_file_iter(file).map_err(|error| invalid(&error))?;
            for certificate in found {
                let certificate = certificate.map_err(|error| invalid(&error))?;
                roots.add(certificate).map_err(|error| invalid(&error))?;
            }
            if roots.is_empty() {
                return Err(invalid(&"the file has none"));
            }
        }
        None => {
            let found = rustls_native_certs::load_native_certs();
            // A system has odd certificates too, which rustls does not take.
            roots.add_parsable_certificates(found.certs);
            if roots.is_empty() {
                let text = "this machine has no certificates of authorities: name a file of them";
                return Err(Error::Usage(text.to_owned()));
            }
        }
    }
    Ok(roots)
}

//! TLS by rustls, with certificates from files that may be renewed at run time, or a self-signed
//! one for trials.

use std::fmt;
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::{Duration, SystemTime};

use thiserror::Error;
use tokio::time::sleep;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::rustls::{self, ServerConfig};
use venue::{Exposition, MetricSource};

use crate::socket::certificate;

/// How often the files are checked for changes.
const WATCH_EVERY: Duration = Duration::from_secs(5);
/// HTTP/1.1 carries everything, WebSocket too.
const ALPN: &[u8] = b"http/1.1";

/// The port's certificate, and its private key.
pub struct Tls {
    files: Option<Files>,
    config: RwLock<Arc<ServerConfig>>,
    /// Unix time at which the certificate in use ends; 0 if it does not say.
    expiry_s: AtomicI64,
}

struct Files {
    certificate: PathBuf,
    key: PathBuf,
    /// Modification times of the files at the last check.
    seen: Mutex<[Option<SystemTime>; 2]>,
}

/// Why TLS cannot be served.
#[derive(Debug, Error)]
pub enum TlsError {
    #[error("{} holds no PEM that can be used for TLS: {error}", file.display())]
    Unreadable { file: PathBuf, error: rustls::pki_types::pem::Error },
    /// The two do not belong together, or are of a kind that rustls does not know.
    #[error("the certificate {} cannot be used with its key: {error}", file.display())]
    Unusable { file: PathBuf, error: rustls::Error },
    #[error("no certificate could be made: {0}")]
    SelfSigned(rcgen::Error),
}

impl Tls {
    /// From PEM files: the certificate with its chain, and its private key.
    pub fn from_files(certificate: &Path, key: &Path) -> Result<Self, TlsError> {
        let files = Files {
            certificate: certificate.to_path_buf(),
            key: key.to_path_buf(),
            seen: Mutex::new([None; 2]),
        };
        files.notice();
        let (config, expiry_s) = files.read()?;
        let (config, expiry_s) = (RwLock::new(Arc::new(config)), AtomicI64::new(expiry_s));
        Ok(Self { files: Some(files), config, expiry_s })
    }

    /// For trials: a new certificate at each start, which no authority has signed.
    pub fn self_signed(host: &str) -> Result<Self, TlsError> {
        let names = ["localhost".to_owned(), "127.0.0.1".to_owned(), "::1".to_owned()];
        let others = names.iter().all(|name| name != host).then(|| host.to_owned());
        let names: Vec<String> = names.iter().cloned().chain(others).collect();
        let made = rcgen::generate_simple_self_signed(names).map_err(TlsError::SelfSigned)?;
        let chain = vec![made.cert.der().clone()];
        let key = PrivateKeyDer::Pkcs8(made.signing_key.serialize_der().into());
        let unusable =
            |error| TlsError::Unusable { file: "the self-signed certificate".into(), error };
        let expiry_s = AtomicI64::new(expiry_of(&chain));
        let config = server_config(chain, key).map_err(unusable)?;
        Ok(Self { files: None, config: RwLock::new(Arc::new(config)), expiry_s })
    }

    /// Reads the files again. An error leaves the current certificate in use.
    pub fn reload(&self) -> Result<(), TlsError> {
        let Some(files) = &self.files else { return Ok(()) };
        let (config, expiry_s) = files.read()?;
        self.expiry_s.store(expiry_s, Ordering::Relaxed);
        let config = Arc::new(config);
        *self.config.write().unwrap_or_else(PoisonError::into_inner) = config;
        tracing::info!(file = %files.certificate.display(), "loaded a renewed certificate");
        Ok(())
    }

    pub(crate) fn acceptor(&self) -> TlsAcceptor {
        TlsAcceptor::from(Arc::clone(&self.config()))
    }

    /// For another protocol than that of the HTTP port, by the name that a handshake has for it.
    pub(crate) fn acceptor_of(&self, alpn: Option<&[u8]>) -> TlsAcceptor {
        let mut config = ServerConfig::clone(&self.config());
        config.alpn_protocols = alpn.map(<[u8]>::to_vec).into_iter().collect();
        TlsAcceptor::from(Arc::new(config))
    }

    fn config(&self) -> impl Deref<Target = Arc<ServerConfig>> + '_ {
        self.config.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Loads renewed files, while the future is polled.
    pub(crate) async fn watch(&self) {
        let Some(files) = &self.files else { return };
        loop {
            sleep(WATCH_EVERY).await;
            if files.notice()
                && let Err(error) = self.reload()
            {
                // One of the two files may not be written yet.
                tracing::warn!(%error, "a renewed certificate was not loaded");
            }
        }
    }
}

impl Files {
    /// The configuration, and the end of the certificate.
    fn read(&self) -> Result<(ServerConfig, i64), TlsError> {
        let unreadable = |file: &Path| {
            let file = file.to_path_buf();
            move |error| TlsError::Unreadable { file, error }
        };
        let chain: Vec<_> = CertificateDer::pem_file_iter(&self.certificate)
            .and_then(Iterator::collect)
            .map_err(unreadable(&self.certificate))?;
        let key = PrivateKeyDer::from_pem_file(&self.key).map_err(unreadable(&self.key))?;
        let unusable = |error| TlsError::Unusable { file: self.certificate.clone(), error };
        let expiry_s = expiry_of(&chain);
        Ok((server_config(chain, key).map_err(unusable)?, expiry_s))
    }

    /// Whether a file has changed since the last check.
    fn notice(&self) -> bool {
        let now = [&self.certificate, &self.key]
            .map(|file| std::fs::metadata(file).and_then(|found| found.modified()).ok());
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::replace(&mut *seen, now) != now
    }
}

fn expiry_of(chain: &[CertificateDer<'_>]) -> i64 {
    chain.first().and_then(|own| certificate::expiry_s(own)).unwrap_or(0)
}

impl MetricSource for Tls {
    fn write(&self, out: &mut Exposition<'_>) -> fmt::Result {
        let help = "End of the certificate in use, in Unix time";
        let expiry_s = self.expiry_s.load(Ordering::Relaxed);
        out.gauge("tls_certificate_expiry_timestamp_seconds", help, expiry_s)
    }
}

fn server_config(
    chain: Vec<CertificateDer<'static>>,
    key: PrivateKeyDer<'static>,
) -> Result<ServerConfig, rustls::Error> {
    let provider = Arc::new(ring::default_provider());
    let mut config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()?
        .with_no_client_auth()
        .with_single_cert(chain, key)?;
    config.alpn_protocols = vec![ALPN.to_vec()];
    Ok(config)
}

impl fmt::Debug for Tls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Tls")
    }
}

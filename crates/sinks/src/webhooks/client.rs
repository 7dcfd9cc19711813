//! Calls over HTTP, signed.

use std::io::Cursor;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use bytes::Bytes;
use http_body_util::{BodyExt as _, Full, Limited};
use hyper::header::CONTENT_TYPE;
use hyper::{Method, Request, Uri};
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use ring::hmac;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject as _;
use rustls::{ClientConfig, RootCertStore};
use tokio::time::timeout;

use crate::publish::address::Address;
use crate::publish::failure::Failed;

/// For an answer.
const ANSWER_MAX: Duration = Duration::from_secs(15);
/// More of an answer's body is not read.
const BODY_MAX: usize = 64 << 10;

type Inner = hyper_util::client::legacy::Client<HttpsConnector<HttpConnector>, Full<Bytes>>;

/// Calls one receiver.
#[derive(Debug)]
pub(super) struct Client {
    inner: Inner,
    uri: Uri,
    key: hmac::Key,
}

impl Client {
    pub(super) fn new(
        address: &Address,
        authorities: Option<&str>,
        secret: &[u8],
    ) -> Result<Self, Failed> {
        let uri = address.url().as_str().parse();
        let uri = uri.map_err(|error| Failed::refused(format!("cannot be called: {error}")))?;
        let connector = HttpsConnectorBuilder::new()
            .with_tls_config(tls(authorities)?)
            .https_or_http()
            .enable_http1()
            .build();
        let inner = hyper_util::client::legacy::Client::builder(TokioExecutor::new());
        let key = hmac::Key::new(hmac::HMAC_SHA256, secret);
        Ok(Self { inner: inner.build(connector), uri, key })
    }

    /// Returns once the receiver has taken it.
    pub(super) async fn call(&self, id: &str, body: String) -> Result<(), Failed> {
        let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let timestamp = since_1970.as_secs().to_string();
        let request = Request::builder()
            .method(Method::POST)
            .uri(self.uri.clone())
            .header(CONTENT_TYPE, "application/json")
            .header("webhook-id", id)
            .header("webhook-timestamp", &timestamp)
            .header("webhook-signature", signature(&self.key, id, &timestamp, &body))
            .body(Full::from(body))
            .map_err(|error| Failed::refused(format!("cannot be called: {error}")))?;
        let answered = timeout(ANSWER_MAX, self.inner.request(request)).await;
        let answered = answered.map_err(|_| {
            Failed::unreachable(format!("has not answered for {} s", ANSWER_MAX.as_secs()))
        })?;
        let answer = answered.map_err(|error| {
            let cause = std::error::Error::source(&error).map(ToString::to_string);
            let cause = cause.unwrap_or_else(|| error.to_string());
            Failed::unreachable(format!("cannot be called: {cause}"))
        })?;
        let status = answer.status();
        // So that the connection can be used again.
        let read = Limited::new(answer.into_body(), BODY_MAX).collect();
        let _unused = timeout(ANSWER_MAX, read).await;
        if status.is_success() {
            return Ok(());
        }
        Err(Failed::refused(format!("answers with {status}, and not with 2xx")))
    }
}

/// Of the id, the time and the body, with dots between.
fn signature(key: &hmac::Key, id: &str, timestamp: &str, body: &str) -> String {
    let signed = hmac::sign(key, format!("{id}.{timestamp}.{body}").as_bytes());
    format!("v1,{}", BASE64_STANDARD.encode(signed))
}

/// With the authorities of the system, or those that a file names.
fn tls(authorities: Option<&str>) -> Result<ClientConfig, Failed> {
    let mut roots = RootCertStore::empty();
    match authorities {
        Some(pem) => {
            for certificate in CertificateDer::pem_reader_iter(Cursor::new(pem)) {
                let added = certificate
                    .map_err(|error| error.to_string())
                    .and_then(|one| roots.add(one).map_err(|error| error.to_string()));
                added.map_err(|error| {
                    Failed::refused(format!("has no authority in `ca`: {error}"))
                })?;
            }
        }
        None => {
            roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
        }
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| Failed::refused(format!("cannot be called: {error}")))?;
    Ok(config.with_root_certificates(roots).with_no_client_auth())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example of the specification of Standard Webhooks.
    #[test]
    fn a_call_is_signed_as_receivers_check_it() {
        let secret = BASE64_STANDARD.decode("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw").unwrap();
        let key = hmac::Key::new(hmac::HMAC_SHA256, &secret);
        let signed = signature(
            &key,
            "msg_p5jXN8AQM9LWM0D4loKWxJek",
            "1614265330",
            r#"{"test": 2432232314}"#,
        );
        assert_eq!(signed, "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
    }
}

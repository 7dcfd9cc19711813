//! One request over HTTP and its answer, on a connection of its own.

use std::error::Error;
use std::fmt::Display;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use cli::Failure;
use http_body_util::{BodyExt, Full, Limited};
use hyper::Request;
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use protocol::operator::{NONCE, SIGNATURE, TIMESTAMP};
use serde::Deserialize;
use serde_json::Value;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::runtime::Runtime;
use tokio::time::timeout;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::ServerName;
use tokio_rustls::rustls::{self, ClientConfig};

use super::place::Place;

const CONNECT_TIME_MAX: Duration = Duration::from_secs(10);
/// More than the slowest operation takes: the clock of a test waits for what is due.
const ANSWER_TIME_MAX: Duration = Duration::from_secs(60);
const ANSWER_LEN_MAX: usize = 64 << 20;
const ALPN: &[u8] = b"http/1.1";

/// Codes of the operators' API: their sentences are those of the admin socket.
const OWN_CODES: std::ops::RangeInclusive<i32> = -9999..=-9000;

pub(super) struct Exchange {
    place: Place,
    tls: Option<TlsConnector>,
    runtime: Runtime,
}

/// A signed request.
pub(super) struct Sent {
    pub(super) method: &'static str,
    pub(super) path_and_query: String,
    pub(super) body: String,
    pub(super) api_key: String,
    pub(super) timestamp: String,
    pub(super) nonce: String,
    pub(super) signature: String,
}

impl Exchange {
    /// `ca` is the file of the authority to trust in place of the system's.
    pub(super) fn new(place: Place, ca: Option<&Path>) -> Result<Self, Failure> {
        let tls = match ca {
            Some(_) if !place.is_encrypted => {
                return Err(Failure::new("--ca has a use with an https:// --url only"));
            }
            ca if place.is_encrypted => Some(connector(ca)?),
            _ => None,
        };
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        Ok(Self { place, tls, runtime })
    }

    pub(super) fn send(&self, sent: &Sent) -> Result<Value, Failure> {
        self.runtime.block_on(self.exchange(sent))
    }

    async fn exchange(&self, sent: &Sent) -> Result<Value, Failure> {
        let Place { host, port, .. } = &self.place;
        let connected = timeout(CONNECT_TIME_MAX, async {
            let stream = TcpStream::connect((host.as_str(), *port)).await?;
            stream.set_nodelay(true)?;
            match &self.tls {
                None => Ok(Box::new(stream) as Box<dyn Stream>),
                Some(tls) => {
                    let name = ServerName::try_from(host.clone()).map_err(io::Error::other)?;
                    Ok(Box::new(tls.connect(name, stream).await?) as Box<dyn Stream>)
                }
            }
        });
        let stream = match connected.await {
            Ok(Ok(stream)) => stream,
            Ok(Err(error)) => return Err(self.not_connected(&error)),
            Err(_) => return Err(self.unavailable(&"no connection within 10 s")),
        };
        let answered = timeout(ANSWER_TIME_MAX, self.talk(stream, sent));
        let (status, body) = match answered.await {
            Ok(Ok(answer)) => answer,
            Ok(Err(error)) => return Err(self.unanswered(sent, &chain(&*error))),
            Err(_) => return Err(self.unanswered(sent, "no answer within 60 s")),
        };
        self.read(sent, status, &body)
    }

    async fn talk(
        &self,
        stream: Box<dyn Stream>,
        sent: &Sent,
    ) -> Result<(u16, Bytes), Box<dyn Error + Send + Sync>> {
        let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await?;
        let driver = tokio::spawn(connection);
        let request = Request::builder()
            .method(sent.method)
            .uri(&sent.path_and_query)
            .header("host", &self.place.authority)
            .header("connection", "close")
            .header("content-type", "application/json")
            .header("x-mbx-apikey", &sent.api_key)
            .header(TIMESTAMP, &sent.timestamp)
            .header(NONCE, &sent.nonce)
            .header(SIGNATURE, &sent.signature)
            .body(Full::new(Bytes::from(sent.body.clone())))?;
        let response = sender.send_request(request).await?;
        let status = response.status().as_u16();
        let body = Limited::new(response.into_body(), ANSWER_LEN_MAX).collect().await?.to_bytes();
        driver.abort();
        Ok((status, body))
    }

    fn read(&self, sent: &Sent, status: u16, body: &[u8]) -> Result<Value, Failure> {
        #[derive(Deserialize)]
        struct Refusal {
            code: i32,
            msg: String,
        }
        if status == 200
            && let Ok(answer) = serde_json::from_slice(body)
        {
            return Ok(answer);
        }
        match serde_json::from_slice(body) {
            Ok(Refusal { code, msg }) if OWN_CODES.contains(&code) => Err(Failure::new(msg)),
            Ok(Refusal { code, msg }) => Err(Failure::new(format!("{msg} ({code})"))),
            // Such as a proxy's, while the venue behind it goes on.
            Err(_) => {
                Err(self.unanswered(sent, &format!("HTTP {status}, and not an answer of a venue")))
            }
        }
    }

    fn not_connected(&self, error: &io::Error) -> Failure {
        let inner = error.get_ref().and_then(|inner| inner.downcast_ref());
        match inner {
            Some(rustls::Error::InvalidCertificate(_)) => self.unavailable(&format!(
                "{error}: name the authority of the venue's certificate with --ca"
            )),
            _ => self.unavailable(error),
        }
    }

    fn unanswered(&self, sent: &Sent, cause: &str) -> Failure {
        if sent.method == "GET" {
            return self.unavailable(&cause);
        }
        self.unavailable(&format!(
            "{cause}: the venue may have carried out the command, so check before another try"
        ))
    }

    fn unavailable(&self, sentence: &dyn Display) -> Failure {
        Failure::unavailable(format!("{}: {sentence}", self.place.authority))
    }
}

trait Stream: AsyncRead + AsyncWrite + Send + Unpin {}
impl<S: AsyncRead + AsyncWrite + Send + Unpin> Stream for S {}

fn connector(ca: Option<&Path>) -> Result<TlsConnector, Failure> {
    let mut config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(|error| Failure::fault(error.to_string()))?
        .with_root_certificates(cli::authorities(ca)?)
        .with_no_client_auth();
    config.alpn_protocols = vec![ALPN.to_vec()];
    Ok(TlsConnector::from(Arc::new(config)))
}

/// An error and its sources: the outermost one rarely says more than that something failed.
fn chain(error: &(dyn Error + Send + Sync)) -> String {
    let sources = std::iter::successors(error.source(), |&source| source.source());
    sources.fold(error.to_string(), |text, source| format!("{text}: {source}"))
}

//! TLS on the port.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use gateway::{SocketSettings, Tls};
use serde_json::Value;
use tempfile::TempDir;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName};
use tokio_rustls::rustls::version::{TLS12, TLS13};
use tokio_rustls::rustls::{ALL_VERSIONS, ClientConfig, RootCertStore, SupportedProtocolVersion};
use tokio_tungstenite::client_async;

use futures_util::{SinkExt, StreamExt};
use tokio_tungstenite::tungstenite::Message;

use crate::support::{Exposure, Site};

pub(crate) const PING: &[u8] =
    b"GET /api/v3/ping HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n";

/// Certificate files, and the root that a client must trust.
pub(crate) struct Issued {
    dir: TempDir,
    pub(crate) root: CertificateDer<'static>,
}

impl Issued {
    pub(crate) fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let root = Self::issue(dir.path());
        Self { dir, root }
    }

    fn issue(dir: &Path) -> CertificateDer<'static> {
        let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
        std::fs::write(dir.join("cert.pem"), made.cert.pem()).unwrap();
        std::fs::write(dir.join("key.pem"), made.signing_key.serialize_pem()).unwrap();
        made.cert.der().clone()
    }

    fn files(&self) -> [PathBuf; 2] {
        ["cert.pem", "key.pem"].map(|name| self.dir.path().join(name))
    }

    pub(crate) fn tls(&self) -> Arc<Tls> {
        let [certificate, key] = self.files();
        Arc::new(Tls::from_files(&certificate, &key).unwrap())
    }
}

async fn connect(
    site: &Site,
    root: &CertificateDer<'static>,
) -> std::io::Result<TlsStream<TcpStream>> {
    begin(TcpStream::connect(site.address).await?, root).await
}

/// TLS on a connection that is open.
pub(crate) async fn begin(
    stream: TcpStream,
    root: &CertificateDer<'static>,
) -> std::io::Result<TlsStream<TcpStream>> {
    begin_with(stream, root, ALL_VERSIONS).await
}

async fn begin_with(
    stream: TcpStream,
    root: &CertificateDer<'static>,
    versions: &[&'static SupportedProtocolVersion],
) -> std::io::Result<TlsStream<TcpStream>> {
    let mut roots = RootCertStore::empty();
    roots.add(root.clone()).unwrap();
    let mut config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_protocol_versions(versions)
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    let name = ServerName::try_from("localhost").unwrap();
    TlsConnector::from(Arc::new(config)).connect(name, stream).await
}

#[tokio::test(flavor = "multi_thread")]
async fn rest_and_websockets_go_over_tls_and_nothing_goes_beside_it() {
    let issued = Issued::new();
    let site = Site::exposed(Exposure { tls: Some(issued.tls()), ..Exposure::default() }).await;
    let mut stream = connect(&site, &issued.root).await.unwrap();
    assert_eq!(stream.get_ref().1.alpn_protocol(), Some(&b"http/1.1"[..]));
    stream.write_all(PING).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    assert!(answer.starts_with("HTTP/1.1 200") && answer.ends_with("{}"), "{answer}");

    let stream = connect(&site, &issued.root).await.unwrap();
    let (mut socket, _) = client_async("wss://localhost/ws-api/v3", stream).await.unwrap();
    socket.send(Message::text(r#"{"id":1,"method":"ping"}"#)).await.unwrap();
    let Message::Text(text) = socket.next().await.unwrap().unwrap() else { panic!() };
    assert_eq!(serde_json::from_str::<Value>(&text).unwrap()["status"], 200, "{text}");

    let plain = site.exchange(PING).await;
    assert_eq!(plain.status, 0, "no HTTP without TLS: {plain:?}");
    assert!(connect(&site, &Issued::new().root).await.is_err(), "another root");
}

/// Nothing, and the head of a message that does not come.
#[tokio::test(flavor = "multi_thread")]
async fn a_handshake_that_does_not_end_is_cut() {
    let issued = Issued::new();
    let settings =
        SocketSettings { tls_timeout: Duration::from_millis(300), ..SocketSettings::default() };
    let exposure = Exposure { tls: Some(issued.tls()), ..Exposure::default() };
    let site = Site::exposed_with(settings, exposure).await;
    for begun in [&b""[..], b"\x16\x03\x01\x02\x00\x01\x00"] {
        let mut stream = TcpStream::connect(site.address).await.unwrap();
        stream.write_all(begun).await.unwrap();
        let read = timeout(Duration::from_secs(5), stream.read(&mut [0; 16])).await;
        assert_eq!(read.expect("it is cut").unwrap(), 0, "without another byte");
    }
    assert!(connect(&site, &issued.root).await.is_ok(), "others go on");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_renewed_certificate_is_taken_up_and_a_broken_one_is_not() {
    let issued = Issued::new();
    let tls = issued.tls();
    let site = Site::exposed(Exposure { tls: Some(Arc::clone(&tls)), ..Exposure::default() }).await;
    let renewed = Issued::issue(issued.dir.path());
    assert!(connect(&site, &issued.root).await.is_ok(), "not read yet");
    tls.reload().unwrap();
    assert!(connect(&site, &issued.root).await.is_err());
    assert!(connect(&site, &renewed).await.is_ok());

    // The certificate of another key, as between the writes of the two files.
    let [certificate, key] = issued.files();
    let other = Issued::new();
    std::fs::copy(&other.files()[0], &certificate).unwrap();
    let sentence = tls.reload().unwrap_err().to_string();
    assert!(sentence.contains("cert.pem"), "{sentence}");
    std::fs::write(&key, "nonsense").unwrap();
    let sentence = tls.reload().unwrap_err().to_string();
    assert!(sentence.contains("key.pem"), "{sentence}");
    assert!(connect(&site, &renewed).await.is_ok(), "what was there still holds");
    assert!(Tls::from_files(&certificate, &key).is_err());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_renewed_certificate_is_noticed_without_a_signal() {
    let issued = Issued::new();
    let site = Site::exposed(Exposure { tls: Some(issued.tls()), ..Exposure::default() }).await;
    assert!(connect(&site, &issued.root).await.is_ok());
    let renewed = Issued::issue(issued.dir.path());
    let noticed = async {
        while connect(&site, &renewed).await.is_err() {
            tokio::time::sleep(Duration::from_millis(200)).await;
        }
    };
    timeout(Duration::from_secs(20), noticed).await.expect("the files are checked every 5 s");
}

#[tokio::test(flavor = "multi_thread")]
async fn both_versions_of_tls_are_spoken() {
    let issued = Issued::new();
    let site = Site::exposed(Exposure { tls: Some(issued.tls()), ..Exposure::default() }).await;
    for version in [&TLS12, &TLS13] {
        let stream = TcpStream::connect(site.address).await.unwrap();
        let stream = begin_with(stream, &issued.root, &[version]).await.unwrap();
        assert_eq!(stream.get_ref().1.protocol_version(), Some(version.version));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_self_signed_certificate_will_do_for_a_trial() {
    let tls = Some(Arc::new(Tls::self_signed("127.0.0.1").unwrap()));
    let site = Site::exposed(Exposure { tls, ..Exposure::default() }).await;
    let error = connect(&site, &Issued::new().root).await.unwrap_err();
    assert!(error.to_string().contains("certificate"), "it is there, and unknown: {error}");
}

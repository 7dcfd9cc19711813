//! A demo venue with each way, and a relay in front of it.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use client::{Access, Caller, Client, Credentials, Login, Origin, Reports, Venue};
use serde_json::Value;
use tempfile::TempDir;
use tokio::io::{AsyncReadExt, AsyncWriteExt, copy};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

use crate::process::{Serving, text};

pub(super) fn socket(dir: &TempDir) -> PathBuf {
    dir.path().join("ouch.socket")
}

pub(super) fn shm_socket(dir: &TempDir) -> PathBuf {
    dir.path().join("ouch.memory")
}

pub(super) fn serve(dir: &TempDir) -> Vec<String> {
    let (unix, memory) = (socket(dir), shm_socket(dir));
    let (data, unix, memory) = (text(dir.path()), text(&unix), text(&memory));
    let mut args = vec!["--demo", "--no-bots", "--data", data, "--grpc", "127.0.0.1:0"];
    args.extend(["--ouch", "127.0.0.1:0", "--ouch-unix", unix, "--ouch-shm", memory]);
    args.into_iter().map(str::to_owned).collect()
}

/// A demo venue with all ways.
pub(super) struct House {
    pub(super) dir: TempDir,
    pub(super) venue: Serving,
}

impl House {
    pub(super) fn new() -> Self {
        Self::with(&[])
    }

    pub(super) fn with(more_args: &[&str]) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let mut args = serve(&dir);
        args.extend(more_args.iter().copied().map(str::to_owned));
        let venue = Serving::start(&args.iter().map(|arg| &**arg).collect::<Vec<_>>());
        Self { dir, venue }
    }

    pub(super) fn socket(&self) -> PathBuf {
        socket(&self.dir)
    }

    pub(super) fn account(&self, name: &str) -> Value {
        let demo = std::fs::read(self.dir.path().join("demo.json")).unwrap();
        let demo: Value = serde_json::from_slice(&demo).unwrap();
        let accounts = demo["accounts"].as_array().unwrap();
        accounts.iter().find(|account| account["name"] == name).unwrap().clone()
    }

    pub(super) fn credentials(&self, name: &str) -> Credentials {
        let account = self.account(name);
        let text = |name: &str| account[name].as_str().unwrap().to_owned();
        Credentials { api_key: text("api_key"), secret_key: text("secret_key") }
    }

    pub(super) fn client(&self, name: &str, url: &str) -> Client {
        Client::new(url, Some(self.credentials(name))).unwrap()
    }

    pub(super) fn login(&self, name: &str, address: String) -> Login {
        let account = self.account(name);
        let text = |name: &str| account["login"][name].as_str().unwrap();
        Login::new(address, text("user"), text("password"))
    }

    pub(super) fn rest(&self, name: &str) -> Venue {
        Venue::rest(self.client(name, &self.venue.url))
    }

    pub(super) async fn direct(&self, way: Origin, name: &str) -> (Venue, Option<Reports>) {
        let port = if way == Origin::Grpc { &self.venue.grpc } else { &self.venue.ouch };
        self.over(way, name, &self.venue.url, port.clone().unwrap()).await
    }

    pub(super) async fn over(
        &self,
        way: Origin,
        name: &str,
        url: &str,
        port: String,
    ) -> (Venue, Option<Reports>) {
        self.over_from(way, name, url, port, Some(1)).await
    }

    /// With reports from a number on, where the way takes one.
    pub(super) async fn over_from(
        &self,
        way: Origin,
        name: &str,
        url: &str,
        port: String,
        from: Option<u64>,
    ) -> (Venue, Option<Reports>) {
        match way {
            Origin::WebSocket => {
                let (venue, reports) = Venue::websocket(self.client(name, url), from).unwrap();
                (venue, Some(reports))
            }
            Origin::Ouch => {
                let login = self.login(name, port);
                let client = self.client(name, &self.venue.url);
                let (venue, reports) = Venue::ouch(&client, login).await.unwrap();
                (venue, Some(reports))
            }
            Origin::Grpc => {
                let account = self.account(name);
                let text = |name: &str| account[name].as_str().unwrap().to_owned();
                let (api_key, secret_key) = (text("api_key"), text("secret_key"));
                let caller = Caller::Key(Credentials { api_key, secret_key });
                let (venue, reports) = Venue::grpc(Access { address: port, caller }, from);
                (venue, Some(reports))
            }
            _ => (Venue::rest(self.client(name, url)), None),
        }
    }

    pub(super) async fn through_a_relay(
        &self,
        way: Origin,
        name: &str,
    ) -> (Venue, Relay, Option<Reports>) {
        self.through_a_relay_from(way, name, Some(1)).await
    }

    pub(super) async fn through_a_relay_from(
        &self,
        way: Origin,
        name: &str,
        from: Option<u64>,
    ) -> (Venue, Relay, Option<Reports>) {
        let target = match way {
            Origin::Ouch => self.venue.ouch.clone().unwrap(),
            Origin::Grpc => self.venue.grpc.clone().unwrap(),
            _ => self.venue.url.trim_start_matches("http://").to_owned(),
        };
        let relay = Relay::start(target).await;
        let url = format!("http://{}", relay.address);
        let port = relay.address.clone();
        let (venue, reports) = self.over_from(way, name, &url, port, from).await;
        (venue, relay, reports)
    }

    /// The account's open orders, as another client sees them.
    pub(super) async fn open(&self, name: &str) -> Vec<client::Open> {
        self.rest(name).open_orders().await.unwrap()
    }

    pub(super) async fn metrics(&self) -> String {
        let address = self.venue.url.trim_start_matches("http://");
        let mut stream = TcpStream::connect(address).await.unwrap();
        let request =
            format!("GET /metrics HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n");
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.unwrap();
        answer
    }
}

/// A relay whose connections can be cut, and that can keep answers back.
pub(super) struct Relay {
    pub(super) address: String,
    pub(super) cuts: watch::Sender<u64>,
    /// Connections from before this many cuts keep answers back, for good: an answer that is on its
    /// way at the moment of the cut must not get through.
    pub(super) swallowed: Arc<AtomicU64>,
    /// No connection gets through.
    is_shut: Arc<AtomicBool>,
}

impl Relay {
    pub(super) async fn start(target: String) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let (cuts, seen) = watch::channel(0);
        let swallowed = Arc::new(AtomicU64::new(0));
        let is_shut = Arc::new(AtomicBool::new(false));
        let of_relay = (Arc::clone(&swallowed), Arc::clone(&is_shut));
        tokio::spawn(async move {
            loop {
                let (near, _) = listener.accept().await.unwrap();
                if of_relay.1.load(Ordering::SeqCst) {
                    continue;
                }
                let Ok(far) = TcpStream::connect(&target).await else { continue };
                tokio::spawn(pass_on(near, far, seen.clone(), Arc::clone(&of_relay.0)));
            }
        });
        Self { address, cuts, swallowed, is_shut }
    }

    /// Answers of the venue do not get through until the next cut.
    pub(super) fn swallow_answers(&self) {
        self.swallowed.store(*self.cuts.borrow() + 1, Ordering::SeqCst);
    }

    /// Cuts all connections, and lets none through until it is opened.
    pub(super) fn shut(&self) {
        self.is_shut.store(true, Ordering::SeqCst);
        self.cut();
    }

    pub(super) fn open(&self) {
        self.is_shut.store(false, Ordering::SeqCst);
    }

    /// Cuts all connections that there are.
    pub(super) fn cut(&self) {
        self.cuts.send_modify(|cuts| *cuts += 1);
    }
}

async fn pass_on(
    near: TcpStream,
    far: TcpStream,
    mut cuts: watch::Receiver<u64>,
    swallowed: Arc<AtomicU64>,
) {
    let cuts_before = *cuts.borrow_and_update();
    let (mut from_client, mut to_client) = near.into_split();
    let (mut from_venue, mut to_venue) = far.into_split();
    let requests = copy(&mut from_client, &mut to_venue);
    let answers = async {
        let mut bytes = vec![0; 65_536];
        loop {
            match from_venue.read(&mut bytes).await {
                Ok(len) if len > 0 => {
                    if swallowed.load(Ordering::SeqCst) <= cuts_before
                        && to_client.write_all(&bytes[..len]).await.is_err()
                    {
                        return;
                    }
                }
                _ => return,
            }
        }
    };
    tokio::select! {
        _ = requests => {}
        () = answers => {}
        _ = cuts.changed() => {}
    }
}

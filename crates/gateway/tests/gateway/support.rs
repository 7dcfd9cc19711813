//! A venue with two markets and two accounts, and a client that speaks plain HTTP to it.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crate::held_log::Hold;
use engine::Engine;
use gateway::{
    AllowedHost, DemoSignIn, Gateway, OperatorApi, Origin as WebOrigin, Settings, Tls, TrustedProxy,
};
use projection::HistoryRetention;
use protocol::signed::sign::sign;
use serde_json::Value;
use tempfile::TempDir;
use testing::{Kept, feed};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tokio::time::timeout;
use types::{
    AccountId, Amount, AssetId, Command, CreateKey, CreateLogin, Entry, Envelope, Event, FeeRates,
    Increment, InstrumentId, InstrumentSpec, KeyId, KeySpec, ListInstrument, LoginId, LoginSpec,
    Origin, Price, Qty, Role, Side, Symbol, UserName, Way, Ways,
};
use venue::{
    Credential, Handle, LoginSecret, MasterKey, MasterKeyError, Opened, Password, PasswordHash,
    Running, Secret, TotpSecret, Verifier, api_key_hash,
};

pub(crate) const BTCUSDT: InstrumentId = InstrumentId(0);
pub(crate) const MAKER: AccountId = AccountId(1);
pub(crate) const TAKER: AccountId = AccountId(2);
#[cfg(feature = "grpc")]
const GRPC_SOCKET: &str = "grpc.socket";
const E8: i128 = 100_000_000;

/// The API key and its secret.
#[derive(Clone)]
pub(crate) struct Key {
    pub(crate) api_key: String,
    pub(crate) secret: Secret,
}

/// TLS, names, origins and proxies for clients beyond this machine, the operators' backend, sign-in
/// by code, and gRPC.
#[derive(Clone, Default)]
pub(crate) struct Exposure {
    pub(crate) tls: Option<Arc<Tls>>,
    pub(crate) origins: Vec<WebOrigin>,
    pub(crate) allowed_hosts: Vec<AllowedHost>,
    pub(crate) trusted_proxies: Vec<TrustedProxy>,
    pub(crate) operators: Option<Arc<dyn OperatorApi>>,
    /// Accounts that a code signs in to; a demo has some.
    pub(crate) demo: Vec<String>,
    pub(crate) codes: Codes,
    /// On [`Site::grpc_socket`].
    pub(crate) grpc: bool,
}

/// The codes that the venue prints.
pub(crate) type Codes = Arc<Mutex<Option<UnboundedReceiver<String>>>>;

pub(crate) struct Site {
    pub(crate) address: SocketAddr,
    pub(crate) handle: Handle,
    pub(crate) maker: Key,
    pub(crate) taker: Key,
    pub(crate) reader: Key,
    master_key: MasterKey,
    settings: Settings,
    replica_errs_at: Option<u64>,
    exposure: Exposure,
    /// Stops the log's disk.
    pub(crate) hold: Hold,
    server: Server,
    running: Option<Running>,
    /// The last to go: what still runs would write to it.
    dir: TempDir,
}

/// The task that serves.
struct Server {
    shutdown: Option<oneshot::Sender<()>>,
    served: Option<JoinHandle<std::io::Result<()>>>,
}

impl Server {
    /// Begins a shutdown. Returns the task that ends with it.
    fn shut_down(mut self) -> JoinHandle<std::io::Result<()>> {
        self.shutdown.take().expect("it serves").send(()).unwrap();
        self.served.take().expect("it serves")
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let Some(served) = self.served.take() else { return };
        served.abort();
        // The read model is in the task, and ends with it.
        tokio::task::block_in_place(|| {
            let _aborted = tokio::runtime::Handle::current().block_on(served);
        });
    }
}

impl Site {
    pub(crate) async fn new() -> Self {
        Self::with(Settings::default()).await
    }

    pub(crate) async fn with(settings: impl Into<Settings>) -> Self {
        Self::with_replica(settings.into(), None).await
    }

    /// With a replica that applies the command of this sequence twice.
    pub(crate) async fn with_replica(settings: Settings, errs_at: Option<u64>) -> Self {
        Self::open(settings, errs_at, Exposure::default()).await
    }

    pub(crate) async fn exposed(exposure: Exposure) -> Self {
        Self::exposed_with(Settings::default(), exposure).await
    }

    pub(crate) async fn exposed_with(settings: impl Into<Settings>, exposure: Exposure) -> Self {
        Self::open(settings.into(), None, exposure).await
    }

    pub(crate) async fn open(settings: Settings, errs_at: Option<u64>, exposure: Exposure) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let master_key = MasterKey::generate();
        let key = |api_key: &str| Key { api_key: api_key.to_owned(), secret: Secret::generate() };
        let hold = Hold::default();
        let (running, address, server) =
            start(&dir, settings, &master_key, errs_at, &exposure, &hold).await;
        let site = Self {
            address,
            handle: running.handle(),
            maker: key("makerkey"),
            taker: key("takerkey"),
            reader: key("readerkey"),
            master_key,
            settings,
            replica_errs_at: errs_at,
            exposure,
            hold,
            server,
            running: Some(running),
            dir,
        };
        site.list().await;
        site
    }

    pub(crate) fn data_dir(&self) -> &Path {
        self.dir.path()
    }

    /// Stops everything and starts it again on the same folder.
    pub(crate) async fn restarted(self) -> Self {
        self.server.shut_down().await.unwrap().unwrap();
        self.running.expect("it runs").stop().unwrap();
        let (settings, errs_at) = (self.settings, self.replica_errs_at);
        let started =
            start(&self.dir, settings, &self.master_key, errs_at, &self.exposure, &self.hold);
        let (running, address, server) = started.await;
        let handle = running.handle();
        Self { address, handle, running: Some(running), server, ..self }
    }

    /// The path of the socket of gRPC.
    #[cfg(feature = "grpc")]
    pub(crate) fn grpc_socket(&self) -> PathBuf {
        self.dir.path().join(GRPC_SOCKET)
    }

    /// Stops the venue. The sockets stay open.
    pub(crate) fn stop_venue(&mut self) {
        self.running.take().expect("it runs").stop().unwrap();
    }

    /// Stops everything, and tries to open the venue with another master key.
    pub(crate) async fn restarted_with_wrong_key(self) -> MasterKeyError {
        self.server.shut_down().await.unwrap().unwrap();
        self.running.expect("it runs").stop().unwrap();
        let opened = Opened::open(testing::settings(self.dir.path()));
        let gateway = Gateway::new(self.settings, &opened.unwrap(), MasterKey::generate());
        gateway.expect_err("secrets were sealed by another key")
    }

    /// Begins a shutdown. Returns the task that ends with it.
    pub(crate) fn shut_down(self) -> JoinHandle<std::io::Result<()>> {
        let Self { server, dir, .. } = self;
        let served = server.shut_down();
        tokio::spawn(async move {
            let ended = served.await.unwrap();
            drop(dir);
            ended
        })
    }

    async fn list(&self) {
        for name in ["BTC", "USDT", "ETH"] {
            self.operate(testing::asset(name, 8)).await;
        }
        for (symbol, base) in [("BTCUSDT", 0), ("ETHUSDT", 2)] {
            let spec = InstrumentSpec {
                symbol: Symbol::parse(symbol).unwrap(),
                base: AssetId(base),
                quote: AssetId(1),
                tick_size: Increment::parse("0.01").unwrap(),
                lot_size: Increment::parse("0.00001").unwrap(),
                min_price: Price::from_ticks(1),
                max_price: Price::from_ticks(100_000_000),
                min_qty: Qty::from_lots(10),
                max_qty: Qty::from_lots(900_000_000),
                market_max_qty: Qty::from_lots(10_000_000),
                min_notional: Amount::from_minor(5 * E8),
                max_notional: Amount::from_minor(90_000_000 * E8),
                max_open_orders: 5_000,
                fees: FeeRates { maker_fee_bps_x100: 1_000, taker_fee_bps_x100: 2_000 },
            };
            self.operate(Command::ListInstrument(ListInstrument { spec })).await;
        }
        for name in ["maker", "taker"] {
            self.operate(testing::account(name, 5_000, Kept(1_000))).await;
        }
        for account in [MAKER, TAKER] {
            for (asset, units) in [(0, 10_000), (1, 100_000_000)] {
                let (asset, amount) = (AssetId(asset), Amount::from_minor(units * E8));
                let reference = format!("first-{asset}");
                self.operate(testing::deposit(account, asset, amount, &reference)).await;
            }
        }
        for (account, role, key) in [
            (MAKER, Role::Trader, &self.maker),
            (TAKER, Role::Trader, &self.taker),
            (TAKER, Role::ReadOnly, &self.reader),
        ] {
            let credential = Credential::new(Verifier::Hmac(key.secret.clone()));
            self.add_key(account, role, &key.api_key, credential).await;
        }
    }

    /// Returns the key's number.
    pub(crate) async fn add_key(
        &self,
        account: AccountId,
        role: Role,
        api_key: &str,
        credential: Credential,
    ) -> KeyId {
        let api_key_hash = api_key_hash(api_key);
        let sealed_secret = self.master_key.seal(&credential, &api_key_hash).unwrap();
        let spec = KeySpec { account, role, login: None, api_key_hash, sealed_secret };
        let events = self.operate(Command::CreateKey(Box::new(CreateKey { spec }))).await;
        // The listener has these events once the publisher answers.
        self.handle.read_views(|_, _| ()).unwrap().await.unwrap();
        let Event::KeyCreated(created) = events[0] else { panic!("{events:?}") };
        created.key
    }

    /// A new HMAC key.
    pub(crate) async fn key(&self, account: AccountId, role: Role, api_key: &str) -> Key {
        let key = Key { api_key: api_key.to_owned(), secret: Secret::generate() };
        let credential = Credential::new(Verifier::Hmac(key.secret.clone()));
        self.add_key(account, role, api_key, credential).await;
        key
    }

    /// Executes an operator's command, which must succeed.
    pub(crate) async fn operate(&self, command: Command) -> Vec<Event> {
        let envelope = Envelope::venue(Origin::Admin, 0);
        let reply =
            self.handle.submit(Entry { envelope, command }).unwrap().await.unwrap().unwrap();
        let events: Vec<Event> = reply.events().copied().collect();
        assert!(!matches!(events[0], Event::CommandRejected(_)), "{events:?}");
        events
    }

    /// The next one-time code of a demo.
    pub(crate) fn code(&self) -> Option<String> {
        self.exposure.codes.lock().unwrap().as_mut().and_then(|codes| codes.try_recv().ok())
    }

    /// A login with the page as its way, and its number.
    pub(crate) async fn add_login(
        &self,
        account: AccountId,
        role: Role,
        (user, password): (&str, &str),
        totp: Option<TotpSecret>,
    ) -> LoginId {
        let user = UserName::parse(user).unwrap();
        let password = PasswordHash::of(&Password::new(password.to_owned()).unwrap());
        let sealed_secret =
            self.master_key.seal_login(&LoginSecret { password, totp, datagram_key: None }, &user);
        let ways = Ways::new(&[Way::Page]).unwrap();
        let spec = LoginSpec { user, account, role, ways, sealed_secret };
        let events = self.operate(Command::CreateLogin(Box::new(CreateLogin { spec }))).await;
        self.handle.read_views(|_, _| ()).unwrap().await.unwrap();
        let Event::LoginCreated(created) = events[0] else { panic!("{events:?}") };
        created.login
    }

    pub(crate) async fn ask<R: Send + 'static>(
        &self,
        question: impl FnOnce(&Engine) -> R + Send + 'static,
    ) -> R {
        self.handle.read(question).unwrap().await.unwrap()
    }

    /// The state that trading changes: balances, open orders, books, and the numbers assigned.
    pub(crate) async fn fingerprint(&self) -> String {
        self.ask(|engine| {
            let mut told = String::new();
            for account in [MAKER, TAKER] {
                let open: Vec<_> = engine.open_orders(account, BTCUSDT).collect();
                let owned: Vec<_> = engine.balances(account).collect();
                told += &format!("{owned:?} {open:?} ");
            }
            for side in [Side::Buy, Side::Sell] {
                told += &format!("{:?} ", engine.levels(BTCUSDT, side).collect::<Vec<_>>());
            }
            told + &format!("{:?}", engine.last_ids(BTCUSDT))
        })
        .await
    }

    /// The whole state, byte for byte.
    pub(crate) async fn state(&self) -> Vec<u8> {
        self.ask(|engine| {
            let mut state = Vec::new();
            engine.write_state(&mut state);
            state
        })
        .await
    }

    pub(crate) async fn get(&self, path: &str) -> Reply {
        self.send("GET", path, &[], b"").await
    }

    /// A request as clients send it: parameters, time and signature in the query.
    pub(crate) async fn signed(&self, key: &Key, method: &str, path: &str, text: &str) -> Reply {
        self.signed_with(key, method, path, text, &[]).await
    }

    pub(crate) async fn signed_with(
        &self,
        key: &Key,
        method: &str,
        path: &str,
        text: &str,
        headers: &[(&str, &str)],
    ) -> Reply {
        let text = with_time(text);
        let signature = sign(key.secret.as_str().as_bytes(), text.as_bytes());
        let target = format!("{path}?{text}&signature={signature}");
        let headers = [&[("X-MBX-APIKEY", key.api_key.as_str())], headers].concat();
        self.send(method, &target, &headers, b"").await
    }

    /// A limit order of the maker or the taker, which must be accepted.
    pub(crate) async fn order(&self, key: &Key, side: &str, qty: &str, price: &str) -> Value {
        let text = format!(
            "symbol=BTCUSDT&side={side}&type=LIMIT&timeInForce=GTC&quantity={qty}&price={price}"
        );
        let reply = self.signed(key, "POST", "/api/v3/order", &text).await;
        assert_eq!(reply.status, 200, "{}", reply.body);
        reply.json()
    }

    pub(crate) async fn send(
        &self,
        method: &str,
        target: &str,
        headers: &[(&str, &str)],
        body: &[u8],
    ) -> Reply {
        let mut head = format!("{method} {target} HTTP/1.1\r\n");
        if !headers.iter().any(|(name, _)| *name == "host") {
            head += "host: localhost\r\n";
        }
        for (name, value) in headers {
            head += &format!("{name}: {value}\r\n");
        }
        if !body.is_empty() {
            head += &format!("content-length: {}\r\n", body.len());
        }
        head += "connection: close\r\n\r\n";
        self.exchange(&[head.as_bytes(), body].concat()).await
    }

    /// Sends bytes on a new connection, and reads until the server closes it.
    pub(crate) async fn exchange(&self, bytes: &[u8]) -> Reply {
        let mut stream = TcpStream::connect(self.address).await.unwrap();
        // The server may answer and close before it has read all bytes.
        let _closed = stream.write_all(bytes).await;
        Reply::read(&mut stream).await
    }
}

async fn start(
    dir: &TempDir,
    settings: Settings,
    master_key: &MasterKey,
    replica_errs_at: Option<u64>,
    exposure: &Exposure,
    hold: &Hold,
) -> (Running, SocketAddr, Server) {
    let opened = Opened::open(venue::Settings {
        replica: replica_errs_at.is_some(),
        replica_errs_at,
        ..testing::settings(dir.path())
    })
    .unwrap()
    .with_log(|log| hold.over(log));
    let projection = feed::start(dir.path(), &opened, HistoryRetention::ALL);
    let gateway = Gateway::new(settings, &opened, master_key.clone())
        .unwrap()
        .with_history(projection.history())
        .with_tls(exposure.tls.clone())
        .with_origins(exposure.origins.clone())
        .with_allowed_hosts(exposure.allowed_hosts.clone())
        .with_trusted_proxies(exposure.trusted_proxies.clone());
    let demo = (!exposure.demo.is_empty()).then(|| DemoSignIn::new(exposure.demo.clone()));
    let (demo, codes) = demo.unzip();
    *exposure.codes.lock().unwrap() = codes;
    let gateway = gateway.with_demo_sign_in(demo);
    let gateway = match exposure.operators.clone() {
        Some(operators) => gateway.with_operators(operators),
        None => gateway,
    };
    #[cfg(feature = "grpc")]
    let mut gateway = gateway;
    #[cfg(feature = "grpc")]
    if exposure.grpc {
        let unix = tokio::net::UnixListener::bind(dir.path().join(GRPC_SOCKET)).unwrap();
        gateway.serve_grpc(gateway::Listeners { tcp: None, unix: Some(unix), shm: None });
    }
    let running = opened.start(vec![gateway.listener(), feed::listener(&projection)]);
    let tcp = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = tcp.local_addr().unwrap();
    let (shutdown, asked) = oneshot::channel::<()>();
    let handle = running.handle();
    let served = tokio::spawn(async move {
        let asked = async {
            if asked.await.is_err() {
                std::future::pending::<()>().await; // The test is over.
            }
        };
        let served = gateway.serve(tcp, handle, asked).await;
        tokio::task::spawn_blocking(|| projection.stop()).await.unwrap();
        served
    });
    (running, address, Server { shutdown: Some(shutdown), served: Some(served) })
}

pub(crate) fn now_ms() -> u64 {
    u64::try_from(SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_millis()).unwrap()
}

pub(crate) fn with_time(text: &str) -> String {
    let timestamp = format!("timestamp={}", now_ms());
    if text.is_empty() { timestamp } else { format!("{text}&{timestamp}") }
}

/// A response.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    /// In small letters.
    pub(crate) head: String,
    pub(crate) raw_head: String,
    pub(crate) body: String,
}

impl Reply {
    /// Reads until the server closes. Status zero means that no response came.
    pub(crate) async fn read(stream: &mut TcpStream) -> Self {
        let mut bytes = Vec::new();
        let read = timeout(Duration::from_secs(10), stream.read_to_end(&mut bytes)).await;
        let _reset = read.expect("the server closes in time");
        let text = String::from_utf8(bytes).unwrap();
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok());
        Self {
            status: status.unwrap_or(0),
            head: head.to_ascii_lowercase() + "\r\n",
            raw_head: head.to_owned(),
            body: body.to_owned(),
        }
    }

    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body)
            .unwrap_or_else(|error| panic!("{error}: {} {}", self.head, self.body))
    }

    #[track_caller]
    pub(crate) fn ok(&self) -> Value {
        assert_eq!(self.status, 200, "{}", self.body);
        assert!(
            self.head.contains("content-type: application/json;charset=utf-8"),
            "{}",
            self.head
        );
        self.json()
    }

    #[track_caller]
    pub(crate) fn is_error(&self, status: u16, code: i64, msg: &str) {
        let body = self.json();
        let found = (self.status, body["code"].as_i64(), body["msg"].as_str());
        assert_eq!(found, (status, Some(code), Some(msg)));
        assert!(self.head.contains("content-type: application/json"), "{}", self.head);
    }
}

/// The names of an object's fields, in order.
pub(crate) fn fields(value: &Value) -> Vec<&str> {
    value.as_object().expect("an object").keys().map(String::as_str).collect()
}

//! A venue in memory whose gateway listens on a port of this machine. It stays for all inputs of a
//! process, so an input may need those before it to fail again.

use std::fs;
use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use gateway::{Gateway, OperatorApi, Settings, SocketSettings};
use projection::HistoryRetention;
use server::{OperatedVenue, Operators, feed};
use tokio::net::TcpListener;
use tokio::runtime::{Builder, Runtime};
use types::{AccountId, Command, CreateKey, Entry, Envelope, Event, KeySpec, Origin, Role};
use venue::{
    Credential, Durability, Handle, Keyring, MasterKey, Opened, Secret, Verifier, api_key_hash,
};

use crate::market;

/// The API keys of a trader and of an operator, and the secret of both.
pub const TRADER: &str = "trader";
pub const OPERATOR: &str = "operator";
pub const SECRET: &str = "secret";

const INPUTS_PER_CHECK: u64 = 64;

/// Longer than any limit of the sockets.
const ANSWER_TIME_MAX: Duration = Duration::from_secs(20);

pub struct Site {
    address: SocketAddr,
    handle: Handle,
    /// Answers operators without a socket.
    pub operators: Arc<dyn OperatorApi>,
    pub runtime: Runtime,
    inputs: AtomicU64,
}

impl Site {
    /// The one site of this process.
    pub fn get() -> &'static Self {
        static SITE: OnceLock<Site> = OnceLock::new();
        SITE.get_or_init(Self::open)
    }

    fn open() -> Self {
        let dir = new_folder();
        let opened = Opened::open(venue::Settings {
            durability: Durability::Memory,
            ..venue::Settings::new(&dir)
        });
        let opened = opened.expect("an empty folder");
        let master_key = MasterKey::generate();
        let keyring = Keyring::new(master_key.clone());
        let history = feed::start(&dir, &opened, HistoryRetention::ALL);
        let gateway = Gateway::new(settings(), &opened, keyring.clone()).expect("no key yet");
        let running = opened.start(vec![gateway.listener(), feed::listener(&history)]);
        let handle = running.handle();
        set_up_and_trade(&handle);
        for (account, role, api_key) in
            [(AccountId(1), Role::Trader, TRADER), (AccountId(2), Role::Operator, OPERATOR)]
        {
            let secret = Secret::from_text(SECRET).expect("it is short");
            let api_key_hash = api_key_hash(api_key);
            let credential = Credential::new(Verifier::Hmac(secret));
            let sealed_secret = master_key.seal(&credential, &api_key_hash).expect("it is short");
            let spec = KeySpec { account, role, login: None, api_key_hash, sealed_secret };
            send(&handle, AccountId::VENUE, Command::CreateKey(Box::new(CreateKey { spec })));
        }
        let operated = OperatedVenue {
            handle: handle.clone(),
            history: history.history(),
            keyring,
            data_dir: dir,
            is_kept: false,
            durability: server::Durability::Memory,
            faults: None,
        };
        let operators = admin::Requests.api(&operated);
        let gateway =
            gateway.with_history(history.history()).with_operators(Arc::clone(&operators));
        let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build();
        let runtime = runtime.expect("threads can be started");
        let tcp = runtime.block_on(TcpListener::bind("127.0.0.1:0")).expect("a free port");
        let address = tcp.local_addr().expect("it is bound");
        let served = gateway.serve(tcp, handle.clone(), std::future::pending());
        drop(runtime.spawn(served));
        // Both run until the process ends.
        std::mem::forget((running, history));
        Self { address, handle, operators, runtime, inputs: AtomicU64::new(0) }
    }

    pub fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address).expect("the gateway listens");
        stream.set_nodelay(true).expect("it is open");
        stream.set_read_timeout(Some(ANSWER_TIME_MAX)).expect("it is open");
        stream
    }

    /// Panics if the engine's state contradicts itself. It looks at all of a state that grows, so
    /// not after each input.
    pub fn check(&self) {
        if self.inputs.fetch_add(1, Ordering::Relaxed) % INPUTS_PER_CHECK != 0 {
            return;
        }
        let checked = self.handle.read(|engine| engine.assert_consistent());
        checked.expect("the inbox has room").blocking_recv().expect("the venue runs");
    }
}

/// Sends bytes, and no more; gives what comes until the gateway closes. It may close early.
pub fn finish(mut stream: TcpStream, bytes: &[u8]) -> Vec<u8> {
    let _closed = stream.write_all(bytes).and_then(|()| stream.shutdown(Shutdown::Write));
    let mut answer = Vec::new();
    match stream.read_to_end(&mut answer) {
        Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => {
            panic!("the gateway neither answers nor closes")
        }
        // Bytes that it has not read reset the connection.
        _ => answer,
    }
}

fn settings() -> Settings {
    let socket = SocketSettings {
        body_timeout: Duration::from_millis(100),
        ws_messages_per_second: u32::MAX,
        ..SocketSettings::default()
    };
    Settings::from(socket)
}

/// Lists what [`crate::busy_venue`] has, and trades.
pub fn set_up_and_trade(handle: &Handle) {
    market::set_up_and_trade().for_each(|(account, command)| send(handle, account, command));
}

/// Submits a command, which the venue must accept.
fn send(handle: &Handle, account: AccountId, command: Command) {
    let envelope = Envelope { account, ..Envelope::venue(Origin::Admin, 0) };
    let entry = Entry { envelope, command };
    let ticket = handle.submit(entry).expect("the inbox has room");
    let reply = ticket.blocking_recv().expect("the venue runs").expect("the venue takes it");
    let refused = reply.events().any(|event| matches!(event, Event::CommandRejected(_)));
    assert!(!refused, "{:?}", reply.events().collect::<Vec<_>>());
}

/// On a disk in memory if there is one.
fn new_folder() -> PathBuf {
    let dir = std::env::temp_dir().join(format!("buttonwood-fuzz-{}", std::process::id()));
    // A process of the same number that is gone.
    let _absent = fs::remove_dir_all(&dir);
    dir
}

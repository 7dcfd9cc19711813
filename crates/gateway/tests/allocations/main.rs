//! The allocations of an order, from the socket to the answer: the venue's threads are counted
//! together, its read model is left out.
//!
//! The counts are of a build without optimisations. They are the same in each run but for what
//! grows now and then, and for a batch that another thread carries out.

#![allow(clippy::unwrap_used)] // Helpers of tests fail like tests.

mod client;
mod counting;

use std::net::SocketAddr;

use gateway::{Gateway, Settings};
use testing::{ALICE, Kept, send, set_up};
use tokio::net::TcpListener;
use tokio::runtime::{Builder, Runtime};
use types::{AccountId, Command, CreateKey, KeySpec, Role};
use venue::{Credential, Durability, MasterKey, Opened, Running, Secret, Verifier, api_key_hash};

use crate::client::{Orders, Rest, WebSocket};
use crate::counting::{allocations, exempt_thread, note_sites, take_sites};

const API_KEY: &str = "aliceskey";
/// Until nothing grows that is kept of each order.
const WARM_UP: u64 = 2_000;
const COUNTED: u64 = 2_000;
/// As many orders as one WebSocket message of a batch, or one write of a pipelining client, has.
const PIPELINED: u64 = 20;

const REST_MAX: u64 = 13;
const WEB_SOCKET_MAX: u64 = 9;
const PIPELINED_MAX: u64 = 9;

/// Each pair of orders trades: half of the answers have a fill.
#[test]
fn an_order_takes_few_allocations() {
    exempt_thread();
    let site = Site::open();
    let mut rest = Rest::connect(site.address);
    site.check("REST", REST_MAX, 1, |orders, n| rest.order(orders, n));
    let mut socket = WebSocket::connect(site.address);
    site.check("WebSocket API", WEB_SOCKET_MAX, 1, |orders, _| socket.exchange(orders, 1));
    site.check("WebSocket API, pipelined", PIPELINED_MAX, PIPELINED, |orders, _| {
        socket.exchange(orders, PIPELINED);
    });
}

struct Site {
    address: SocketAddr,
    secret: Secret,
    _runtime: Runtime,
    _running: Running,
    _dir: tempfile::TempDir,
}

impl Site {
    fn open() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let settings =
            venue::Settings { durability: Durability::Memory, ..venue::Settings::new(dir.path()) };
        let opened = Opened::open(settings).unwrap();
        let master_key = MasterKey::generate();
        let gateway = Gateway::new(Settings::default(), &opened, master_key.clone()).unwrap();
        let running = opened.start(vec![gateway.listener()]);
        let handle = running.handle();
        set_up(&handle, Kept(100));
        let secret = Secret::generate();
        let credential = Credential::new(Verifier::Hmac(secret.clone()));
        let api_key_hash = api_key_hash(API_KEY);
        let sealed_secret = master_key.seal(&credential, &api_key_hash).unwrap();
        let spec = KeySpec {
            account: ALICE,
            role: Role::Trader,
            login: None,
            api_key_hash,
            sealed_secret,
        };
        send(&handle, AccountId::VENUE, Command::CreateKey(Box::new(CreateKey { spec })));
        // The gateway has the key once the publisher answers.
        handle.read_views(|_, _| ()).unwrap().blocking_recv().unwrap();
        let runtime = Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
        let tcp = runtime.block_on(TcpListener::bind("127.0.0.1:0")).unwrap();
        let address = tcp.local_addr().unwrap();
        runtime.spawn(gateway.serve(tcp, handle, std::future::pending()));
        Self { address, secret, _runtime: runtime, _running: running, _dir: dir }
    }

    /// Counts the allocations of orders in groups of this size.
    fn check(&self, name: &str, most: u64, group: u64, mut order: impl FnMut(&Orders<'_>, u64)) {
        let orders = Orders { api_key: API_KEY, secret: self.secret.as_str().as_bytes() };
        (0..WARM_UP / group).for_each(|n| order(&orders, n));
        let before = allocations();
        (0..COUNTED / group).for_each(|n| order(&orders, n));
        let counted = allocations() - before;
        let each = counted as f64 / COUNTED as f64;
        println!("{name}: {each:.1} allocations an order, at most {most}");
        if std::env::var_os("ALLOCATION_SITES").is_some() {
            note_sites();
            (0..COUNTED / group).for_each(|n| order(&orders, n));
            for (stack, count) in take_sites().into_iter().take(60) {
                println!("{:6.2} {stack}", count as f64 / COUNTED as f64);
            }
        }
        assert!(counted <= most * COUNTED, "{name}: {each:.1} allocations an order");
    }
}

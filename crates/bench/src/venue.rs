//! The venue that is measured: a fresh one, or one that runs at an address.

use std::fs::Permissions;
use std::io::{BufReader, Read, Write};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use cli::Failure;
use cli::socket::ask_running;
use serde_json::{Value, json};
use tempfile::TempDir;

use super::fleet::{Process, own_binary, read_ports};
use super::machine;
use super::report::Report;
use super::spec::Key;
use super::wire::Response;

/// The balances of each account: more than any run spends.
const FUNDS: [(&str, &str); 2] = [("USDT", "1000000000000"), ("BTC", "100000000")];
const ORDERS_MAX: u32 = 10_000_000;
const TIMEOUT: Duration = Duration::from_secs(30);

#[derive(Debug)]
pub(super) struct Venue {
    /// Host and port.
    pub(super) address: String,
    pub(super) keys: Vec<Key>,
    /// Where OUCH or gRPC is spoken: `host:port`, or `unix:` and a path.
    pub(super) port: Option<String>,
    /// As it was before the venue started.
    pub(super) machine: Report,
    own: Option<Own>,
}

/// A venue that was started for this run. It ends with the run, and its folder is deleted.
#[derive(Debug)]
struct Own {
    process: Process,
    folder: TempDir,
    settings: Vec<String>,
    cores: Option<u16>,
}

impl Venue {
    /// Starts a venue without bots, in a new folder within `within`, on any free port; on the first
    /// `cores`, or on all.
    pub(super) fn start(
        within: &Path,
        settings: &[String],
        cores: Option<u16>,
        clients: usize,
    ) -> Result<Self, Failure> {
        let machine = machine::here(within);
        let folder = tempfile::Builder::new()
            .prefix("buttonwood-bench-")
            .permissions(Permissions::from_mode(0o700))
            .tempdir_in(within)
            .map_err(|error| Failure::new(format!("{}: {error}", within.display())))?;
        let (process, (address, port)) = spawn(folder.path(), settings, cores)?;
        let own = Own { process, folder, settings: settings.to_vec(), cores };
        let mut venue = Self { address, keys: Vec::new(), port, machine, own: Some(own) };
        venue.open_accounts(clients)?;
        Ok(venue)
    }

    /// A venue that runs already, with an account to trade on.
    pub(super) fn at(url: &str, key: &Key, clients: usize, here: &Path) -> Result<Self, Failure> {
        let address = url.strip_prefix("http://").unwrap_or(url).trim_end_matches('/');
        let address = server::parse_address(address)
            .map_err(|error| Failure::new(format!("the URL {error}")))?;
        let (keys, machine) = (vec![key.clone(); clients], machine::here(here));
        Ok(Self { address: address.to_string(), keys, port: None, machine, own: None })
    }

    /// Kills the venue, and starts it again.
    pub(super) fn restart(&mut self) -> Result<(), Failure> {
        let own = self.own.as_mut().ok_or_else(|| {
            Failure::new("this scenario kills the venue: it needs a fresh one, without --url")
        })?;
        own.process.0.kill()?;
        own.process.0.wait()?;
        let (process, ports) = spawn(own.folder.path(), &own.settings, own.cores)?;
        (own.process, (self.address, self.port)) = (process, ports);
        Ok(())
    }

    pub(super) fn process(&self) -> Option<u32> {
        self.own.as_ref().map(|own| own.process.0.id())
    }

    pub(super) fn folder(&self) -> Option<&Path> {
        self.own.as_ref().map(|own| own.folder.path())
    }

    /// The body of an answer that succeeds.
    pub(super) fn get(&self, path: &str) -> Result<String, Failure> {
        let address = &self.address;
        let failed = |why: &dyn std::fmt::Display| Failure::new(format!("{address}{path}: {why}"));
        let named = |error: std::io::Error| failed(&error);
        let mut stream = TcpStream::connect(address).map_err(named)?;
        stream.set_read_timeout(Some(TIMEOUT)).map_err(named)?;
        let head = "HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
        stream.write_all(format!("GET {path} {head}").as_bytes()).map_err(named)?;
        let mut arrived = Vec::new();
        stream.read_to_end(&mut arrived).map_err(named)?;
        let response =
            Response::parse(&arrived).map_err(|_| failed(&"what arrived is not HTTP"))?;
        let Response { status, body, .. } = response.ok_or_else(|| failed(&"no answer"))?;
        let body = String::from_utf8_lossy(body);
        if status == 200 { Ok(body.into_owned()) } else { Err(failed(&format!("{status} {body}"))) }
    }

    /// Makes a login for OUCH for each account, and returns users and passwords.
    pub(super) fn add_ouch_logins(&self, clients: usize) -> Result<Vec<Key>, Failure> {
        let add = |at| self.add_ouch_login(at).map(|(user, password, _)| (user, password));
        (1..=clients).map(|at| add(at).map(Key::of)).collect()
    }

    /// Likewise, and returns users and their keys for UDP.
    pub(super) fn add_udp_logins(&self, clients: usize) -> Result<Vec<Key>, Failure> {
        let add = |at| self.add_ouch_login(at).map(|(user, _, key)| (user, key));
        (1..=clients).map(|at| add(at).map(Key::of)).collect()
    }

    /// The user, the password and the key for UDP.
    fn add_ouch_login(&self, at: usize) -> Result<(String, String, String), Failure> {
        let folder = self.folder().expect("a fresh venue has a folder");
        let (user, password) = (format!("b{at}"), format!("bench{at:05}"));
        let added = ask_running(
            folder,
            &json!({
                "request": "login add", "user": user, "account": format!("bench-{at}"),
                "ways": ["ouch"], "password": password,
            }),
        )?;
        let key = added["udp_key"].as_str().unwrap_or_default().to_owned();
        Ok((user, password, key))
    }

    fn open_accounts(&mut self, clients: usize) -> Result<(), Failure> {
        let folder: PathBuf = self.folder().expect("a fresh venue has a folder").into();
        let ask = |request: Value| ask_running(&folder, &request);
        for at in 1..=clients {
            let account = format!("bench-{at}");
            ask(
                json!({ "request": "account add", "name": account, "max_open_orders": ORDERS_MAX }),
            )?;
            for (asset, amount) in FUNDS {
                ask(json!({
                    "request": "deposit", "account": account, "asset": asset, "amount": amount,
                    "external_ref": format!("bench-{at}-{asset}"),
                }))?;
            }
            let key = ask(json!({ "request": "key add", "account": account }))?;
            self.keys.push(serde_json::from_value(key)?);
        }
        Ok(())
    }
}

/// The process, and the addresses at which it is ready.
fn spawn(
    folder: &Path,
    settings: &[String],
    cores: Option<u16>,
) -> Result<(Process, (String, Option<String>)), Failure> {
    let mut venue = own_binary()?;
    venue
        .args(["serve", "--demo", "--no-bots", "--http", "127.0.0.1:0", "--log-level", "warn"])
        .args(settings)
        .arg("--data")
        .arg(folder)
        .stdin(Stdio::null())
        .stdout(Stdio::piped());
    let mut process = on_cores(cores, || venue.spawn())?
        .map_err(|error| Failure::new(format!("a venue cannot be started: {error}")))?;
    let stdout = process.stdout.take().expect("it is piped");
    let process = Process(process);
    Ok((process, read_ports(BufReader::new(stdout))?))
}

/// A child inherits the affinity of the thread that starts it, so the thread narrows its own first.
#[cfg(target_os = "linux")]
fn on_cores<T>(cores: Option<u16>, start: impl FnOnce() -> T) -> Result<T, Failure> {
    use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};
    let Some(cores) = cores else { return Ok(start()) };
    let failed = |error: rustix::io::Errno| Failure::new(format!("--cores {cores}: {error}"));
    let all = sched_getaffinity(None).map_err(failed)?;
    let mut first = CpuSet::new();
    let numbers = (0..CpuSet::MAX_CPU).filter(|core| all.is_set(*core));
    numbers.take(usize::from(cores)).for_each(|core| first.set(core));
    if first.count() < u32::from(cores) {
        let there = first.count();
        return Err(Failure::new(format!("--cores {cores}: this machine has {there}")));
    }
    sched_setaffinity(None, &first).map_err(failed)?;
    let started = start();
    sched_setaffinity(None, &all).map_err(failed)?;
    Ok(started)
}

#[cfg(not(target_os = "linux"))]
fn on_cores<T>(cores: Option<u16>, start: impl FnOnce() -> T) -> Result<T, Failure> {
    match cores {
        None => Ok(start()),
        Some(_) => Err(Failure::new("--cores: this system cannot keep a process to some of them")),
    }
}

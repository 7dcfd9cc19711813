//! The venue of a command line: a running one, reached through its socket or over HTTP, or a
//! stopped one, which this process opens.

use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use clap::Args;
use cli::{Failure, socket};
use log::DataDirLock;
use serde_json::Value;
use types::RejectReason;
use venue::{Keyring, MasterKey, MasterKeyError};

use super::backend::{Venue, refused};
use super::offline::Offline;
use super::operations::{Operation, Work};
use super::remote::{Remote, RemoteArgs};
use super::socket_service;

/// Time that a running venue has to make its socket again.
const SOCKET_TIME_MAX: Duration = Duration::from_secs(5);
const SOCKET_RETRY: Duration = Duration::from_millis(50);

/// Operations that may create a venue.
const BEGINNERS: [&str; 2] = ["asset add", "account add"];

/// The flags that name a venue.
#[derive(Args, Debug)]
pub(super) struct VenueArgs {
    /// Folder of the venue [default: buttonwood-data] [env: BUTTONWOOD_DATA_DIR]
    #[arg(long = "data", value_name = "DIR", global = true, display_order = 1_000)]
    data_dir: Option<PathBuf>,

    /// File with the master key, for keys of a stopped venue [env: BUTTONWOOD_MASTER_KEY]
    #[arg(long, value_name = "FILE", global = true, display_order = 1_000)]
    master_key: Option<String>,

    #[command(flatten)]
    remote: RemoteArgs,
}

pub(super) struct Target {
    data_dir: PathBuf,
    master_key: Option<String>,
    state: State,
    /// Whether any operation may create a venue.
    may_begin: bool,
}

enum State {
    Unknown,
    Running,
    Stopped(Box<Offline>, Option<Keyring>),
    Remote(Box<Remote>),
}

impl Target {
    /// What the command line does not name comes from the environment, or is the default.
    pub(super) fn new(args: VenueArgs) -> Result<Self, Failure> {
        let VenueArgs { data_dir, master_key, remote } = args;
        if let Some(named) = &master_key {
            let flag = |sentence| Failure::new(format!("{sentence} (from --master-key)"));
            server::check_is_no_master_key(named).map_err(flag)?;
        }
        let remote = remote.remote()?;
        if remote.is_some() && (data_dir.is_some() || master_key.is_some()) {
            return Err(Failure::new(
                "--url names a venue on another machine, and --data and --master-key one on this \
                 machine: give one of them",
            ));
        }
        let state = remote.map_or(State::Unknown, |remote| State::Remote(Box::new(remote)));
        let variable = |name| std::env::var(name).ok();
        let data_dir = data_dir
            .or_else(|| variable("BUTTONWOOD_DATA_DIR").map(PathBuf::from))
            .unwrap_or_else(|| server::VenueSettings::default().data_dir);
        let master_key = master_key.or_else(|| variable("BUTTONWOOD_MASTER_KEY"));
        Ok(Self { data_dir, master_key, state, may_begin: false })
    }

    /// The folder of a venue on this machine.
    pub(super) fn data_dir(&self) -> Result<&Path, Failure> {
        if matches!(self.state, State::Remote(_)) {
            return Err(Failure::new(
                "the master key must not travel over a network: rotate it on the venue's machine",
            ));
        }
        Ok(&self.data_dir)
    }

    /// Where the venue is, for a sentence.
    pub(super) fn place(&self) -> String {
        match &self.state {
            State::Remote(remote) => format!("at {}", remote.url),
            _ => format!("in {}", self.data_dir.display()),
        }
    }

    /// Whether an operation would begin a venue, because the folder has none.
    pub(super) fn is_empty(&self) -> Result<bool, Failure> {
        if matches!(self.state, State::Remote(_)) {
            return Ok(false);
        }
        Ok(self.data_dir.is_dir() && !self.has_log() && connect(&self.data_dir)?.is_none())
    }

    /// From now on any operation may create a venue, for an operator that has seen all of them.
    pub(super) fn allow_to_begin(&mut self) {
        self.may_begin = true;
    }

    /// Refuses an operation that must fail in any state of the venue, before the first of several.
    pub(super) fn check(&self, operation: &Operation, fields: &Value) -> Result<(), Failure> {
        let adds_key = operation.words == "key add";
        match &self.state {
            State::Remote(_) if adds_key && fields["role"] == "operator" => {
                Err(refused(RejectReason::OperatorKeyByKey))
            }
            State::Remote(remote) => remote.check(operation, fields),
            State::Stopped(_, keyring) => match keyring {
                None if adds_key => Err(MasterKeyError::Missing.into()),
                _ => Ok(()),
            },
            State::Unknown if adds_key => match self.read_master_key()? {
                None => Err(MasterKeyError::Missing.into()),
                Some(_) => Ok(()),
            },
            State::Running | State::Unknown => Ok(()),
        }
    }

    pub(super) fn ask(&mut self, operation: &Operation, fields: Value) -> Result<Value, Failure> {
        if let State::Remote(remote) = &self.state {
            return remote.ask(operation, fields);
        }
        if !matches!(self.state, State::Stopped(..)) {
            match connect(&self.data_dir)? {
                Some(stream) => {
                    self.state = State::Running;
                    let request = socket_service::request(operation.words, fields);
                    return socket::ask(stream, &request);
                }
                None if matches!(self.state, State::Running) => {
                    return Err(Failure::unavailable("the venue has stopped"));
                }
                None => self.state = self.open(operation)?,
            }
        }
        let State::Stopped(backend, keyring) = &mut self.state else {
            return Err(Failure::fault("the venue is neither running nor stopped"));
        };
        let Work::Ask(request) = (operation.work)(fields)? else {
            return Err(Failure::fault("a running venue alone answers this"));
        };
        request(&mut Venue { backend: &mut **backend, keyring: keyring.as_ref() })
    }

    fn open(&self, operation: &Operation) -> Result<State, Failure> {
        let data_dir = self.data_dir.display();
        if !self.data_dir.is_dir() {
            return Err(Failure::new(format!(
                "there is no folder {data_dir}: make it first, or name another with --data"
            )));
        }
        // A query must not create a venue in a folder that was named by mistake.
        let may_begin = self.may_begin || BEGINNERS.contains(&operation.words);
        if !may_begin && !self.has_log() {
            return Err(Failure::new(format!("there is no venue in {data_dir}")));
        }
        let master_key = self.read_master_key()?;
        let backend = Offline::open(&self.data_dir)?;
        Ok(State::Stopped(Box::new(backend), master_key.map(Keyring::new)))
    }

    fn read_master_key(&self) -> Result<Option<MasterKey>, Failure> {
        Ok(self.master_key.as_deref().map(server::read_master_key).transpose()?)
    }

    fn has_log(&self) -> bool {
        self.data_dir.join("log").is_dir()
    }
}

/// The venue that runs on a folder, if one does. A venue whose socket was deleted makes it again
/// within a second.
fn connect(data_dir: &Path) -> Result<Option<UnixStream>, Failure> {
    let start = Instant::now();
    loop {
        let connected = socket::connect(data_dir)?;
        if connected.is_some() {
            return Ok(connected);
        }
        let Some(pid) = DataDirLock::holder(data_dir) else { return Ok(None) };
        if start.elapsed() > SOCKET_TIME_MAX {
            return Err(Failure::new(format!(
                "process {pid} has the folder {}, and its socket {} does not answer: if it is a \
                 venue, it makes the socket again by itself, so try again; another tool ends first",
                data_dir.display(),
                socket::FILE_NAME
            )));
        }
        std::thread::sleep(SOCKET_RETRY);
    }
}

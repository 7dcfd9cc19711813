//! `buttonwood admin`: the operators' requests. A running venue receives them through a local
//! socket in its data folder; on a stopped one this process carries them out on the folder.

mod account;
mod backend;
mod calendar;
mod command;
mod fees;
mod http;
mod instrument;
mod key;
mod key_action;
mod lookup;
mod offline;
mod online;
mod openapi;
mod operations;
mod order;
mod phase;
mod risk;
mod rules;
mod socket_service;
mod status;
mod trade;
mod trading;
mod transfer;
mod value;
mod withdrawal;

use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use clap::{Args, Subcommand};
use cli::{Failure, socket};
use gateway::OperatorApi;
use log::DataDirLock;
use server::{OperatedVenue, Operators, ServeError, Serving, Stopped};
use venue::Keyring;

use backend::Venue;
use command::Chosen;
use http::AdminApi;
use key_action::{new_master_key, rotation};
use offline::Offline;
use operations::{Work, named};
use socket_service::AdminServer;
use value::to_json;

#[derive(Args, Debug)]
#[command(
    after_help = "Example: buttonwood admin deposit alice USDT 1000 --ref wire-4711 --data my-venue"
)]
pub struct Admin {
    /// Folder of the venue [default: buttonwood-data] [env: BUTTONWOOD_DATA_DIR]
    #[arg(long = "data", value_name = "DIR", global = true, display_order = 1_000)]
    data_dir: Option<PathBuf>,

    /// File with the master key, for keys of a stopped venue [env: BUTTONWOOD_MASTER_KEY]
    #[arg(long, value_name = "FILE", global = true, display_order = 1_000)]
    master_key: Option<String>,

    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Create a master key in a new file (mode 0600)
    NewMasterKey {
        /// File to create
        file: PathBuf,
    },
    /// Seal all keys with another master key, which is created if its file does not exist
    RotateMasterKey {
        /// File of the master key for the venue's next start
        #[arg(value_name = "NEWFILE")]
        file: PathBuf,
    },
    #[command(flatten)]
    Operation(Chosen),
}

/// Time that a running venue has to make its socket again.
const SOCKET_TIME_MAX: Duration = Duration::from_secs(5);
const SOCKET_RETRY: Duration = Duration::from_millis(50);

/// Operations that may create a venue.
const BEGINNERS: [&str; 2] = ["asset add", "account add"];

impl Admin {
    /// Prints the answer as JSON.
    pub fn run(self) -> Result<(), Failure> {
        let variable = |name| std::env::var(name).ok();
        let data_dir = self
            .data_dir
            .or_else(|| variable("BUTTONWOOD_DATA_DIR").map(PathBuf::from))
            .unwrap_or_else(|| server::VenueSettings::default().data_dir);
        let (operation, fields) = match self.action {
            Action::NewMasterKey { file } => return new_master_key(&file),
            Action::RotateMasterKey { file } => {
                (named("rotate-master-key"), to_json(rotation(&data_dir, &file)?))
            }
            Action::Operation(chosen) => (Some(chosen.operation), chosen.fields()?),
        };
        let operation = operation.ok_or_else(|| Failure::fault("no such operation"))?;
        let master_key = self.master_key.or_else(|| variable("BUTTONWOOD_MASTER_KEY"));
        let answer = match connect(&data_dir)? {
            Some(stream) => socket::ask(stream, &socket_service::request(operation.words, fields))?,
            None if !data_dir.is_dir() => {
                return Err(Failure::new(format!(
                    "there is no folder {}: make it first, or name another with --data",
                    data_dir.display()
                )));
            }
            // A query must not create a venue in a folder that was named by mistake.
            None if !BEGINNERS.contains(&operation.words) && !data_dir.join("log").is_dir() => {
                return Err(Failure::new(format!("there is no venue in {}", data_dir.display())));
            }
            None => {
                let master_key = master_key.as_deref().map(server::read_master_key).transpose()?;
                let keyring = master_key.map(Keyring::new);
                let Work::Ask(request) = (operation.work)(fields)? else {
                    return Err(Failure::fault("a running venue alone answers this"));
                };
                let backend = &mut Offline::open(&data_dir)?;
                request(&mut Venue { backend, keyring: keyring.as_ref() })?
            }
        };
        println!("{}", serde_json::to_string_pretty(&answer)?);
        Ok(())
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

/// Answers the operators of a running venue.
#[derive(Clone, Copy, Debug)]
pub struct Requests;

impl Operators for Requests {
    fn api(&self, venue: &OperatedVenue) -> Arc<dyn OperatorApi> {
        Arc::new(AdminApi::new(venue.clone()))
    }

    fn socket(&self, venue: &OperatedVenue, stopped: Stopped) -> Result<Serving, ServeError> {
        let bound = AdminServer::bind(venue);
        let server = bound.map_err(|failure| ServeError::new(failure.to_string()))?;
        Ok(Box::pin(server.serve(stopped)))
    }
}

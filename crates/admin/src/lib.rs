//! `buttonwood admin`: the operators' requests. A running venue receives them through a local
//! socket in its data folder, or over HTTP from another machine; on a stopped one this process
//! carries them out on the folder.

mod account;
mod backend;
mod calendar;
mod command;
mod event;
mod fees;
mod http;
mod instrument;
mod key;
mod key_action;
mod log_level;
mod log_query;
mod log_tools;
mod login;
mod login_action;
mod lookup;
mod market;
mod market_shown;
mod offline;
mod online;
mod openapi;
mod operations;
mod order;
mod phase;
mod remote;
mod risk;
mod rules;
mod settings;
mod socket_service;
mod status;
mod target;
mod trade;
mod trading;
mod trail;
mod transfer;
mod trial;
mod value;
mod withdrawal;

use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;

use clap::{Args, Subcommand};
use cli::Failure;
use gateway::OperatorApi;
use serde_json::Value;
use server::{OperatedVenue, Operators, ServeError, Serving, Stopped};

pub use market::{Apply, Export};

use command::Chosen;
use http::AdminApi;
use key_action::{new_master_key, rotation};
use operations::named;
use socket_service::AdminServer;
use target::{Target, VenueArgs};
use value::to_json;

#[derive(Args, Debug)]
#[command(
    after_help = "Example: buttonwood admin deposit alice USDT 1000 --ref wire-4711 --data my-venue"
)]
pub struct Admin {
    #[command(flatten)]
    venue: VenueArgs,

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
    /// Seal all keys and logins with another master key, created if its file does not exist
    RotateMasterKey {
        /// File of the master key for the venue's next start
        #[arg(value_name = "NEWFILE")]
        file: PathBuf,
    },
    #[command(flatten)]
    Operation(Chosen),
}

impl Admin {
    /// Prints the answer, as JSON unless the operation has a text.
    pub fn run(self) -> Result<(), Failure> {
        let mut target = Target::new(self.venue)?;
        let (operation, text, fields) = match self.action {
            Action::NewMasterKey { file } => return new_master_key(&file),
            Action::RotateMasterKey { file } => {
                (named("rotate-master-key"), None, to_json(rotation(target.data_dir()?, &file)?))
            }
            Action::Operation(chosen) => (Some(chosen.operation), chosen.text(), chosen.fields()?),
        };
        let operation = operation.ok_or_else(|| Failure::fault("no such operation"))?;
        let answer = target.ask(operation, fields)?;
        if let Some(remedy) = remedy(&answer) {
            return print_secret(&answer, &remedy);
        }
        match text {
            Some(text) => cli::print(text(&answer)),
            None => cli::print_line(serde_json::to_string_pretty(&answer)?),
        }
    }
}

/// What is left to do if an answer with a secret finds no reader; `None` if it has no secret.
fn remedy(answer: &Value) -> Option<String> {
    if answer.get("secret_key").is_some() {
        let key = &answer["key"];
        return Some(format!(
            "the key is made, and its secret is lost: `buttonwood admin key revoke {key}`, and add \
             another"
        ));
    }
    answer.get("otpauth_uri")?;
    let user = answer["user"].as_str()?;
    Some(format!(
        "the login is there, and the secret of its codes is lost: make another by `buttonwood \
         admin login set {user} --totp new`"
    ))
}

fn print_secret(answer: &Value, remedy: &str) -> Result<(), Failure> {
    let text = serde_json::to_string_pretty(answer)?;
    let mut out = std::io::stdout().lock();
    let printed = writeln!(out, "{text}").and_then(|()| out.flush());
    printed.map_err(|error| Failure::fault(format!("cannot print: {error}: {remedy}")))
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

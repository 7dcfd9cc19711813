//! `buttonwood admin`: what operators do. On a running venue the request goes through a local
//! socket in the data folder; on a stopped one it is carried out on the folder itself.

mod backend;
mod calendar;
mod fees;
mod http;
mod instrument;
mod key;
mod key_action;
mod lookup;
mod offline;
mod online;
mod openapi;
mod operators;
mod phase;
mod request;
mod risk;
mod routes;
mod rules;
mod socket_service;
mod status;
mod trading;
mod transfer;
mod value;
mod withdrawal;
mod words;

use std::path::PathBuf;

use clap::{Args, Subcommand};
use cli::{Failure, socket};
use venue::Keyring;

use instrument::InstrumentAction;
use key_action::{KeyAction, new_master_key, rotation};
use offline::Offline;
pub use operators::Requests;
use request::Request;
use risk::Oversight;
use trading::Trading;
use transfer::Transfer;
use withdrawal::WithdrawalAction;

#[derive(Args, Debug)]
pub struct Admin {
    /// Folder that holds the venue [env: BUTTONWOOD_DATA_DIR]
    #[arg(long = "data", value_name = "DIR", global = true, display_order = 1_000)]
    data_dir: Option<PathBuf>,

    /// File with the master key, to make a key on a stopped venue [env: BUTTONWOOD_MASTER_KEY]
    #[arg(long, value_name = "FILE", global = true, display_order = 1_000)]
    master_key: Option<String>,

    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Make a new master key in a file of its own (mode 0600)
    NewMasterKey { file: PathBuf },
    /// Seal all keys by another master key, which is made if its file is not there
    RotateMasterKey {
        /// What the venue is to be started with from then on
        #[arg(value_name = "NEWFILE")]
        file: PathBuf,
    },
    /// Assets: what is owned and traded
    #[command(subcommand)]
    Asset(AssetAction),
    /// Instruments: what is traded, in which steps, by which rules, at which fees and times
    #[command(subcommand)]
    Instrument(InstrumentAction),
    /// Accounts and their balances
    #[command(subcommand)]
    Account(AccountAction),
    /// Pay money or another asset into an account
    Deposit(Transfer),
    /// Pay out of an account's free balance, in one step
    Withdraw(Transfer),
    /// Pay out of an account's balance in two steps: what is asked for is locked until it leaves
    #[command(subcommand)]
    Withdrawal(WithdrawalAction),
    /// API keys
    #[command(subcommand)]
    Key(KeyAction),
    #[command(flatten)]
    Trading(Trading),
    #[command(flatten)]
    Risk(Oversight),
}

#[derive(Debug, Subcommand)]
enum AssetAction {
    /// List a new asset, such as `BTC`
    Add(request::NewAsset),
    /// Show all assets, and how much of each there is
    List,
}

#[derive(Debug, Subcommand)]
enum AccountAction {
    /// Open an account
    Add(request::NewAccount),
    /// Change an account's fees and limits; what is not named stays
    Update(request::AccountUpdate),
    /// Show all accounts
    List,
    /// Show an account's balances
    Balances(request::NamedAccount),
}

impl Admin {
    /// Prints the answer as JSON.
    pub fn run(self) -> Result<(), Failure> {
        let variable = |name| std::env::var(name).ok();
        let data_dir = self
            .data_dir
            .or_else(|| variable("BUTTONWOOD_DATA_DIR").map(PathBuf::from))
            .unwrap_or_else(|| server::VenueSettings::default().data_dir);
        let request = match self.action {
            Action::NewMasterKey { file } => return new_master_key(&file),
            Action::Asset(AssetAction::Add(new)) => Request::AddAsset(new),
            Action::Asset(AssetAction::List) => Request::ListAssets,
            Action::Instrument(action) => Request::Instrument { action },
            Action::Account(AccountAction::Add(new)) => Request::AddAccount(new),
            Action::Account(AccountAction::Update(update)) => Request::UpdateAccount(update),
            Action::Account(AccountAction::List) => Request::ListAccounts,
            Action::Account(AccountAction::Balances(account)) => Request::Balances(account),
            Action::Deposit(transfer) => Request::Deposit(transfer),
            Action::Withdraw(transfer) => Request::Withdraw(transfer),
            Action::Withdrawal(action) => Request::Withdrawal { action },
            Action::Key(action) => action.request()?,
            Action::RotateMasterKey { file } => rotation(&data_dir, &file)?,
            Action::Trading(action) => Request::Trading { action },
            Action::Risk(action) => Request::Risk { action },
        };
        let master_key = self.master_key.or_else(|| variable("BUTTONWOOD_MASTER_KEY"));
        let answer = match socket::connect(&data_dir)? {
            Some(stream) => socket::ask(stream, &request)?,
            None if !data_dir.is_dir() => {
                return Err(Failure::new(format!(
                    "there is no folder {}: make it first, or name another with --data",
                    data_dir.display()
                )));
            }
            // Looking must not leave a new venue behind in a folder that was named by mistake.
            None if !request.can_begin_a_venue() && !data_dir.join("log").is_dir() => {
                return Err(Failure::new(format!("there is no venue in {}", data_dir.display())));
            }
            None => {
                let master_key = master_key.as_deref().map(server::read_master_key).transpose()?;
                let keyring = master_key.map(Keyring::new);
                request.execute(&mut Offline::open(&data_dir)?, keyring.as_ref())?
            }
        };
        println!("{}", serde_json::to_string_pretty(&answer)?);
        Ok(())
    }
}

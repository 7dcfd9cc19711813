//! Operators' questions about the log: a state of the past, and commands by filter.

use cli::Failure;
use cli::log_question::{CommandsQuestion, LogQuestion, PAGE_MAX, StateQuestion};
use cli::moment::Moment;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use types::Command;

use super::backend::Venue;
use super::lookup::{find_account, find_instrument};
use super::value::invalid;

const LIMIT: usize = 100;

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct StateQuery {
    /// A sequence, or a time (RFC 3339, or milliseconds since 1970) [default: the end of the log]
    at: Option<String>,
    /// Only this account
    account: Option<String>,
    /// Only this instrument, and the open orders in it
    symbol: Option<String>,
}

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct CommandsQuery {
    /// First command: a sequence, or a time (RFC 3339, or milliseconds since 1970)
    /// [default: the last commands up to the limit]
    from: Option<String>,
    /// Last command: a sequence, or a time [default: the end of the log]
    to: Option<String>,
    /// Only commands that this account sent, or that name it
    account: Option<String>,
    /// Only commands that name this instrument
    symbol: Option<String>,
    /// Only commands that name this order of the instrument, or had events of it
    order: Option<u64>,
    /// Only commands of this name, such as NewOrder
    kind: Option<String>,
    /// Maximum number of commands, up to 1,000 [default: 100]
    #[schemars(range(min = 1, max = 1000))]
    limit: Option<usize>,
}

impl StateQuery {
    pub(super) fn question(self, venue: &mut Venue<'_>) -> Result<LogQuestion, Failure> {
        check_moment(self.at.as_deref())?;
        let account = account(venue, self.account.as_deref())?;
        let instrument = instrument(venue, self.symbol.as_deref())?;
        Ok(LogQuestion::State(StateQuestion { at: self.at, account, instrument }))
    }
}

impl CommandsQuery {
    pub(super) fn question(self, venue: &mut Venue<'_>) -> Result<LogQuestion, Failure> {
        let Self { from, mut to, order, kind, .. } = self;
        check_moment(from.as_deref())?;
        check_moment(to.as_deref())?;
        if let Some(kind) = &kind
            && !Command::KINDS.contains(&kind.as_str())
        {
            return Err(invalid("kind", kind, "the name of a command, such as NewOrder"));
        }
        let limit = self.limit.unwrap_or(LIMIT);
        if !(1..=PAGE_MAX).contains(&limit) {
            return Err(invalid("limit", &limit.to_string(), "from 1 to 1000"));
        }
        if order.is_some() && self.symbol.is_none() {
            return Err(Failure::new(
                "an order is named by its number and its symbol: add `symbol`",
            ));
        }
        let account = account(venue, self.account.as_deref())?;
        let instrument = instrument(venue, self.symbol.as_deref())?;
        if from.is_none() && to.is_none() {
            to = Some(venue.read(|engine| engine.sequence())?.to_string());
        }
        let question = CommandsQuestion { from, to, account, instrument, order, kind, limit };
        Ok(LogQuestion::Commands(question))
    }
}

fn check_moment(text: Option<&str>) -> Result<(), Failure> {
    let Some(text) = text else { return Ok(()) };
    let parsed = text.parse::<Moment>();
    parsed.map(drop).map_err(|error| Failure::new(format!("`{text}`: {error}")))
}

fn account(venue: &mut Venue<'_>, name: Option<&str>) -> Result<Option<u32>, Failure> {
    name.map(|name| find_account(venue, name).map(|account| account.0)).transpose()
}

fn instrument(venue: &mut Venue<'_>, symbol: Option<&str>) -> Result<Option<u32>, Failure> {
    symbol.map(|symbol| find_instrument(venue, symbol).map(|of| of.instrument.id.0)).transpose()
}

/// The venue's state after a command
#[derive(JsonSchema, Serialize)]
pub(super) struct PastState {
    /// The last command up to the moment
    sequence: u64,
    batch: u64,
    time: String,
    sequenced_ns: String,
    rules_version: u16,
    instruments: Vec<PastInstrument>,
    accounts: Vec<PastAccount>,
}

#[derive(JsonSchema, Serialize)]
struct PastInstrument {
    symbol: String,
    /// Such as `Continuous` or `Halt`; `delisted` for ever
    phase: String,
    /// Price and quantity of each displayed level, best first
    bids: Vec<[String; 2]>,
    asks: Vec<[String; 2]>,
}

#[derive(JsonSchema, Serialize)]
struct PastAccount {
    account: String,
    balances: Vec<PastBalance>,
    /// The fields of each open order, with the names and steps of then
    open_orders: Vec<Map<String, Value>>,
}

#[derive(JsonSchema, Serialize)]
struct PastBalance {
    asset: String,
    free: String,
    locked: String,
}

/// A page of commands
#[derive(JsonSchema, Serialize)]
pub(super) struct CommandPage {
    commands: Vec<LoggedCommand>,
    /// `to` of the page before this one; null if there is none
    previous: Option<u64>,
    /// `from` of the page after this one; null at the end of the range
    next: Option<u64>,
    /// The commands that were looked through
    examined: u64,
}

#[derive(JsonSchema, Serialize)]
struct LoggedCommand {
    sequence: u64,
    /// Higher than `sequence` if the command ran in steps
    last_sequence: u64,
    batch: u64,
    time: String,
    sequenced_ns: String,
    origin: String,
    account: String,
    key: u32,
    address: Option<String>,
    session: String,
    client_seq: String,
    received_ns: String,
    retry_key: Option<String>,
    command: String,
    /// The fields of the command, with the names and steps of then
    fields: Value,
    /// Why the venue refused it
    rejected: Option<String>,
}

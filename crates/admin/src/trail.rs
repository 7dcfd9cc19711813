//! The audit trail: operators' commands, from the read model.

use std::collections::BTreeMap;

use clap::Args;
use cli::Failure;
use cli::moment::{Moment, format_time};
use cli::show::{Show, account_name, word};
use engine::Engine;
use projection::{AuditTrail, Audited};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use types::{Command, Describe, KeyId};

use super::backend::Venue;
use super::value::invalid;

const LIMIT: usize = 100;
const LIMIT_MAX: usize = 1_000;

#[derive(Args, Debug, Deserialize, JsonSchema, Serialize)]
pub(crate) struct AuditQuery {
    /// First command: a sequence, or a time (RFC 3339, or milliseconds since 1970)
    /// [default: the last commands up to the limit]
    #[arg(long, value_name = "SEQ|TIME")]
    from: Option<String>,
    /// Last command: a sequence, or a time
    #[arg(long, value_name = "SEQ|TIME")]
    until: Option<String>,
    /// Only commands of this key; 0 is the admin socket
    #[arg(long)]
    key: Option<u32>,
    /// Only commands of this name, such as Deposit
    #[arg(long, value_name = "NAME")]
    command: Option<String>,
    /// Maximum number of commands, up to 1,000 [default: 100]
    #[arg(long)]
    #[schemars(range(min = 1, max = 1000))]
    limit: Option<usize>,
}

/// The same on a command line.
#[derive(Args, Debug)]
pub(crate) struct AuditArgs {
    #[command(flatten)]
    query: AuditQuery,
    /// Print JSON instead of one line a command
    #[arg(long)]
    json: bool,
}

impl AuditArgs {
    pub(super) fn read(self) -> Result<AuditQuery, Failure> {
        self.query.trail()?;
        Ok(self.query)
    }
}

impl AuditQuery {
    pub(super) fn list(self, venue: &mut Venue<'_>) -> Result<Vec<AuditedShown>, Failure> {
        let found = venue.history(self.trail()?)?;
        venue.read(move |engine| {
            found.iter().map(|audited| AuditedShown::new(engine, audited)).collect()
        })
    }

    fn trail(&self) -> Result<AuditTrail, Failure> {
        let Self { from, until, key, command, limit } = self;
        let mut trail = AuditTrail { key: key.map(KeyId), ..AuditTrail::default() };
        match moment(from.as_deref())? {
            Some(Moment::Sequence(sequence)) => trail.from = Some(sequence),
            time => trail.times.start_ns = time.and_then(Moment::bounds_ns).map(|(first, _)| first),
        }
        match moment(until.as_deref())? {
            Some(Moment::Sequence(sequence)) => trail.until = Some(sequence),
            time => trail.times.end_ns = time.and_then(Moment::bounds_ns).map(|(_, last)| last),
        }
        if let Some(name) = command
            && !Command::KINDS.contains(&name.as_str())
        {
            return Err(invalid("command", name, "the name of one, such as Deposit or SetPhase"));
        }
        trail.command.clone_from(command);
        trail.limit = limit.unwrap_or(LIMIT);
        if !(1..=LIMIT_MAX).contains(&trail.limit) {
            return Err(invalid("limit", &trail.limit.to_string(), "from 1 to 1000"));
        }
        Ok(trail)
    }
}

fn moment(text: Option<&str>) -> Result<Option<Moment>, Failure> {
    let parse =
        |text: &str| text.parse().map_err(|error| Failure::new(format!("`{text}`: {error}")));
    text.map(parse).transpose()
}

/// An operator's command
#[derive(JsonSchema, Serialize)]
pub(super) struct AuditedShown {
    sequence: u64,
    time: String,
    /// Number of the operator's key; 0 through the admin socket
    key: u32,
    /// `AdminApi` over HTTP; `Admin` through the admin socket, or on a stopped venue
    origin: &'static str,
    /// Address of the client; null for `Admin`
    address: Option<String>,
    /// The account that it was for, such as the owner of a canceled order
    account: String,
    command: &'static str,
    /// The fields of the command, with the names and steps of now
    fields: Value,
    /// Why the venue refused it; null if it was carried out
    reason: Option<&'static str>,
    /// How many events of each kind it led to
    effect: BTreeMap<&'static str, u64>,
}

impl AuditedShown {
    pub(super) fn new(engine: &Engine, audited: &Audited) -> Self {
        Self {
            sequence: audited.sequence,
            time: format_time(audited.sequenced_ns),
            key: audited.key.0,
            origin: word(&audited.origin),
            address: audited.address.map(|address| address.to_string()),
            account: account_name(engine, audited.account),
            command: audited.command.kind(),
            fields: Show::new(engine).json(&audited.command.describe()),
            reason: audited.reason.as_ref().map(word),
            effect: audited.effect.counts().collect(),
        }
    }
}

/// One line a command, of the answer in JSON.
pub(super) fn text(answer: &Value) -> String {
    answer.as_array().into_iter().flatten().map(line).collect()
}

fn line(audited: &Value) -> String {
    let mut line = ["sequence", "time", "origin"].map(|name| plain(&audited[name])).join(" ");
    if audited["key"] != 0 {
        line.extend([" key ", &plain(&audited["key"])]);
    }
    if !audited["address"].is_null() {
        line.extend([" from ", &plain(&audited["address"])]);
    }
    line.extend([" ", &plain(&audited["account"]), " ", &plain(&audited["command"])]);
    append("", &audited["fields"], &mut line);
    if audited["reason"].is_null() {
        let counts = audited["effect"].as_object().into_iter().flatten();
        let counts: Vec<String> = counts.map(|(kind, count)| format!("{kind} {count}")).collect();
        let effect = if counts.is_empty() { "no effect".to_owned() } else { counts.join(", ") };
        line.extend([": ", &effect]);
    } else {
        line.extend([": refused, ", &plain(&audited["reason"])]);
    }
    line.push('\n');
    line
}

/// Appends ` name=value` for each field that has a value.
fn append(prefix: &str, value: &Value, out: &mut String) {
    let join = |name: &str| match prefix {
        "" => name.to_owned(),
        _ => format!("{prefix}.{name}"),
    };
    match value {
        Value::Null => {}
        Value::Object(fields) => {
            fields.iter().for_each(|(name, value)| append(&join(name), value, out));
        }
        Value::Array(list) => {
            let numbered = list.iter().enumerate();
            numbered.for_each(|(at, value)| append(&join(&at.to_string()), value, out));
        }
        leaf => out.extend([" ", prefix, "=", &plain(leaf)]),
    }
}

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

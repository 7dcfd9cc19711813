//! Webhooks: a server of others is called with each fill, transfer and alarm, by the rules of
//! Standard Webhooks (<https://www.standardwebhooks.com>): an id, a time and a signature.
//!
//! # Invariants
//! - At least once: the position moves on after the receiver has answered each call with 2xx. What
//!   was answered is not sent again while the venue runs.
//! - A few calls are under way at a time, so their order is not promised. Ids are.

mod alarm;
mod client;

use std::collections::{BTreeSet, VecDeque};
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use futures_util::StreamExt as _;
use futures_util::stream::FuturesUnordered;
use serde_json::{Value, json};
use tokio::runtime::{Builder, Runtime};

pub use self::alarm::{Alarm, Alarms};
use self::client::Client;
use crate::publish::address::Address;
use crate::publish::failure::Failed;
use crate::publish::message::{Event, EventId};
use crate::publish::publisher::{Broker, Connection, Resume};
use projection::Interrupter;
use tokio::sync::Notify;

/// Calls that are under way at a time.
const AT_ONCE: usize = 8;
/// Before a secret in base64, as Standard Webhooks has it.
const SECRET_PREFIX: &str = "whsec_";
/// Less can be guessed; Standard Webhooks asks for 24 to 64.
const SECRET_BYTES: std::ops::RangeInclusive<usize> = 24..=64;

/// A receiver, and what it is called with.
#[derive(Clone)]
pub struct Webhooks {
    address: Address,
    secret: Vec<u8>,
    kinds: String,
    authorities: Option<String>,
    has_fills: bool,
    has_withdrawals: bool,
    has_deposits: bool,
    has_alerts: bool,
    alarms: Alarms,
    /// Notified when the venue does not wait any longer.
    ends: Arc<Notify>,
    /// What the receiver has of the page that is under way.
    done: Arc<Mutex<BTreeSet<EventId>>>,
}

impl Webhooks {
    pub const SCHEMES: [&'static str; 2] = ["https", "http"];

    pub fn parse(mut address: Address) -> Result<Self, String> {
        address.host()?;
        if address.user()?.is_some() || address.password().is_some() {
            return Err("a webhook has no user: it is signed".into());
        }
        let secret = address.take_file("secret-file")?;
        let secret = secret.ok_or("a webhook needs secret-file, by which it is signed")?;
        let kinds = address.take("kinds").unwrap_or_else(|| "fills withdrawals alerts".into());
        let kinds: Vec<&str> = kinds.split([' ', ',']).filter(|kind| !kind.is_empty()).collect();
        let known = ["fills", "withdrawals", "deposits", "alerts"];
        if let Some(kind) = kinds.iter().find(|kind| !known.contains(kind)) {
            return Err(format!("kinds are {}, and not `{kind}`", known.join(", ")));
        }
        let has = |kind| kinds.contains(&kind);
        let webhooks = Self {
            secret: read_secret(&secret)?,
            kinds: kinds.join("+"),
            authorities: address.take_file("ca")?,
            has_fills: has("fills"),
            has_withdrawals: has("withdrawals"),
            has_deposits: has("deposits"),
            has_alerts: has("alerts"),
            alarms: Alarms::default(),
            ends: Arc::default(),
            done: Arc::default(),
            address,
        };
        webhooks.address.finish()?;
        Ok(webhooks)
    }

    /// Where the venue puts its alarms; `None` if the receiver does not want them.
    pub fn alarms(&self) -> Option<Alarms> {
        self.has_alerts.then(|| self.alarms.clone())
    }

    /// The type of the call that an event is; `None` if it is none.
    fn kind(&self, event: &Event) -> Option<&'static str> {
        let (is_wanted, kind) = match event.kind.as_str() {
            "TradeExecuted" => (self.has_fills, "trade.executed"),
            "TradeBusted" => (self.has_fills, "trade.busted"),
            "TradeCorrected" => (self.has_fills, "trade.corrected"),
            "WithdrawalRequested" => (self.has_withdrawals, "withdrawal.requested"),
            "WithdrawalApproved" => (self.has_withdrawals, "withdrawal.approved"),
            "WithdrawalCompleted" => (self.has_withdrawals, "withdrawal.completed"),
            "WithdrawalCanceled" => (self.has_withdrawals, "withdrawal.canceled"),
            "Withdrawn" => (self.has_withdrawals, "withdrawal.made"),
            "Deposited" => (self.has_deposits, "deposit.made"),
            _ => return None,
        };
        is_wanted.then_some(kind)
    }
}

impl Broker for Webhooks {
    type Connection = WebhookConnection;

    fn connect(&self) -> Result<WebhookConnection, Failed> {
        let runtime = Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|error| Failed::unreachable(format!("cannot be called: {error}")))?;
        let client = Client::new(&self.address, self.authorities.as_deref(), &self.secret)?;
        Ok(WebhookConnection { webhooks: self.clone(), client, runtime })
    }

    fn interrupter(&self) -> Interrupter {
        let ends = Arc::clone(&self.ends);
        Interrupter(Box::new(move || ends.notify_one()))
    }

    fn begins_now(&self) -> bool {
        true
    }
}

impl fmt::Display for Webhooks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.address, self.kinds)
    }
}

impl fmt::Debug for Webhooks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Webhooks({self})")
    }
}

#[derive(Debug)]
pub struct WebhookConnection {
    webhooks: Webhooks,
    client: Client,
    runtime: Runtime,
}

/// A call: its id, and its body.
struct Call {
    event: Option<EventId>,
    id: String,
    body: String,
}

impl Connection for WebhookConnection {
    fn resume(&mut self) -> Result<Resume, Failed> {
        Ok(Resume::default())
    }

    fn publish(&mut self, messages: Vec<Event>) -> Result<usize, Failed> {
        let done = self.done().clone();
        let calls = messages.iter().filter(|message| !done.contains(&message.id()));
        let calls = calls.filter_map(|message| {
            let body = body(self.webhooks.kind(message)?, message.time_ns, &data(message));
            Some(Call { event: Some(message.id()), id: message.id().to_string(), body })
        });
        let calls: VecDeque<_> = calls.collect();
        let count = calls.len();
        self.call_all(calls)?;
        self.done().clear();
        Ok(count)
    }

    fn check(&mut self) -> Result<(), Failed> {
        while let Some(alarm) = self.webhooks.alarms.first() {
            let body = body(alarm.kind(), alarm.noticed_ns, &alarm.data());
            let call = Call { event: None, id: alarm.id(), body };
            self.call_all(VecDeque::from([call]))?;
            self.webhooks.alarms.remove(&alarm);
        }
        Ok(())
    }
}

impl WebhookConnection {
    fn done(&self) -> MutexGuard<'_, BTreeSet<EventId>> {
        self.webhooks.done.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends with the first call that fails.
    fn call_all(&self, mut calls: VecDeque<Call>) -> Result<(), Failed> {
        self.runtime.block_on(async {
            let mut under_way = FuturesUnordered::new();
            loop {
                while under_way.len() < AT_ONCE
                    && let Some(call) = calls.pop_front()
                {
                    under_way.push(async move {
                        let answered = self.client.call(&call.id, call.body).await;
                        (call.event, answered)
                    });
                }
                let answered = tokio::select! {
                    answered = under_way.next() => answered,
                    () = self.webhooks.ends.notified() => {
                        return Err(Failed::unreachable("has not answered until the end"));
                    }
                };
                let Some((event, answered)) = answered else { return Ok(()) };
                answered?;
                self.done().extend(event);
            }
        })
    }
}

/// As Standard Webhooks has it.
fn body(kind: &str, time_ns: u64, data: &Value) -> String {
    json!({ "type": kind, "timeNs": time_ns.to_string(), "data": data }).to_string()
}

fn data(message: &Event) -> Value {
    serde_json::to_value(message).expect("it has text and numbers only")
}

fn read_secret(text: &str) -> Result<Vec<u8>, String> {
    let text = text.trim();
    let refused = || {
        format!(
            "secret-file must have `{SECRET_PREFIX}` and {} to {} bytes in base64",
            SECRET_BYTES.start(),
            SECRET_BYTES.end()
        )
    };
    let encoded = text.strip_prefix(SECRET_PREFIX).ok_or_else(refused)?;
    let secret = BASE64_STANDARD.decode(encoded).map_err(|_| refused())?;
    if SECRET_BYTES.contains(&secret.len()) { Ok(secret) } else { Err(refused()) }
}

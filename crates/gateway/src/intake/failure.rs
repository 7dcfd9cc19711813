//! Why the intake stands still, in one sentence.

use std::fmt;

use redis::{ErrorKind, RedisError, ServerErrorKind};
use types::Refused;

use super::address::IntakeAddress;
use super::key;

#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) struct Failure(String);

impl Failure {
    pub(super) fn of_redis(address: &IntakeAddress, error: &RedisError) -> Self {
        let text = error.to_string();
        let has = |code: &str| text.contains(code);
        let what = match error.kind() {
            _ if error.is_timeout() => "does not answer".into(),
            ErrorKind::AuthenticationFailed => not_admitted(address),
            _ if has("NOAUTH") || has("WRONGPASS") => not_admitted(address),
            ErrorKind::Server(ServerErrorKind::NoPerm) => lacks_rights(address, &text),
            _ if has("NOPERM") => lacks_rights(address, &text),
            _ if has("WRONGTYPE") => format!(
                "has other data under the keys of the intake: {}, {} and {} are streams, and {} \
                 is a list",
                key::ORDERS,
                key::REPLIES,
                key::REJECTS,
                key::QUEUE
            ),
            ErrorKind::Server(ServerErrorKind::CrossSlot) => of_cluster(),
            _ if error.is_cluster_error() => of_cluster(),
            _ if has("MISCONF") || has("No space left") => {
                "cannot store what is written: its disk is full or fails".into()
            }
            _ if has("\"OOM\"") || has("OOM command") => "has no memory left (maxmemory)".into(),
            ErrorKind::Server(ServerErrorKind::ReadOnly) => "is a replica: name the primary".into(),
            ErrorKind::Server(ServerErrorKind::BusyLoading) => "still loads its data".into(),
            _ if has("unknown command") => "is older than version 6.2".into(),
            ErrorKind::Io => format!("cannot be reached: {text}"),
            _ => format!("refuses a command: {text}"),
        };
        Self(format!("Redis at {address} {what}"))
    }

    pub(super) fn of_venue(refused: Refused) -> Self {
        Self(refused.to_string())
    }

    pub(super) fn new(sentence: impl Into<String>) -> Self {
        Self(sentence.into())
    }
}

fn of_cluster() -> String {
    "is part of a cluster: the intake needs a server by itself".into()
}

fn not_admitted(address: &IntakeAddress) -> String {
    format!("does not admit {}: the password is wrong or missing", address.user())
}

fn lacks_rights(address: &IntakeAddress, text: &str) -> String {
    let command = text.split_once("run the '").and_then(|(_, rest)| rest.split_once('\''));
    match command {
        Some((command, _)) => {
            format!("does not give {} the right to use {command}", address.user())
        }
        None => format!("does not give {} the rights to the keys of the intake", address.user()),
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

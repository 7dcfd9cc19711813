//! What Redis stores of the orders that it takes. It is named at the start, because a program that
//! pushes an order has no other promise until the venue replies.

use std::collections::HashMap;

use redis::{Value, cmd};

use super::connection::Connection;

/// What a crash of Redis loses.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Storage {
    /// Each command is on disk before its answer.
    Always,
    EverySecond,
    /// When the operating system writes.
    Sometimes,
    Nothing,
    /// Redis does not show its configuration to this user.
    Unknown,
}

pub(super) async fn find(redis: &mut Connection) -> Storage {
    let config = |name| cmd("CONFIG").arg("GET").arg(name).to_owned();
    let mut values = HashMap::new();
    for name in ["appendonly", "appendfsync"] {
        // Managed services forbid CONFIG.
        match redis.ask::<HashMap<String, Value>>(&config(name)).await {
            Ok(value) => values.extend(value),
            Err(_) => return Storage::Unknown,
        }
    }
    let is = |name: &str, text: &str| matches!(values.get(name), Some(Value::BulkString(value)) if value == text.as_bytes());
    match () {
        () if !is("appendonly", "yes") => Storage::Nothing,
        () if is("appendfsync", "always") => Storage::Always,
        () if is("appendfsync", "everysec") => Storage::EverySecond,
        () => Storage::Sometimes,
    }
}

impl Storage {
    pub(super) fn say(self) {
        match self {
            Self::Always => tracing::info!(
                "Redis has each order on disk before it answers its producer (appendfsync always)"
            ),
            Self::EverySecond => tracing::warn!(
                "Redis answers producers before their orders are on disk: a crash loses up to a \
                 second of orders that the venue has not taken (appendfsync everysec)"
            ),
            Self::Sometimes => tracing::warn!(
                "Redis answers producers before their orders are on disk: a crash loses what its \
                 operating system has not written (appendfsync no)"
            ),
            Self::Nothing => tracing::warn!(
                "Redis keeps no log on disk: a crash loses the orders that the venue has not taken \
                 (appendonly no)"
            ),
            Self::Unknown => tracing::warn!(
                "Redis does not show whether it has orders on disk before it answers: what the \
                 venue has not taken is safe with appendfsync always"
            ),
        }
    }
}

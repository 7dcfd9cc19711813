//! Counts of sign-ins, by way and outcome.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use venue::{Exposition, MetricSource};

use crate::web::sessions::Sessions;

/// How a person signs in.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum SignInWay {
    /// The one-time code of a demo.
    Code,
    Password,
    /// A key that the browser registered before.
    Key,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Outcome {
    Ok,
    /// A wrong code, password or signature, or a request that is none of them.
    Refused,
    /// Too many attempts or sessions: it was not judged.
    Slowed,
}

const WAYS: [&str; 3] = ["code", "password", "key"];
const OUTCOMES: [&str; 3] = ["ok", "refused", "slowed"];

#[derive(Debug)]
pub(crate) struct SignInMetrics {
    counts: [[AtomicU64; OUTCOMES.len()]; WAYS.len()],
    sessions: Arc<Sessions>,
}

impl SignInMetrics {
    pub(crate) fn new(sessions: Arc<Sessions>) -> Self {
        Self { counts: Default::default(), sessions }
    }

    pub(crate) fn count(&self, way: SignInWay, outcome: Outcome) {
        self.counts[way as usize][outcome as usize].fetch_add(1, Ordering::Relaxed);
    }
}

impl MetricSource for SignInMetrics {
    fn write(&self, out: &mut Exposition<'_>) -> fmt::Result {
        let rows = WAYS.iter().zip(&self.counts).flat_map(|(way, counts)| {
            OUTCOMES.iter().zip(counts).map(move |(outcome, count)| {
                let labels = [("way", (*way).to_owned()), ("outcome", (*outcome).to_owned())];
                (labels, count.load(Ordering::Relaxed))
            })
        });
        out.counters("sign_ins", "Attempts to sign in at the page, by way and outcome", rows)?;
        let open = self.sessions.count(Instant::now()) as u64;
        out.gauge("page_sessions", "Browsers that are signed in", open)
    }
}

//! Operations of a test: the clock, and faults. Only `serve --test` and `serve --demo` have them.

use std::time::{Duration, Instant};

use clap::{Args, ValueEnum};
use cli::Failure;
use gateway::{ArmedFault, Fault};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use server::now_ns;

use super::backend::{Trial, Venue};
use super::lookup::{account_names, find_account};
use super::value::{Nothing, invalid};

/// 31 days: a test that means a year means a mistake, and may ask again.
const ADVANCE_MS_MAX: i64 = 31 * 24 * 3_600 * 1_000;
/// Ten years: times stay far from the largest that a client can read.
const AHEAD_MS_MAX: u64 = 3_653 * 24 * 3_600 * 1_000;
const COUNT_MAX: u32 = 1_000_000;
/// A client has long given up.
const DELAY_MS_MAX: u64 = 600_000;
/// How long the venue may take for what is due after an advance.
const DUE_TIME_MAX: Duration = Duration::from_secs(10);
const LOOK_EVERY: Duration = Duration::from_micros(200);

#[derive(Args, Debug, Deserialize, JsonSchema, Serialize)]
#[command(after_help = "Example: buttonwood admin test clock 3600000")]
pub(crate) struct ClockAdvance {
    /// Milliseconds that the clock moves forward, 1 to 2678400000 (31 days)
    #[arg(allow_negative_numbers = true)]
    #[schemars(range(min = 1, max = 2_678_400_000_i64))]
    advance_ms: i64,
}

#[derive(Debug, JsonSchema, Serialize)]
pub(crate) struct ClockShown {
    /// Time of the venue, in milliseconds since 1970
    time_ms: u64,
    /// How far it is ahead of the machine's clock, in milliseconds
    ahead_ms: u64,
}

#[derive(Args, Debug, Deserialize, JsonSchema, Serialize)]
#[command(after_help = "Example: buttonwood admin test fault drop-ack --account alice")]
pub(crate) struct NewFault {
    /// What happens to a request that places, cancels or changes an order
    fault: FaultName,
    /// Requests that it meets, 1 to 1000000 [default: 1]
    #[arg(long, value_name = "N")]
    #[schemars(range(min = 1, max = 1_000_000))]
    count: Option<u32>,
    /// Only requests of this account [default: any]
    #[arg(long, value_name = "NAME")]
    account: Option<String>,
    /// Milliseconds of a delay, 1 to 600000
    #[arg(long, value_name = "MS")]
    #[schemars(range(min = 1, max = 600_000))]
    ms: Option<u64>,
}

#[derive(Clone, Copy, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize, ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum FaultName {
    /// Carried out, never answered
    DropAck,
    /// Carried out at once, answered after `ms`
    Delay,
    /// The connection closes; nothing is carried out
    Disconnect,
    /// HTTP 500; nothing is carried out
    #[serde(alias = "5xx")]
    #[value(alias = "5xx")]
    InternalError,
    /// HTTP 429, -1003; nothing is carried out
    #[serde(alias = "-1003")]
    RateLimit,
    /// -1007, outcome unknown; it is carried out
    #[serde(alias = "-1007")]
    Unknown,
    /// HTTP 503, -1008; nothing is carried out
    #[serde(alias = "-1008")]
    Overload,
    /// -2010 for want of balance, or the code of a cancel or change; nothing is carried out
    Reject,
    /// `Market is closed.`; nothing is carried out
    Halt,
}

#[derive(Debug, JsonSchema, Serialize)]
pub(crate) struct FaultShown {
    fault: FaultName,
    /// Requests that it still meets
    count: u32,
    /// Only requests of this account
    account: Option<String>,
    /// Milliseconds of a delay
    ms: Option<u64>,
}

impl ClockAdvance {
    pub(super) fn execute(self, venue: &mut Venue<'_>) -> Result<ClockShown, Failure> {
        let by_ms = self.advance_ms;
        if !(1..=ADVANCE_MS_MAX).contains(&by_ms) {
            return Err(Failure::new(format!(
                "the clock moves forward only, by 1 to {ADVANCE_MS_MAX} ms (31 days) at once, and \
                 advance_ms is {by_ms}"
            )));
        }
        let (by_ms, ahead_ms) = (by_ms.unsigned_abs(), ahead_ms());
        if ahead_ms + by_ms > AHEAD_MS_MAX {
            return Err(Failure::new(format!(
                "the clock moves forward by {AHEAD_MS_MAX} ms (ten years) in all, and is {ahead_ms} \
                 ms ahead: start the venue again"
            )));
        }
        trial(venue)?.handle.advance_clock(Duration::from_millis(by_ms));
        wait_for_due(venue)?;
        Ok(ClockShown { time_ms: now_ns() / 1_000_000, ahead_ms: self::ahead_ms() })
    }
}

fn ahead_ms() -> u64 {
    ::venue::clock::ahead_ns() / 1_000_000
}

/// Waits until the venue has carried out what is due by now: expiry, phases.
fn wait_for_due(venue: &mut Venue<'_>) -> Result<(), Failure> {
    let until = Instant::now() + DUE_TIME_MAX;
    loop {
        let now_ns = now_ns();
        let is_due = venue.read(move |engine| {
            engine.next_deadline_ns().is_some_and(|due_ns| due_ns <= now_ns)
                || engine.due_phases(now_ns).next().is_some()
        })?;
        if !is_due {
            return Ok(());
        }
        if Instant::now() > until {
            return Err(Failure::unavailable(
                "the clock is advanced, and what is due by now is not carried out yet",
            ));
        }
        std::thread::sleep(LOOK_EVERY);
    }
}

impl NewFault {
    pub(super) fn execute(self, venue: &mut Venue<'_>) -> Result<FaultShown, Failure> {
        let count = self.count.unwrap_or(1);
        if !(1..=COUNT_MAX).contains(&count) {
            return Err(invalid("count", &count.to_string(), "a number from 1 to 1000000"));
        }
        let fault = self.fault.fault(self.ms)?;
        let Trial { faults, .. } = trial(venue)?;
        let account = self.account.as_deref().map(|name| find_account(venue, name)).transpose()?;
        if !faults.arm(ArmedFault { fault, account, count }) {
            return Err(Failure::new("1,000 faults wait already: remove them first"));
        }
        let Self { fault, account, ms, .. } = self;
        Ok(FaultShown { fault, count, account, ms })
    }
}

pub(super) fn list_faults(_: Nothing, venue: &mut Venue<'_>) -> Result<Vec<FaultShown>, Failure> {
    let waiting = trial(venue)?.faults.list();
    shown(waiting, venue)
}

/// The answer has the faults that have met no request.
pub(super) fn clear_faults(_: Nothing, venue: &mut Venue<'_>) -> Result<Vec<FaultShown>, Failure> {
    let waiting = trial(venue)?.faults.clear();
    shown(waiting, venue)
}

fn shown(faults: Vec<ArmedFault>, venue: &mut Venue<'_>) -> Result<Vec<FaultShown>, Failure> {
    let names = venue.read(account_names)?;
    let show = |armed: ArmedFault| {
        let (fault, ms) = FaultName::of(armed.fault);
        let account = armed.account.and_then(|account| names.get(&account).cloned());
        FaultShown { fault, count: armed.count, account, ms }
    };
    Ok(faults.into_iter().map(show).collect())
}

fn trial(venue: &mut Venue<'_>) -> Result<Trial, Failure> {
    venue.backend.trial().ok_or_else(|| {
        Failure::new(
            "this venue's clock and answers are real: only `serve --test` and `serve --demo` let a \
             test change them",
        )
    })
}

impl FaultName {
    fn fault(self, ms: Option<u64>) -> Result<Fault, Failure> {
        if ms.is_some() && self != Self::Delay {
            return Err(Failure::new("ms is the time of a delay, and of no other fault"));
        }
        Ok(match self {
            Self::DropAck => Fault::DropAck,
            Self::Delay => {
                let ms = ms.ok_or_else(|| Failure::new("a delay needs its ms"))?;
                if !(1..=DELAY_MS_MAX).contains(&ms) {
                    return Err(invalid("ms", &ms.to_string(), "a number from 1 to 600000"));
                }
                Fault::Delay(Duration::from_millis(ms))
            }
            Self::Disconnect => Fault::Disconnect,
            Self::InternalError => Fault::InternalError,
            Self::RateLimit => Fault::RateLimit,
            Self::Unknown => Fault::Unknown,
            Self::Overload => Fault::Overload,
            Self::Reject => Fault::Reject,
            Self::Halt => Fault::Halt,
        })
    }

    fn of(fault: Fault) -> (Self, Option<u64>) {
        let name = match fault {
            Fault::DropAck => Self::DropAck,
            Fault::Delay(time) => {
                return (Self::Delay, u64::try_from(time.as_millis()).ok());
            }
            Fault::Disconnect => Self::Disconnect,
            Fault::InternalError => Self::InternalError,
            Fault::RateLimit => Self::RateLimit,
            Fault::Unknown => Self::Unknown,
            Fault::Overload => Self::Overload,
            Fault::Reject => Self::Reject,
            Fault::Halt => Self::Halt,
        };
        (name, None)
    }
}

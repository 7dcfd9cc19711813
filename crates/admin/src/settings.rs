//! Settings of the venue as a whole.
//!
//! They change on the machine of the venue only, through the admin socket or while it is stopped:
//! else one operator's key could end the need for a second operator.

use clap::Args;
use cli::Failure;
use engine::Engine;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use types::{Command, SetWithdrawalApprovals};

use super::backend::{Venue, execute};

#[derive(Args, Debug, Deserialize, JsonSchema, Serialize)]
#[command(after_help = "Example: buttonwood admin settings --withdrawal-approvals 2")]
pub(crate) struct SettingsChange {
    /// Operators other than the requester that must approve a withdrawal, 0 to 5; more than 0 ends
    /// withdrawals in one step
    #[arg(long, value_name = "N")]
    withdrawal_approvals: Option<u8>,
}

impl SettingsChange {
    pub(super) fn execute(self, venue: &mut Venue<'_>) -> Result<SettingsShown, Failure> {
        let now = venue.read(SettingsShown::of)?;
        if let Some(approvals) = self.withdrawal_approvals
            && approvals != now.withdrawal_approvals
        {
            let set = SetWithdrawalApprovals { approvals };
            execute(venue, Command::SetWithdrawalApprovals(set))?;
        }
        venue.read(SettingsShown::of)
    }
}

#[derive(JsonSchema, Serialize)]
pub(super) struct SettingsShown {
    /// Operators other than the requester that must approve a withdrawal
    withdrawal_approvals: u8,
}

impl SettingsShown {
    pub(super) fn of(engine: &Engine) -> Self {
        Self { withdrawal_approvals: engine.withdrawal_approvals() }
    }
}

//! A venue as requests see it, running or not.

use std::sync::mpsc;

use cli::Failure;
use engine::Engine;
use serde_json::Value;
use types::{Command, Event, RejectReason};
use venue::Keyring;

/// A venue that takes an operator's commands, running or not.
pub(crate) trait Backend {
    /// Submits a command and waits for its outcome.
    fn apply(&mut self, command: Command) -> Result<Vec<Event>, Failure>;

    /// Waits until the question has been asked.
    fn ask(&mut self, question: Box<dyn FnOnce(&Engine) + Send>) -> Result<(), Failure>;
}

/// The venue that a request is about, and what opens the secrets of its keys.
pub(crate) struct Venue<'a> {
    pub(super) backend: &'a mut dyn Backend,
    pub(super) keyring: Option<&'a Keyring>,
}

/// A request whose arguments are read.
pub(super) type Request = Box<dyn FnOnce(&mut Venue<'_>) -> Result<Value, Failure> + Send>;

impl Venue<'_> {
    pub(super) fn read<R: Send + 'static>(
        &mut self,
        question: impl FnOnce(&Engine) -> R + Send + 'static,
    ) -> Result<R, Failure> {
        let (sender, answer) = mpsc::channel();
        self.backend.ask(Box::new(move |engine| drop(sender.send(question(engine)))))?;
        answer.recv().map_err(|_| Failure::fault("the engine dropped the question"))
    }
}

pub(super) fn carry_out(venue: &mut Venue<'_>, command: Command) -> Result<Vec<Event>, Failure> {
    let events = venue.backend.apply(command)?;
    let rejected = events.iter().find_map(|event| match event {
        Event::CommandRejected(rejected) => Some(rejected.reason),
        _ => None,
    });
    rejected.map_or(Ok(events), |reason| Err(Failure::refused(reason, refusal(reason))))
}

fn refusal(reason: RejectReason) -> String {
    let sentence = match reason {
        RejectReason::NameInUse => "there is one of this name already",
        RejectReason::DuplicateExternalRef => {
            "a transfer of this reference was asked for or carried out before; this one was not"
        }
        RejectReason::WithdrawalAboveFree => "the free balance is too small",
        RejectReason::TooManyWithdrawals => {
            "the account has as many withdrawals open as it may: confirm or cancel one first"
        }
        RejectReason::WithdrawalNotFound => {
            "the account has no withdrawal of this reference, or it ended long ago"
        }
        RejectReason::WithdrawalCompletedAlready => {
            "the withdrawal was confirmed before: its amount has left the account"
        }
        RejectReason::WithdrawalCanceledAlready => {
            "the withdrawal was canceled before: its amount is free again"
        }
        RejectReason::AccountKilled => {
            "the account is switched off: nothing leaves it until it is on again"
        }
        RejectReason::AmountNotPositive => "the amount must be above zero",
        RejectReason::AmountAboveMax | RejectReason::SupplyAboveMax => {
            "the amount is above what the venue can hold"
        }
        RejectReason::UnknownKey => "there is no valid key of this number",
        RejectReason::KeysChanged => {
            "a key came or went while all were sealed anew; nothing was changed: try again"
        }
        RejectReason::TickTimesLotNotWhole => {
            "one tick times one lot is not a whole number of the quote asset's smallest unit"
        }
        RejectReason::LotNotWhole => {
            "one lot is not a whole number of the base asset's smallest unit"
        }
        RejectReason::InstrumentBoundsInvalid => {
            "a bound on price, quantity or notional is out of range"
        }
        RejectReason::InstrumentAmountsTooLarge => {
            "the largest quantity at the largest price is more than the venue can hold"
        }
        RejectReason::FeeTooHigh => "a fee may not exceed 100 %",
        RejectReason::InstrumentRulesInvalid => {
            "a smallest value is above its largest, or the average is over more than a day"
        }
        RejectReason::FeeScheduleInvalid => {
            "the first tier begins at a volume of 0, the others ascend, and no rate exceeds 100 %"
        }
        RejectReason::CircuitBreakerInvalid => {
            "levels are from 1 to 10000 basis points, each farther than the one before"
        }
        RejectReason::ReceivableNotFound => "nothing is owed by this number",
        RejectReason::NothingToSettle => "the debtor has nothing of it free",
        RejectReason::BaseIsQuote => "base and quote must be different assets",
        RejectReason::PhaseForbids => "the instrument is in this phase already",
        RejectReason::InstrumentDelisted => "the instrument is delisted",
        RejectReason::VenueHalted => "the venue is halted",
        RejectReason::VenueNotHalted => "the venue is not halted",
        RejectReason::HaltLevelInvalid => "a halt's level is from 1 to 3",
        RejectReason::OwnsNoBalances => "the account's mode is one without balances",
        RejectReason::AccountNotFlat => {
            "the mode changes only while an account has no open orders, position, balances or receivables"
        }
        RejectReason::TradeNotFound => {
            "there is no such trade between these two, or one of them no longer keeps it"
        }
        RejectReason::TradeBustedAlready => "the trade was busted before",
        RejectReason::PriceBelowMin => "the price is below the instrument's smallest",
        RejectReason::PriceAboveMax => "the price is above the instrument's largest",
        RejectReason::DecimalsAboveMax => "an asset has at most 18 decimals",
        _ => return format!("refused: {reason:?}"),
    };
    format!("refused: {sentence}")
}

//! The venue of a request, running or stopped.

use std::sync::{Arc, mpsc};

use cli::Failure;
use engine::Engine;
use gateway::Faults;
use projection::{Answer, Ask, Question};
use serde_json::Value;
use types::{AccountId, Command, Event, RejectReason};
use venue::{Handle, Keyring};

/// A venue that takes an operator's commands, running or not.
pub(crate) trait Backend {
    /// Submits a command for an account and waits for its outcome.
    fn apply(&mut self, account: AccountId, command: Command) -> Result<Vec<Event>, Failure>;

    /// Queries the read model, which has every event that this backend has seen.
    fn ask_history(&mut self, question: Question) -> Result<Answer, Failure>;

    /// Runs a query on the engine, and waits until it is done.
    fn ask(&mut self, question: Box<dyn FnOnce(&Engine) + Send>) -> Result<(), Failure>;

    /// Changes the level of the running venue's log.
    fn set_log_level(&mut self, level: &str) -> Result<(), Failure>;

    /// The faults and the clock of a test; `None` where there is no test.
    fn trial(&mut self) -> Option<Trial>;
}

/// What a test may do with a running venue.
#[derive(Clone, Debug)]
pub(super) struct Trial {
    pub(super) handle: Handle,
    pub(super) faults: Arc<Faults>,
}

/// The venue of a request, and the keyring that opens its keys.
pub(crate) struct Venue<'a> {
    pub(super) backend: &'a mut dyn Backend,
    pub(super) keyring: Option<&'a Keyring>,
}

/// A request whose arguments are parsed.
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

    pub(super) fn history<Q: Ask>(&mut self, question: Q) -> Result<Q::Answer, Failure> {
        let answer = self.backend.ask_history(question.into())?;
        Q::own(answer).ok_or_else(|| Failure::fault("the read model answered another question"))
    }
}

pub(super) fn execute(venue: &mut Venue<'_>, command: Command) -> Result<Vec<Event>, Failure> {
    execute_for(venue, AccountId::VENUE, command)
}

/// A command in the name of an account, as an order's cancel.
pub(super) fn execute_for(
    venue: &mut Venue<'_>,
    account: AccountId,
    command: Command,
) -> Result<Vec<Event>, Failure> {
    let events = venue.backend.apply(account, command)?;
    let rejected = events.iter().find_map(|event| match event {
        Event::CommandRejected(rejected) => Some(rejected.reason),
        _ => None,
    });
    rejected.map_or(Ok(events), |reason| Err(refused(reason)))
}

pub(super) fn refused(reason: RejectReason) -> Failure {
    let sentence = match REFUSALS.iter().find(|(known, _)| *known == reason) {
        Some((_, sentence)) => format!("refused: {sentence}"),
        None => format!("refused: {reason:?}"),
    };
    Failure::refused(reason, sentence)
}

/// The sentences for operators.
const REFUSALS: &[(RejectReason, &str)] = &[
    (RejectReason::NameInUse, "the name is in use already"),
    (
        RejectReason::DuplicateExternalRef,
        "the reference is that of an earlier transfer; this transfer was not carried out",
    ),
    (RejectReason::WithdrawalAboveFree, "the free balance is too small"),
    (
        RejectReason::TooManyWithdrawals,
        "the account has its largest number of open withdrawals: confirm or cancel one first",
    ),
    (
        RejectReason::WithdrawalNotFound,
        "the account has no withdrawal of this reference, or the venue no longer keeps it",
    ),
    (
        RejectReason::WithdrawalCompletedAlready,
        "the withdrawal was confirmed before: its amount has left the account",
    ),
    (
        RejectReason::WithdrawalCanceledAlready,
        "the withdrawal was canceled before: its amount is free again",
    ),
    (RejectReason::WithdrawalIsOwn, "the operator that requested a withdrawal cannot approve it"),
    (RejectReason::WithdrawalApprovedAlready, "this operator approved the withdrawal before"),
    (RejectReason::TooManyApprovals, "a withdrawal has at most 5 approvals"),
    (
        RejectReason::WithdrawalNotApproved,
        "other operators must approve the withdrawal first: `approvals_missing` is their number",
    ),
    (
        RejectReason::WithdrawalNeedsRequest,
        "withdrawals need approvals (`withdrawal_approvals`): request one instead",
    ),
    (RejectReason::WithdrawalApprovalsAboveMax, "a withdrawal has at most 5 approvals"),
    (
        RejectReason::AccountKilled,
        "the account's kill switch is on: turn it off before a withdrawal",
    ),
    (RejectReason::AmountNotPositive, "the amount must be above zero"),
    (RejectReason::AmountAboveMax, "the amount is above what the venue can hold"),
    (RejectReason::SupplyAboveMax, "the amount is above what the venue can hold"),
    (RejectReason::UnknownKey, "no valid key has this number"),
    (
        RejectReason::OperatorKeyByKey,
        "a key cannot make an operator's key: use `buttonwood admin key add` on the venue's machine",
    ),
    (RejectReason::UnknownLogin, "no valid login has this user name"),
    (RejectReason::UserInUse, "another login has this user name"),
    (RejectReason::TooManyLogins, "the venue has the most logins that it can have"),
    (
        RejectReason::OperatorLoginByKey,
        "a key cannot make or change an operator's login: use `buttonwood admin login` on the \
         venue's machine",
    ),
    (
        RejectReason::KeysChanged,
        "a key or a login was added or revoked during the rotation; nothing was changed: try again",
    ),
    (
        RejectReason::TickTimesLotNotWhole,
        "one tick times one lot is not a whole number of the quote asset's smallest unit",
    ),
    (RejectReason::LotNotWhole, "one lot is not a whole number of the base asset's smallest unit"),
    (
        RejectReason::InstrumentBoundsInvalid,
        "a bound on price, quantity or notional is out of range",
    ),
    (
        RejectReason::InstrumentAmountsTooLarge,
        "the largest quantity at the largest price is more than the venue can hold",
    ),
    (RejectReason::FeeTooHigh, "a fee may not exceed 100 %"),
    (
        RejectReason::InstrumentRulesInvalid,
        "a smallest value is above its largest, or the average is over more than a day",
    ),
    (
        RejectReason::FeeScheduleInvalid,
        "the first tier begins at a volume of 0, the others ascend, and no rate exceeds 100 %",
    ),
    (
        RejectReason::CircuitBreakerInvalid,
        "levels are from 1 to 10000 basis points, in ascending order",
    ),
    (RejectReason::OrderNotFound, "the order is not open: it has just ended"),
    (RejectReason::ReceivableNotFound, "no receivable has this number"),
    (RejectReason::NothingToSettle, "the debtor has no free balance of the asset"),
    (RejectReason::BaseIsQuote, "base and quote must be different assets"),
    (RejectReason::PhaseForbids, "the instrument is in this phase already"),
    (RejectReason::InstrumentDelisted, "the instrument is delisted"),
    (RejectReason::VenueHalted, "the venue is halted"),
    (RejectReason::VenueNotHalted, "the venue is not halted"),
    (RejectReason::HaltLevelInvalid, "a halt's level is from 1 to 3"),
    (RejectReason::OwnsNoBalances, "an account of this mode has no balances"),
    (
        RejectReason::AccountNotFlat,
        "the mode changes only while an account has no open orders, position, balances or receivables",
    ),
    (
        RejectReason::TradeNotFound,
        "there is no such trade between the two accounts, or the engine no longer keeps it",
    ),
    (RejectReason::TradeBustedAlready, "the trade was busted before"),
    (RejectReason::PriceBelowMin, "the price is below the instrument's smallest"),
    (RejectReason::PriceAboveMax, "the price is above the instrument's largest"),
    (RejectReason::DecimalsAboveMax, "an asset has at most 18 decimals"),
];

//! Events of operators' commands: money, listings, accounts, keys, and trading of instruments.

use std::ops::Range;

use crate::account::{AccountSpec, KeySpec, Role};
use crate::asset::Asset;
use crate::command::SetKillSwitch;
use crate::id::{AccountId, AssetId, InstrumentId, KeyId, LoginId, TradeId};
use crate::instrument::Instrument;
use crate::login::LoginSpec;
use crate::number::{Amount, Price};
use crate::phase::{Calendar, InstrumentRules, Phase, PhaseCause};
use crate::risk::{AccountLimits, AccountRisk, FeeSchedule, Receivable};
use crate::text::{ExternalRef, UserName};
use crate::wire::record;

record! {
    pub struct Deposited {
        pub account_seq: u64,
        pub account: AccountId,
        pub asset: AssetId,
        pub amount: Amount,
        pub external_ref: ExternalRef,
        pub free: Amount,
    }
}

record! {
    pub struct Withdrawn {
        pub account_seq: u64,
        pub account: AccountId,
        pub asset: AssetId,
        pub amount: Amount,
        pub external_ref: ExternalRef,
        pub free: Amount,
    }
}

record! {
    /// The amount is reserved; it still belongs to the account.
    pub struct WithdrawalRequested {
        pub account_seq: u64,
        pub account: AccountId,
        pub asset: AssetId,
        pub amount: Amount,
        pub external_ref: ExternalRef,
        pub free: Amount,
    }
}

record! {
    /// An operator agreed to the withdrawal. It concerns operators only, so it has no number among
    /// the events of the account.
    pub struct WithdrawalApproved {
        pub account: AccountId,
        pub external_ref: ExternalRef,
        /// Key of the operator; zero through the admin socket.
        pub approved_by: KeyId,
    }
}

record! {
    pub struct WithdrawalApprovalsSet {
        pub approvals: u8,
    }
}

record! {
    /// The reserved amount has left the account.
    pub struct WithdrawalCompleted {
        pub account_seq: u64,
        pub account: AccountId,
        pub asset: AssetId,
        pub amount: Amount,
        pub external_ref: ExternalRef,
        pub free: Amount,
    }
}

record! {
    /// The reserved amount is free again.
    pub struct WithdrawalCanceled {
        pub account_seq: u64,
        pub account: AccountId,
        pub asset: AssetId,
        pub amount: Amount,
        pub external_ref: ExternalRef,
        pub free: Amount,
    }
}

record! {
    /// The amounts that a side of a busted or corrected trade got back, or paid (negative). An
    /// amount that a side could not pay is a receivable instead.
    pub struct Adjustment {
        pub account: AccountId,
        /// The event's first number among those of the account; see [`Adjustment::numbers`].
        pub account_seq: u64,
        pub base: Amount,
        pub quote: Amount,
    }
}

impl Adjustment {
    /// The event's numbers among those of the account: one for the event, then one for each asset
    /// of which an amount moved, base first.
    pub fn numbers(&self) -> Range<u64> {
        self.account_seq..self.account_seq.saturating_add(1 + self.amounts().count() as u64)
    }

    /// The amount that has a number of its own, and whether it is of the base asset.
    pub fn amount(&self, number: u64) -> Option<(bool, Amount)> {
        let at = number.checked_sub(self.account_seq)?.checked_sub(1)?;
        self.amounts().nth(usize::try_from(at).ok()?)
    }

    fn amounts(&self) -> impl Iterator<Item = (bool, Amount)> {
        [(true, self.base), (false, self.quote)].into_iter().filter(|(_, amount)| !amount.is_zero())
    }
}

record! {
    pub struct TradeBusted {
        pub instrument_seq: u64,
        pub instrument: InstrumentId,
        pub trade_id: TradeId,
        pub buyer: Adjustment,
        pub seller: Adjustment,
    }
}

record! {
    pub struct TradeCorrected {
        pub instrument_seq: u64,
        pub instrument: InstrumentId,
        pub trade_id: TradeId,
        pub orig_price: Price,
        pub price: Price,
        /// The trade's quantity at the new price.
        pub quote: Amount,
        pub buyer: Adjustment,
        pub seller: Adjustment,
    }
}

record! {
    pub struct ReceivableCreated {
        pub receivable: Receivable,
    }
}

record! {
    pub struct ReceivableSettled {
        /// The receivable after the payment.
        pub receivable: Receivable,
        pub paid: Amount,
        pub debtor_seq: u64,
        pub creditor_seq: u64,
    }
}

record! {
    pub struct AssetListed {
        pub id: AssetId,
        pub asset: Asset,
    }
}

record! {
    pub struct InstrumentListed {
        pub instrument_seq: u64,
        pub instrument: Instrument,
    }
}

record! {
    pub struct AccountCreated {
        pub account_seq: u64,
        pub account: AccountId,
        pub spec: AccountSpec,
    }
}

record! {
    pub struct AccountUpdated {
        pub account_seq: u64,
        pub account: AccountId,
        pub spec: AccountSpec,
    }
}

record! {
    pub struct KeyCreated {
        pub account_seq: u64,
        pub key: KeyId,
        pub spec: KeySpec,
    }
}

record! {
    pub struct KeyRevoked {
        pub account_seq: u64,
        pub key: KeyId,
        pub account: AccountId,
        pub role: Role,
    }
}

record! {
    pub struct LoginCreated {
        pub account_seq: u64,
        pub login: LoginId,
        pub spec: LoginSpec,
    }
}

record! {
    pub struct LoginUpdated {
        pub account_seq: u64,
        pub login: LoginId,
        pub spec: LoginSpec,
        /// Its keys are revoked, in the events that follow.
        pub sign_out: bool,
    }
}

record! {
    /// Its keys are revoked too, in the events that follow.
    pub struct LoginRevoked {
        pub account_seq: u64,
        pub login: LoginId,
        pub user: UserName,
        pub account: AccountId,
        pub role: Role,
    }
}

record! {
    pub struct InstrumentUpdated {
        pub instrument_seq: u64,
        pub instrument: Instrument,
    }
}

record! {
    pub struct InstrumentRulesSet {
        pub instrument_seq: u64,
        pub instrument: InstrumentId,
        pub rules: InstrumentRules,
    }
}

record! {
    pub struct PhaseChanged {
        pub instrument_seq: u64,
        pub instrument: InstrumentId,
        pub phase: Phase,
        pub cause: PhaseCause,
        /// Time at which it ends by itself; zero if it does not.
        pub until_ns: u64,
    }
}

record! {
    pub struct InstrumentDelisted {
        pub instrument_seq: u64,
        pub instrument: InstrumentId,
    }
}

record! {
    pub struct FeeScheduleSet {
        pub instrument_seq: u64,
        pub instrument: InstrumentId,
        pub schedule: Option<FeeSchedule>,
    }
}

record! {
    pub struct AccountRiskSet {
        pub account_seq: u64,
        pub account: AccountId,
        pub risk: AccountRisk,
    }
}

record! {
    pub struct AccountLimitsSet {
        pub account_seq: u64,
        pub account: AccountId,
        pub instrument: InstrumentId,
        pub limits: AccountLimits,
    }
}

record! {
    pub struct KillSwitchSet {
        pub account_seq: u64,
        pub set: SetKillSwitch,
    }
}

record! {
    pub struct VenueHalted {
        pub level: u8,
        pub resume_ns: u64,
    }
}

record! {
    pub struct CalendarSet {
        pub instrument_seq: u64,
        pub calendar: Calendar,
    }
}

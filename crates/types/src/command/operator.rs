//! Commands of operators: money, listings, accounts, keys, and the trading of instruments.

use crate::account::{AccountSpec, KeySpec, ResealedKey};
use crate::asset::Asset;
use crate::describe::{Describe, Described};
use crate::id::{AccountId, AssetId, InstrumentId, KeyId, LoginId, ReceivableId, TradeId};
use crate::instrument::InstrumentSpec;
use crate::login::{LoginSpec, ResealedLogin, Ways};
use crate::number::{Amount, Price};
use crate::phase::{InstrumentRules, Phase};
use crate::risk::{AccountLimits, AccountRisk, FeeSchedule};
use crate::text::{ExternalRef, Sealed};
use crate::wire::{Reader, Wire, record};

record! {
    pub struct Deposit {
        pub account: AccountId,
        pub asset: AssetId,
        pub amount: Amount,
        pub external_ref: ExternalRef,
    }
}

record! {
    pub struct Withdraw {
        pub account: AccountId,
        pub asset: AssetId,
        pub amount: Amount,
        pub external_ref: ExternalRef,
    }
}

record! {
    /// Undoes a trade that both accounts still keep: each side returns its proceeds, fees included.
    /// The part that a side no longer has becomes a receivable of the other side.
    pub struct BustTrade {
        pub instrument: InstrumentId,
        pub trade_id: TradeId,
        pub buyer: AccountId,
        pub seller: AccountId,
    }
}

record! {
    /// Gives a trade another price: the difference moves between the two accounts, and fees stay.
    pub struct CorrectTrade {
        pub instrument: InstrumentId,
        pub trade_id: TradeId,
        pub buyer: AccountId,
        pub seller: AccountId,
        pub price: Price,
    }
}

record! {
    /// Pays a receivable out of the debtor's free balance, as far as it suffices.
    pub struct SettleReceivable {
        pub receivable: ReceivableId,
    }
}

record! {
    /// Reserves an amount until the withdrawal is confirmed or canceled.
    pub struct RequestWithdrawal {
        pub account: AccountId,
        pub asset: AssetId,
        pub amount: Amount,
        pub external_ref: ExternalRef,
    }
}

record! {
    /// The operator that sends it agrees to the withdrawal.
    pub struct ApproveWithdrawal {
        pub account: AccountId,
        pub external_ref: ExternalRef,
    }
}

record! {
    /// The reserved amount leaves the account.
    pub struct ConfirmWithdrawal {
        pub account: AccountId,
        pub external_ref: ExternalRef,
    }
}

record! {
    /// The reserved amount is free again.
    pub struct CancelWithdrawal {
        pub account: AccountId,
        pub external_ref: ExternalRef,
    }
}

record! {
    pub struct ListAsset {
        pub asset: Asset,
    }
}

record! {
    pub struct ListInstrument {
        pub spec: InstrumentSpec,
    }
}

record! {
    pub struct CreateAccount {
        pub spec: AccountSpec,
    }
}

record! {
    /// Gives an account new terms. Its name stays.
    pub struct UpdateAccount {
        pub account: AccountId,
        pub spec: AccountSpec,
    }
}

record! {
    pub struct CreateKey {
        pub spec: KeySpec,
    }
}

record! {
    pub struct RevokeKey {
        pub key: KeyId,
    }
}

record! {
    pub struct CreateLogin {
        pub spec: LoginSpec,
    }
}

record! {
    /// Gives a login another password, other one-time codes or other ways. Its user name, account
    /// and role stay.
    pub struct UpdateLogin {
        pub login: LoginId,
        pub ways: Ways,
        pub sealed_secret: Sealed,
        /// Also revokes its keys: the person signs in again everywhere.
        pub sign_out: bool,
    }
}

record! {
    /// Also revokes the keys of the login.
    pub struct RevokeLogin {
        pub login: LoginId,
    }
}

/// From here on another master key opens the secrets of all keys and logins.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct RotateMasterKey {
    /// Fingerprint of the new master key.
    pub fingerprint: [u8; 16],
    /// All valid keys, in order of number: all of them or none.
    pub keys: Vec<ResealedKey>,
    /// All valid logins, as the keys.
    pub logins: Vec<ResealedLogin>,
}

/// The flag in the count of keys of a [`RotateMasterKey`].
const LOGINS_FOLLOW: u32 = 1 << 31;

impl Describe for RotateMasterKey {
    fn describe(&self) -> Described {
        Described::Record(vec![
            ("fingerprint", self.fingerprint.describe()),
            ("keys", self.keys.describe()),
            ("logins", self.logins.describe()),
        ])
    }
}

impl Wire for RotateMasterKey {
    fn write(&self, out: &mut Vec<u8>) {
        self.fingerprint.write(out);
        let count = u32::try_from(self.keys.len()).expect("there are fewer keys than 2^31");
        let follow = if self.logins.is_empty() { 0 } else { LOGINS_FOLLOW };
        (count | follow).write(out);
        self.keys.iter().for_each(|key| key.write(out));
        if follow != 0 {
            self.logins.write(out);
        }
    }

    fn read(r: &mut Reader<'_>) -> Option<Self> {
        let (fingerprint, count): ([u8; 16], u32) = r.read()?;
        let keys = (0..count & !LOGINS_FOLLOW).map(|_| r.read()).collect::<Option<_>>()?;
        let logins = match count & LOGINS_FOLLOW {
            0 => Vec::new(),
            _ => r.read().filter(|logins: &Vec<_>| !logins.is_empty())?,
        };
        Some(Self { fingerprint, keys, logins })
    }
}

record! {
    /// Gives an instrument other bounds and fees. Its assets, tick and lot stay.
    pub struct UpdateInstrument {
        pub instrument: InstrumentId,
        pub spec: InstrumentSpec,
    }
}

record! {
    pub struct SetInstrumentRules {
        pub instrument: InstrumentId,
        pub rules: InstrumentRules,
    }
}

record! {
    pub struct SetPhase {
        pub instrument: InstrumentId,
        pub phase: Phase,
    }
}

record! {
    /// Closes an instrument for good: cancels all its open orders and accepts no more.
    pub struct DelistInstrument {
        pub instrument: InstrumentId,
    }
}

record! {
    /// `None` restores the fees of the instrument's spec.
    pub struct SetFeeSchedule {
        pub instrument: InstrumentId,
        pub schedule: Option<FeeSchedule>,
    }
}

record! {
    /// The mode changes only while the account has no open orders.
    pub struct SetAccountRisk {
        pub account: AccountId,
        pub risk: AccountRisk,
    }
}

record! {
    pub struct SetAccountLimits {
        pub account: AccountId,
        pub instrument: InstrumentId,
        pub limits: AccountLimits,
    }
}

record! {
    /// On: cancels all open orders of an account and accepts no more of it.
    pub struct SetKillSwitch {
        pub account: AccountId,
        pub on: bool,
    }
}

record! {
    /// How many operators other than the requester must approve a withdrawal.
    pub struct SetWithdrawalApprovals {
        pub approvals: u8,
    }
}

record! {
    /// Nothing trades and no order is accepted, in any instrument.
    pub struct HaltVenue {
        /// From 1. Clients see it; the engine does not use it.
        pub level: u8,
        /// Time at which trading resumes by itself; zero means that a command ends the halt.
        pub resume_ns: u64,
    }
}

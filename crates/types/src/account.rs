//! Accounts, their balances, and the keys that act for them.

use crate::describe::{Describe, Described};
use crate::id::{AccountId, AssetId, InstrumentId, KeyId, LoginId, OrderId, TradeId};
use crate::instrument::FeeRates;
use crate::number::{Amount, Price, Qty};
use crate::order::Side;
use crate::text::{AccountName, ExternalRef, Sealed};
use crate::wire::{Reader, Wire, numbered, record};

record! {
    /// An account as an operator specifies it.
    pub struct AccountSpec {
        pub name: AccountName,
        /// Replaces the fees of the instruments.
        pub fees: Option<FeeRates>,
        /// Open orders over all instruments.
        pub max_open_orders: u32,
        /// Limit of the finished orders that the engine keeps; it drops the oldest first.
        pub finished_orders_kept: u32,
        /// Limit of the trades that the engine keeps and can bust; it drops the oldest first.
        pub trades_kept: u32,
    }
}

record! {
    /// What an account owns of one asset. Open orders and withdrawals hold the locked part.
    #[derive(Default)]
    #[repr(align(32))] // Half a cache line, never parts of two.
    pub struct Balance {
        pub free: Amount,
        pub locked: Amount,
    }
}

impl Balance {
    pub fn total(&self) -> Amount {
        self.free + self.locked
    }
}

/// Limit of the approvals of a withdrawal.
pub const WITHDRAWAL_APPROVALS_MAX: usize = 5;

record! {
    /// Money that leaves an account once the withdrawal is confirmed.
    pub struct Withdrawal {
        pub account: AccountId,
        pub asset: AssetId,
        pub amount: Amount,
        pub external_ref: ExternalRef,
        pub status: WithdrawalStatus,
        /// Sequence of the command that requested it.
        pub sequence: u64,
        /// Key of the operator that requested it; zero through the admin socket.
        pub requested_by: KeyId,
        /// Keys of the other operators that approved it, in order.
        pub approved_by: [Option<KeyId>; WITHDRAWAL_APPROVALS_MAX],
        pub requested_ns: u64,
        /// Time of the confirmation or cancel; zero while the withdrawal is open.
        pub ended_ns: u64,
    }
}

impl Withdrawal {
    pub fn is_open(&self) -> bool {
        self.status == WithdrawalStatus::Requested
    }
}

numbered! {
    pub enum WithdrawalStatus: u8 {
        /// Open: the amount is reserved.
        Requested = 0,
        Completed = 1,
        Canceled = 2,
    }
}

record! {
    /// One side of a trade, from the view of the account on that side.
    pub struct AccountTrade {
        pub instrument: InstrumentId,
        pub trade_id: TradeId,
        pub order_id: OrderId,
        pub side: Side,
        pub is_maker: bool,
        pub price: Price,
        pub qty: Qty,
        pub quote: Amount,
        pub fee: Amount,
        pub fee_asset: AssetId,
        pub traded_ns: u64,
        pub revision: TradeRevision,
    }
}

record! {
    /// An operator's changes to a trade after its execution.
    #[derive(Default)]
    pub struct TradeRevision {
        /// Time of the bust; zero if the trade stands.
        pub busted_ns: u64,
        /// Time of the last correction; zero if there was none.
        pub corrected_ns: u64,
        /// The price before the first correction.
        pub orig_price: Option<Price>,
    }
}

impl TradeRevision {
    /// A correction of a trade that had this price.
    pub fn correct(&mut self, price: Price, corrected_ns: u64) {
        self.corrected_ns = corrected_ns;
        self.orig_price.get_or_insert(price);
    }

    /// Whether its parts agree.
    pub fn is_sound(&self) -> bool {
        self.orig_price.is_some() == (self.corrected_ns > 0)
    }
}

numbered! {
    /// Permissions of a key.
    pub enum Role: u8 {
        /// Trades for its account and reads its account.
        Trader = 0,
        /// Reads its account.
        ReadOnly = 1,
        /// Reads the market data that needs no key, and no account.
        MarketData = 2,
        /// Runs the venue and has no account to trade for.
        Operator = 3,
    }
}

/// A key as the log stores it: a hash of the API key, and sealed by the master key the way it
/// signs, its allowed addresses and its expiry.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct KeySpec {
    pub account: AccountId,
    pub role: Role,
    /// The login whose browser made it; `None` for a key that an operator made.
    pub login: Option<LoginId>,
    pub api_key_hash: [u8; 16],
    pub sealed_secret: Sealed,
}

/// The flag in the byte of a key's role.
const LOGIN_FOLLOWS: u8 = 0x80;

impl Wire for KeySpec {
    fn write(&self, out: &mut Vec<u8>) {
        self.account.write(out);
        match self.login {
            Some(login) => (self.role.number() | LOGIN_FOLLOWS, login).write(out),
            None => self.role.write(out),
        }
        self.api_key_hash.write(out);
        self.sealed_secret.write(out);
    }

    fn read(r: &mut Reader<'_>) -> Option<Self> {
        let (account, role): (_, u8) = r.read()?;
        let login = if role & LOGIN_FOLLOWS == 0 { None } else { Some(r.read()?) };
        let role = Role::from_number(role & !LOGIN_FOLLOWS)?;
        Some(Self { account, role, login, api_key_hash: r.read()?, sealed_secret: r.read()? })
    }
}

impl Describe for KeySpec {
    fn describe(&self) -> Described {
        Described::Record(vec![
            ("account", self.account.describe()),
            ("role", self.role.describe()),
            ("login", self.login.describe()),
            ("api_key_hash", self.api_key_hash.describe()),
            ("sealed_secret", self.sealed_secret.describe()),
        ])
    }
}

record! {
    /// A key's secret after it was sealed by a new master key.
    pub struct ResealedKey {
        pub key: KeyId,
        pub sealed_secret: Sealed,
    }
}

record! {
    /// The master key that seals the venue's secrets, since the last rotation.
    pub struct MasterKeyInUse {
        /// Distinguishes it from other master keys and reveals nothing about it.
        pub fingerprint: [u8; 16],
        pub since_ns: u64,
    }
}

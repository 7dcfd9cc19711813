//! Accounts, what they own, and the keys that act for them.

use crate::id::{AccountId, AssetId, InstrumentId, KeyId, OrderId, TradeId};
use crate::instrument::FeeRates;
use crate::number::{Amount, Price, Qty};
use crate::order::Side;
use crate::text::{AccountName, ExternalRef, Sealed};
use crate::wire::{numbered, record};

record! {
    /// An account as an operator describes it.
    pub struct AccountSpec {
        pub name: AccountName,
        /// Instead of the instruments' fees.
        pub fees: Option<FeeRates>,
        /// Open orders over all instruments.
        pub max_open_orders: u32,
        /// Finished orders that the engine keeps; the oldest go first.
        pub finished_orders_kept: u32,
        /// Trades that the engine keeps, and that can be busted; the oldest go first.
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

record! {
    /// Money that is to leave an account once that is confirmed.
    pub struct Withdrawal {
        pub account: AccountId,
        pub asset: AssetId,
        pub amount: Amount,
        pub external_ref: ExternalRef,
        pub status: WithdrawalStatus,
        /// Of the command that asked for it.
        pub sequence: u64,
        pub requested_ns: u64,
        /// When it was confirmed or canceled; zero while it is open.
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
        /// Open: the amount is set aside.
        Requested = 0,
        Completed = 1,
        Canceled = 2,
    }
}

record! {
    /// One side of a trade, as the account that made it sees it.
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
    }
}

numbered! {
    /// What a key may do.
    pub enum Role: u8 {
        /// Trades for its account, and sees what the account has.
        Trader = 0,
        /// Sees what its account has.
        ReadOnly = 1,
        /// Sees the market, which takes no key, and no account.
        MarketData = 2,
        /// Runs the venue, and trades for nobody.
        Operator = 3,
    }
}

record! {
    /// A key as it lies in the log: of the API key a hash; how it signs, from where and until when
    /// as the master key sealed it.
    pub struct KeySpec {
        pub account: AccountId,
        pub role: Role,
        pub api_key_hash: [u8; 16],
        pub sealed_secret: Sealed,
    }
}

record! {
    /// What a new master key made of a key's secret.
    pub struct ResealedKey {
        pub key: KeyId,
        pub sealed_secret: Sealed,
    }
}

record! {
    /// The master key that the venue's secrets are sealed by, since the last rotation.
    pub struct MasterKeyInUse {
        /// Tells it from others, and nothing about it.
        pub fingerprint: [u8; 16],
        pub since_ns: u64,
    }
}

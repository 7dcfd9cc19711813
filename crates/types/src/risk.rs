//! Limits, account modes, fee schedules and receivables.

use crate::id::{AccountId, AssetId, InstrumentId, ReceivableId, TradeId};
use crate::number::{Amount, Qty};
use crate::wire::{numbered, record};

numbered! {
    pub enum AccountMode: u8 {
        /// Owns balances; open orders hold their largest cost.
        Cash = 0,
        /// A member firm that settles elsewhere: positions and limits, no balances.
        Limits = 1,
        /// A trusted feed: nothing is held and nothing is counted.
        None = 2,
    }
}

record! {
    /// Risk settings of an account. Zero means that there is no such limit.
    pub struct AccountRisk {
        pub mode: AccountMode,
        /// Accounts of one group do not trade with each other; zero is no group.
        pub stp_group: u32,
        pub max_orders_per_10s: u32,
        pub max_orders_per_day: u32,
    }
}

impl AccountRisk {
    pub const PLAIN: Self = Self {
        mode: AccountMode::Cash,
        stp_group: 0,
        max_orders_per_10s: 0,
        max_orders_per_day: 0,
    };
}

record! {
    /// Limits of an account in one instrument. Zero means that there is no such limit.
    #[derive(Default)]
    pub struct AccountLimits {
        pub max_order_qty: Qty,
        pub max_order_notional: Amount,
        pub max_open_orders: u32,
        pub max_open_notional: Amount,
        /// Long or short, open orders on that side counted as filled.
        pub max_position: Qty,
        /// Largest distance of a limit price through the last price, in basis points of it.
        pub collar_bps: u32,
    }
}

numbered! {
    pub enum FeeAsset: u8 {
        /// The asset that each side receives.
        Received = 0,
        /// The quote asset from both sides; a buy holds its fee as well.
        Quote = 1,
    }
}

/// Tiers in one schedule.
pub const FEE_TIERS_MAX: usize = 8;

record! {
    /// Rates from a volume upwards. A negative rate is a rebate.
    pub struct FeeTier {
        /// In the quote asset, over the last 30 days, in this instrument.
        pub volume_min: Amount,
        pub maker_fee_bps_x100: i32,
        pub taker_fee_bps_x100: i32,
    }
}

record! {
    /// An instrument's fees by volume. The first tier begins at zero, the others ascend.
    pub struct FeeSchedule {
        pub fee_asset: FeeAsset,
        pub tiers: [Option<FeeTier>; FEE_TIERS_MAX],
    }
}

numbered! {
    pub enum ReceivableCause: u8 {
        TradeBusted = 0,
        TradeCorrected = 1,
    }
}

record! {
    /// The debt of one account to another, because a trade was undone after its proceeds were
    /// spent.
    pub struct Receivable {
        pub receivable: ReceivableId,
        pub debtor: AccountId,
        pub creditor: AccountId,
        pub asset: AssetId,
        /// The remaining debt.
        pub amount: Amount,
        pub instrument: InstrumentId,
        pub trade_id: TradeId,
        pub cause: ReceivableCause,
    }
}

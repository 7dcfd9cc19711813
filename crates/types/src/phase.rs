//! When an instrument trades, and how: phases, calendars, price bands, market-wide halts, and the
//! rules beyond an instrument's bounds that can change while it is listed.

use crate::id::InstrumentId;
use crate::number::Qty;
use crate::wire::{numbered, record};

numbered! {
    pub enum Phase: u8 {
        /// Orders trade as they come. An instrument begins here when it is listed.
        Continuous = 0,
        /// Orders gather; nothing trades and nothing is published yet.
        PreOpen = 1,
        /// Orders gather for one price, which is published as it forms.
        OpeningAuction = 2,
        VolatilityAuction = 3,
        ClosingAuction = 4,
        /// Orders can be canceled, and that is all.
        Halt = 5,
        /// As in a halt; orders for the day have expired.
        Closed = 6,
    }
}

impl Phase {
    /// Whether orders gather for one price.
    pub const fn is_auction(self) -> bool {
        matches!(self, Self::OpeningAuction | Self::VolatilityAuction | Self::ClosingAuction)
    }

    /// Whether new orders are taken on.
    pub const fn takes_orders(self) -> bool {
        !matches!(self, Self::Halt | Self::Closed)
    }
}

numbered! {
    pub enum PhaseCause: u8 {
        /// An operator said so, or the calendar.
        Commanded = 0,
        /// A trade would have been outside the price bands.
        BandBreached = 1,
        /// The time set for a halt or volatility auction is over.
        Resumed = 2,
    }
}

numbered! {
    /// What a trade outside the price bands leads to, instead of the trade.
    #[derive(Default)]
    pub enum BandBreach: u8 {
        #[default]
        VolatilityAuction = 0,
        Halt = 1,
    }
}

record! {
    /// How far trades may be from a reference, in basis points of it; zero is no band.
    #[derive(Default)]
    pub struct PriceBands {
        /// Around the price of the last auction, or else the first trade since the opening.
        pub static_bps: u32,
        /// Around the last trade.
        pub dynamic_bps: u32,
        pub breach: BandBreach,
        /// How long what a breach leads to lasts; zero means until a command ends it.
        pub breach_ns: u64,
    }
}

record! {
    /// How far a limit price may be from the average price, in basis points of it (10,000 is the
    /// average itself); zero is no bound. Binance's PERCENT_PRICE_BY_SIDE.
    #[derive(Default)]
    pub struct PercentPrice {
        pub buy_max_bps: u32,
        pub buy_min_bps: u32,
        pub sell_max_bps: u32,
        pub sell_min_bps: u32,
    }
}

record! {
    /// An instrument's rules beyond its bounds. Zero means that there is no such rule.
    #[derive(Default)]
    pub struct InstrumentRules {
        /// The window of the average price; without one the average is the last price.
        pub avg_price_mins: u32,
        pub percent_price: PercentPrice,
        /// Market orders are held to the notional bounds at the average price, not at the best.
        pub notional_by_avg_price: bool,
        pub market_min_qty: Qty,
        /// How many times its display quantity an iceberg may be, rounded up.
        pub iceberg_parts_max: u32,
        /// Open orders that wait for a trigger, per account.
        pub max_stop_orders: u32,
        pub max_iceberg_orders: u32,
        pub max_order_lists: u32,
        /// How often one order may be amended.
        pub max_amends: u32,
        pub trailing_delta_min_bps: u32,
        pub trailing_delta_max_bps: u32,
        /// The most of the base asset that an account may own and be buying.
        pub max_position: Qty,
        pub bands: PriceBands,
    }
}

/// Phase changes in one calendar.
pub const SESSIONS_MAX: usize = 16;

record! {
    /// A phase that begins at a time of the day, on days of the week.
    pub struct Session {
        /// Bit 0 is Monday.
        pub weekdays: u8,
        /// Seconds after midnight UTC.
        pub begins_s: u32,
        pub phase: Phase,
    }
}

record! {
    /// When an instrument changes its phase by itself. Empty means never.
    pub struct Calendar {
        pub instrument: InstrumentId,
        pub sessions: [Option<Session>; SESSIONS_MAX],
    }
}

/// Levels of a market-wide halt.
pub const HALT_LEVELS: usize = 3;

record! {
    /// Halts the venue when an index falls. Each level halts once between two openings.
    pub struct CircuitBreaker {
        /// The instrument whose last price is the index.
        pub index: InstrumentId,
        pub levels: [Option<HaltLevel>; HALT_LEVELS],
    }
}

record! {
    pub struct HaltLevel {
        /// How far the index has fallen from its price at the opening, in basis points.
        pub decline_bps: u32,
        /// How long the halt lasts; zero means until a command ends it.
        pub halt_ns: u64,
    }
}

//! Phases of an instrument, calendars, price bands, market-wide halts, and the rules of a listed
//! instrument that can change.

use crate::id::InstrumentId;
use crate::number::Qty;
use crate::wire::{numbered, record};

numbered! {
    pub enum Phase: u8 {
        /// Orders trade as they arrive. A new instrument begins in this phase.
        Continuous = 0,
        /// The book collects orders; nothing trades and no price is published yet.
        PreOpen = 1,
        /// The book collects orders for one price, which is published as it forms.
        OpeningAuction = 2,
        VolatilityAuction = 3,
        ClosingAuction = 4,
        /// The book only accepts cancels.
        Halt = 5,
        /// Like a halt, and orders for the day have expired.
        Closed = 6,
    }
}

impl Phase {
    /// Whether the book collects orders for one price.
    pub const fn is_auction(self) -> bool {
        matches!(self, Self::OpeningAuction | Self::VolatilityAuction | Self::ClosingAuction)
    }

    /// Whether new orders are accepted.
    pub const fn takes_orders(self) -> bool {
        !matches!(self, Self::Halt | Self::Closed)
    }
}

numbered! {
    pub enum PhaseCause: u8 {
        /// An operator's command, or the calendar.
        Commanded = 0,
        /// A trade would be outside the price bands.
        BandBreached = 1,
        /// The time of a halt or volatility auction is over.
        Resumed = 2,
    }
}

numbered! {
    /// The consequence of a trade outside the price bands, instead of the trade.
    #[derive(Default)]
    pub enum BandBreach: u8 {
        #[default]
        VolatilityAuction = 0,
        Halt = 1,
    }
}

record! {
    /// The largest distance of a trade from a reference, in basis points of it; zero is no band.
    #[derive(Default)]
    pub struct PriceBands {
        /// Around the price of the last auction, or else the first trade since the opening.
        pub static_bps: u32,
        /// Around the last trade.
        pub dynamic_bps: u32,
        pub breach: BandBreach,
        /// Duration of the consequence of a breach; zero means until a command ends it.
        pub breach_ns: u64,
    }
}

record! {
    /// The largest distance of a limit price from the average price, in basis points of it (10,000
    /// is the average itself); zero is no bound. Binance's PERCENT_PRICE_BY_SIDE.
    #[derive(Default)]
    pub struct PercentPrice {
        pub buy_max_bps: u32,
        pub buy_min_bps: u32,
        pub sell_max_bps: u32,
        pub sell_min_bps: u32,
    }
}

record! {
    /// An instrument's rules beyond its bounds. Zero switches a rule off.
    #[derive(Default)]
    pub struct InstrumentRules {
        /// The window of the average price; without one the average is the last price.
        pub avg_price_mins: u32,
        pub percent_price: PercentPrice,
        /// Market orders meet the notional bounds at the average price instead of the best price.
        pub notional_by_avg_price: bool,
        pub market_min_qty: Qty,
        /// Largest ratio of an iceberg's quantity to its display quantity, rounded up.
        pub iceberg_parts_max: u32,
        /// Open orders that wait for a trigger, per account.
        pub max_stop_orders: u32,
        pub max_iceberg_orders: u32,
        pub max_order_lists: u32,
        /// Limit of the amends of one order.
        pub max_amends: u32,
        pub trailing_delta_min_bps: u32,
        pub trailing_delta_max_bps: u32,
        /// Limit of the base asset that an account has and is buying.
        pub max_position: Qty,
        pub bands: PriceBands,
    }
}

/// Limit of the phase changes in one calendar.
pub const SESSIONS_MAX: usize = 16;

record! {
    /// A phase that begins at a time of day, on days of the week.
    pub struct Session {
        /// Bit 0 is Monday.
        pub weekdays: u8,
        /// Seconds after midnight UTC.
        pub begins_s: u32,
        pub phase: Phase,
    }
}

record! {
    /// The times at which an instrument changes its phase by itself. Empty means never.
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
        /// Decline of the index from its price at the opening, in basis points.
        pub decline_bps: u32,
        /// Duration of the halt; zero means until a command ends it.
        pub halt_ns: u64,
    }
}

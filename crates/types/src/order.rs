//! Orders: the request and its current state.

use std::hint::select_unpredictable;

use crate::describe::{Describe, Described};
use crate::id::{AccountId, InstrumentId, OrderId};
use crate::number::{Amount, Price, Qty};
use crate::terms::OrderTerms;
use crate::text::ClOrdId;
use crate::wire::{Reader, Wire, numbered, record_with_terms};

numbered! {
    #[derive(Default)]
    pub enum Side: u8 {
        #[default]
        Buy = 0,
        Sell = 1,
    }
}

impl Side {
    pub const fn opposite(self) -> Self {
        match self {
            Self::Buy => Self::Sell,
            Self::Sell => Self::Buy,
        }
    }

    /// Whether an aggressor on this side limited at `limit` may trade at `resting`.
    #[inline]
    pub fn crosses(self, limit: Price, resting: Price) -> bool {
        // Not a branch, because the processor would mispredict the side half of the time.
        select_unpredictable(self == Self::Buy, limit >= resting, limit <= resting)
    }
}

numbered! {
    pub enum OrderType: u8 {
        Limit = 0,
        Market = 1,
        /// Post-only: refused if it would trade at once.
        LimitMaker = 2,
        /// A market order once the price has moved to `stop_price` against its owner.
        StopLoss = 3,
        StopLossLimit = 4,
        /// A market order once the price has moved to `stop_price` in favour of its owner.
        TakeProfit = 5,
        TakeProfitLimit = 6,
        /// Trades at the best price only; the remainder rests as a limit order at that price.
        MarketToLimit = 7,
    }
}

impl OrderType {
    /// Whether it waits for a trigger price until it takes part.
    pub const fn is_stop(self) -> bool {
        use OrderType::{StopLoss, StopLossLimit, TakeProfit, TakeProfitLimit};
        matches!(self, StopLoss | StopLossLimit | TakeProfit | TakeProfitLimit)
    }

    /// Whether it trades at any price, once it takes part.
    pub const fn is_market(self) -> bool {
        matches!(self, Self::Market | Self::StopLoss | Self::TakeProfit)
    }
}

numbered! {
    pub enum TimeInForce: u8 {
        Gtc = 0,
        Ioc = 1,
        Fok = 2,
        /// Until the instrument closes.
        Day = 3,
        /// Until `expire_ns` of its terms.
        Gtd = 4,
        /// In the opening auction only.
        AtOpen = 5,
        /// In the closing auction only.
        AtClose = 6,
    }
}

impl TimeInForce {
    /// Whether an order may rest on the book after it has tried to trade.
    pub const fn may_rest(self) -> bool {
        !matches!(self, Self::Ioc | Self::Fok)
    }
}

numbered! {
    /// Treatment of an order that would trade with one of its own account or group. The mode of the
    /// aggressor decides.
    pub enum StpMode: u8 {
        None = 0,
        ExpireTaker = 1,
        ExpireMaker = 2,
        ExpireBoth = 3,
        Decrement = 4,
    }
}

numbered! {
    pub enum OrderStatus: u8 {
        New = 0,
        PartiallyFilled = 1,
        Filled = 2,
        /// Ended because its account or an operator canceled it.
        Canceled = 3,
        /// Ended by its own terms or by the market's.
        Expired = 4,
        /// Ended by self-trade prevention, which took all that was left of it.
        Prevented = 5,
    }
}

impl OrderStatus {
    pub const fn is_open(self) -> bool {
        matches!(self, Self::New | Self::PartiallyFilled)
    }
}

/// Size of an order: a quantity, or for a market order an amount of the quote asset.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum OrderSize {
    Base(Qty),
    Quote(Amount),
}

impl Describe for OrderSize {
    fn describe(&self) -> Described {
        match self {
            Self::Base(qty) => Described::Record(vec![("order_qty", qty.describe())]),
            Self::Quote(amount) => Described::Record(vec![("quote_order_qty", amount.describe())]),
        }
    }
}

impl Wire for OrderSize {
    fn write(&self, out: &mut Vec<u8>) {
        match self {
            Self::Base(qty) => (0_u8, *qty).write(out),
            Self::Quote(amount) => (1_u8, *amount).write(out),
        }
    }

    fn read(r: &mut Reader<'_>) -> Option<Self> {
        match r.read::<u8>()? {
            0 => r.read().map(Self::Base),
            1 => r.read().map(Self::Quote),
            _ => None,
        }
    }
}

record_with_terms! {
    /// An order as an execution report shows it: complete, so that its reader needs no state.
    ///
    /// `cum_qty + leaves_qty == order_qty` while it is open. An order by quote amount has
    /// `order_qty` zero until it ends, and then `order_qty == cum_qty`.
    pub struct Order {
        pub instrument: InstrumentId,
        pub account: AccountId,
        pub order_id: OrderId,
        pub cl_ord_id: ClOrdId,
        pub side: Side,
    } order_type {
        pub time_in_force: TimeInForce,
        pub stp_mode: StpMode,
        pub status: OrderStatus,
        pub strategy_id: Option<i64>,
        pub strategy_type: Option<i32>,
        /// Zero for a market order; for a pegged one, its current price.
        pub price: Price,
        pub order_qty: Qty,
        /// The amount that a market order may spend or earn; zero for other orders.
        pub quote_order_qty: Amount,
        pub cum_qty: Qty,
        pub cum_quote: Amount,
        pub created_ns: u64,
        pub updated_ns: u64,
    } terms: OrderTerms
}

impl Order {
    /// The quantity that can still trade; zero when the order is done.
    pub fn leaves_qty(&self) -> Qty {
        if self.status.is_open() && self.quote_order_qty.is_zero() {
            self.order_qty - self.cum_qty
        } else {
            Qty::ZERO
        }
    }
}

//! Events: facts, in sequence. The log of commands and this stream hold the same information.
//!
//! An event carries all fields that an execution report or a projection needs, so that its reader
//! keeps no state. `account_seq` counts the events of one account, `instrument_seq` those of one
//! instrument, each without a gap. Market data uses `instrument_seq` as its update id.

mod numbering;
mod operator;
mod session;

use crate::id::{AccountId, AssetId, InstrumentId, OrderId, TradeId};
use crate::number::{Amount, Price, Qty};
use crate::order::{Order, Side, StpMode};
use crate::phase::CircuitBreaker;
use crate::reject::RejectReason;
use crate::terms::{OrderList, OrderListChange};
use crate::text::ClOrdId;
use crate::wire::{choice, numbered, record};

pub use operator::{
    AccountCreated, AccountLimitsSet, AccountRiskSet, AccountUpdated, Adjustment, AssetListed,
    CalendarSet, Deposited, FeeScheduleSet, InstrumentDelisted, InstrumentListed,
    InstrumentRulesSet, InstrumentUpdated, KeyCreated, KeyRevoked, KillSwitchSet, LoginCreated,
    LoginRevoked, LoginUpdated, PhaseChanged, ReceivableCreated, ReceivableSettled, TradeBusted,
    TradeCorrected, VenueHalted, WithdrawalApprovalsSet, WithdrawalApproved, WithdrawalCanceled,
    WithdrawalCompleted, WithdrawalRequested, Withdrawn,
};
pub use session::{
    FillRevised, Numbering, NumberingDayBegun, NumbersAnswered, OrderRefreshed, SessionClosed,
    SessionOpened,
};

choice! {
    #[derive(Copy)]
    pub enum Event {
        1 => OrderAccepted(OrderAccepted),
        2 => OrderRested(OrderRested),
        3 => TradeExecuted(TradeExecuted),
        4 => OrderCanceled(OrderCanceled),
        5 => OrderExpired(OrderExpired),
        6 => OrderAmended(OrderAmended),
        7 => OrderTriggered(OrderTriggered),
        8 => OrderModified(OrderModified),
        9 => BookReduced(BookReduced),
        10 => TradePrevented(TradePrevented),
        11 => OrderListUpdated(OrderListUpdated),
        12 => OrderRepriced(OrderRepriced),
        13 => OrderDecremented(OrderDecremented),
        14 => OrderRefreshed(OrderRefreshed),
        15 => FillRevised(FillRevised),
        16 => Deposited(Deposited),
        17 => Withdrawn(Withdrawn),
        18 => TradeBusted(TradeBusted),
        19 => TradeCorrected(TradeCorrected),
        20 => ReceivableCreated(ReceivableCreated),
        21 => ReceivableSettled(ReceivableSettled),
        22 => WithdrawalRequested(WithdrawalRequested),
        23 => WithdrawalCompleted(WithdrawalCompleted),
        24 => WithdrawalCanceled(WithdrawalCanceled),
        25 => WithdrawalApproved(WithdrawalApproved),
        32 => AssetListed(AssetListed),
        33 => InstrumentListed(InstrumentListed),
        34 => AccountCreated(AccountCreated),
        35 => AccountUpdated(AccountUpdated),
        36 => KeyCreated(KeyCreated),
        37 => KeyRevoked(KeyRevoked),
        38 => InstrumentUpdated(InstrumentUpdated),
        39 => InstrumentRulesSet(InstrumentRulesSet),
        40 => PhaseChanged(PhaseChanged),
        41 => InstrumentDelisted(InstrumentDelisted),
        42 => FeeScheduleSet(FeeScheduleSet),
        43 => AccountRiskSet(AccountRiskSet),
        44 => AccountLimitsSet(AccountLimitsSet),
        45 => KillSwitchSet(KillSwitchSet),
        46 => VenueHalted(VenueHalted),
        47 => VenueResumed(()),
        48 => CircuitBreakerSet(CircuitBreaker),
        49 => CalendarSet(CalendarSet),
        50 => AuctionIndicated(AuctionIndicated),
        51 => AuctionUncrossed(AuctionUncrossed),
        52 => SessionOpened(SessionOpened),
        53 => SessionClosed(SessionClosed),
        54 => MasterKeyRotated(MasterKeyRotated),
        55 => WithdrawalApprovalsSet(WithdrawalApprovalsSet),
        56 => LoginCreated(LoginCreated),
        57 => LoginUpdated(LoginUpdated),
        58 => LoginRevoked(LoginRevoked),
        59 => NumberingDayBegun(NumberingDayBegun),
        60 => NumbersAnswered(NumbersAnswered),
        64 => CommandRejected(CommandRejected),
        65 => CommandRepeated(CommandRepeated),
    }
}

// The engine makes millions of events a second, and each takes the size of the largest.
const _: () = assert!(size_of::<Event>() == 672);

record! {
    /// An order was accepted. It may trade, rest or expire in the events that follow.
    pub struct OrderAccepted {
        pub account_seq: u64,
        pub instrument_seq: u64,
        pub order: Order,
    }
}

record! {
    /// An order, or its remainder after trades, is on the book. For an iceberg this is the
    /// displayed quantity, published again each time the order shows more. A hidden order causes no
    /// such event.
    pub struct OrderRested {
        pub instrument_seq: u64,
        pub instrument: InstrumentId,
        pub order_id: OrderId,
        pub side: Side,
        pub price: Price,
        pub leaves_qty: Qty,
    }
}

record! {
    /// One match, at the maker's price. In an auction it is at the auction's price, and the older
    /// order is the maker.
    ///
    /// The event takes the maker's quantity off the book, unless the maker has special terms. For
    /// such orders only [`OrderRested`] and [`BookReduced`] change the book.
    pub struct TradeExecuted {
        pub instrument_seq: u64,
        pub instrument: InstrumentId,
        pub trade_id: TradeId,
        pub price: Price,
        pub qty: Qty,
        /// Price times quantity.
        pub quote: Amount,
        /// The aggressor's side.
        pub side: Side,
        pub maker: Fill,
        pub taker: Fill,
    }
}

record! {
    /// One side of a trade.
    pub struct Fill {
        pub account_seq: u64,
        /// The order after the trade.
        pub order: Order,
        pub fee: Amount,
        pub fee_asset: AssetId,
    }
}

record! {
    /// An order ended because its account or an operator canceled it. The event takes its quantity
    /// off the book, unless the order has special terms (see [`TradeExecuted`]).
    pub struct OrderCanceled {
        pub account_seq: u64,
        pub instrument_seq: u64,
        pub order: Order,
        /// The remaining quantity, which is now off the book.
        pub canceled_qty: Qty,
        /// The client id of the request that ended it.
        pub cl_ord_id: ClOrdId,
        pub cause: CancelCause,
    }
}

numbered! {
    pub enum CancelCause: u8 {
        Requested = 1,
        CancelAll = 2,
        Replaced = 3,
        Delisted = 4,
        KillSwitch = 5,
        Disconnected = 6,
        /// Its quantity was lowered to the filled quantity.
        Modified = 7,
        OrderList = 8,
    }
}

record! {
    /// An order ended by its own terms or by the market's. If the book showed any of it, a
    /// [`BookReduced`] precedes this event.
    pub struct OrderExpired {
        pub account_seq: u64,
        pub instrument_seq: u64,
        pub order: Order,
        pub cause: ExpireCause,
        /// With the cause `SelfTrade`: the trade that was prevented.
        pub prevented: Option<Prevented>,
    }
}

numbered! {
    pub enum ExpireCause: u8 {
        /// Immediate-or-cancel, and nothing more is available at its price.
        ImmediateOrCancel = 1,
        /// Fill-or-kill, and not all of it can fill.
        FillOrKill = 2,
        /// A market order, and the other side of the book is empty.
        NoLiquidity = 3,
        /// A market buy, and the account's free balance buys no further lot.
        BalanceExhausted = 4,
        /// A market order by quote amount that buys less than one lot.
        BelowOneLot = 5,
        /// It would trade with its own account or group. Its status is `Prevented`.
        SelfTrade = 6,
        /// Less than its minimum quantity is available at once.
        MinQty = 7,
        GoodTillDate = 8,
        Day = 9,
        /// The opening auction is over.
        AtOpen = 10,
        /// The closing auction is over.
        AtClose = 11,
        /// It would trade outside the price bands.
        PriceBand = 12,
        /// Another order of its list traded, was triggered or ended.
        OrderList = 13,
        /// It would trade or trigger at once but must not: a post-only order, or a stop that its
        /// list placed.
        WouldTakeLiquidity = 14,
        /// It was no longer allowed when its trigger was reached or its list placed it.
        NotAllowed = 15,
        /// The instrument has no continuous trading in which the order could trade.
        Phase = 16,
    }
}

record! {
    /// An order has a lower quantity, at its old place in the queue.
    pub struct OrderAmended {
        pub account_seq: u64,
        pub instrument_seq: u64,
        pub order: Order,
        pub orig_cl_ord_id: ClOrdId,
        pub orig_order_qty: Qty,
        pub request: LoweringRequest,
    }
}

numbered! {
    /// What lowered an order's quantity.
    pub enum LoweringRequest: u8 {
        /// An amendment, also of the other leg of an OCO.
        Amend = 0,
        /// A modification, which may also raise a quantity.
        Modify = 1,
    }
}

record! {
    /// A stop's trigger was reached. It trades or rests in the events that follow.
    pub struct OrderTriggered {
        pub account_seq: u64,
        pub instrument_seq: u64,
        pub order: Order,
    }
}

record! {
    /// An order has another price or more quantity, and lost its place in the queue. A preceding
    /// [`BookReduced`] takes its displayed quantity off the book. The order trades or rests in the
    /// events that follow.
    pub struct OrderModified {
        pub account_seq: u64,
        pub instrument_seq: u64,
        pub order: Order,
        pub orig_cl_ord_id: ClOrdId,
        pub orig_order_qty: Qty,
        pub orig_price: Price,
    }
}

record! {
    /// The book shows less of an order, for a reason that no other event implies.
    pub struct BookReduced {
        pub instrument_seq: u64,
        pub instrument: InstrumentId,
        pub order_id: OrderId,
        pub side: Side,
        pub price: Price,
        pub qty: Qty,
        /// The quantity that it still shows; zero when the order is off the book.
        pub leaves_qty: Qty,
    }
}

record! {
    /// A trade that self-trade prevention stopped.
    pub struct TradePrevented {
        pub instrument_seq: u64,
        pub instrument: InstrumentId,
        /// Dense from 1 per instrument.
        pub prevented_match_id: u64,
        pub price: Price,
        /// The quantity that would have traded.
        pub qty: Qty,
        pub stp_mode: StpMode,
        /// The self-trade group of both accounts; zero is none.
        pub stp_group: u32,
        pub maker_account: AccountId,
        pub maker_order_id: OrderId,
        /// The quantity that this took off the maker; zero if nothing.
        pub maker_prevented_qty: Qty,
        pub taker_account: AccountId,
        pub taker_order_id: OrderId,
        /// The quantity that this took off the taker; zero if nothing.
        pub taker_prevented_qty: Qty,
        pub prevented_ns: u64,
    }
}

record! {
    /// The part of one order in a trade that self-trade prevention stopped.
    pub struct Prevented {
        pub prevented_match_id: u64,
        pub price: Price,
        /// The quantity that would have traded.
        pub qty: Qty,
        /// The quantity that this took off the order.
        pub prevented_qty: Qty,
        pub counter_order_id: OrderId,
        /// The self-trade group of both accounts; zero is none.
        pub stp_group: u32,
    }
}

record! {
    /// Self-trade prevention took quantity off an order that stays open: of the two orders of a
    /// prevented trade, or of the other leg of an OCO. If the book shows less of it, a
    /// [`BookReduced`] precedes this event.
    pub struct OrderDecremented {
        pub account_seq: u64,
        pub instrument_seq: u64,
        /// The order with its lower quantity.
        pub order: Order,
        pub prevented: Prevented,
    }
}

record! {
    pub struct OrderListUpdated {
        pub account_seq: u64,
        pub list: OrderList,
        pub change: OrderListChange,
    }
}

record! {
    /// A pegged order followed the book. A preceding [`BookReduced`] takes its displayed quantity
    /// off the book. The order trades or rests in the events that follow.
    pub struct OrderRepriced {
        pub account_seq: u64,
        pub instrument_seq: u64,
        pub order: Order,
    }
}

record! {
    /// The result of an auction if it uncrossed now.
    pub struct AuctionIndicated {
        pub instrument_seq: u64,
        pub instrument: InstrumentId,
        /// `None` while nothing would trade.
        pub price: Option<Price>,
        pub volume: Qty,
        /// The quantity that would be left over at that price, and its side.
        pub surplus: Qty,
        pub surplus_side: Side,
    }
}

record! {
    /// An auction determined its price. Its trades follow, all at that price.
    pub struct AuctionUncrossed {
        pub instrument_seq: u64,
        pub instrument: InstrumentId,
        pub price: Price,
        pub volume: Qty,
        pub surplus: Qty,
        pub surplus_side: Side,
    }
}

record! {
    /// Another master key seals all valid keys.
    pub struct MasterKeyRotated {
        pub fingerprint: [u8; 16],
        pub key_count: u32,
    }
}

record! {
    /// A command was refused and changed nothing. A replace can be refused in each of its halves.
    pub struct CommandRejected {
        pub account: AccountId,
        pub reason: RejectReason,
        /// Whether a cancel was refused, and not a new order: that half of a replace, or a partial
        /// cancel of a numbered order.
        pub in_cancel: bool,
        /// If the command has a number of a login, or lowers an order of one.
        pub numbered: Option<NumberedRefusal>,
    }
}

record! {
    /// A refusal as a message to the login.
    pub struct NumberedRefusal {
        pub account_seq: u64,
        /// The name that the order has or would have: it begins with login, day and number.
        pub cl_ord_id: ClOrdId,
        /// The reason in the words of the client's protocol; zero if the engine refused.
        pub code: u16,
    }
}

record! {
    /// A command with this retry key, or a transfer with this reference, was applied earlier; the
    /// reply is the events of that command.
    pub struct CommandRepeated {
        pub account: AccountId,
        pub first_sequence: u64,
    }
}

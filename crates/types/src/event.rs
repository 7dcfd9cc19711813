//! Events: facts, in sequence. The log of commands and this stream say the same thing twice.
//!
//! An event carries all that an execution report or a projection needs, so that its reader keeps
//! no state of its own. `account_seq` counts the events of one account, `instrument_seq` those of
//! one instrument, each without a gap; market data uses `instrument_seq` as its update id.

use crate::account::{AccountSpec, KeySpec, Role};
use crate::asset::Asset;
use crate::id::{AccountId, AssetId, InstrumentId, KeyId, OrderId, TradeId};
use crate::instrument::Instrument;
use crate::number::{Amount, Price, Qty};
use crate::order::{Order, Side};
use crate::reject::RejectReason;
use crate::text::{ClOrdId, ExternalRef};
use crate::wire::{choice, numbered, record};

choice! {
    pub enum Event {
        1 => OrderAccepted(OrderAccepted),
        2 => OrderRested(OrderRested),
        3 => TradeExecuted(TradeExecuted),
        4 => OrderCanceled(OrderCanceled),
        5 => OrderExpired(OrderExpired),
        6 => OrderAmended(OrderAmended),
        16 => Deposited(Deposited),
        17 => Withdrawn(Withdrawn),
        32 => AssetListed(AssetListed),
        33 => InstrumentListed(InstrumentListed),
        34 => AccountCreated(AccountCreated),
        35 => AccountUpdated(AccountUpdated),
        36 => KeyCreated(KeyCreated),
        37 => KeyRevoked(KeyRevoked),
        64 => CommandRejected(CommandRejected),
        65 => CommandRepeated(CommandRepeated),
    }
}

record! {
    /// An order was taken on. It may trade, rest or expire in the events that follow.
    pub struct OrderAccepted {
        pub account_seq: u64,
        pub instrument_seq: u64,
        pub order: Order,
    }
}

record! {
    /// An order, or what its trades left of it, is on the book.
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
    /// One match, at the maker's price.
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
        /// As it stands after the trade.
        pub order: Order,
        pub fee: Amount,
        pub fee_asset: AssetId,
    }
}

record! {
    /// An order ended because somebody asked for it.
    pub struct OrderCanceled {
        pub account_seq: u64,
        pub instrument_seq: u64,
        pub order: Order,
        /// What was left of it, which is now off the book.
        pub canceled_qty: Qty,
        /// The name of the request that ended it.
        pub cl_ord_id: ClOrdId,
        pub cause: CancelCause,
    }
}

numbered! {
    pub enum CancelCause: u8 {
        Requested = 1,
        CancelAll = 2,
        Replaced = 3,
    }
}

record! {
    /// An order ended by its own terms. It was not on the book.
    pub struct OrderExpired {
        pub account_seq: u64,
        pub instrument_seq: u64,
        pub order: Order,
        pub cause: ExpireCause,
    }
}

numbered! {
    pub enum ExpireCause: u8 {
        /// Immediate-or-cancel, and nothing more was to be had at its price.
        ImmediateOrCancel = 1,
        /// Fill-or-kill, and not all of it could be filled.
        FillOrKill = 2,
        /// A market order, and the other side of the book is empty.
        NoLiquidity = 3,
        /// A market buy, and the account's free balance buys no further lot.
        BalanceExhausted = 4,
        /// A market order by quote amount that buys not even one lot.
        BelowOneLot = 5,
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
    }
}

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
    /// A command was refused and changed nothing. A replace can be refused in each of its halves.
    pub struct CommandRejected {
        pub account: AccountId,
        pub reason: RejectReason,
        /// The cancel half of a replace was refused, not the new order.
        pub in_cancel: bool,
    }
}

record! {
    /// A command with this retry key was applied before; its events are the answer.
    pub struct CommandRepeated {
        pub account: AccountId,
        pub first_sequence: u64,
    }
}

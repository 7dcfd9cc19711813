//! State of one instrument: its books, its ids, its event number.

pub(crate) mod average;
pub(crate) mod calendar;
pub(crate) mod indication;
pub(crate) mod line;
mod pegs;
mod schedule;
mod special;
pub(crate) mod trading;

use types::{FeeAsset, FeeSchedule, Instrument, OrderId, Phase, Price, Side, TradeId};

use crate::book::Book;
use crate::book::index::OrderIndex;
use crate::book::prefetch::{prefetch, prefetch_whole};
use crate::state::lists::OrderLists;
use crate::state::market::special::Special;
use crate::state::market::trading::Trading;
use crate::state::triggers::Triggers;
use crate::state::triggers::direction::Direction;

/// Limit of an account's open orders in an instrument with a position limit, because each new order
/// counts them.
const COUNTED_ORDERS_MAX: u32 = 1_000;

#[derive(Clone, Debug)]
#[repr(align(64))]
pub(crate) struct Market {
    pub(crate) instrument: Instrument,
    /// The published book.
    pub(crate) book: Book,
    pub(crate) special: Special,
    /// The nodes of the open orders.
    pub(crate) index: OrderIndex,
    pub(crate) last_order_id: u64,
    pub(crate) last_trade_id: u64,
    pub(super) instrument_seq: u64,
    /// Whether a [`crate::state::deferred::Deferred::FollowUp`] waits.
    pub(crate) follow_up_waits: bool,
    pub(crate) trading: Trading,
    pub(crate) fee_schedule: Option<Box<FeeSchedule>>,
    pub(crate) triggers: Triggers,
    pub(crate) lists: OrderLists,
}

impl Market {
    pub(crate) fn new(instrument: Instrument) -> Self {
        Self {
            instrument,
            book: Book::default(),
            special: Special::default(),
            index: OrderIndex::default(),
            last_order_id: 0,
            last_trade_id: 0,
            instrument_seq: 0,
            follow_up_waits: false,
            trading: Trading::default(),
            fee_schedule: None,
            triggers: Triggers::default(),
            lists: OrderLists::default(),
        }
    }

    /// Limit of an account's open orders here.
    #[inline]
    pub(crate) fn max_open_orders(&self) -> u32 {
        let max = self.instrument.spec.max_open_orders;
        if self.trading.rules.max_position.is_zero() { max } else { max.min(COUNTED_ORDERS_MAX) }
    }

    pub(crate) fn fee_asset(&self) -> FeeAsset {
        self.fee_schedule.as_ref().map_or(FeeAsset::Received, |schedule| schedule.fee_asset)
    }

    /// Whether trades here need only the book and both accounts.
    #[inline]
    pub(crate) fn is_plain(&self) -> bool {
        self.trading.is_plain && self.fee_schedule.is_none() && self.special.hidden_count == 0
    }

    /// Whether a trade or another best price can have further consequences here.
    #[inline]
    pub(crate) fn has_followers(&self) -> bool {
        !self.special.pegs.is_empty()
            || self.lists.any_to_place()
            || self.trading.is_index
            || (self.triggers.any_wait() && self.triggers_move())
    }

    /// Prefetches the fields that plain orders touch.
    pub(crate) fn prefetch(&self) {
        prefetch_whole(&self.instrument);
        prefetch_whole(&self.book);
        prefetch_whole(&self.index);
        prefetch(&self.instrument_seq);
        prefetch(&self.fee_schedule);
        prefetch(&self.special.hidden_count);
        prefetch(&self.special.pegs);
        prefetch(&self.trading.is_plain);
        prefetch(&self.trading.last_price);
        prefetch(&self.triggers);
        prefetch(&self.lists);
    }

    pub(crate) fn next_order_id(&mut self) -> OrderId {
        self.last_order_id += 1;
        OrderId(self.last_order_id)
    }

    pub(crate) fn next_trade_id(&mut self) -> TradeId {
        self.last_trade_id += 1;
        TradeId(self.last_trade_id)
    }

    pub(crate) fn next_seq(&mut self) -> u64 {
        self.instrument_seq += 1;
        self.instrument_seq
    }
}

impl Market {
    /// The price that stop prices are compared with.
    pub(crate) fn trigger_price(&self, direction: Direction) -> Option<Price> {
        let quoted = match direction {
            Direction::Rise => Side::Sell,
            Direction::Fall => Side::Buy,
        };
        match self.trading.last_price {
            None if self.trading.phase == Phase::Continuous => self.book.best_price(quoted),
            last_price => last_price,
        }
    }

    /// Records a trade price, for which triggers may wait.
    #[inline]
    pub(crate) fn record_price(&mut self, price: Price) {
        if self.triggers.any_wait() && self.trading.last_price != Some(price) {
            self.triggers.record_price(price);
        }
    }

    /// Whether triggers have work now.
    #[cold]
    pub(in crate::state) fn triggers_move(&self) -> bool {
        let Trading { phase, last_price, .. } = &self.trading;
        self.triggers.has_prices()
            || *phase == Phase::Continuous && (self.triggers.any_reached() || last_price.is_none())
    }
}

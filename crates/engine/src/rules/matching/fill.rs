//! The fast path of trades: a plain order with plain makers.
//!
//! Each record is touched once, and the taker's money is booked once for all of its trades. The
//! results equal those of `Engine::fill`, which takes over in every special case. These are: an
//! account that is not a plain cash account, special terms on either side, hidden orders, fees by
//! volume, rules of the instrument.

use types::{
    AccountId, Amount, AssetId, Event, FeeRates, InstrumentId, InstrumentSpec, Order, OrderStatus,
    Price, Qty, Side, StpMode, TradeExecuted,
};

use crate::book::Front;
use crate::book::node::NodeId;
use crate::rules::event::emit;
use crate::rules::matching::matched::{Match, Settled, count_fill};
use crate::state::Engine;
use crate::state::fee::fee;
use crate::state::holds::{held, held_at};
use crate::state::orders::finished::{End, FinishedOrder};
use crate::state::orders::record::OpenId;

/// The sums of a taker's trades, until they are booked.
pub(super) struct Tab {
    /// Those of the instrument.
    rates: FeeRates,
    paid_asset: AssetId,
    got_asset: AssetId,
    /// The amount that it held for the traded quantity; zero for a market order.
    held: Amount,
    paid: Amount,
    /// After its fees.
    got: Amount,
    maker_fees: Amount,
    taker_fees: Amount,
}

impl Engine {
    /// Trades an order as long as everything about its trades is plain. The slow path finds the
    /// reason for which the fast path stopped.
    #[inline(always)]
    pub(super) fn trade_plain(&mut self, taker: &mut Order, events: &mut Vec<Event>) {
        if !self.is_plain_taker(taker) {
            return;
        }
        let spec = &self.markets[taker.instrument.0 as usize].instrument.spec;
        let mut tab = Tab::new(spec, taker.side);
        let traded_before = taker.cum_qty;
        while taker.status != OrderStatus::Filled
            && let Some((front, qty)) = self.next_plain(taker, &tab)
            && self.spend_work()
        {
            self.fill_plain(taker, front, qty, &mut tab, events);
        }
        if taker.cum_qty > traded_before {
            self.book_tab(taker.account, &tab);
        }
    }

    /// Whether the order, its account and its instrument are plain.
    #[inline(always)]
    fn is_plain_taker(&self, taker: &Order) -> bool {
        let market = &self.markets[taker.instrument.0 as usize];
        let account = &self.accounts[taker.account.0 as usize];
        taker.terms.is_none()
            && taker.stp_mode == StpMode::None
            && taker.quote_order_qty.is_zero()
            && account.extra.is_none()
            && market.is_plain()
    }

    /// The next maker, if it is plain, and the lots to trade with it.
    #[inline(always)]
    fn next_plain(&self, taker: &Order, tab: &Tab) -> Option<(Front, Qty)> {
        let market = &self.markets[taker.instrument.0 as usize];
        let is_market = taker.order_type.is_market();
        let limit = if is_market { anything(taker.side) } else { taker.price };
        let front = market.book.front_for(&self.orders.nodes, taker.side, limit)?;
        let maker = self.orders.record(front.node).account;
        let has_terms = self.orders.extra(front.node).is_some_and(|extra| extra.terms.is_some());
        if has_terms || self.accounts[maker.0 as usize].extra.is_some() {
            return None;
        }
        let wants = taker.order_qty - taker.cum_qty;
        if is_market && !self.affords(taker, front.price, wants, tab) {
            return None;
        }
        debug_assert!(market.trading.allows(front.price) && !self.prevents(taker, front.node));
        debug_assert!(is_market || self.takes(market, taker, front.price) == Ok(wants));
        Some((front, wants.min(front.leaves_qty)))
    }

    /// Whether a market order can pay for all its quantity at a price.
    fn affords(&self, taker: &Order, price: Price, wants: Qty, tab: &Tab) -> bool {
        let instrument = &self.markets[taker.instrument.0 as usize].instrument;
        let (_, cost) = held_at(instrument, taker.side, price, wants);
        let free = self.accounts[taker.account.0 as usize].balance(tab.paid_asset).free;
        price.ticks() > 0 && cost <= free - tab.paid
    }

    /// One match, at the maker's price.
    #[inline(always)]
    fn fill_plain(
        &mut self,
        taker: &mut Order,
        front: Front,
        qty: Qty,
        tab: &mut Tab,
        events: &mut Vec<Event>,
    ) {
        self.prefetch_makers(self.orders.nodes[front.node].next());
        let (instrument_seq, matched) = self.match_plain(taker.instrument, front.price, qty);
        let Match { trade_id, price, quote, .. } = matched;
        let maker = self.orders.open_id(front.node);
        count_fill(taker, qty, quote, self.now_ns);
        let for_maker = self.settle_maker(maker, &matched, tab);
        let for_taker = self.settle_taker(taker, &matched, tab);
        let end = self.maker_after(front.node, &matched);
        let orders = &self.orders;
        debug_assert_eq!(orders.after(front.node, &end), {
            let mut order = orders.order(front.node);
            count_fill(&mut order, qty, quote, self.now_ns);
            order
        });
        emit(events, || {
            Event::TradeExecuted(TradeExecuted {
                instrument_seq,
                instrument: taker.instrument,
                trade_id,
                price,
                qty,
                quote,
                side: taker.side,
                maker: for_maker.fill_plain(orders.after(front.node, &end)),
                taker: for_taker.fill_plain(Order { terms: None, ..*taker }),
            })
        });
        self.keep_trade(maker, true, &matched, &for_maker);
        self.keep_trade((&*taker).into(), false, &matched, &for_taker);
        self.reduce_maker(maker, front, &matched, &end);
    }

    #[inline(always)]
    fn match_plain(&mut self, instrument: InstrumentId, price: Price, qty: Qty) -> (u64, Match) {
        let market = &mut self.markets[instrument.0 as usize];
        market.record_price(price);
        market.trading.record_trade(price, qty, self.now_ns);
        let (instrument_seq, trade_id) = (market.next_seq(), market.next_trade_id());
        let instrument = &market.instrument;
        let (base, quote) = (instrument.base_amount(qty), instrument.notional(price, qty));
        (instrument_seq, Match { trade_id, price, qty, base, quote })
    }

    /// A maker trades at its own price: it pays the amount that it held.
    #[inline(always)]
    pub(super) fn settle_maker(
        &mut self,
        maker: OpenId,
        matched: &Match,
        tab: &mut Tab,
    ) -> Settled {
        let (got, paid) = matched.got_and_paid(maker.side);
        let account = &mut self.accounts[maker.account.0 as usize];
        let fee = fee(got, account.spec.fees.unwrap_or(tab.rates).maker_fee_bps_x100);
        let paid_from = account.balance_mut(tab.got_asset);
        paid_from.locked -= paid;
        debug_assert!(paid_from.locked >= Amount::ZERO);
        account.balance_mut(tab.paid_asset).free += got - fee;
        tab.maker_fees += fee;
        Settled { account_seq: account.next_seq(), fee, fee_asset: tab.paid_asset }
    }

    #[inline(always)]
    pub(super) fn settle_taker(
        &mut self,
        taker: &Order,
        matched: &Match,
        tab: &mut Tab,
    ) -> Settled {
        let (got, paid) = matched.got_and_paid(taker.side);
        let account = &mut self.accounts[taker.account.0 as usize];
        let fee = fee(got, account.spec.fees.unwrap_or(tab.rates).taker_fee_bps_x100);
        if !taker.order_type.is_market() {
            let instrument = &self.markets[taker.instrument.0 as usize].instrument;
            tab.held += held(instrument, taker, matched.qty).1;
        }
        tab.paid += paid;
        tab.got += got - fee;
        tab.taker_fees += fee;
        Settled { account_seq: account.next_seq(), fee, fee_asset: tab.got_asset }
    }

    #[inline(always)]
    pub(super) fn maker_after(&self, node: NodeId, matched: &Match) -> End {
        let order_qty = self.orders.record(node).order_qty;
        let cum_qty = order_qty - self.orders.nodes[node].leaves_qty() + matched.qty;
        let status =
            if cum_qty == order_qty { OrderStatus::Filled } else { OrderStatus::PartiallyFilled };
        let before = self.orders.extra(node).map_or(Amount::ZERO, |extra| extra.cum_quote);
        End { status, cum_qty, cum_quote: before + matched.quote, updated_ns: self.now_ns }
    }

    /// Takes the traded quantity off the maker, and a filled maker off the book.
    #[inline(always)]
    fn reduce_maker(&mut self, maker: OpenId, front: Front, matched: &Match, end: &End) {
        let market = &mut self.markets[maker.instrument.0 as usize];
        let Front { node, leaves_qty, .. } = front;
        if matched.qty < leaves_qty {
            self.orders.count_fill(node, matched.quote, self.now_ns);
            return market.book.reduce(&mut self.orders.nodes, node, matched.qty);
        }
        let account = &mut self.accounts[maker.account.0 as usize];
        let kept = account.spec.finished_orders_kept as usize;
        if kept > 0 {
            // Not through the whole order, because a load stalls if its bytes were just written in
            // parts.
            let record = self.orders.record(node);
            let brief = FinishedOrder::ended(maker, record, end);
            match brief.filter(|_| !self.orders.has_strategy(node)) {
                Some(brief) => account.finished.push_brief(Some(brief), kept),
                None => account.finished.push(&self.orders.after(node, end), kept),
            }
        }
        market.index.remove(maker.order_id.0);
        self.orders.detach(account, node);
        market.book.remove(&mut self.orders.nodes, node);
        self.sessions.forget(maker);
    }

    /// Moves the money of all trades of the taker, and the fees to the venue.
    pub(super) fn book_tab(&mut self, taker: AccountId, tab: &Tab) {
        let account = &mut self.accounts[taker.0 as usize];
        let paid_from = account.balance_mut(tab.paid_asset);
        paid_from.locked -= tab.held;
        paid_from.free += tab.held - tab.paid;
        debug_assert!(paid_from.free >= Amount::ZERO && paid_from.locked >= Amount::ZERO);
        account.balance_mut(tab.got_asset).free += tab.got;
        let venue = &mut self.accounts[AccountId::VENUE.0 as usize];
        for (asset, fees) in [(tab.paid_asset, tab.maker_fees), (tab.got_asset, tab.taker_fees)] {
            if !fees.is_zero() {
                venue.balance_mut(asset).free += fees;
            }
        }
    }
}

impl Tab {
    pub(super) fn new(spec: &InstrumentSpec, side: Side) -> Self {
        let (got_asset, paid_asset) = match side {
            Side::Buy => (spec.base, spec.quote),
            Side::Sell => (spec.quote, spec.base),
        };
        Self {
            rates: spec.fees,
            paid_asset,
            got_asset,
            held: Amount::ZERO,
            paid: Amount::ZERO,
            got: Amount::ZERO,
            maker_fees: Amount::ZERO,
            taker_fees: Amount::ZERO,
        }
    }
}

/// The price of an order that trades at any price.
fn anything(side: Side) -> Price {
    match side {
        Side::Buy => Price::from_ticks(i64::MAX),
        Side::Sell => Price::from_ticks(i64::MIN),
    }
}

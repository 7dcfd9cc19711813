//! The rung for the balance of a new order.

use types::{
    AccountId, Amount, NewOrder, OrderId, OrderSize, OrderType, Price, Qty, RejectReason, Side,
    StpMode,
};

use crate::book::node::NodeId;
use crate::rules::matching::enter::new_order;
use crate::state::Engine;
use crate::state::account::Account;
use crate::state::fee::fee;
use crate::state::holds::held;
use crate::state::market::Market;
use crate::state::orders::record::Standing;

impl Engine {
    /// `own` is the open order that is checked again, and whether its list places it now.
    pub(super) fn check_funds(
        &self,
        market: &Market,
        (account_id, account): (AccountId, &Account),
        order: &NewOrder,
        price: Price,
        own: Option<(NodeId, bool)>,
    ) -> Result<(), RejectReason> {
        if !account.is_cash() || order.order_type.is_market() && order.order_type.is_stop() {
            return Ok(()); // a stop market order pays when it is triggered
        }
        let pays = if order.order_type == OrderType::Market {
            self.can_pay_at_market(market, (account_id, account), order)
        } else {
            let paid = own.map_or((Amount::ZERO, Qty::ZERO), |(own, _)| self.paid_by_open(own));
            // A modify of an order in a list can only lower its cost.
            let costs_less = own.is_some_and(|(own, placed)| !placed && self.is_node_in_list(own));
            costs_less || can_hold(market, account, order, price, paid, self.now_ns)
        };
        if pays { Ok(()) } else { Err(RejectReason::InsufficientBalance) }
    }

    /// The amount that an open order holds, and the quantity that has traded.
    #[cold]
    fn paid_by_open(&self, node: NodeId) -> (Amount, Qty) {
        let order = self.orders.order(node);
        let instrument = &self.markets[order.instrument.0 as usize].instrument;
        let account = &self.accounts[order.account.0 as usize];
        let is_pending = self.orders.standing(node) == Standing::List;
        let holds = if order.order_type.is_market() || is_pending {
            Amount::ZERO
        } else {
            let (_, amount) = held(instrument, &order, order.leaves_qty());
            amount + account.fee_held(instrument, &order)
        };
        (holds, order.cum_qty)
    }

    /// A market order must own what it would pay against the book now. One within the balance must
    /// only be able to pay for one lot.
    fn can_pay_at_market(
        &self,
        market: &Market,
        (account_id, account): (AccountId, &Account),
        order: &NewOrder,
    ) -> bool {
        let instrument = &market.instrument;
        let free_base = account.balance(instrument.spec.base).free;
        let free_quote = account.balance(instrument.spec.quote).free;
        let rate = account.fee_rate_on_top(market, order.side, self.now_ns);
        let pays = |notional: Amount| notional + fee(notional, rate) <= free_quote;
        let one_lot = Qty::from_lots(1);
        let front = market.front(&self.orders.nodes, order.side.opposite());
        let pays_one_lot = match order.side {
            Side::Sell => instrument.base_amount(one_lot) <= free_base,
            Side::Buy => front.is_none_or(|front| pays(instrument.notional(front.price, one_lot))),
        };
        if order.special().within_balance {
            return pays_one_lot;
        }
        let may_trade = order.stp_mode == StpMode::None && !market.trading.has_bands();
        let is_at_front = |qty| may_trade && front.is_some_and(|front| qty <= front.leaves_qty);
        match (order.side, order.size) {
            (Side::Sell, OrderSize::Base(qty)) => instrument.base_amount(qty) <= free_base,
            (Side::Buy, OrderSize::Quote(amount)) => amount <= free_quote && pays(amount),
            (Side::Buy, OrderSize::Base(qty)) if is_at_front(qty) => {
                front.is_none_or(|front| pays(instrument.notional(front.price, qty)))
            }
            (Side::Buy, OrderSize::Base(_)) | (Side::Sell, OrderSize::Quote(_)) => {
                let order = new_order(account_id, order, OrderId(0), self.now_ns);
                pays_one_lot && self.covers_market_order(&order)
            }
        }
    }
}

/// Whether an account can hold the largest cost of a limit order. For a modified order its hold
/// counts as free, and its traded part as paid.
fn can_hold(
    market: &Market,
    account: &Account,
    order: &NewOrder,
    price: Price,
    (held, traded): (Amount, Qty),
    now_ns: u64,
) -> bool {
    let OrderSize::Base(qty) = order.size else { return false };
    let instrument = &market.instrument;
    let leaves_qty = qty - traded;
    match order.side {
        Side::Sell => {
            let free = account.balance(instrument.spec.base).free + held;
            instrument.base_amount(leaves_qty) <= free
        }
        Side::Buy => {
            let free = account.balance(instrument.spec.quote).free + held;
            let rate = account.fee_rate_on_top(market, order.side, now_ns);
            let notional = instrument.notional(price, leaves_qty);
            notional + fee(notional, rate) <= free
        }
    }
}

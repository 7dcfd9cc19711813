//! The ladder of refusals for a new order: what is checked, in which order.

use types::{
    AccountId, Amount, Instrument, NewOrder, OrderSize, OrderType, Price, Qty, RejectReason, Side,
    TimeInForce,
};

use crate::account::Account;
use crate::engine::Engine;
use crate::market::Market;

impl Engine {
    /// Whether an order would be taken on now. Reads only; `order/test` asks it too.
    ///
    /// The ladder is the specification: one rung per reason, in the order of [`RejectReason`].
    pub fn check_new_order(
        &self,
        account: AccountId,
        order: &NewOrder,
    ) -> Result<(), RejectReason> {
        let account_id = account;
        let account = self.account(account_id).ok_or(RejectReason::UnknownAccount)?;
        let market = self.market(order.instrument).ok_or(RejectReason::UnknownInstrument)?;
        let instrument = &market.instrument;
        let best = market.book.best_price(order.side.opposite());

        if !terms_valid(order) {
            return Err(RejectReason::OrderTermsInvalid);
        }
        check_price(instrument, order)?;
        check_qty(instrument, order)?;
        check_notional(instrument, order, best)?;
        let can_rest =
            order.order_type != OrderType::Market && order.time_in_force == TimeInForce::Gtc;
        if can_rest {
            let here = account.market(order.instrument).open_orders;
            if here >= instrument.spec.max_open_orders {
                return Err(RejectReason::TooManyOpenOrders);
            }
            if account.open_orders >= account.spec.max_open_orders {
                return Err(RejectReason::TooManyAccountOrders);
            }
        }
        let same_name = self.orders.by_cl_ord_id(account_id, order.instrument, &order.cl_ord_id);
        if same_name.is_some() {
            return Err(RejectReason::DuplicateClOrdId);
        }
        if !can_pay(market, account, order, best) {
            return Err(RejectReason::InsufficientBalance);
        }
        let crosses = best.is_some_and(|best| order.side.crosses(order.price, best));
        if order.order_type == OrderType::LimitMaker && crosses {
            return Err(RejectReason::WouldTakeLiquidity);
        }
        Ok(())
    }
}

/// A price, a size and a time in force that go with the order's type.
fn terms_valid(order: &NewOrder) -> bool {
    use TimeInForce::{Fok, Gtc, Ioc};
    let by_base = matches!(order.size, OrderSize::Base(_));
    if order.terms.is_some() || !matches!(order.time_in_force, Gtc | Ioc | Fok) {
        return false;
    }
    match order.order_type {
        OrderType::Limit => by_base,
        OrderType::LimitMaker => by_base && order.time_in_force == Gtc,
        OrderType::Market => order.price == Price::default() && order.time_in_force == Gtc,
        _ => false,
    }
}

fn check_price(instrument: &Instrument, order: &NewOrder) -> Result<(), RejectReason> {
    if order.order_type == OrderType::Market {
        return Ok(());
    }
    if order.price < instrument.spec.min_price {
        return Err(RejectReason::PriceBelowMin);
    }
    if order.price > instrument.spec.max_price {
        return Err(RejectReason::PriceAboveMax);
    }
    Ok(())
}

fn check_qty(instrument: &Instrument, order: &NewOrder) -> Result<(), RejectReason> {
    let OrderSize::Base(qty) = order.size else { return Ok(()) };
    let spec = &instrument.spec;
    match order.order_type {
        OrderType::Market if qty < spec.min_qty => Err(RejectReason::MarketQtyBelowMin),
        OrderType::Market if qty > spec.market_max_qty => Err(RejectReason::MarketQtyAboveMax),
        OrderType::Market => Ok(()),
        _ if qty < spec.min_qty => Err(RejectReason::OrderQtyBelowMin),
        _ if qty > spec.max_qty => Err(RejectReason::OrderQtyAboveMax),
        _ => Ok(()),
    }
}

/// A market order is measured at the best price; where there is none, it will not trade.
fn check_notional(
    instrument: &Instrument,
    order: &NewOrder,
    best: Option<Price>,
) -> Result<(), RejectReason> {
    let notional = match (order.size, order.order_type, best) {
        (OrderSize::Quote(amount), _, _) => amount,
        (OrderSize::Base(qty), OrderType::Market, Some(best)) => instrument.notional(best, qty),
        (OrderSize::Base(_), OrderType::Market, None) => return Ok(()),
        (OrderSize::Base(qty), _, _) => instrument.notional(order.price, qty),
    };
    if notional <= Amount::ZERO || notional < instrument.spec.min_notional {
        return Err(RejectReason::NotionalBelowMin);
    }
    if notional > instrument.spec.max_notional {
        return Err(RejectReason::NotionalAboveMax);
    }
    Ok(())
}

/// A limit order must be able to hold all that it may cost. A market order pays as it goes, so it
/// must own what it names, or at least enough for one lot.
fn can_pay(market: &Market, account: &Account, order: &NewOrder, best: Option<Price>) -> bool {
    let instrument = &market.instrument;
    let free_base = account.balance(instrument.spec.base).free;
    let free_quote = account.balance(instrument.spec.quote).free;
    let one_lot = Qty::from_lots(1);
    match (order.side, order.size, order.order_type) {
        (Side::Sell, OrderSize::Base(qty), _) => instrument.base_amount(qty) <= free_base,
        (Side::Sell, OrderSize::Quote(_), _) => instrument.base_amount(one_lot) <= free_base,
        (Side::Buy, OrderSize::Quote(amount), _) => amount <= free_quote,
        (Side::Buy, OrderSize::Base(_), OrderType::Market) => {
            best.is_none_or(|best| instrument.notional(best, one_lot) <= free_quote)
        }
        (Side::Buy, OrderSize::Base(qty), _) => instrument.notional(order.price, qty) <= free_quote,
    }
}

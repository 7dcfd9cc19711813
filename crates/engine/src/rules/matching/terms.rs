//! The rung for terms that contradict each other: it needs the request alone.

use types::{NewOrder, OrderSize, OrderType, Price, Terms, TimeInForce};

/// Whether price, size, time in force and special terms are compatible with the order's type.
pub(super) fn terms_valid(order: &NewOrder) -> bool {
    use OrderType::{
        Limit, LimitMaker, Market, MarketToLimit, StopLoss, StopLossLimit, TakeProfit,
        TakeProfitLimit,
    };
    use TimeInForce::{AtClose, AtOpen, Day, Gtc, Gtd};
    let by_base = matches!(order.size, OrderSize::Base(_));
    let no_price = order.price == Price::default();
    let time_in_force = order.time_in_force;
    let plain = match order.order_type {
        Market => no_price && time_in_force == Gtc,
        StopLoss | TakeProfit => no_price && by_base && matches!(time_in_force, Gtc | Day | Gtd),
        LimitMaker => by_base && matches!(time_in_force, Gtc | Day | Gtd),
        MarketToLimit => no_price && by_base && !matches!(time_in_force, AtOpen | AtClose),
        StopLossLimit | TakeProfitLimit => by_base && !matches!(time_in_force, AtOpen | AtClose),
        Limit => by_base,
    };
    plain
        && match &order.terms {
            Some(terms) => special_terms_valid(order, terms),
            None => !order.order_type.is_stop() && time_in_force != Gtd,
        }
}

#[cold]
fn special_terms_valid(order: &NewOrder, terms: &Terms) -> bool {
    use OrderType::{Limit, LimitMaker, Market, MarketToLimit};
    use TimeInForce::{Day, Gtc, Gtd};
    let stays = !order.order_type.is_market() && order.time_in_force.may_rest();
    let pegged = terms.peg.is_none()
        || (matches!(order.order_type, Limit | LimitMaker)
            && matches!(order.time_in_force, Gtc | Day | Gtd)
            && order.price == Price::default());
    let displayed = terms.display_qty.is_zero() || (stays && !terms.hidden);
    let hidden = !terms.hidden || stays;
    let least = terms.min_qty.is_zero() || order.order_type != LimitMaker;
    let bounded = !terms.within_balance || order.order_type == Market;
    let fixed = !terms.fixed_peg || order.order_type == MarketToLimit;
    let triggered = terms.stop_price.is_some() || terms.trailing_delta_bps > 0;
    let dated = (terms.expire_ns > 0) == (order.time_in_force == Gtd);
    let triggers = triggered == order.order_type.is_stop();
    pegged && displayed && hidden && least && bounded && fixed && triggers && dated
}

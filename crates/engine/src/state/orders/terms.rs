//! Which types, prices, sizes, times in force and special terms an order can have together.

use types::{NewOrder, Order, OrderSize, OrderType, Price, Terms, TimeInForce};

/// What a request says of these.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Requested<'a> {
    order_type: OrderType,
    time_in_force: TimeInForce,
    has_price: bool,
    by_base: bool,
    terms: Option<&'a Terms>,
}

impl<'a> From<&'a NewOrder> for Requested<'a> {
    fn from(order: &'a NewOrder) -> Self {
        Self {
            order_type: order.order_type,
            time_in_force: order.time_in_force,
            has_price: order.price != Price::default(),
            by_base: matches!(order.size, OrderSize::Base(_)),
            terms: order.terms.as_ref(),
        }
    }
}

impl<'a> From<&'a Order> for Requested<'a> {
    fn from(order: &'a Order) -> Self {
        let terms = order.terms.as_ref().map(|terms| &terms.terms);
        let takes_reference = order.order_type == OrderType::MarketToLimit
            || terms.is_some_and(|terms| terms.peg.is_some());
        Self {
            order_type: order.order_type,
            time_in_force: order.time_in_force,
            has_price: order.price != Price::default() && !takes_reference,
            by_base: order.quote_order_qty.is_zero(),
            terms,
        }
    }
}

impl Requested<'_> {
    /// Whether price, size, time in force and special terms are compatible with the order's type.
    pub(crate) fn is_valid(self) -> bool {
        use OrderType::{
            Limit, LimitMaker, Market, MarketToLimit, StopLoss, StopLossLimit, TakeProfit,
            TakeProfitLimit,
        };
        use TimeInForce::{AtClose, AtOpen, Day, Gtc, Gtd};
        let Self { time_in_force, has_price, by_base, .. } = self;
        let stays = matches!(time_in_force, Gtc | Day | Gtd);
        let plain = match self.order_type {
            Market => !has_price && time_in_force == Gtc,
            StopLoss | TakeProfit => !has_price && by_base && stays,
            LimitMaker => by_base && stays,
            MarketToLimit => !has_price && by_base && !matches!(time_in_force, AtOpen | AtClose),
            StopLossLimit | TakeProfitLimit => {
                by_base && !matches!(time_in_force, AtOpen | AtClose)
            }
            Limit => by_base,
        };
        plain
            && match self.terms {
                Some(terms) => self.special_terms_valid(terms),
                None => !self.order_type.is_stop() && time_in_force != Gtd,
            }
    }

    #[cold]
    fn special_terms_valid(self, terms: &Terms) -> bool {
        use OrderType::{Limit, LimitMaker, Market, MarketToLimit};
        use TimeInForce::{Day, Gtc, Gtd};
        let Self { order_type, time_in_force, .. } = self;
        let stays = !order_type.is_market() && time_in_force.may_rest();
        let pegged = terms.peg.is_none()
            || (matches!(order_type, Limit | LimitMaker)
                && matches!(time_in_force, Gtc | Day | Gtd)
                && !self.has_price);
        let displayed = terms.display_qty.is_zero() || (stays && !terms.hidden);
        let hidden = !terms.hidden || stays;
        let least = terms.min_qty.is_zero() || order_type != LimitMaker;
        let bounded = !terms.within_balance || order_type == Market;
        let fixed = !terms.fixed_peg || order_type == MarketToLimit;
        let triggered = terms.stop_price.is_some() || terms.trailing_delta_bps > 0;
        let dated = (terms.expire_ns > 0) == (time_in_force == Gtd);
        let triggers = triggered == order_type.is_stop();
        pegged && displayed && hidden && least && bounded && fixed && triggers && dated
    }

    /// Whether the order can be one of a list.
    pub(crate) fn fits_list(self) -> bool {
        self.by_base
            && self.order_type != OrderType::MarketToLimit
            && self.terms.is_none_or(|terms| terms.peg.is_none())
            && !matches!(self.time_in_force, TimeInForce::AtOpen | TimeInForce::AtClose)
    }
}

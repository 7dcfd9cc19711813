//! Terms of orders that Binance does not have, as they are sent: hidden, minimum quantity, date, a
//! market order within the balance.

use types::{DecimalText, Market, OrderSize, OrderType, Qty, Terms, TimeInForce};

use super::names::{Field, Names};
use super::sent::{parse_qty, take_decimal};
use crate::binance::words::{order_type as type_word, time_in_force as time_in_force_word};
use crate::signed::{ApiError, Params};

/// The parameters, each right by itself.
#[derive(Clone, Debug)]
pub(super) struct SentExtension {
    hidden: Option<bool>,
    min_qty: Option<DecimalText>,
    good_till_ns: Option<u64>,
    within_balance: Option<bool>,
}

/// The order that the terms belong to.
#[derive(Clone, Copy)]
pub(super) struct Extended<'a> {
    pub(super) names: Names,
    pub(super) market: &'a Market,
    pub(super) order_type: OrderType,
    pub(super) time_in_force: TimeInForce,
    /// `None` where the list gives the order its quantity later.
    pub(super) size: Option<OrderSize>,
}

impl SentExtension {
    pub(super) fn take(
        params: &mut Params,
        market: &Market,
        names: Names,
    ) -> Result<Self, ApiError> {
        let date = params.time_span_ns(&names.of(Field::GoodTillDate))?;
        Ok(Self {
            hidden: params.flag(&names.of(Field::Hidden))?,
            min_qty: take_decimal(params, &names.of(Field::MinQty), market.base.decimals)?,
            good_till_ns: date.map(|(first_ns, _)| first_ns),
            within_balance: params.flag(&names.of(Field::WithinBalance))?,
        })
    }

    /// Adds the terms of the order.
    pub(super) fn check(&self, order: &Extended<'_>, terms: Terms) -> Result<Terms, ApiError> {
        Ok(Terms {
            hidden: self.check_hidden(order, &terms)?,
            min_qty: self.check_min_qty(order)?,
            expire_ns: self.check_date(order)?,
            within_balance: self.check_within_balance(order)?,
            ..terms
        })
    }

    fn check_hidden(&self, order: &Extended<'_>, terms: &Terms) -> Result<bool, ApiError> {
        let name = order.names.of(Field::Hidden);
        match self.hidden {
            Some(true) if order.order_type.is_market() => Err(ApiError::not_required(&name)),
            Some(true) if !order.time_in_force.may_rest() => Err(order.not_with_time(&name)),
            Some(true) if !terms.display_qty.is_zero() => {
                Err(ApiError::not_together(&name, &order.names.of(Field::IcebergQty)))
            }
            hidden => Ok(hidden.unwrap_or(false)),
        }
    }

    fn check_min_qty(&self, order: &Extended<'_>) -> Result<Qty, ApiError> {
        let Some(text) = &self.min_qty else { return Ok(Qty::ZERO) };
        let name = order.names.of(Field::MinQty);
        if order.order_type == OrderType::LimitMaker {
            return Err(ApiError::not_required(&name));
        }
        let min_qty = parse_qty(order.market, &name, text)?;
        match order.size {
            Some(OrderSize::Base(qty)) if min_qty > qty => Err(ApiError::min_qty_exceeds(&name)),
            _ => Ok(min_qty),
        }
    }

    fn check_date(&self, order: &Extended<'_>) -> Result<u64, ApiError> {
        let name = order.names.of(Field::GoodTillDate);
        match (order.time_in_force, self.good_till_ns) {
            (TimeInForce::Gtd, Some(0)) => Err(ApiError::invalid_parameter(&name)),
            (TimeInForce::Gtd, Some(good_till_ns)) => Ok(good_till_ns),
            (TimeInForce::Gtd, None) => Err(ApiError::mandatory(&name)),
            (_, Some(_)) => Err(ApiError::not_required(&name)),
            (_, None) => Ok(0),
        }
    }

    fn check_within_balance(&self, order: &Extended<'_>) -> Result<bool, ApiError> {
        match self.within_balance {
            Some(_) if order.order_type != OrderType::Market => {
                Err(ApiError::not_required(&order.names.of(Field::WithinBalance)))
            }
            within_balance => Ok(within_balance.unwrap_or(false)),
        }
    }
}

impl Extended<'_> {
    fn not_with_time(&self, name: &str) -> ApiError {
        let other = self.names.of(Field::TimeInForce);
        ApiError::not_with(name, &other, time_in_force_word(self.time_in_force))
    }
}

/// The time in force of an order, where its type has a choice.
pub(super) fn check_time_in_force(
    names: Names,
    order_type: OrderType,
    sent: Option<TimeInForce>,
) -> Result<TimeInForce, ApiError> {
    use OrderType::{
        Limit, LimitMaker, Market, MarketToLimit, StopLoss, StopLossLimit, TakeProfit,
        TakeProfitLimit,
    };
    use TimeInForce::{AtClose, AtOpen, Day, Gtc, Gtd};
    let name = names.of(Field::TimeInForce);
    let of_auction = matches!(sent, Some(AtOpen | AtClose));
    match (order_type, sent) {
        (Limit | StopLossLimit | TakeProfitLimit, None) => Err(ApiError::mandatory(&name)),
        (StopLossLimit | TakeProfitLimit | MarketToLimit, Some(sent)) if !of_auction => Ok(sent),
        (Limit, Some(sent)) | (LimitMaker | StopLoss | TakeProfit, Some(sent @ (Day | Gtd))) => {
            Ok(sent)
        }
        (_, Some(sent @ (AtOpen | AtClose))) => {
            let type_name = names.of(Field::Type);
            let (sent, order_type) = (time_in_force_word(sent), type_word(order_type));
            Err(ApiError::time_not_with_type(&name, sent, &type_name, order_type))
        }
        (LimitMaker | StopLoss | TakeProfit | Market, Some(_)) => {
            Err(ApiError::not_required(&name))
        }
        (_, _) => Ok(Gtc),
    }
}

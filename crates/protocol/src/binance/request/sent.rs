//! One order as it was sent, by itself or as part of a list: first each parameter by itself, then
//! what goes with what.

use types::{
    ClOrdId, DecimalText, Market, NewOrder, OrderSize, OrderType, Price, Qty, Side, StpMode, Terms,
    TimeInForce,
};

use super::extension::{Extended, SentExtension, check_time_in_force};
use super::names::{Field, Names};
use super::peg::SentPeg;
use crate::binance::words::{ORDER_TYPES, SIDES, STP_MODES, TIMES_IN_FORCE};
use crate::signed::{ApiError, Generate, Params};

const STRATEGY_TYPE_MIN: i32 = 1_000_000;

/// What the orders of a list may share.
#[derive(Clone, Debug)]
pub(super) struct Basics {
    pub(super) order_type: OrderType,
    pub(super) side: Side,
    pub(super) quantity: SentQuantity,
    pub(super) stp_mode: StpMode,
}

#[derive(Clone, Debug)]
pub(super) enum SentQuantity {
    /// As sent, with the names of the parameter in case that it is missing.
    Now(Option<DecimalText>, Names),
    /// The list gives the order its quantity when it places it.
    Later,
}

/// The parameters of an order, each right by itself. What goes with what is still to be checked.
pub(super) struct SentOrder {
    names: Names,
    basics: Basics,
    time_in_force: Option<TimeInForce>,
    quote_order_qty: Option<DecimalText>,
    price: Option<DecimalText>,
    stop_price: Option<DecimalText>,
    trailing_delta: Option<u32>,
    iceberg_qty: Option<DecimalText>,
    peg: SentPeg,
    extension: SentExtension,
    cl_ord_id: Option<ClOrdId>,
    strategy_id: Option<i64>,
    strategy_type: Option<i32>,
}

pub(super) fn take_order_type(params: &mut Params, names: Names) -> Result<OrderType, ApiError> {
    let name = names.of(Field::Type);
    params.mandatory_choice_or(&name, ORDER_TYPES, ApiError::invalid_order_type)
}

pub(super) fn take_side(params: &mut Params, names: Names) -> Result<Side, ApiError> {
    params.mandatory_choice_or(&names.of(Field::Side), SIDES, ApiError::invalid_side)
}

pub(super) fn take_stp_mode(params: &mut Params) -> Result<StpMode, ApiError> {
    if params.peek("selfTradePreventionMode") == Some("TRANSFER") {
        return Err(ApiError::stp_mode_not_allowed());
    }
    Ok(params.choice("selfTradePreventionMode", STP_MODES)?.unwrap_or(StpMode::None))
}

impl SentQuantity {
    pub(super) fn take(
        params: &mut Params,
        market: &Market,
        names: Names,
    ) -> Result<Self, ApiError> {
        let quantity = take_decimal(params, &names.of(Field::Quantity), market.base.decimals)?;
        Ok(Self::Now(quantity, names))
    }
}

impl Basics {
    /// Of an order that shares nothing but the mode of self-trade prevention.
    pub(super) fn take(
        params: &mut Params,
        market: &Market,
        names: Names,
        stp_mode: StpMode,
    ) -> Result<Self, ApiError> {
        Ok(Self {
            side: take_side(params, names)?,
            order_type: take_order_type(params, names)?,
            quantity: SentQuantity::take(params, market, names)?,
            stp_mode,
        })
    }

    pub(super) fn take_without_quantity(
        params: &mut Params,
        names: Names,
        stp_mode: StpMode,
    ) -> Result<Self, ApiError> {
        Ok(Self {
            side: take_side(params, names)?,
            order_type: take_order_type(params, names)?,
            quantity: SentQuantity::Later,
            stp_mode,
        })
    }
}

impl SentOrder {
    pub(super) fn alone(params: &mut Params, market: &Market) -> Result<Self, ApiError> {
        let stp_mode = take_stp_mode(params)?;
        let basics = Basics::take(params, market, Names::Alone, stp_mode)?;
        Self::take(params, market, Names::Alone, basics)
    }

    pub(super) fn take(
        params: &mut Params,
        market: &Market,
        names: Names,
        basics: Basics,
    ) -> Result<Self, ApiError> {
        let (base, quote) = (market.base.decimals, market.quote.decimals);
        Ok(Self {
            time_in_force: params.choice_or(
                &names.of(Field::TimeInForce),
                TIMES_IN_FORCE,
                ApiError::invalid_time_in_force,
            )?,
            quote_order_qty: take_decimal(params, &names.of(Field::QuoteOrderQty), quote)?,
            price: take_decimal(params, &names.of(Field::Price), quote)?,
            stop_price: take_decimal(params, &names.of(Field::StopPrice), quote)?,
            trailing_delta: take_int(params, &names.of(Field::TrailingDelta))?,
            iceberg_qty: take_decimal(params, &names.of(Field::IcebergQty), base)?,
            peg: SentPeg::take(params, names)?,
            extension: SentExtension::take(params, market, names)?,
            cl_ord_id: params.cl_ord_id(&names.of(Field::ClOrdId))?,
            strategy_id: take_int(params, &names.of(Field::StrategyId))?,
            strategy_type: take_int(params, &names.of(Field::StrategyType))?,
            names,
            basics,
        })
    }

    pub(super) const fn order_type(&self) -> OrderType {
        self.basics.order_type
    }

    pub(super) const fn side(&self) -> Side {
        self.basics.side
    }

    /// Whether it asks for a limit price: an OCO of the past says by that what its stop is.
    pub(super) const fn has_price(&self) -> bool {
        self.price.is_some()
    }

    pub(super) fn with_order_type(mut self, order_type: OrderType) -> Self {
        self.basics.order_type = order_type;
        self
    }

    pub(super) fn check(
        self,
        market: &Market,
        generate: Generate<'_>,
    ) -> Result<NewOrder, ApiError> {
        let order_type = self.basics.order_type;
        if self.strategy_type.is_some_and(|strategy_type| strategy_type < STRATEGY_TYPE_MIN) {
            return Err(ApiError::strategy_type_too_low());
        }
        let time_in_force = check_time_in_force(self.names, order_type, self.time_in_force)?;
        let size = self.check_size(market)?;
        let price = self.check_price(market)?;
        let (stop_price, trailing_delta_bps) = self.check_trigger(market)?;
        let display_qty = self.check_iceberg(market, size, time_in_force)?;
        let pegged = self.peg.check(self.names, order_type, time_in_force, price)?;
        let peg = pegged.and_then(|pegged| pegged.peg);
        let fixed_peg = pegged.is_some() && peg.is_none();
        let terms = Terms {
            stop_price,
            trailing_delta_bps,
            peg,
            display_qty,
            fixed_peg,
            ..Terms::default()
        };
        let names = self.names;
        let extended = Extended { names, market, order_type, time_in_force, size };
        let terms = self.extension.check(&extended, terms)?;
        Ok(NewOrder {
            instrument: market.instrument.id,
            cl_ord_id: self.cl_ord_id.unwrap_or_else(generate),
            side: self.basics.side,
            order_type: pegged.map_or(order_type, |pegged| pegged.order_type),
            time_in_force,
            stp_mode: self.basics.stp_mode,
            price: price.filter(|_| pegged.is_none()).unwrap_or_default(),
            size: size.unwrap_or(OrderSize::Base(Qty::ZERO)),
            strategy_id: self.strategy_id,
            strategy_type: self.strategy_type,
            terms: (terms != Terms::default()).then_some(terms),
        })
    }

    /// `None` where the list gives the order its quantity later.
    fn check_size(&self, market: &Market) -> Result<Option<OrderSize>, ApiError> {
        let by_quote = self.names == Names::Alone && self.basics.order_type == OrderType::Market;
        let quote_order_qty = self.names.of(Field::QuoteOrderQty);
        let SentQuantity::Now(sent, names) = &self.basics.quantity else {
            return match self.quote_order_qty {
                Some(_) => Err(ApiError::not_required(&quote_order_qty)),
                None => Ok(None),
            };
        };
        let quantity = names.of(Field::Quantity);
        let size = match (by_quote, sent, &self.quote_order_qty) {
            (true, None, None) => Err(ApiError::either_mandatory(&quantity, &quote_order_qty)),
            (true, None, Some(text)) => {
                let amount = market.quote.parse_amount(text);
                let amount = amount.ok_or_else(|| ApiError::overflowed(&quote_order_qty))?;
                Ok(OrderSize::Quote(amount))
            }
            (false, None, _) => Err(ApiError::mandatory(&quantity)),
            (_, Some(_), Some(_)) => Err(ApiError::not_required(&quote_order_qty)),
            (_, Some(text), None) => parse_qty(market, &quantity, text).map(OrderSize::Base),
        };
        size.map(Some)
    }

    /// `None` where an order has no price of its own: by market, or because it is pegged.
    fn check_price(&self, market: &Market) -> Result<Option<Price>, ApiError> {
        let name = || self.names.of(Field::Price);
        let takes_any = self.basics.order_type.is_market()
            || self.basics.order_type == OrderType::MarketToLimit;
        match (takes_any, &self.price) {
            (true, None) => Ok(None),
            (true, Some(_)) => Err(ApiError::not_required(&name())),
            (false, None) if self.peg.is_there() => Ok(None),
            (false, None) => Err(ApiError::mandatory(&name())),
            (false, Some(text)) => parse_price(market, text).map(Some),
        }
    }

    fn check_trigger(&self, market: &Market) -> Result<(Option<Price>, u32), ApiError> {
        let (stop, delta) = (Field::StopPrice, Field::TrailingDelta);
        let is_stop = self.basics.order_type.is_stop();
        match (is_stop, &self.stop_price, self.trailing_delta) {
            (false, Some(_), _) => Err(ApiError::not_required(&self.names.of(stop))),
            (false, None, Some(_)) => Err(ApiError::not_required(&self.names.of(delta))),
            (true, None, None) => {
                Err(ApiError::either_mandatory(&self.names.of(stop), &self.names.of(delta)))
            }
            // Zero would be no delta at all to the engine.
            (true, _, Some(0)) => Err(ApiError::filter("TRAILING_DELTA")),
            (_, stop_price, delta_bps) => {
                let stop_price = stop_price.as_deref().map(|text| parse_price(market, text));
                Ok((stop_price.transpose()?, delta_bps.unwrap_or(0)))
            }
        }
    }

    /// A quantity of zero asks for nothing special, as on Binance.
    fn check_iceberg(
        &self,
        market: &Market,
        size: Option<OrderSize>,
        time_in_force: TimeInForce,
    ) -> Result<Qty, ApiError> {
        let Some(text) = &self.iceberg_qty else { return Ok(Qty::ZERO) };
        let name = self.names.of(Field::IcebergQty);
        if self.basics.order_type.is_market() {
            return Err(ApiError::not_required(&name));
        }
        let display_qty = parse_qty(market, &name, text)?;
        match size {
            _ if display_qty.is_zero() => Ok(Qty::ZERO),
            _ if !time_in_force.may_rest() => Err(self.iceberg_must_rest()),
            Some(OrderSize::Base(qty)) if display_qty >= qty => Err(ApiError::iceberg_exceeds()),
            _ => Ok(display_qty),
        }
    }

    fn iceberg_must_rest(&self) -> ApiError {
        match self.names {
            Names::Alone => ApiError::unsupported_order_combination(),
            names => {
                let name = |field| names.of(field);
                ApiError::iceberg_not_gtc(&name(Field::IcebergQty), &name(Field::TimeInForce))
            }
        }
    }
}

/// A decimal that is exact in an asset's smallest units; zeros beyond those are fine.
pub(super) fn take_decimal(
    params: &mut Params,
    name: &str,
    decimals: u8,
) -> Result<Option<DecimalText>, ApiError> {
    let text = params.decimal(name)?;
    if text.as_deref().is_none_or(|text| has_precision(text, decimals)) {
        Ok(text)
    } else {
        Err(ApiError::too_much_precision(name))
    }
}

fn has_precision(text: &str, decimals: u8) -> bool {
    let (_, fraction) = text.split_once('.').unwrap_or((text, ""));
    fraction.trim_end_matches('0').len() <= usize::from(decimals)
}

/// An integer that is stored in fewer bits than clients may send.
fn take_int<T: TryFrom<u64>>(params: &mut Params, name: &str) -> Result<Option<T>, ApiError> {
    let Some(integer) = params.integer(name)? else { return Ok(None) };
    T::try_from(integer).map(Some).map_err(|_| ApiError::overflowed(name))
}

pub(super) fn parse_qty(market: &Market, name: &str, text: &str) -> Result<Qty, ApiError> {
    if !has_precision(text, market.base.decimals) {
        return Err(ApiError::too_much_precision(name));
    }
    market.instrument.parse_qty(text).ok_or_else(|| ApiError::filter("LOT_SIZE"))
}

fn parse_price(market: &Market, text: &str) -> Result<Price, ApiError> {
    market.instrument.parse_price(text).ok_or_else(|| ApiError::filter("PRICE_FILTER"))
}

#[cfg(test)]
mod tests;

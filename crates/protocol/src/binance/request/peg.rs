//! Pegged orders, as they are asked for and as the venue has them.
//!
//! `MARKET_PEG` takes the best price of the other side as the order comes, and keeps it: a
//! market-to-limit order. `PRIMARY_PEG` is the venue's own peg, which goes on following the best
//! price of its side. Ours are `OPPOSITE_PEG` and `MID_PEG`, which follow the best price of the
//! other side and the middle, and offsets in ticks.

use types::{OrderType, Peg, PegReference, Price, TimeInForce};

use super::names::{Field, Names};
use crate::signed::{ApiError, Params};

const OFFSET_MAX: i64 = 100;
const OFFSET_LEGAL: &str = "^-?[0-9]{1,9}$";

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum PegPriceType {
    Follows(PegReference),
    /// The market price on arrival.
    Fixed,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum OffsetType {
    PriceLevel,
    Tick,
}

/// The parameters of a peg, each right by itself.
#[derive(Clone, Copy, Debug)]
pub(super) struct SentPeg {
    price_type: Option<PegPriceType>,
    offset_type: Option<OffsetType>,
    offset_value: Option<i64>,
}

/// What a pegged order is in the engine.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) struct Pegged {
    pub(super) order_type: OrderType,
    pub(super) peg: Option<Peg>,
}

impl SentPeg {
    pub(super) fn take(params: &mut Params, names: Names) -> Result<Self, ApiError> {
        let price_type = params.choice_or(
            &names.of(Field::PegPriceType),
            &[
                ("PRIMARY_PEG", PegPriceType::Follows(PegReference::Primary)),
                ("MARKET_PEG", PegPriceType::Fixed),
                ("OPPOSITE_PEG", PegPriceType::Follows(PegReference::Market)),
                ("MID_PEG", PegPriceType::Follows(PegReference::Mid)),
            ],
            ApiError::invalid_peg_price_type,
        )?;
        let offset_type = params.choice_or(
            &names.of(Field::PegOffsetType),
            &[("PRICE_LEVEL", OffsetType::PriceLevel), ("TICK", OffsetType::Tick)],
            ApiError::invalid_peg_offset_type,
        )?;
        let value_name = names.of(Field::PegOffsetValue);
        let offset_value = params.pattern(&value_name, OFFSET_LEGAL)?;
        let offset_value = offset_value.and_then(|text| text.parse::<i64>().ok());
        let is_level = offset_type != Some(OffsetType::Tick);
        if is_level && offset_value.is_some_and(|value| value > OFFSET_MAX) {
            return Err(ApiError::greater_than(&value_name, OFFSET_MAX.unsigned_abs()));
        }
        Ok(Self { price_type, offset_type, offset_value })
    }

    pub(super) const fn is_there(self) -> bool {
        self.price_type.is_some()
    }

    /// `None` if the order is not pegged. `limit` is the order's own price, if it has one.
    pub(super) fn check(
        self,
        names: Names,
        order_type: OrderType,
        time_in_force: TimeInForce,
        limit: Option<Price>,
    ) -> Result<Option<Pegged>, ApiError> {
        let Some(price_type) = self.price_type else {
            return self.check_absent(names).map(|()| None);
        };
        let offset_ticks = self.check_offset(names)?;
        if names != Names::Alone {
            return Err(ApiError::not_supported_for_symbol("Pegged orders in order lists"));
        }
        match (order_type, price_type) {
            (OrderType::Limit, PegPriceType::Follows(_)) if !follows(time_in_force) => {
                Err(ApiError::unsupported_order_combination())
            }
            (OrderType::Limit | OrderType::LimitMaker, PegPriceType::Follows(reference)) => {
                let peg = Peg { reference, offset_ticks, limit };
                Ok(Some(Pegged { order_type, peg: Some(peg) }))
            }
            (OrderType::Limit, PegPriceType::Fixed) if offset_ticks != 0 => {
                Err(ApiError::not_supported_for_symbol("Market pegs with an offset"))
            }
            (OrderType::Limit, PegPriceType::Fixed) if limit.is_none() => {
                Ok(Some(Pegged { order_type: OrderType::MarketToLimit, peg: None }))
            }
            (OrderType::Limit, PegPriceType::Fixed) => {
                Err(ApiError::not_supported_for_symbol("Market pegs with a price"))
            }
            (OrderType::LimitMaker, PegPriceType::Fixed) => Err(ApiError::peg_with_other_type()),
            (OrderType::StopLossLimit | OrderType::TakeProfitLimit, _) => {
                Err(ApiError::not_supported_for_symbol("Pegged stop orders"))
            }
            _ => Err(ApiError::peg_not_with_type()),
        }
    }

    fn check_absent(self, names: Names) -> Result<(), ApiError> {
        let sent = [
            (self.offset_type.is_some(), Field::PegOffsetType),
            (self.offset_value.is_some(), Field::PegOffsetValue),
        ];
        match sent.into_iter().find(|(is_sent, _)| *is_sent) {
            Some((_, field)) => Err(ApiError::not_required(&names.of(field))),
            None => Ok(()),
        }
    }

    /// The offset in ticks. Levels of the book are not counted: the best one is all that a peg here
    /// can follow.
    fn check_offset(self, names: Names) -> Result<i32, ApiError> {
        if self.offset_type.is_some() != self.offset_value.is_some() {
            let fields = [Field::PegOffsetType, Field::PegOffsetValue];
            return Err(ApiError::only_together(&fields.map(|field| names.of(field))));
        }
        let value = self.offset_value.unwrap_or(0);
        match self.offset_type {
            _ if value == 0 => Ok(0),
            Some(OffsetType::Tick) => {
                let name = names.of(Field::PegOffsetValue);
                i32::try_from(value).map_err(|_| ApiError::overflowed(&name))
            }
            _ => Err(ApiError::not_supported_for_symbol("Pegged orders with an offset of levels")),
        }
    }
}

/// Whether an order may follow a reference price that long.
const fn follows(time_in_force: TimeInForce) -> bool {
    matches!(time_in_force, TimeInForce::Gtc | TimeInForce::Day | TimeInForce::Gtd)
}

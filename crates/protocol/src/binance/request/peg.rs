//! Pegged orders, as they are asked for and as the venue has them.
//!
//! `MARKET_PEG` takes the best price of the other side as the order comes, and keeps it: a
//! market-to-limit order. `PRIMARY_PEG` is the venue's own peg, which goes on following the best
//! price of its side.

use types::{OrderType, Peg, PegReference, Price, TimeInForce};

use super::names::{Field, Names};
use crate::signed::{ApiError, Params};

const OFFSET_MAX: u64 = 100;

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum PegPriceType {
    Primary,
    Market,
}

/// The parameters of a peg, each right by itself.
#[derive(Clone, Copy, Debug)]
pub(super) struct SentPeg {
    price_type: Option<PegPriceType>,
    has_offset_type: bool,
    offset_value: Option<u64>,
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
            &[("PRIMARY_PEG", PegPriceType::Primary), ("MARKET_PEG", PegPriceType::Market)],
            ApiError::invalid_peg_price_type,
        )?;
        let offset_type = params.choice_or(
            &names.of(Field::PegOffsetType),
            &[("PRICE_LEVEL", ())],
            ApiError::invalid_peg_offset_type,
        )?;
        let value_name = names.of(Field::PegOffsetValue);
        let offset_value = params.integer(&value_name)?;
        if offset_value.is_some_and(|value| value > OFFSET_MAX) {
            return Err(ApiError::greater_than(&value_name, OFFSET_MAX));
        }
        Ok(Self { price_type, has_offset_type: offset_type.is_some(), offset_value })
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
        self.check_offset(names)?;
        if names != Names::Alone {
            return Err(ApiError::not_supported_for_symbol("Pegged orders in order lists"));
        }
        match (order_type, price_type) {
            (OrderType::Limit, PegPriceType::Primary) if time_in_force != TimeInForce::Gtc => {
                Err(ApiError::unsupported_order_combination())
            }
            (OrderType::Limit | OrderType::LimitMaker, PegPriceType::Primary) => {
                let peg = Peg { reference: PegReference::Primary, offset_ticks: 0, limit };
                Ok(Some(Pegged { order_type, peg: Some(peg) }))
            }
            (OrderType::Limit, PegPriceType::Market) if limit.is_none() => {
                Ok(Some(Pegged { order_type: OrderType::MarketToLimit, peg: None }))
            }
            (OrderType::Limit, PegPriceType::Market) => {
                Err(ApiError::not_supported_for_symbol("Market pegs with a price"))
            }
            (OrderType::LimitMaker, PegPriceType::Market) => Err(ApiError::peg_with_other_type()),
            (OrderType::StopLossLimit | OrderType::TakeProfitLimit, _) => {
                Err(ApiError::not_supported_for_symbol("Pegged stop orders"))
            }
            _ => Err(ApiError::peg_not_with_type()),
        }
    }

    fn check_absent(self, names: Names) -> Result<(), ApiError> {
        let sent = [
            (self.has_offset_type, Field::PegOffsetType),
            (self.offset_value.is_some(), Field::PegOffsetValue),
        ];
        match sent.into_iter().find(|(is_sent, _)| *is_sent) {
            Some((_, field)) => Err(ApiError::not_required(&names.of(field))),
            None => Ok(()),
        }
    }

    /// Levels of the book are not counted: the best one is all that a peg here can follow.
    fn check_offset(self, names: Names) -> Result<(), ApiError> {
        if self.has_offset_type != self.offset_value.is_some() {
            let fields = [Field::PegOffsetType, Field::PegOffsetValue];
            return Err(ApiError::only_together(&fields.map(|field| names.of(field))));
        }
        match self.offset_value {
            None | Some(0) => Ok(()),
            Some(_) => Err(ApiError::not_supported_for_symbol("Pegged orders with an offset")),
        }
    }
}

//! What the parameters of an order are called. By itself it has plain names; in a list, names that
//! say which of the orders is meant.

use std::borrow::Cow;

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Field {
    Type,
    Side,
    Quantity,
    TimeInForce,
    QuoteOrderQty,
    Price,
    ClOrdId,
    StrategyId,
    StrategyType,
    StopPrice,
    TrailingDelta,
    IcebergQty,
    PegPriceType,
    PegOffsetType,
    PegOffsetValue,
    Hidden,
    MinQty,
    GoodTillDate,
    WithinBalance,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Names {
    Alone,
    /// An order of a list, such as `above` for `abovePrice`.
    Leg(&'static str),
    /// The limit leg of an OCO as it was sent in the past.
    LegacyLimit,
    LegacyStop,
}

impl Field {
    const fn plain(self) -> &'static str {
        match self {
            Self::Type => "type",
            Self::Side => "side",
            Self::Quantity => "quantity",
            Self::TimeInForce => "timeInForce",
            Self::QuoteOrderQty => "quoteOrderQty",
            Self::Price => "price",
            Self::ClOrdId => "clientOrderId",
            Self::StrategyId => "strategyId",
            Self::StrategyType => "strategyType",
            Self::StopPrice => "stopPrice",
            Self::TrailingDelta => "trailingDelta",
            Self::IcebergQty => "icebergQty",
            Self::PegPriceType => "pegPriceType",
            Self::PegOffsetType => "pegOffsetType",
            Self::PegOffsetValue => "pegOffsetValue",
            Self::Hidden => "hidden",
            Self::MinQty => "minQty",
            Self::GoodTillDate => "goodTillDate",
            Self::WithinBalance => "withinBalance",
        }
    }
}

impl Names {
    pub(super) fn of(self, field: Field) -> Cow<'static, str> {
        use Field::{
            ClOrdId, GoodTillDate, Hidden, IcebergQty, MinQty, Price, StrategyId, StrategyType,
            TimeInForce, WithinBalance,
        };
        match (self, field) {
            (Self::Alone, ClOrdId) => Cow::Borrowed("newClientOrderId"),
            (Self::Leg(prefix), field) => prefixed(prefix, field),
            (Self::LegacyStop, Price) => Cow::Borrowed("stopLimitPrice"),
            (Self::LegacyStop, TimeInForce) => Cow::Borrowed("stopLimitTimeInForce"),
            (
                Self::LegacyLimit | Self::LegacyStop,
                ClOrdId | StrategyId | StrategyType | IcebergQty | Hidden | MinQty | GoodTillDate
                | WithinBalance,
            ) => prefixed(if self == Self::LegacyLimit { "limit" } else { "stop" }, field),
            (Self::Alone | Self::LegacyLimit | Self::LegacyStop, field) => {
                Cow::Borrowed(field.plain())
            }
        }
    }
}

/// `above` and `price` give `abovePrice`.
fn prefixed(prefix: &str, field: Field) -> Cow<'static, str> {
    let plain = field.plain();
    let (first, rest) = plain.split_at(1);
    Cow::Owned(format!("{prefix}{}{rest}", first.to_ascii_uppercase()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_order_of_a_list_has_names_of_its_own() {
        assert_eq!(Names::Alone.of(Field::ClOrdId), "newClientOrderId");
        assert_eq!(Names::Alone.of(Field::StopPrice), "stopPrice");
        assert_eq!(Names::Leg("pendingAbove").of(Field::ClOrdId), "pendingAboveClientOrderId");
        assert_eq!(Names::Leg("below").of(Field::PegOffsetValue), "belowPegOffsetValue");
        assert_eq!(Names::LegacyLimit.of(Field::Price), "price");
        assert_eq!(Names::LegacyLimit.of(Field::IcebergQty), "limitIcebergQty");
        assert_eq!(Names::LegacyStop.of(Field::Price), "stopLimitPrice");
        assert_eq!(Names::LegacyStop.of(Field::TrailingDelta), "trailingDelta");
        assert_eq!(Names::LegacyStop.of(Field::StrategyType), "stopStrategyType");
        assert_eq!(Names::LegacyLimit.of(Field::MinQty), "limitMinQty");
    }
}

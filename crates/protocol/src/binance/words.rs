//! Words of requests and answers, each table for both directions.

use std::borrow::Cow;
use std::fmt::Display;

use serde::Serializer;
use types::{OrderType, Side, StpMode, TimeInForce};

/// A word of an answer: the venue borrows it from a table, a client reads it.
pub type Word = Cow<'static, str>;

/// The list is for requests, the function for answers.
macro_rules! words {
    ($($list:ident, $word:ident: $type:ident { $($variant:ident = $text:literal),+ })*) => {$(
        pub const $list: &[(&str, $type)] = &[$(($text, $type::$variant)),+];

        pub const fn $word(value: $type) -> &'static str {
            match value {
                $($type::$variant => $text,)+
            }
        }
    )*};
}

words! {
    SIDES, side: Side { Buy = "BUY", Sell = "SELL" }

    // `MARKET_TO_LIMIT` is ours. In its place, Binance has a limit order with a `MARKET_PEG`.
    ORDER_TYPES, order_type: OrderType {
        Limit = "LIMIT",
        Market = "MARKET",
        LimitMaker = "LIMIT_MAKER",
        StopLoss = "STOP_LOSS",
        StopLossLimit = "STOP_LOSS_LIMIT",
        TakeProfit = "TAKE_PROFIT",
        TakeProfitLimit = "TAKE_PROFIT_LIMIT",
        MarketToLimit = "MARKET_TO_LIMIT"
    }

    TIMES_IN_FORCE, time_in_force: TimeInForce {
        Gtc = "GTC",
        Ioc = "IOC",
        Fok = "FOK",
        // Ours.
        Day = "DAY",
        Gtd = "GTD",
        AtOpen = "AT_OPEN",
        AtClose = "AT_CLOSE"
    }

    STP_MODES, stp_mode: StpMode {
        None = "NONE",
        ExpireTaker = "EXPIRE_TAKER",
        ExpireMaker = "EXPIRE_MAKER",
        ExpireBoth = "EXPIRE_BOTH",
        Decrement = "DECREMENT"
    }
}

/// For `#[serde(serialize_with)]`.
pub(super) fn as_text<S: Serializer>(value: &impl Display, to: S) -> Result<S::Ok, S::Error> {
    to.collect_str(value)
}

/// For `#[serde(with)]`.
pub(super) mod as_asset {
    use serde::de::{Error, Unexpected};
    use serde::{Deserialize, Deserializer, Serializer};
    use types::AssetName;

    pub(crate) fn serialize<S: Serializer>(value: &AssetName, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(value.as_str())
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<AssetName, D::Error> {
        let name = String::deserialize(from)?;
        AssetName::parse(&name)
            .ok_or_else(|| D::Error::invalid_value(Unexpected::Str(&name), &"an asset's name"))
    }
}

/// For `#[serde(with)]`.
pub(super) mod as_side {
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serializer};
    use types::Side;

    use super::{SIDES, Word, side};

    pub(crate) fn serialize<S: Serializer>(value: &Side, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(side(*value))
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Side, D::Error> {
        let word = Word::deserialize(from)?;
        let known = SIDES.iter().find(|(text, _)| *text == word);
        known.map(|(_, side)| *side).ok_or_else(|| D::Error::custom(format!("no side: {word}")))
    }
}

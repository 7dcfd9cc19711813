//! Words of messages and replies, each table for both directions.

use types::{OrderStatus, OrderType, Side, StpMode, TimeInForce};

use super::fault::Fault;

macro_rules! words {
    ($($list:ident, $word:ident: $type:ident { $($variant:ident = $text:literal),+ $(,)? })*) => {$(
        pub(super) const $list: &[(&str, $type)] = &[$(($text, $type::$variant)),+];

        pub(super) const fn $word(value: $type) -> &'static str {
            match value {
                $($type::$variant => $text,)+
            }
        }
    )*};
}

words! {
    SIDES, side: Side { Buy = "BUY", Sell = "SELL" }

    ORDER_TYPES, order_type: OrderType {
        Limit = "LIMIT",
        Market = "MARKET",
        LimitMaker = "LIMIT_MAKER",
        StopLoss = "STOP_LOSS",
        StopLossLimit = "STOP_LOSS_LIMIT",
        TakeProfit = "TAKE_PROFIT",
        TakeProfitLimit = "TAKE_PROFIT_LIMIT",
        MarketToLimit = "MARKET_TO_LIMIT",
    }

    TIMES_IN_FORCE, time_in_force: TimeInForce {
        Gtc = "GTC",
        Ioc = "IOC",
        Fok = "FOK",
        Day = "DAY",
        Gtd = "GTD",
        AtOpen = "AT_OPEN",
        AtClose = "AT_CLOSE",
    }

    STP_MODES, _stp_mode: StpMode {
        None = "NONE",
        ExpireTaker = "EXPIRE_TAKER",
        ExpireMaker = "EXPIRE_MAKER",
        ExpireBoth = "EXPIRE_BOTH",
        Decrement = "DECREMENT",
    }

    _STATUSES, status: OrderStatus {
        New = "NEW",
        PartiallyFilled = "PARTIALLY_FILLED",
        Filled = "FILLED",
        Canceled = "CANCELED",
        Expired = "EXPIRED",
        Prevented = "EXPIRED_IN_MATCH",
    }
}

/// The value of a word; the sentence of a fault lists the words.
pub(super) fn choose<T: Copy>(field: &str, words: &[(&str, T)], text: &str) -> Result<T, Fault> {
    let known = words.iter().find(|(word, _)| *word == text).map(|(_, value)| *value);
    known.ok_or_else(|| {
        let all: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
        Fault::invalid(field, &format!("one of {}", all.join(", ")))
    })
}

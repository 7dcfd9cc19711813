//! Words that messages share with the vocabulary, under the same names.

use crate::v1;

macro_rules! words {
    ($($word:ident: $($name:ident),+;)+) => {$(
        impl From<types::$word> for v1::$word {
            fn from(word: types::$word) -> Self {
                match word {
                    $(types::$word::$name => Self::$name,)+
                }
            }
        }

        impl v1::$word {
            /// `None` where a message leaves it out.
            pub const fn given(self) -> Option<types::$word> {
                match self {
                    Self::Unspecified => None,
                    $(Self::$name => Some(types::$word::$name),)+
                }
            }
        }
    )+};
}

words! {
    Side: Buy, Sell;
    OrderType: Limit, Market, LimitMaker, StopLoss, StopLossLimit, TakeProfit, TakeProfitLimit,
        MarketToLimit;
    TimeInForce: Gtc, Ioc, Fok, Day, Gtd, AtOpen, AtClose;
    OrderStatus: New, PartiallyFilled, Filled, Canceled, Expired, Prevented;
}

/// No prevention is what a message means that leaves it out.
impl From<types::StpMode> for v1::StpMode {
    fn from(mode: types::StpMode) -> Self {
        match mode {
            types::StpMode::None => Self::Unspecified,
            types::StpMode::ExpireTaker => Self::ExpireTaker,
            types::StpMode::ExpireMaker => Self::ExpireMaker,
            types::StpMode::ExpireBoth => Self::ExpireBoth,
            types::StpMode::Decrement => Self::Decrement,
        }
    }
}

impl From<v1::StpMode> for types::StpMode {
    fn from(mode: v1::StpMode) -> Self {
        match mode {
            v1::StpMode::Unspecified => Self::None,
            v1::StpMode::ExpireTaker => Self::ExpireTaker,
            v1::StpMode::ExpireMaker => Self::ExpireMaker,
            v1::StpMode::ExpireBoth => Self::ExpireBoth,
            v1::StpMode::Decrement => Self::Decrement,
        }
    }
}

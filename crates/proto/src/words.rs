//! Translations between words of messages and those of a vocabulary that has the same names.

/// Makes traits in the crate that calls it, which sees the vocabulary: `Word` has the word of a
/// message for one of the vocabulary, and `Given` the other way.
#[macro_export]
macro_rules! words {
    ($vocabulary:ident) => {
        /// A word of the vocabulary.
        pub(crate) trait Word {
            type InMessage;

            fn in_message(self) -> Self::InMessage;
        }

        $crate::words! {@to_message $vocabulary
            Side: Buy = Buy, Sell = Sell;
            OrderType: Limit = Limit, Market = Market, LimitMaker = LimitMaker,
                StopLoss = StopLoss, StopLossLimit = StopLossLimit,
                TakeProfit = TakeProfit, TakeProfitLimit = TakeProfitLimit,
                MarketToLimit = MarketToLimit;
            TimeInForce: Gtc = Gtc, Ioc = Ioc, Fok = Fok, Day = Day, Gtd = Gtd,
                AtOpen = AtOpen, AtClose = AtClose;
            OrderStatus: New = New, PartiallyFilled = PartiallyFilled, Filled = Filled,
                Canceled = Canceled, Expired = Expired, Prevented = Prevented;
            StpMode: None = Unspecified, ExpireTaker = ExpireTaker, ExpireMaker = ExpireMaker,
                ExpireBoth = ExpireBoth, Decrement = Decrement;
        }
    };
    ($vocabulary:ident, given) => {
        $crate::words!($vocabulary);

        /// A word of a message, which may leave it out.
        pub(crate) trait Given {
            type Word;

            fn given(self) -> Option<Self::Word>;
        }

        $crate::words! {@from_message $vocabulary
            Side: Buy, Sell;
            OrderType: Limit, Market, LimitMaker, StopLoss, StopLossLimit, TakeProfit,
                TakeProfitLimit, MarketToLimit;
            TimeInForce: Gtc, Ioc, Fok, Day, Gtd, AtOpen, AtClose;
            StpMode: ExpireTaker, ExpireMaker, ExpireBoth, Decrement;
        }
    };
    (@to_message $vocabulary:ident $($word:ident: $($name:ident = $in_message:ident),+;)+) => {$(
        impl Word for $vocabulary::$word {
            type InMessage = $crate::v1::$word;

            fn in_message(self) -> $crate::v1::$word {
                match self {
                    $($vocabulary::$word::$name => $crate::v1::$word::$in_message,)+
                }
            }
        }
    )+};
    (@from_message $vocabulary:ident $($word:ident: $($name:ident),+;)+) => {$(
        impl Given for $crate::v1::$word {
            type Word = $vocabulary::$word;

            fn given(self) -> Option<$vocabulary::$word> {
                match self {
                    $crate::v1::$word::Unspecified => None,
                    $($crate::v1::$word::$name => Some($vocabulary::$word::$name),)+
                }
            }
        }
    )+};
}

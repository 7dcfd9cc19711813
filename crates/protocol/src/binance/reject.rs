//! What a refusal by the engine says to a client. The same reason has another code when an order
//! was to be entered, canceled or amended.

use types::RejectReason;

use crate::signed::ApiError;

/// What was asked for.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Request {
    NewOrder,
    Cancel,
    Amend,
}

pub fn api_error(reason: RejectReason, request: Request) -> ApiError {
    match reason {
        RejectReason::UnknownAccount | RejectReason::UnknownKey => ApiError::api_key_rejected(),
        RejectReason::UnknownInstrument => ApiError::invalid_symbol(),

        RejectReason::AccountKilled => {
            rejected(request, "This action is disabled on this account.")
        }
        RejectReason::InstrumentDelisted
        | RejectReason::VenueHalted
        | RejectReason::PhaseForbids => rejected(request, "Market is closed."),
        RejectReason::OrderRateAboveMax => ApiError::new(429, -1015, "Too many new orders."),

        RejectReason::OrderTermsInvalid
        | RejectReason::MinQtyAboveOrderQty
        | RejectReason::ExpireTimePast => ApiError::unsupported_order_combination(),
        RejectReason::StopPriceOutOfRange => ApiError::filter("PRICE_FILTER"),
        RejectReason::TrailingDeltaOutOfRange => ApiError::filter("TRAILING_DELTA"),
        RejectReason::PriceOutsidePercent => ApiError::filter("PERCENT_PRICE_BY_SIDE"),
        RejectReason::PriceOutsideCollar => {
            rejected(request, "Price is outside this account's collar.")
        }
        RejectReason::NoPegReference => {
            rejected(request, "Order book liquidity is too low for this pegged order.")
        }
        RejectReason::DisplayQtyOutOfRange => ApiError::filter("LOT_SIZE"),
        RejectReason::TooManyIcebergParts => ApiError::filter("ICEBERG_PARTS"),
        RejectReason::OrderQtyAboveLimit
        | RejectReason::NotionalAboveLimit
        | RejectReason::OpenOrdersAboveLimit
        | RejectReason::OpenNotionalAboveLimit
        | RejectReason::PositionAboveLimit => {
            rejected(request, "Order is above this account's limits.")
        }
        RejectReason::TooManyStopOrders => ApiError::filter("MAX_NUM_ALGO_ORDERS"),
        RejectReason::TooManyIcebergOrders => ApiError::filter("MAX_NUM_ICEBERG_ORDERS"),
        RejectReason::TooManyOrderLists => ApiError::filter("MAX_NUM_ORDER_LISTS"),
        RejectReason::PositionAboveMax => ApiError::filter("MAX_POSITION"),
        RejectReason::OrderListInvalid => {
            rejected(request, "The relationship of the prices for the orders is not correct.")
        }
        RejectReason::WouldTriggerImmediately => {
            rejected(request, "Order would trigger immediately.")
        }
        RejectReason::OrderListNotFound => rejected(request, "Unknown order list sent."),
        RejectReason::AmendNotAllowed => {
            rejected(request, "Order amend is not supported for this order.")
        }
        // As Binance documents it: the one filter with the code of a refused amend.
        RejectReason::TooManyAmends => {
            ApiError::amend_rejected("Filter failure: MAX_NUM_ORDER_AMENDS")
        }
        RejectReason::PriceBelowMin | RejectReason::PriceAboveMax => {
            ApiError::filter("PRICE_FILTER")
        }
        RejectReason::OrderQtyBelowMin | RejectReason::OrderQtyAboveMax => {
            ApiError::filter("LOT_SIZE")
        }
        RejectReason::MarketQtyBelowMin | RejectReason::MarketQtyAboveMax => {
            ApiError::filter("MARKET_LOT_SIZE")
        }
        RejectReason::NotionalBelowMin | RejectReason::NotionalAboveMax => {
            ApiError::filter("NOTIONAL")
        }
        RejectReason::TooManyOpenOrders => ApiError::filter("MAX_NUM_ORDERS"),
        RejectReason::TooManyAccountOrders => ApiError::filter("EXCHANGE_MAX_NUM_ORDERS"),
        RejectReason::DuplicateClOrdId | RejectReason::DuplicateListClOrdId => {
            rejected(request, "Duplicate order sent.")
        }
        RejectReason::InsufficientBalance => {
            rejected(request, "Account has insufficient balance for requested action.")
        }
        RejectReason::WouldTakeLiquidity => {
            rejected(request, "Order would immediately match and take.")
        }

        RejectReason::OrderNotFound => rejected(request, "Unknown order sent."),
        RejectReason::CancelRestricted => {
            rejected(request, "Order was not canceled due to cancel restrictions.")
        }
        RejectReason::AmendQtyNotLower => {
            rejected(request, "Order amend (quantity increase) is not supported.")
        }
        RejectReason::AmendQtyNotAboveCum => {
            rejected(request, "Order amend (quantity below executed quantity) is not supported.")
        }
        RejectReason::NotAttempted => ApiError::new(400, -2022, "Order cancel-replace failed."),

        // No request of this API leads here: they answer operators.
        RejectReason::UnknownAsset
        | RejectReason::AmountNotPositive
        | RejectReason::AmountAboveMax
        | RejectReason::DuplicateExternalRef
        | RejectReason::SupplyAboveMax
        | RejectReason::WithdrawalAboveFree
        | RejectReason::NameInUse
        | RejectReason::TooManyAssets
        | RejectReason::TooManyInstruments
        | RejectReason::TooManyAccounts
        | RejectReason::TooManyKeys
        | RejectReason::DecimalsAboveMax
        | RejectReason::TickTimesLotNotWhole
        | RejectReason::LotNotWhole
        | RejectReason::InstrumentAmountsTooLarge
        | RejectReason::InstrumentBoundsInvalid
        | RejectReason::FeeTooHigh
        | RejectReason::BaseIsQuote
        | RejectReason::ApiKeyInUse
        | RejectReason::KeysChanged
        | RejectReason::AccountLimitsTooHigh
        | RejectReason::UnknownSession
        | RejectReason::SessionInUse
        | RejectReason::TooManySessions
        | RejectReason::TradeNotFound
        | RejectReason::TradeBustedAlready
        | RejectReason::ReceivableNotFound
        | RejectReason::NothingToSettle
        | RejectReason::OwnsNoBalances
        | RejectReason::TooManyWithdrawals
        | RejectReason::WithdrawalNotFound
        | RejectReason::WithdrawalCompletedAlready
        | RejectReason::WithdrawalCanceledAlready
        | RejectReason::InstrumentRulesInvalid
        | RejectReason::InstrumentStepsFixed
        | RejectReason::FeeScheduleInvalid
        | RejectReason::CalendarInvalid
        | RejectReason::CircuitBreakerInvalid
        | RejectReason::AccountNotFlat
        | RejectReason::HaltLevelInvalid
        | RejectReason::VenueNotHalted => ApiError::unsupported_operation(),
    }
}

fn rejected(request: Request, msg: &'static str) -> ApiError {
    match request {
        Request::NewOrder => ApiError::new_order_rejected(msg),
        Request::Cancel => ApiError::cancel_rejected(msg),
        Request::Amend => ApiError::amend_rejected(msg),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_reason_has_the_code_and_text_that_clients_match() {
        use RejectReason as R;
        use Request::{Amend, Cancel, NewOrder};
        for (reason, request, code, msg) in [
            (R::UnknownAccount, NewOrder, -2015, "Invalid API-key, IP, or permissions for action."),
            (R::UnknownKey, Cancel, -2015, "Invalid API-key, IP, or permissions for action."),
            (R::UnknownInstrument, NewOrder, -1121, "Invalid symbol."),
            (R::OrderTermsInvalid, NewOrder, -1014, "Unsupported order combination."),
            (R::PriceBelowMin, NewOrder, -1013, "Filter failure: PRICE_FILTER"),
            (R::PriceAboveMax, NewOrder, -1013, "Filter failure: PRICE_FILTER"),
            (R::OrderQtyBelowMin, NewOrder, -1013, "Filter failure: LOT_SIZE"),
            (R::OrderQtyAboveMax, Amend, -1013, "Filter failure: LOT_SIZE"),
            (R::MarketQtyBelowMin, NewOrder, -1013, "Filter failure: MARKET_LOT_SIZE"),
            (R::MarketQtyAboveMax, NewOrder, -1013, "Filter failure: MARKET_LOT_SIZE"),
            (R::NotionalBelowMin, NewOrder, -1013, "Filter failure: NOTIONAL"),
            (R::NotionalAboveMax, NewOrder, -1013, "Filter failure: NOTIONAL"),
            (R::TooManyOpenOrders, NewOrder, -1013, "Filter failure: MAX_NUM_ORDERS"),
            (R::TooManyAccountOrders, NewOrder, -1013, "Filter failure: EXCHANGE_MAX_NUM_ORDERS"),
            (R::DuplicateClOrdId, NewOrder, -2010, "Duplicate order sent."),
            (R::DuplicateClOrdId, Amend, -2038, "Duplicate order sent."),
            (
                R::InsufficientBalance,
                NewOrder,
                -2010,
                "Account has insufficient balance for requested action.",
            ),
            (R::WouldTakeLiquidity, NewOrder, -2010, "Order would immediately match and take."),
            (R::OrderNotFound, Cancel, -2011, "Unknown order sent."),
            (R::OrderNotFound, Amend, -2038, "Unknown order sent."),
            (
                R::CancelRestricted,
                Cancel,
                -2011,
                "Order was not canceled due to cancel restrictions.",
            ),
            (
                R::AmendQtyNotLower,
                Amend,
                -2038,
                "Order amend (quantity increase) is not supported.",
            ),
            (R::NotAttempted, NewOrder, -2022, "Order cancel-replace failed."),
            (R::TooManyAssets, NewOrder, -1020, "This operation is not supported."),
        ] {
            let error = api_error(reason, request);
            assert_eq!((error.code, &*error.msg), (code, msg), "{reason:?} {request:?}");
        }
    }
    #[test]
    fn no_refusal_is_the_venues_fault() {
        for reason in RejectReason::ALL {
            for request in [Request::NewOrder, Request::Cancel, Request::Amend] {
                let error = api_error(*reason, request);
                assert!((400..500).contains(&error.status), "{reason:?} {request:?}");
            }
        }
    }
}

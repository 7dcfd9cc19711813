//! What a refusal by the engine says to a client. The same reason has another code when an order
//! was to be entered, canceled or amended.

use types::{Market, RejectReason, TradingState};

use crate::signed::ApiError;

/// What was asked for.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Request {
    NewOrder,
    Cancel,
    Amend,
}

/// Several reasons share a code and a text. The reason itself stands beside them.
pub fn api_error(reason: RejectReason, request: Request) -> ApiError {
    let error = match reply(reason) {
        Reply::Error(error) => error(),
        Reply::Filter(filter) => ApiError::filter(filter),
        Reply::Rejected(msg) => match request {
            Request::NewOrder => ApiError::new_order_rejected(msg),
            Request::Cancel => ApiError::cancel_rejected(msg),
            Request::Amend => ApiError::amend_rejected(msg),
        },
    };
    ApiError { reason: Some(reason), ..error }
}

/// The error of a new order. A phase that takes orders, but not this one, is no closed market.
pub fn new_order_error(reason: RejectReason, market: &Market) -> ApiError {
    let TradingState { phase, is_delisted, is_venue_halted, .. } = market.trading;
    let is_open = phase.takes_orders() && !is_delisted && !is_venue_halted;
    if reason == RejectReason::PhaseForbids && is_open {
        let error = ApiError::new_order_rejected(
            "The symbol's current phase does not take this 'type', 'timeInForce', 'pegPriceType' \
             or 'minQty'.",
        );
        return ApiError { reason: Some(reason), ..error };
    }
    api_error(reason, Request::NewOrder)
}

#[derive(Clone, Copy)]
enum Reply {
    /// The same error whatever was asked for.
    Error(fn() -> ApiError),
    Filter(&'static str),
    /// With the code of what was asked for.
    Rejected(&'static str),
}

/// Each row has reasons and their reply; a reason without a row does not compile.
macro_rules! replies {
    ($($($reason:ident)+ => $kind:ident($reply:expr),)+) => {
        fn reply(reason: RejectReason) -> Reply {
            match reason {
                $($(RejectReason::$reason)|+ => Reply::$kind($reply),)+
            }
        }
    };
}

replies! {
    UnknownAccount UnknownKey => Error(ApiError::api_key_rejected),
    UnknownInstrument => Error(ApiError::invalid_symbol),
    OrderRateAboveMax => Error(|| ApiError::new(429, -1015, "Too many new orders.")),
    OrderTermsInvalid => Error(ApiError::unsupported_order_combination),
    MinQtyAboveOrderQty => Error(|| ApiError::min_qty_exceeds("minQty")),
    ExpireTimePast => Error(ApiError::good_till_date_past),
    // As Binance documents it: the one filter with the code of a refused amend.
    TooManyAmends => Error(|| ApiError::amend_rejected("Filter failure: MAX_NUM_ORDER_AMENDS")),
    NotAttempted => Error(|| ApiError::new(400, -2022, "Order cancel-replace failed.")),

    PriceBelowMin PriceAboveMax StopPriceOutOfRange => Filter("PRICE_FILTER"),
    PriceOutsidePercent => Filter("PERCENT_PRICE_BY_SIDE"),
    TrailingDeltaOutOfRange => Filter("TRAILING_DELTA"),
    OrderQtyBelowMin OrderQtyAboveMax DisplayQtyOutOfRange => Filter("LOT_SIZE"),
    MarketQtyBelowMin MarketQtyAboveMax => Filter("MARKET_LOT_SIZE"),
    NotionalBelowMin NotionalAboveMax => Filter("NOTIONAL"),
    TooManyIcebergParts => Filter("ICEBERG_PARTS"),
    TooManyStopOrders => Filter("MAX_NUM_ALGO_ORDERS"),
    TooManyIcebergOrders => Filter("MAX_NUM_ICEBERG_ORDERS"),
    TooManyOrderLists => Filter("MAX_NUM_ORDER_LISTS"),
    TooManyOpenOrders => Filter("MAX_NUM_ORDERS"),
    TooManyAccountOrders => Filter("EXCHANGE_MAX_NUM_ORDERS"),
    PositionAboveMax => Filter("MAX_POSITION"),

    AccountKilled => Rejected("This action is disabled on this account."),
    InstrumentDelisted VenueHalted PhaseForbids => Rejected("Market is closed."),
    PriceOutsideCollar => Rejected("Price is outside this account's collar."),
    NoPegReference => Rejected("Order book liquidity is too low for this pegged order."),
    OrderQtyAboveLimit NotionalAboveLimit OpenOrdersAboveLimit OpenNotionalAboveLimit
    PositionAboveLimit => Rejected("Order is above this account's limits."),
    OrderListInvalid
        => Rejected("The relationship of the prices for the orders is not correct."),
    WouldTriggerImmediately => Rejected("Order would trigger immediately."),
    NoLiquidity => Rejected("Order book liquidity is less than symbol minimum quantity."),
    WouldTakeLiquidity => Rejected("Order would immediately match and take."),
    DuplicateClOrdId DuplicateListClOrdId => Rejected("Duplicate order sent."),
    InsufficientBalance
        => Rejected("Account has insufficient balance for requested action."),
    OrderNotFound => Rejected("Unknown order sent."),
    OrderListNotFound => Rejected("Unknown order list sent."),
    CancelRestricted => Rejected("Order was not canceled due to cancel restrictions."),
    // An order that another pays has no quantity yet.
    AmendNotAllowed => Rejected("Order amend (pending OPO order) is not supported."),
    AmendQtyUnchanged => Rejected("The requested action would change no state; rejecting"),
    AmendQtyNotLower => Rejected("Order amend (quantity increase) is not supported."),
    AmendQtyNotAboveCum
        => Rejected("Order amend (quantity below executed quantity) is not supported."),

    // No request of this API leads here: they answer operators.
    UnknownAsset AmountNotPositive AmountAboveMax DuplicateExternalRef SupplyAboveMax
    WithdrawalAboveFree NameInUse TooManyAssets TooManyInstruments TooManyAccounts TooManyKeys
    DecimalsAboveMax TickTimesLotNotWhole LotNotWhole InstrumentAmountsTooLarge
    InstrumentBoundsInvalid FeeTooHigh BaseIsQuote ApiKeyInUse KeysChanged AccountLimitsTooHigh
    UnknownSession SessionInUse TooManySessions NumberNotRising NumberForgotten FieldInvalid
    TradeNotFound TradeBustedAlready
    ReceivableNotFound NothingToSettle OwnsNoBalances TooManyWithdrawals WithdrawalNotFound
    WithdrawalCompletedAlready WithdrawalCanceledAlready WithdrawalIsOwn WithdrawalApprovedAlready
    TooManyApprovals WithdrawalNotApproved WithdrawalNeedsRequest WithdrawalApprovalsAboveMax
    UnknownLogin TooManyLogins TooManyKeysOfLogin UserInUse OperatorLoginByKey KeyBeyondLogin
    OperatorKeyByKey InstrumentRulesInvalid InstrumentStepsFixed FeeScheduleInvalid CalendarInvalid
    CircuitBreakerInvalid AccountNotFlat HaltLevelInvalid VenueNotHalted
        => Error(ApiError::unsupported_operation),
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
                R::AmendQtyUnchanged,
                Amend,
                -2038,
                "The requested action would change no state; rejecting",
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
        let refused = api_error(R::PriceOutsideCollar, NewOrder).body();
        assert!(refused.ends_with(r#","reason":"PriceOutsideCollar"}"#), "{refused}");
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

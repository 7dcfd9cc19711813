//! Why the engine rejected a command.

use crate::wire::numbered;

numbered! {
    /// Why a command was refused, in order of precedence: the first that applies is reported.
    /// Numbers are on the wire and in the log, so they are never reused.
    pub enum RejectReason: u16 {
        UnknownAccount = 1,
        UnknownInstrument = 2,
        UnknownAsset = 3,
        UnknownKey = 4,
        UnknownLogin = 5,

        /// The account's kill switch is on.
        AccountKilled = 10,
        InstrumentDelisted = 11,
        VenueHalted = 12,
        /// The instrument's phase forbids this command or this kind of order.
        PhaseForbids = 13,
        OrderRateAboveMax = 14,

        /// An order type with an incompatible time in force, price or size.
        OrderTermsInvalid = 100,
        PriceBelowMin = 101,
        PriceAboveMax = 102,
        /// A trigger price outside the instrument's bounds.
        StopPriceOutOfRange = 103,
        TrailingDeltaOutOfRange = 104,
        /// Too far from the average price.
        PriceOutsidePercent = 105,
        /// Too far through the last price for this account.
        PriceOutsideCollar = 106,
        /// The book has no price that the peg could follow.
        NoPegReference = 107,
        /// An order good till date whose date has passed.
        ExpireTimePast = 108,
        OrderQtyBelowMin = 110,
        OrderQtyAboveMax = 111,
        MarketQtyBelowMin = 112,
        MarketQtyAboveMax = 113,
        /// A display quantity of the whole order or more, or below the smallest quantity.
        DisplayQtyOutOfRange = 114,
        TooManyIcebergParts = 115,
        MinQtyAboveOrderQty = 116,
        /// Above this account's limit for one order.
        OrderQtyAboveLimit = 117,
        NotionalBelowMin = 120,
        NotionalAboveMax = 121,
        NotionalAboveLimit = 122,
        TooManyOpenOrders = 130,
        TooManyAccountOrders = 131,
        TooManyStopOrders = 132,
        TooManyIcebergOrders = 133,
        TooManyOrderLists = 134,
        OpenOrdersAboveLimit = 135,
        OpenNotionalAboveLimit = 136,
        /// The legs of an order list are incompatible: sides, types, or prices on the wrong side.
        OrderListInvalid = 139,
        DuplicateClOrdId = 140,
        DuplicateListClOrdId = 141,
        InsufficientBalance = 150,
        /// The instrument's largest position.
        PositionAboveMax = 151,
        PositionAboveLimit = 152,
        /// A market order for which the other side of the book has nothing.
        NoLiquidity = 153,
        /// A post-only order that would trade at once.
        WouldTakeLiquidity = 160,
        /// A stop order whose trigger price is reached already.
        WouldTriggerImmediately = 161,

        OrderNotFound = 200,
        CancelRestricted = 201,
        OrderListNotFound = 202,
        UnknownSession = 203,
        /// The amended quantity is the quantity that the order has.
        AmendQtyUnchanged = 209,
        AmendQtyNotLower = 210,
        AmendQtyNotAboveCum = 211,
        /// The order's terms forbid this change.
        AmendNotAllowed = 212,
        TooManyAmends = 213,
        SessionInUse = 214,
        TooManySessions = 215,
        /// A number below one that the login has used already, and that it has not used itself.
        NumberNotRising = 216,
        /// A number so far below the highest that the venue no longer knows whether it was used.
        NumberForgotten = 217,
        /// A gateway refused it: a field that the protocol of the client does not allow.
        FieldInvalid = 218,
        /// The new order of a replace was not tried, because the cancel was refused.
        NotAttempted = 220,

        AmountNotPositive = 300,
        AmountAboveMax = 301,
        DuplicateExternalRef = 302,
        /// All balances of the asset together would exceed the venue's limit.
        SupplyAboveMax = 303,
        WithdrawalAboveFree = 304,
        /// No such trade, or one of its accounts no longer keeps it.
        TradeNotFound = 305,
        TradeBustedAlready = 306,
        ReceivableNotFound = 307,
        NothingToSettle = 308,
        /// The account's mode has no balances to pay into or out of.
        OwnsNoBalances = 309,
        /// The account has its maximum of open withdrawals.
        TooManyWithdrawals = 310,
        /// No such withdrawal, or the venue has dropped it since it ended.
        WithdrawalNotFound = 311,
        WithdrawalCompletedAlready = 312,
        WithdrawalCanceledAlready = 313,
        /// The operator that requested a withdrawal cannot approve it.
        WithdrawalIsOwn = 314,
        /// The operator has approved the withdrawal before.
        WithdrawalApprovedAlready = 315,
        /// The withdrawal has the most approvals that one can have.
        TooManyApprovals = 316,
        /// The withdrawal lacks approvals of other operators.
        WithdrawalNotApproved = 317,
        /// Withdrawals need approvals, which a withdrawal in one step cannot have.
        WithdrawalNeedsRequest = 318,

        NameInUse = 400,
        TooManyAssets = 401,
        TooManyInstruments = 402,
        TooManyAccounts = 403,
        TooManyKeys = 404,
        TooManyLogins = 405,
        /// The login has its maximum of valid keys.
        TooManyKeysOfLogin = 406,
        DecimalsAboveMax = 410,
        InstrumentBoundsInvalid = 411,
        BaseIsQuote = 412,
        FeeTooHigh = 413,
        TickTimesLotNotWhole = 414,
        LotNotWhole = 415,
        InstrumentAmountsTooLarge = 416,
        ApiKeyInUse = 420,
        /// The resealed keys and logins are not those that are valid now.
        KeysChanged = 421,
        /// A key cannot make an operator's key: only the venue's machine can.
        OperatorKeyByKey = 422,
        /// Another login has the user name.
        UserInUse = 423,
        /// A key cannot make or change an operator's login: only the venue's machine can.
        OperatorLoginByKey = 424,
        /// A login's key has another account or role than the login, or is an operator's.
        KeyBeyondLogin = 425,
        AccountLimitsTooHigh = 430,
        InstrumentRulesInvalid = 440,
        /// Assets, tick and lot of a listed instrument cannot change.
        InstrumentStepsFixed = 441,
        FeeScheduleInvalid = 442,
        CalendarInvalid = 443,
        CircuitBreakerInvalid = 444,
        /// The account has open orders or a position.
        AccountNotFlat = 445,
        HaltLevelInvalid = 446,
        VenueNotHalted = 447,
        WithdrawalApprovalsAboveMax = 448,
    }
}

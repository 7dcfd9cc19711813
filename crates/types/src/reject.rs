use crate::wire::numbered;

numbered! {
    /// Why a command was refused, in order of precedence: the first that applies is reported.
    /// Numbers are on the wire and in the log, so they are never reused.
    pub enum RejectReason: u16 {
        UnknownAccount = 1,
        UnknownInstrument = 2,
        UnknownAsset = 3,
        UnknownKey = 4,

        /// An order type with a time in force, a price or a size that does not go with it.
        OrderTermsInvalid = 100,
        PriceBelowMin = 101,
        PriceAboveMax = 102,
        OrderQtyBelowMin = 110,
        OrderQtyAboveMax = 111,
        MarketQtyBelowMin = 112,
        MarketQtyAboveMax = 113,
        NotionalBelowMin = 120,
        NotionalAboveMax = 121,
        TooManyOpenOrders = 130,
        TooManyAccountOrders = 131,
        DuplicateClOrdId = 140,
        InsufficientBalance = 150,
        /// A post-only order that would trade at once.
        WouldTakeLiquidity = 160,

        OrderNotFound = 200,
        CancelRestricted = 201,
        AmendQtyNotLower = 210,
        AmendQtyNotAboveCum = 211,
        /// The new order of a replace was not tried, because the cancel was refused.
        NotAttempted = 220,

        AmountNotPositive = 300,
        AmountAboveMax = 301,
        DuplicateExternalRef = 302,
        /// All balances of the asset together would be more than the venue can hold.
        SupplyAboveMax = 303,
        WithdrawalAboveFree = 304,

        NameInUse = 400,
        TooManyAssets = 401,
        TooManyInstruments = 402,
        TooManyAccounts = 403,
        TooManyKeys = 404,
        DecimalsAboveMax = 410,
        InstrumentBoundsInvalid = 411,
        BaseIsQuote = 412,
        FeeTooHigh = 413,
        TickTimesLotNotWhole = 414,
        LotNotWhole = 415,
        InstrumentAmountsTooLarge = 416,
        ApiKeyInUse = 420,
        AccountLimitsTooHigh = 430,
    }
}

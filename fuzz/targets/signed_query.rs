//! No query and no body is a reason to panic for a reader of parameters, and a signature is good
//! for what was signed and for nothing else.
//!
//! The input is a query and, behind the first line's end, a body.

#![no_main]

use libfuzzer_sys::fuzz_target;
use protocol::binance::request;
use protocol::signed::sign::{VerifyingKey, check_time, sign, verify};
use protocol::signed::{ApiError, Params};
use types::{ClOrdId, Market, Markets};

const SECRET: &[u8] = b"secret";
const OTHER: &[u8] = b"another";
const NOW_US: u64 = 1_795_290_000_000_000;

fuzz_target!(|bytes: &[u8]| {
    let (query, body) = match bytes.iter().position(|byte| *byte == b'\n') {
        Some(at) => (&bytes[..at], &bytes[at + 1..]),
        None => (bytes, &[][..]),
    };
    let Ok(query) = str::from_utf8(query) else { return };
    let key = &VerifyingKey::hmac(SECRET);
    if verify(key, query, body).is_err_and(|error| error == ApiError::mandatory("signature")) {
        check_signature(query, body);
    }
    let Ok(mut params) = Params::parse(query, body) else { return };
    read_all(&params);
    if let Ok(window) = check_time(&mut params, NOW_US) {
        assert!(window.expires_us >= NOW_US && window.signed_us <= window.expires_us);
        read_all(&params);
    }
});

/// Of a request that has none yet.
fn check_signature(query: &str, body: &[u8]) {
    if query.split('&').any(|pair| pair.starts_with("signature=")) {
        return; // An empty one.
    }
    let payload = [query.as_bytes(), body].concat();
    let signed = |secret| {
        let signature = sign(secret, &payload);
        let query = format!("{query}&signature={signature}");
        verify(&VerifyingKey::hmac(SECRET), &query, body)
    };
    let is_form = !body.trim_ascii_start().starts_with(b"{");
    if is_form && body.split(|byte| *byte == b'&').any(|pair| pair.starts_with(b"signature=")) {
        assert!(signed(SECRET).is_err());
    } else {
        assert_eq!(signed(SECRET), Ok(()));
    }
    assert!(signed(OTHER).is_err());
}

/// Calls each reader with the parameters, and with whatever else it takes.
macro_rules! read {
    ($params:ident: $($reader:ident $(:: $part:ident)+ ($($more:expr),*);)+) => {$(
        let read = request::$reader$(::$part)+($params.clone(), $($more),*);
        let _read = read.map(|request| format!("{request:?}"));
    )+};
}

fn read_all(params: &Params) {
    let markets: Markets<'_> = &|name| (name == "BTCUSDT").then(Market::example);
    let mut generate = || ClOrdId::parse("generated").expect("a valid name");
    read! { params:
        AccountRequest::parse();
        AggTradesRequest::parse(markets);
        AllOrderListsRequest::parse();
        AllOrdersRequest::parse(markets);
        AllocationsRequest::parse(markets);
        AmendOrderRequest::parse(markets, &mut generate);
        AmendmentsRequest::parse(markets);
        AvgPriceRequest::parse(markets);
        BatchCancelRequest::parse(markets, &mut generate);
        BatchOrdersRequest::parse(markets, &mut generate);
        BlockTradesRequest::parse(markets);
        CancelAllRequest::parse(markets, &mut generate);
        CancelOrderListRequest::parse(markets, &mut generate);
        CancelOrderRequest::parse(markets, &mut generate);
        CommissionRequest::parse(markets);
        DayTickerRequest::parse(markets);
        DepositsRequest::parse();
        DepthRequest::parse(markets);
        ExchangeInfoRequest::parse(markets);
        ExecutionRulesRequest::parse(markets);
        HistoricalTradesRequest::parse(markets);
        KlinesRequest::parse(markets);
        ListenKeyRequest::parse();
        MarginPairsRequest::parse(markets);
        MyFiltersRequest::parse(markets);
        MyTradesRequest::parse(markets);
        NewOrderListRequest::parse_legacy_oco(markets, &mut generate);
        NewOrderListRequest::parse_oco(markets, &mut generate);
        NewOrderListRequest::parse_opo(markets, &mut generate);
        NewOrderListRequest::parse_opoco(markets, &mut generate);
        NewOrderListRequest::parse_oto(markets, &mut generate);
        NewOrderListRequest::parse_otoco(markets, &mut generate);
        NoParams::parse();
        OpenOrdersRequest::parse(markets);
        OrderListRequest::parse();
        PreventedMatchesRequest::parse(markets);
        QueryOrderRequest::parse(markets);
        ReferencePriceCalculationRequest::parse(markets);
        ReferencePriceRequest::parse(markets);
        ReplaceOrderRequest::parse(markets, &mut generate);
        TestOrderRequest::parse(markets, &mut generate);
        TestRoutedOrderRequest::parse(markets, &mut generate);
        TickerRequest::parse(markets);
        TradeFeeRequest::parse(markets);
        TradesRequest::parse(markets);
        TradingDayRequest::parse(markets);
        WindowTickerRequest::parse(markets);
        WithdrawalsRequest::parse();
    }
}

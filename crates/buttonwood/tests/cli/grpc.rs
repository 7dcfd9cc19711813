//! The venue over gRPC, as tonic's stubs see it.

use std::time::Duration;

use client::Credentials;
use client::grpc::v1::administration_client::AdministrationClient;
use client::grpc::v1::market_data_client::MarketDataClient;
use client::grpc::v1::order_request::Request as Asked;
use client::grpc::v1::order_response::Result as Answered;
use client::grpc::v1::sessions_client::SessionsClient;
use client::grpc::v1::trading_client::TradingClient;
use client::grpc::{Channel, details_of, sign_call, v1, with_token};
use protocol::operator::Covered;
use protocol::signed::sign::sign;
use serde_json::Value;
use tempfile::TempDir;
use tokio::sync::mpsc;
use tokio::time::{sleep, timeout};
use tokio_stream::StreamExt;
use tokio_stream::wrappers::UnboundedReceiverStream;
use tonic::{Code, Request, Status, Streaming};
use tonic_health::pb::HealthCheckRequest;
use tonic_health::pb::health_client::HealthClient;
use tonic_reflection::pb::v1::ServerReflectionRequest;
use tonic_reflection::pb::v1::server_reflection_client::ServerReflectionClient;
use tonic_reflection::pb::v1::server_reflection_request::MessageRequest;
use tonic_reflection::pb::v1::server_reflection_response::MessageResponse;

use crate::process::{Serving, text};

const SYMBOL: &str = "BTCUSDT";
const PATIENCE: Duration = Duration::from_secs(20);
const PLACE: &str = "/buttonwood.v1.Trading/PlaceOrder";
const LOGIN: &str = "/buttonwood.v1.Sessions/Login";

#[tokio::test(flavor = "multi_thread")]
async fn an_order_lives_through_every_call() {
    let house = House::new();
    let (mut alice, mut bob) = (house.trader("alice").await, house.trader("bob").await);
    let placed = alice.place(limit("first", v1::Side::Buy, "0.003", "50000")).await.unwrap();
    let order = placed.order.unwrap();
    assert_eq!((order.status(), &*order.price), (v1::OrderStatus::New, "50000.00000000"));
    assert_eq!((&*order.client_order_id, placed.fills.len()), ("first", 0));

    let market = v1::PlaceOrderRequest {
        r#type: v1::OrderType::Market.into(),
        price: String::new(),
        ..limit("taker", v1::Side::Sell, "0.001", "")
    };
    let taken = bob.place(market).await.unwrap();
    assert_eq!(taken.order.unwrap().status(), v1::OrderStatus::Filled);
    let [fill] = &taken.fills[..] else { panic!("{:?}", taken.fills) };
    assert_eq!((&*fill.price, fill.is_maker), ("50000.00000000", false));

    let found = alice.get("first").await.unwrap();
    assert_eq!(found.status(), v1::OrderStatus::PartiallyFilled);
    assert_eq!(found.executed_quantity, "0.00100000");

    let replace = v1::ReplaceOrderRequest {
        symbol: SYMBOL.into(),
        client_order_id: "first".into(),
        new_client_order_id: "second".into(),
        quantity: "0.004".into(),
        price: "49000".into(),
        ..Default::default()
    };
    let replaced = alice.trading.replace_order(with_token(replace, &alice.token)).await.unwrap();
    let replaced = replaced.into_inner().order.unwrap();
    assert_eq!((replaced.order_id, &*replaced.price), (order.order_id, "49000.00000000"));
    assert_eq!(alice.open().await, ["second"]);

    let cancel = cancel("second");
    let canceled = alice.trading.cancel_order(with_token(cancel.clone(), &alice.token)).await;
    let canceled = canceled.unwrap().into_inner().order.unwrap();
    assert_eq!(canceled.status(), v1::OrderStatus::Canceled);
    let again = alice.trading.cancel_order(with_token(cancel, &alice.token)).await.unwrap_err();
    check(&again, Code::NotFound, "ORDER_NOT_FOUND");

    for (name, side, price) in [("a", v1::Side::Buy, "40000"), ("b", v1::Side::Sell, "90000")] {
        alice.place(limit(name, side, "0.001", price)).await.unwrap();
    }
    let sells = v1::CancelAllRequest { side: v1::Side::Sell.into(), ..Default::default() };
    let ended = alice.trading.cancel_all(with_token(sells, &alice.token)).await.unwrap();
    assert_eq!(names(&ended.into_inner().orders), ["b"]);
    let rest = || v1::CancelAllRequest { symbol: SYMBOL.into(), ..Default::default() };
    let ended = alice.trading.cancel_all(with_token(rest(), &alice.token)).await.unwrap();
    assert_eq!(names(&ended.into_inner().orders), ["a"]);
    let ended = alice.trading.cancel_all(with_token(rest(), &alice.token)).await.unwrap();
    assert!(ended.into_inner().orders.is_empty(), "none is no error");

    let balances = with_token(v1::GetBalancesRequest {}, &alice.token);
    let balances = alice.trading.get_balances(balances).await.unwrap().into_inner().balances;
    let of = |asset: &str| balances.iter().find(|balance| balance.asset == asset).unwrap();
    assert!(number(&of("BTC").free) > 0.0 && number(&of("USDT").locked) == 0.0, "{balances:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn callers_are_known_by_signature_by_key_or_by_password() {
    let house = House::new();
    let channel = house.channel().await;
    let mut trading = TradingClient::new(channel.clone());
    let credentials = house.credentials("alice");
    let signed = |order, path| {
        let mut request = Request::new(order);
        sign_call(&mut request, path, &credentials);
        request
    };
    trading.place_order(signed(buy("by-signature"), PLACE)).await.unwrap();
    // A signature is good for its path, for its key, and once.
    let elsewhere = trading.place_order(signed(buy("x"), LOGIN)).await.unwrap_err();
    check(&elsewhere, Code::Unauthenticated, "SIGNATURE_INVALID");
    let once = signed(buy("once"), PLACE);
    let mut twice = Request::new(buy("twice"));
    *twice.metadata_mut() = once.metadata().clone();
    trading.place_order(once).await.unwrap();
    let replayed = trading.place_order(twice).await.unwrap_err();
    check(&replayed, Code::Unauthenticated, "SIGNATURE_INVALID");
    let mut wrong = Request::new(buy("x"));
    let api_key = "x".repeat(64);
    sign_call(&mut wrong, PLACE, &Credentials { api_key, ..credentials.clone() });
    check(&trading.place_order(wrong).await.unwrap_err(), Code::Unauthenticated, "KEY_REJECTED");
    let none = trading.place_order(buy("x")).await.unwrap_err();
    check(&none, Code::Unauthenticated, "KEY_REJECTED");

    let mut sessions = SessionsClient::new(channel);
    let account = house.account("alice");
    let of = |name: &str| account["login"][name].as_str().unwrap().to_owned();
    let login = v1::LoginRequest { user: of("user"), password: of("password") };
    let token = sessions.login(login.clone()).await.unwrap().into_inner().token;
    trading.place_order(with_token(buy("by-password"), &token)).await.unwrap();
    let wrong = v1::LoginRequest { password: "wrong".into(), ..login };
    check(&sessions.login(wrong).await.unwrap_err(), Code::Unauthenticated, "KEY_REJECTED");
    sessions.logout(with_token(v1::LogoutRequest {}, &token)).await.unwrap();
    let over = trading.place_order(with_token(buy("x"), &token)).await.unwrap_err();
    check(&over, Code::Unauthenticated, "KEY_REJECTED");
    let mut alice = house.trader("alice").await;
    assert_eq!(alice.open().await, ["by-signature", "once", "by-password"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn refusals_have_a_status_and_the_venues_reason() {
    let house = House::new();
    let mut alice = house.trader("alice").await;
    alice.place(buy("first")).await.unwrap();
    let refused = [
        (buy("first"), Code::AlreadyExists, "DUPLICATE_CL_ORD_ID"),
        (limit("x", v1::Side::Buy, "0.001", "0.001"), Code::InvalidArgument, "INVALID_ARGUMENT"),
        (
            limit("x", v1::Side::Buy, "8000", "50000"),
            Code::FailedPrecondition,
            "INSUFFICIENT_BALANCE",
        ),
        (
            limit("x", v1::Side::Buy, "0.00001", "50000"),
            Code::InvalidArgument,
            "NOTIONAL_BELOW_MIN",
        ),
        (
            v1::PlaceOrderRequest { symbol: "NONE".into(), ..buy("x") },
            Code::NotFound,
            "UNKNOWN_INSTRUMENT",
        ),
    ];
    for (order, code, reason) in refused {
        check(&alice.place(order).await.unwrap_err(), code, reason);
    }
    // Too large for a message.
    let long = alice.place(v1::PlaceOrderRequest { retry_key: "x".repeat(70_000), ..buy("x") });
    assert_eq!(long.await.unwrap_err().code(), Code::OutOfRange);
    assert_eq!(alice.open().await, ["first"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_repeat_is_carried_out_once_and_a_deadline_that_has_passed_never() {
    let house = House::new();
    let mut alice = house.trader("alice").await;
    let keyed = v1::PlaceOrderRequest { retry_key: "k1".into(), ..buy("") };
    let first = alice.place(keyed.clone()).await.unwrap();
    let second = alice.place(keyed.clone()).await.unwrap();
    assert_eq!((first.repeated, second.repeated), (false, true));
    assert_eq!(first.order, second.order);
    assert_eq!(alice.open().await.len(), 1);
    let other = v1::PlaceOrderRequest { symbol: "ETHBTC".into(), price: "0.05".into(), ..keyed };
    check(&alice.place(other).await.unwrap_err(), Code::AlreadyExists, "RETRY_KEY_USED");

    let mut late = with_token(buy("late"), &alice.token);
    late.set_timeout(Duration::from_nanos(1));
    let expired = alice.trading.place_order(late).await.unwrap_err();
    check(&expired, Code::DeadlineExceeded, "DEADLINE_EXCEEDED");
    let mut in_time = with_token(buy("in-time"), &alice.token);
    in_time.set_timeout(PATIENCE);
    alice.trading.place_order(in_time).await.unwrap();
    assert!(!alice.open().await.contains(&"late".to_owned()));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stream_carries_orders_in_their_order_and_answers_each() {
    const ORDERS: u64 = 2_000;
    let house = House::new();
    let alice = house.trader("alice").await;
    let (requests, mut responses) = alice.clone().stream_orders(None).await;
    let place = |at: u64| {
        // Every tenth one is refused.
        let price =
            if at.is_multiple_of(10) { "0.001".to_owned() } else { (30_000 + at).to_string() };
        request(at, Asked::Place(limit(&format!("o{at}"), v1::Side::Buy, "0.001", &price)))
    };
    // Far more than may be under way.
    let mut sent = (0..ORDERS).map(place);
    while let Some(first) = sent.next() {
        let batch = [first].into_iter().chain(sent.by_ref().take(6)).collect();
        requests.send(v1::OrderRequests { requests: batch }).unwrap();
    }
    let mut answered = Vec::new();
    while answered.len() < ORDERS as usize {
        answered.extend(next(&mut responses).await.unwrap().responses);
    }
    let mut numbers = Vec::new();
    for response in &answered {
        match response.result.as_ref().unwrap() {
            Answered::Reply(reply) => {
                numbers.push((reply.order.as_ref().unwrap().order_id, response.request_id));
            }
            Answered::Refusal(refusal) => {
                assert_eq!(response.request_id % 10, 0);
                assert_eq!(refusal.code, Code::InvalidArgument as i32, "{refusal:?}");
                assert!(!refusal.outcome_unknown);
            }
            Answered::Canceled(_) => panic!("{response:?}"),
        }
    }
    numbers.sort_unstable();
    assert_eq!(numbers.len() as u64, ORDERS - ORDERS / 10);
    assert!(numbers.is_sorted_by_key(|(_, request_id)| *request_id), "not in the order sent");
    let all = v1::CancelAllRequest::default();
    requests.send(v1::OrderRequests { requests: vec![request(7, Asked::CancelAll(all))] }).unwrap();
    let ended = next(&mut responses).await.unwrap().responses.pop().unwrap();
    let Some(Answered::Canceled(ended)) = ended.result else { panic!("{ended:?}") };
    assert_eq!(ended.orders.len() as u64, ORDERS - ORDERS / 10);
    // The client ends its side, and the venue the stream.
    drop(requests);
    assert!(timeout(PATIENCE, responses.message()).await.unwrap().unwrap().is_none());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stream_may_take_its_orders_with_it() {
    let house = House::new();
    let mut alice = house.trader("alice").await;
    alice.place(buy("stays")).await.unwrap();
    let (requests, mut responses) = alice.clone().stream_orders(Some("true")).await;
    requests
        .send(v1::OrderRequests { requests: vec![request(1, Asked::Place(buy("goes")))] })
        .unwrap();
    next(&mut responses).await.unwrap();
    assert_eq!(alice.open().await, ["stays", "goes"]);
    drop((requests, responses));
    while alice.open().await.len() > 1 {
        sleep(Duration::from_millis(10)).await;
    }
    assert_eq!(alice.open().await, ["stays"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_revoked_key_ends_its_streams() {
    let house = House::new();
    let alice = house.trader("alice").await;
    let (requests, mut responses) = alice.clone().stream_orders(None).await;
    let mut events = alice.clone().events(0).await;
    let key = house.key_number("alice").await;
    house.operate("DELETE", &format!("/keys/{key}"), "", "").await.unwrap();
    let ended = timeout(PATIENCE, async {
        loop {
            if let Err(status) = events.message().await {
                return status;
            }
        }
    });
    check(&ended.await.unwrap(), Code::Unauthenticated, "KEY_REJECTED");
    requests
        .send(v1::OrderRequests { requests: vec![request(1, Asked::Place(buy("x")))] })
        .unwrap();
    let refused = timeout(PATIENCE, responses.message()).await.unwrap().unwrap_err();
    check(&refused, Code::Unauthenticated, "KEY_REJECTED");
}

#[tokio::test(flavor = "multi_thread")]
async fn events_of_an_account_have_no_gap_and_go_on_from_a_number() {
    let house = House::new();
    let mut alice = house.trader("alice").await;
    alice.place(buy("first")).await.unwrap();
    let mut events = alice.clone().events(1).await;
    let mut last = 0;
    while next(&mut events).await.unwrap().order.is_none_or(|of| of.client_order_id != "first") {
        last += 1;
    }
    alice.place(buy("second")).await.unwrap();
    let second = next(&mut events).await.unwrap();
    assert_eq!((second.number, &*second.kind), (last + 2, "OrderAccepted"));
    alice.trading.cancel_order(with_token(cancel("first"), &alice.token)).await.unwrap();
    let canceled = next(&mut events).await.unwrap();
    assert_eq!((&*canceled.kind, &*canceled.cause), ("OrderCanceled", "Requested"));
    drop(events);
    let mut again = alice.clone().events(second.number).await;
    assert_eq!(next(&mut again).await.unwrap(), second);
    assert_eq!(next(&mut again).await.unwrap(), canceled);
    let beyond = alice.clone().try_events(canceled.number + 100).await.unwrap_err();
    check(&beyond, Code::OutOfRange, "EVENTS_AHEAD");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stream_that_is_not_read_ends_with_its_last_event_and_goes_on_after_it() {
    const ORDERS: u64 = 10_000;
    let house = House::new();
    let alice = house.trader("alice").await;
    let mut events = alice.clone().events(1).await;
    let first = next(&mut events).await.unwrap();
    // Each makes two events. Nothing reads them meanwhile.
    let (requests, mut responses) = alice.clone().stream_orders(None).await;
    let mut left = ORDERS;
    for at in 0..ORDERS {
        let time_in_force = v1::TimeInForce::Ioc.into();
        let order = v1::PlaceOrderRequest { time_in_force, ..buy(&format!("o{at}")) };
        requests
            .send(v1::OrderRequests { requests: vec![request(at, Asked::Place(order))] })
            .unwrap();
    }
    while left > 0 {
        left -= next(&mut responses).await.unwrap().responses.len() as u64;
    }
    let mut last = first.number;
    let ended = loop {
        match timeout(PATIENCE, events.message()).await.unwrap() {
            Ok(event) => {
                let number = event.unwrap().number;
                assert_eq!(number, last + 1);
                last = number;
            }
            Err(status) => break status,
        }
    };
    check(&ended, Code::ResourceExhausted, "READER_TOO_SLOW");
    assert_eq!(details_of(&ended).unwrap().metadata["last_event"], last.to_string());
    let mut again = alice.clone().events(last + 1).await;
    let mut ends = 0;
    while ends < ORDERS {
        let event = next(&mut again).await.unwrap();
        assert_eq!(event.number, last + 1);
        last = event.number;
        if event.order.is_some_and(|of| of.client_order_id == format!("o{}", ORDERS - 1)) {
            ends = if event.kind == "OrderExpired" { ORDERS } else { ends };
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn market_data_is_the_venues() {
    let house = House::new();
    let (mut alice, mut bob) = (house.trader("alice").await, house.trader("bob").await);
    let mut market = MarketDataClient::new(house.channel().await);
    let listed = market.list_instruments(v1::ListInstrumentsRequest {}).await.unwrap();
    let listed = listed.into_inner().instruments;
    let btc = listed.iter().find(|of| of.symbol == SYMBOL).unwrap();
    assert_eq!((&*btc.tick_size, &*btc.phase), ("0.01000000", "Continuous"));

    let wanted = || v1::GetBookRequest { symbol: SYMBOL.into(), levels: 2 };
    let mut books = market.stream_book(wanted()).await.unwrap().into_inner();
    assert!(next(&mut books).await.unwrap().bids.is_empty());
    let trades = v1::StreamTradesRequest { symbol: SYMBOL.into(), from_event: 0 };
    let mut trades = market.stream_trades(trades).await.unwrap().into_inner();
    let candles = v1::StreamCandlesRequest { symbol: SYMBOL.into(), interval: "1s".into() };
    let mut candles = market.stream_candles(candles).await.unwrap().into_inner();
    for (name, price) in [("a", "50000"), ("b", "49000"), ("c", "48000")] {
        alice.place(limit(name, v1::Side::Buy, "0.001", price)).await.unwrap();
    }
    let level = |price: &str| v1::Level { price: price.into(), quantity: "0.00100000".into() };
    let two = [level("50000.00000000"), level("49000.00000000")];
    let mut book = next(&mut books).await.unwrap();
    while book.bids != two {
        book = next(&mut books).await.unwrap();
    }
    assert_eq!(market.get_book(wanted()).await.unwrap().into_inner().bids, two);

    bob.place(limit("d", v1::Side::Sell, "0.001", "50000")).await.unwrap();
    let trade = next(&mut trades).await.unwrap();
    assert_eq!((trade.trade_id, &*trade.price, trade.is_buyer_maker), (1, "50000.00000000", true));
    let again = v1::StreamTradesRequest { symbol: SYMBOL.into(), from_event: 1 };
    let mut again = market.stream_trades(again).await.unwrap().into_inner();
    assert_eq!(next(&mut again).await.unwrap(), trade);
    let recent = v1::ListTradesRequest { symbol: SYMBOL.into(), limit: 5 };
    let recent = market.list_trades(recent).await.unwrap().into_inner().trades;
    assert_eq!(recent, [v1::Trade { event: 0, ..trade }]);

    let first = next(&mut candles).await.unwrap();
    assert_eq!(first.trade_count, 1);
    // Its second may end before it is sent as an open one.
    let closed = if first.is_closed { first.clone() } else { next(&mut candles).await.unwrap() };
    assert_eq!(closed, v1::Candle { is_closed: true, ..first });
    let list = v1::ListCandlesRequest {
        symbol: SYMBOL.into(),
        interval: "1s".into(),
        start_ms: closed.open_ms,
        limit: 1,
        ..Default::default()
    };
    let list = market.list_candles(list).await.unwrap().into_inner().candles;
    assert_eq!(list, [closed]);

    let unknown = v1::GetBookRequest { symbol: "NONE".into(), levels: 0 };
    check(&market.get_book(unknown).await.unwrap_err(), Code::NotFound, "UNKNOWN_INSTRUMENT");
    let many = v1::GetBookRequest { symbol: SYMBOL.into(), levels: 1_001 };
    check(&market.get_book(many).await.unwrap_err(), Code::InvalidArgument, "INVALID_ARGUMENT");
}

#[tokio::test(flavor = "multi_thread")]
async fn operators_send_their_requests_with_the_signature_of_the_http_api() {
    let house = House::new();
    let listed = house.operate("GET", "/accounts", "", "").await.unwrap();
    assert!(listed.to_string().contains("alice"), "{listed}");
    let body = r#"{"name":"carol"}"#;
    house.operate("POST", "/accounts", "", body).await.unwrap();
    let again = house.operate("POST", "/accounts", "", body).await.unwrap_err();
    let info = details_of(&again).unwrap();
    assert_eq!(&*info.reason, "OPERATION_REFUSED", "{again:?}");
    let nowhere = house.operate("GET", "/nowhere", "", "").await.unwrap_err();
    check(&nowhere, Code::NotFound, "NOT_FOUND");
    let mut forged = house.signed("POST", "/accounts", "", r#"{"name":"dave"}"#);
    forged.body = r#"{"name":"mallory"}"#.into();
    let mut administration = AdministrationClient::new(house.channel().await);
    let forged = administration.execute(forged).await.unwrap_err();
    check(&forged, Code::Unauthenticated, "SIGNATURE_INVALID");
}

#[tokio::test(flavor = "multi_thread")]
async fn health_and_reflection_answer_as_their_protocols_say() {
    let house = House::new();
    let channel = house.channel().await;
    let mut health = HealthClient::new(channel.clone());
    let service = String::new();
    let check = health.check(HealthCheckRequest { service: service.clone() }).await.unwrap();
    assert_eq!(check.into_inner().status, 1, "SERVING");
    let watched = health.watch(HealthCheckRequest { service }).await.unwrap();
    let mut watched = watched.into_inner();
    assert_eq!(next(&mut watched).await.unwrap().status, 1);

    let mut reflection = ServerReflectionClient::new(channel);
    let ask = |message_request| ServerReflectionRequest {
        host: String::new(),
        message_request: Some(message_request),
    };
    let requests = [
        ask(MessageRequest::ListServices(String::new())),
        // Without its descriptor a client by reflection shows bytes for the details of a status.
        ask(MessageRequest::FileContainingSymbol("google.rpc.ErrorInfo".into())),
    ];
    let requests = tokio_stream::iter(requests);
    let mut answers = reflection.server_reflection_info(requests).await.unwrap().into_inner();
    let answer = next(&mut answers).await.unwrap().message_response.unwrap();
    let MessageResponse::ListServicesResponse(listed) = answer else { panic!("{answer:?}") };
    let listed: Vec<_> = listed.service.into_iter().map(|of| of.name).collect();
    for name in ["buttonwood.v1.Trading", "grpc.health.v1.Health"] {
        assert!(listed.iter().any(|of| of == name), "{listed:?}");
    }
    let answer = next(&mut answers).await.unwrap().message_response.unwrap();
    let MessageResponse::FileDescriptorResponse(found) = answer else { panic!("{answer:?}") };
    assert_eq!(found.file_descriptor_proto.len(), 1);

    // Those that wait learn that the venue stops.
    house.venue.stop();
    let status = timeout(PATIENCE, watched.message()).await.unwrap();
    assert!(!matches!(status, Ok(Some(of)) if of.status == 1));
}

#[tokio::test(flavor = "multi_thread")]
async fn it_is_spoken_over_a_unix_socket_too() {
    let house = House::new();
    let address = format!("unix:{}", text(&house.dir.path().join("grpc.socket")));
    let mut market = MarketDataClient::new(Channel::connect(&address).await.unwrap());
    let listed = market.list_instruments(v1::ListInstrumentsRequest {}).await.unwrap();
    assert!(!listed.into_inner().instruments.is_empty());
}

#[track_caller]
fn check(status: &Status, code: Code, reason: &str) {
    let info = details_of(status).map(|info| info.reason);
    assert_eq!((status.code(), info.as_deref()), (code, Some(reason)), "{status:?}");
}

async fn next<T>(stream: &mut Streaming<T>) -> Result<T, Status> {
    let next = timeout(PATIENCE, stream.next()).await.expect("it is in time");
    next.expect("the stream goes on")
}

fn request(request_id: u64, request: Asked) -> v1::OrderRequest {
    v1::OrderRequest { request_id, request: Some(request) }
}

fn limit(name: &str, side: v1::Side, quantity: &str, price: &str) -> v1::PlaceOrderRequest {
    v1::PlaceOrderRequest {
        symbol: SYMBOL.into(),
        side: side.into(),
        r#type: v1::OrderType::Limit.into(),
        quantity: quantity.into(),
        price: price.into(),
        client_order_id: name.into(),
        ..Default::default()
    }
}

fn buy(name: &str) -> v1::PlaceOrderRequest {
    limit(name, v1::Side::Buy, "0.001", "40000")
}

fn cancel(name: &str) -> v1::CancelOrderRequest {
    let (symbol, client_order_id) = (SYMBOL.into(), name.into());
    v1::CancelOrderRequest { symbol, client_order_id, ..Default::default() }
}

fn names(orders: &[v1::Order]) -> Vec<String> {
    orders.iter().map(|order| order.client_order_id.clone()).collect()
}

fn number(text: &str) -> f64 {
    text.parse().unwrap()
}

/// A demo venue with gRPC.
struct House {
    dir: TempDir,
    venue: Serving,
}

/// An account that is logged in.
#[derive(Clone)]
struct Trader {
    trading: TradingClient<Channel>,
    token: String,
}

impl House {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let socket = dir.path().join("grpc.socket");
        let (data, socket) = (text(dir.path()), text(&socket));
        let ports = ["--grpc", "127.0.0.1:0", "--grpc-unix", socket];
        let args = [&["--demo", "--no-bots", "--data", data][..], &ports].concat();
        let venue = Serving::start(&args);
        Self { dir, venue }
    }

    async fn channel(&self) -> Channel {
        Channel::connect(self.venue.grpc.as_ref().unwrap()).await.unwrap()
    }

    fn demo(&self) -> Value {
        serde_json::from_slice(&std::fs::read(self.dir.path().join("demo.json")).unwrap()).unwrap()
    }

    fn account(&self, name: &str) -> Value {
        let demo = self.demo();
        let accounts = demo["accounts"].as_array().unwrap();
        accounts.iter().find(|account| account["name"] == name).unwrap().clone()
    }

    fn credentials(&self, name: &str) -> Credentials {
        credentials(&self.account(name))
    }

    async fn trader(&self, name: &str) -> Trader {
        let channel = self.channel().await;
        let mut login = Request::new(v1::LoginRequest::default());
        sign_call(&mut login, LOGIN, &self.credentials(name));
        let token = SessionsClient::new(channel.clone()).login(login).await.unwrap();
        Trader { trading: TradingClient::new(channel), token: token.into_inner().token }
    }

    fn signed(&self, method: &str, path: &str, query: &str, body: &str) -> v1::ExecuteRequest {
        let Credentials { api_key, secret_key } = credentials(&self.demo()["operator"]);
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
        let (timestamp, nonce) = (now.as_millis().to_string(), format!("{:032}", now.as_nanos()));
        let covered = Covered {
            method,
            path: &format!("/admin/v1{path}"),
            query,
            body: body.as_bytes(),
            timestamp: &timestamp,
            nonce: &nonce,
        };
        let signature = sign(secret_key.as_bytes(), covered.payload().as_bytes());
        let [method, path, query, body] = [method, path, query, body].map(str::to_owned);
        v1::ExecuteRequest { method, path, query, body, api_key, timestamp, nonce, signature }
    }

    async fn operate(
        &self,
        method: &str,
        path: &str,
        query: &str,
        body: &str,
    ) -> Result<Value, Status> {
        let mut administration = AdministrationClient::new(self.channel().await);
        let answer = administration.execute(self.signed(method, path, query, body)).await?;
        Ok(serde_json::from_str(&answer.into_inner().body).unwrap())
    }

    /// The number of an account's only key.
    async fn key_number(&self, name: &str) -> u64 {
        let keys = self.operate("GET", "/keys", "", "").await.unwrap();
        let keys = keys["keys"].as_array().or(keys.as_array()).unwrap();
        let own = keys.iter().find(|key| key["account"] == name).unwrap();
        own["key"].as_u64().unwrap()
    }
}

fn credentials(account: &Value) -> Credentials {
    let text = |name: &str| account[name].as_str().unwrap().to_owned();
    Credentials { api_key: text("api_key"), secret_key: text("secret_key") }
}

impl Trader {
    async fn place(&mut self, order: v1::PlaceOrderRequest) -> Result<v1::OrderReply, Status> {
        let placed = self.trading.place_order(with_token(order, &self.token)).await;
        placed.map(tonic::Response::into_inner)
    }

    async fn get(&mut self, name: &str) -> Result<v1::Order, Status> {
        let (symbol, client_order_id) = (SYMBOL.into(), name.into());
        let wanted = v1::GetOrderRequest { symbol, client_order_id, order_id: 0 };
        let found = self.trading.get_order(with_token(wanted, &self.token)).await;
        found.map(tonic::Response::into_inner)
    }

    async fn open(&mut self) -> Vec<String> {
        let wanted = with_token(v1::ListOpenOrdersRequest::default(), &self.token);
        names(&self.trading.list_open_orders(wanted).await.unwrap().into_inner().orders)
    }

    async fn events(self, from_event: u64) -> Streaming<v1::AccountEvent> {
        self.try_events(from_event).await.unwrap()
    }

    async fn try_events(mut self, from_event: u64) -> Result<Streaming<v1::AccountEvent>, Status> {
        let wanted = with_token(v1::StreamAccountRequest { from_event }, &self.token);
        Ok(self.trading.stream_account(wanted).await?.into_inner())
    }

    async fn stream_orders(
        mut self,
        cancels: Option<&'static str>,
    ) -> (mpsc::UnboundedSender<v1::OrderRequests>, Streaming<v1::OrderResponses>) {
        let (requests, sent) = mpsc::unbounded_channel();
        let mut request = with_token(UnboundedReceiverStream::new(sent), &self.token);
        if let Some(cancels) = cancels {
            request.metadata_mut().insert("x-bw-cancel-on-disconnect", cancels.parse().unwrap());
        }
        let responses = self.trading.stream_orders(request).await.unwrap().into_inner();
        (requests, responses)
    }
}

//! Whatever messages a stream of orders has, each request is refused, or a command that the engine
//! takes, with the numbers that were sent.

#![no_main]

use gateway::grpc_command;
use libfuzzer_sys::fuzz_target;
use proto::Message;
use proto::v1::order_request::Request;
use proto::v1::{OrderRequests, PlaceOrderRequest};
use types::{
    AccountId, Command, Entry, Envelope, Market, NewOrder, Origin, Price, Reader, Wire,
    parse_decimal,
};

/// A trader of the small venue.
const TRADER: AccountId = AccountId(1);

fuzz_target!(|bytes: &[u8]| {
    let Ok(requests) = OrderRequests::decode(bytes) else { return };
    let (market, mut engine) = (Market::example(), fuzz::small_venue());
    for request in requests.requests.iter().filter_map(|sent| sent.request.as_ref()) {
        let Ok(command) = grpc_command(&market, request) else { continue };
        if let (Request::Place(sent), Command::NewOrder(order)) = (request, &command) {
            check_price(&market, sent, order);
        }
        let envelope = Envelope { account: TRADER, ..Envelope::venue(Origin::Grpc, 0) };
        let entry = Entry { envelope, command };
        let mut written = Vec::new();
        entry.write(&mut written);
        assert_eq!(Entry::read(&mut Reader(&written)).as_ref(), Some(&entry));
        fuzz::apply(&mut engine, 1, &entry);
    }
    engine.assert_consistent();
});

/// The price is as it was sent, however it was written.
fn check_price(market: &Market, sent: &PlaceOrderRequest, order: &NewOrder) {
    let read = market.price(order.price);
    let decimals = market.quote.decimals;
    let is_same = parse_decimal(&sent.price, decimals) == parse_decimal(&read, decimals);
    assert!(is_same || order.price == Price::default(), "{} is read as {read}", sent.price);
}

//! Whatever a message of the intake has, it is refused, or a command that the engine takes, with
//! the numbers that were sent.

#![no_main]

use libfuzzer_sys::fuzz_target;
use protocol::intake::Request;
use serde_json::Value;
use types::{
    AccountId, ClOrdId, Command, Entry, Envelope, Market, Origin, Price, Reader, Wire,
    parse_decimal,
};

/// A trader of the small venue.
const TRADER: AccountId = AccountId(1);

fuzz_target!(|bytes: &[u8]| {
    let Ok(request) = Request::parse(bytes) else { return };
    let market = Market::example();
    let named = request.symbol().is_some().then_some(&market);
    let Ok(command) = request.command(named, || ClOrdId::parse("made").expect("letters")) else {
        return;
    };
    let sent: Value = serde_json::from_slice(bytes).expect("a request is JSON");
    if let (Command::NewOrder(order), Some(price)) = (&command, sent["price"].as_str()) {
        let decimals = market.quote.decimals;
        let read = parse_decimal(&market.price(order.price), decimals);
        assert!(parse_decimal(price, decimals) == read || order.price == Price::default());
    }
    let envelope = Envelope { account: TRADER, ..Envelope::venue(Origin::Redis, 0) };
    let entry = Entry { envelope, command };
    let mut written = Vec::new();
    entry.write(&mut written);
    assert_eq!(Entry::read(&mut Reader(&written)).as_ref(), Some(&entry));
    let mut engine = fuzz::small_venue();
    fuzz::apply(&mut engine, 1, &entry);
    engine.assert_consistent();
});

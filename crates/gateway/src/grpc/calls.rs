//! The names of the calls.

/// Every call of the package, in the order of its file.
pub(super) const CALLS: [&str; 20] = [
    "/buttonwood.v1.Sessions/Login",
    "/buttonwood.v1.Sessions/Logout",
    "/buttonwood.v1.Trading/PlaceOrder",
    "/buttonwood.v1.Trading/CancelOrder",
    "/buttonwood.v1.Trading/ReplaceOrder",
    "/buttonwood.v1.Trading/CancelAll",
    "/buttonwood.v1.Trading/StreamOrders",
    "/buttonwood.v1.Trading/GetOrder",
    "/buttonwood.v1.Trading/ListOpenOrders",
    "/buttonwood.v1.Trading/GetBalances",
    "/buttonwood.v1.Trading/StreamAccount",
    "/buttonwood.v1.MarketData/ListInstruments",
    "/buttonwood.v1.MarketData/GetBook",
    "/buttonwood.v1.MarketData/ListTrades",
    "/buttonwood.v1.MarketData/ListCandles",
    "/buttonwood.v1.MarketData/StreamBook",
    "/buttonwood.v1.MarketData/StreamTrades",
    "/buttonwood.v1.MarketData/StreamCandles",
    "/buttonwood.v1.Administration/Execute",
    "/buttonwood.v1.Ouch/Session",
];

/// The place of a call in [`CALLS`], with its request.
#[derive(Clone, Copy, Debug)]
pub(super) struct CallAt(pub(super) usize);

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_call_of_the_package_has_its_place() {
        let text = include_str!("../../../../api/buttonwood.proto");
        let mut service = "";
        let mut calls = BTreeSet::new();
        for line in text.lines().map(str::trim) {
            let word = |line: &str| line.split([' ', '(']).nth(1).map(str::to_owned);
            if line.starts_with("service ") {
                service = line.split(' ').nth(1).unwrap();
            } else if line.starts_with("rpc ") {
                calls.insert(format!("/buttonwood.v1.{service}/{}", word(line).unwrap()));
            }
        }
        assert_eq!(calls, CALLS.iter().map(|path| (*path).to_owned()).collect());
    }
}

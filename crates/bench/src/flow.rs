//! The requests of one client: orders drawn at random, the same for the same seed.

use std::fmt::Write as _;

use server::Random;
use server::now_ns;

use super::spec::{BATCH, Key, Load};
use super::wire;

pub(super) const SYMBOL: &str = "BTCUSDT";
/// The middle price, and the largest distance of prices from it; in cents, which are ticks.
const MIDDLE: u64 = 5_000_000;
const REACH: u64 = 10_000;
/// In hundredths of a bitcoin.
const QTY: [u64; 2] = [10, 200];
/// Quantity of the orders of [`Load::Alternating`].
const ALTERNATING_QTY: u64 = 1;
/// Quantity of resting orders, and of those that take them: a taking order takes one order whole.
/// So the quantity in the depth shows the number of orders in the book.
pub(super) const RESTING_QTY: u64 = 100;
/// Largest distance of resting orders from [`REACH`]: one request for the depth has all prices of a
/// side.
const RESTING_REACH: u64 = 5_000;
/// Market orders among taking orders; the others are limit orders. With a resting order for each
/// taking one, 80 % of all orders are limit orders.
const TAKING_MARKET_PERCENT: u64 = 40;

/// Kinds of requests, each with its own latencies in the report.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Kind {
    Market,
    Limit,
    Ioc,
    Fok,
    Batch,
    Health,
}

impl Kind {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Market => "market",
            Self::Limit => "limit",
            Self::Ioc => "ioc",
            Self::Fok => "fok",
            Self::Batch => "batch",
            Self::Health => "health",
        }
    }
}

#[derive(Debug)]
pub(super) struct Flow {
    load: Load,
    key: Key,
    random: Random,
    /// The parameters of the next order. Kept to reuse its memory.
    params: String,
    /// The order that puts back what the last one took from a kept book.
    owed: Option<Order>,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
struct Order {
    kind: Kind,
    side: &'static str,
    price: u64,
    qty: u64,
}

impl Flow {
    pub(super) fn new(load: Load, key: Key, seed: u64, client: u64) -> Self {
        Self { load, key, random: Random::new(seed, client), params: String::new(), owed: None }
    }

    /// Appends the next request to `out`. Its answer has the number `slot`.
    pub(super) fn next(&mut self, slot: usize, out: &mut Vec<u8>) -> Kind {
        match self.load {
            Load::Health => {
                wire::write_get(out, "/health/live");
                Kind::Health
            }
            Load::RestMix | Load::KeptBook | Load::Alternating => {
                let order = self.draw();
                self.params.clear();
                order.write(&mut self.params, &QUERY);
                wire::write_signed(out, "POST", "/api/v3/order", &self.params, &self.key);
                order.kind
            }
            Load::Batch | Load::Fill => {
                self.params.clear();
                self.params.push_str("batchOrders=%5B");
                for at in 0..BATCH {
                    let separator = if at == 0 { "" } else { "%2C" };
                    self.params.push_str(separator);
                    self.params.push_str("%7B");
                    self.draw().write(&mut self.params, &ENCODED);
                    self.params.push_str("%7D");
                }
                self.params.push_str("%5D");
                wire::write_signed_body(out, "/api/v3/batchOrders", &self.params, &self.key);
                Kind::Batch
            }
            Load::WebSocket => {
                let order = self.draw();
                self.params.clear();
                order.write_message(&mut self.params, slot);
                super::frame::write_text(out, self.params.as_bytes());
                order.kind
            }
            Load::Ouch { .. }
            | Load::OuchEcho { .. }
            | Load::OuchUdp { .. }
            | Load::OuchUdpEcho { .. }
            | Load::Grpc { .. }
            | Load::GrpcCalls => {
                unreachable!("an agent of its own sends the orders of OUCH and of gRPC")
            }
        }
    }

    /// Reads from an answer which order is missing in a kept book.
    pub(super) fn answered(&mut self, body: &[u8]) {
        if self.load != Load::KeptBook {
            return;
        }
        let price = wire::find(body, FILL_PRICE);
        let price = price.and_then(|at| ticks(&body[at + FILL_PRICE.len()..]));
        self.owed = price.map(|price| {
            // A buyer has taken an order that sold.
            let bought = wire::find(body, br#""side":"BUY""#).is_some();
            let side = if bought { "SELL" } else { "BUY" };
            Order { kind: Kind::Limit, side, price, qty: RESTING_QTY }
        });
    }

    /// Bids and asks that do not meet, and that lie behind the prices of the other loads.
    fn draw_resting(&mut self) -> Order {
        let (kind, qty) = (Kind::Limit, RESTING_QTY);
        let distance = self.random.between(1, RESTING_REACH);
        match self.random.between(0, 1) {
            0 => Order { kind, side: "BUY", price: MIDDLE - REACH - distance, qty },
            _ => Order { kind, side: "SELL", price: MIDDLE + REACH + distance, qty },
        }
    }

    /// Puts back the order that was taken last, or takes the best order of a side.
    fn draw_kept(&mut self) -> Order {
        if let Some(owed) = self.owed {
            return owed;
        }
        let is_market = self.random.between(1, 100) <= TAKING_MARKET_PERCENT;
        let kind = if is_market { Kind::Market } else { Kind::Limit };
        // A limit beyond all resting orders of the other side.
        let away = REACH + RESTING_REACH;
        match self.random.between(0, 1) {
            0 => Order { kind, side: "BUY", price: MIDDLE + away, qty: RESTING_QTY },
            _ => Order { kind, side: "SELL", price: MIDDLE - away, qty: RESTING_QTY },
        }
    }

    /// A buy that rests, or the sell that takes it.
    fn draw_alternating(&mut self) -> Order {
        let order = |side| Order { kind: Kind::Limit, side, price: MIDDLE, qty: ALTERNATING_QTY };
        match self.owed.take() {
            Some(sell) => sell,
            None => {
                self.owed = Some(order("SELL"));
                order("BUY")
            }
        }
    }

    fn draw(&mut self) -> Order {
        match self.load {
            Load::Fill => return self.draw_resting(),
            Load::KeptBook => return self.draw_kept(),
            Load::Alternating => return self.draw_alternating(),
            _ => {}
        }
        let kind = mixed(self.random.between(1, 100));
        let side = if self.random.between(0, 1) == 0 { "BUY" } else { "SELL" };
        let price = MIDDLE - REACH + self.random.between(0, 2 * REACH);
        Order { kind, side, price, qty: self.random.between(QTY[0], QTY[1]) }
    }
}

/// The syntax of names and values.
struct Form {
    quote: &'static str,
    is: &'static str,
    and: &'static str,
}

const QUERY: Form = Form { quote: "", is: "=", and: "&" };
const JSON: Form = Form { quote: "\"", is: ":", and: "," };
/// JSON inside a form's parameter, percent-encoded.
const ENCODED: Form = Form { quote: "%22", is: "%3A", and: "%2C" };

/// The text before the price of the first fill of an answer.
const FILL_PRICE: &[u8] = br#""fills":[{"price":""#;

/// The price at the front of `text`, such as `50100.07000000"`.
fn ticks(text: &[u8]) -> Option<u64> {
    let end = text.iter().position(|byte| *byte == b'"')?;
    let (whole, fraction) = std::str::from_utf8(&text[..end]).ok()?.split_once('.')?;
    let cents: u64 = fraction.get(..2)?.parse().ok()?;
    Some(whole.parse::<u64>().ok()? * 100 + cents)
}

/// By a draw of 1 to 100.
fn mixed(drawn: u64) -> Kind {
    match drawn {
        ..=25 => Kind::Market,
        26..=75 => Kind::Limit,
        76..=90 => Kind::Ioc,
        _ => Kind::Fok,
    }
}

impl Order {
    fn order_type(&self) -> &'static str {
        if self.kind == Kind::Market { "MARKET" } else { "LIMIT" }
    }

    fn time_in_force(&self) -> Option<&'static str> {
        match self.kind {
            Kind::Limit => Some("GTC"),
            Kind::Ioc => Some("IOC"),
            Kind::Fok => Some("FOK"),
            _ => None,
        }
    }

    /// Writes its parameters in this syntax, without a separator at the end.
    fn write(&self, out: &mut String, form: &Form) {
        let mut first = true;
        let mut add = |name: &str, value: std::fmt::Arguments<'_>| {
            let Form { quote, is, and } = *form;
            let and = if std::mem::take(&mut first) { "" } else { and };
            put(out, format_args!("{and}{quote}{name}{quote}{is}{quote}{value}{quote}"));
        };
        add("symbol", format_args!("{SYMBOL}"));
        add("side", format_args!("{}", self.side));
        add("type", format_args!("{}", self.order_type()));
        if let Some(time_in_force) = self.time_in_force() {
            add("timeInForce", format_args!("{time_in_force}"));
            add("price", format_args!("{}", Hundredths(self.price)));
        }
        add("quantity", format_args!("{}", Hundredths(self.qty)));
        // So that each answer has the trades.
        add("newOrderRespType", format_args!("FULL"));
    }

    fn write_message(&self, out: &mut String, slot: usize) {
        put(out, format_args!(r#"{{"id":{slot},"method":"order.place","params":{{"#));
        self.write(out, &JSON);
        put(out, format_args!(r#","timestamp":{}}}}}"#, now_ns() / 1_000_000));
    }
}

/// An order that shows a reader of a stream the age of its data. It rests alone at its price, below
/// the prices of all other orders, and is too large to be filled before it is canceled.
#[derive(Clone, Copy, Debug)]
pub(super) struct ProbeOrder {
    /// Keeps the probes of several processes apart.
    pub(super) lane: u64,
    pub(super) number: u64,
}

/// Prices of one lane. When a price is used again, its last order was canceled long before.
const PROBE_PRICES: u64 = 1_000;
const PROBE_QTY: u64 = 100_000;

impl ProbeOrder {
    pub(super) fn write(self, out: &mut Vec<u8>, key: &Key) {
        let (price, qty) = (self.price(), Hundredths(PROBE_QTY));
        let params = format!(
            "symbol={SYMBOL}&side=BUY&type=LIMIT&timeInForce=GTC&price={price}&quantity={qty}\
             &newClientOrderId={}",
            self.name()
        );
        wire::write_signed(out, "POST", "/api/v3/order", &params, key);
    }

    pub(super) fn write_cancel(self, out: &mut Vec<u8>, key: &Key) {
        let params = format!("symbol={SYMBOL}&origClientOrderId={}", self.name());
        wire::write_signed(out, "DELETE", "/api/v3/order", &params, key);
    }

    /// The beginning of its level in a depth update.
    pub(super) fn level(self) -> String {
        format!("[\"{}", self.price())
    }

    fn price(self) -> Hundredths {
        let below = self.lane * PROBE_PRICES + self.number % PROBE_PRICES;
        Hundredths(MIDDLE - 3 * REACH - below)
    }

    fn name(self) -> String {
        format!("probe-{}-{}", self.lane, self.number)
    }
}

/// The first message on the WebSocket API, after which no message needs a signature.
pub(super) fn logon(key: &Key) -> String {
    let (api_key, timestamp) = (&key.api_key, now_ns() / 1_000_000);
    let payload = format!("apiKey={api_key}&timestamp={timestamp}");
    let signature = protocol::signed::sign::sign(key.secret_key.as_bytes(), payload.as_bytes());
    format!(
        r#"{{"id":"logon","method":"session.logon","params":{{"apiKey":"{api_key}","timestamp":{timestamp},"signature":"{signature}"}}}}"#
    )
}

struct Hundredths(u64);

impl std::fmt::Display for Hundredths {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}.{:02}", self.0 / 100, self.0 % 100)
    }
}

fn put(out: &mut String, text: std::fmt::Arguments<'_>) {
    out.write_fmt(text).expect("a string takes all that is written to it");
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flow(load: Load) -> Flow {
        Flow::new(load, Key { api_key: "a".into(), secret_key: "s".into() }, 7, 0)
    }

    #[test]
    fn the_mix_is_what_its_name_says() {
        let check = |load, expected: &[(Kind, u32)]| {
            let mut flow = flow(load);
            for (kind, percent) in expected {
                let drawn = (0..10_000).filter(|_| flow.draw().kind == *kind).count();
                let within = (percent * 100 - 200) as usize..(percent * 100 + 200) as usize;
                assert!(within.contains(&drawn), "{kind:?}: {drawn} of 10,000");
            }
        };
        let mix = [(Kind::Market, 25), (Kind::Limit, 50), (Kind::Ioc, 15), (Kind::Fok, 10)];
        check(Load::RestMix, &mix);
    }

    #[test]
    fn a_book_is_kept_by_putting_back_what_was_taken() {
        let mut flow = flow(Load::KeptBook);
        let mut markets = 0;
        for _ in 0..10_000 {
            let taken = flow.draw();
            markets += u32::from(taken.kind == Kind::Market);
            let answer = format!(
                r#"{{"symbol":"BTCUSDT","side":"{}","fills":[{{"price":"50100.07000000","qty":"1.00000000"}}]}}"#,
                taken.side
            );
            flow.answered(answer.as_bytes());
            let side = if taken.side == "BUY" { "SELL" } else { "BUY" };
            let expected = Order { kind: Kind::Limit, side, price: 5_010_007, qty: taken.qty };
            assert_eq!(flow.draw(), expected);
            flow.answered(br#"{"symbol":"BTCUSDT","side":"SELL","fills":[]}"#);
        }
        assert!((3_800..=4_200).contains(&markets), "20 % of all: {markets} of 20,000");
    }

    #[test]
    fn prices_and_quantities_keep_within_their_reach() {
        let mut flow = flow(Load::RestMix);
        for _ in 0..10_000 {
            let order = flow.draw();
            assert!((4_990_000..=5_010_000).contains(&order.price), "{order:?}");
            assert!((10..=200).contains(&order.qty), "{order:?}");
        }
        assert_eq!(Hundredths(4_990_007).to_string(), "49900.07");
    }

    #[test]
    fn the_same_seed_sends_the_same() {
        let draw = || {
            let mut flow = flow(Load::RestMix);
            (0..50).map(|_| format!("{:?}", flow.draw())).collect::<Vec<_>>()
        };
        assert_eq!(draw(), draw());
    }
}

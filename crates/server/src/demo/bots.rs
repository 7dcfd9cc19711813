//! The demo's bots: a market that moves, so that the first client finds a counterparty.
//!
//! Makers quote each instrument around a reference price that walks at random; a taker hits the
//! best price on either side with small orders. They come in by the venue's own front door, as
//! customers do. All of them run in one task, one request at a time, at about ten requests a
//! second.
//!
//! A customer's order is as good as a bot's: the taker hits the best order, and a quote that meets
//! a customer's order on its way trades with it.
//!
//! # Invariants
//! - What the bots want (prices, sizes, sides, and when) follows from the settings with their seed,
//!   and from what the venue answers. The clock only paces them.
//! - A quote is never sent where it would meet another bot's quote.
//! - What goes wrong is logged and waited out; nothing ends the bots but the shutdown.

mod market;
mod quote;
mod schedule;
mod take;
mod walk;

use std::time::Duration;

use client::{Client, Credentials, Error, NewOrder, OrderInfo, OrderKey, OrderReport, PlacedOrder};
use types::{Increment, Price, Qty, Side, TimeInForce};

use crate::random::Random;
use crate::settings::demo::Demo;
use market::{Market, Prices};
use quote::{Action, Quote, Target};
use schedule::{Schedule, Turn};

/// How many orders one turn may send: all quotes of one of two makers, so that none is left behind.
/// The first turn may send more, to fill the book at once.
const ACTIONS_MAX: usize = 6;
/// How long an instrument is left alone after the venue refused something there.
const REST_MS: u64 = 10_000;
const BACKOFF_MIN: Duration = Duration::from_millis(250);
const BACKOFF_MAX: Duration = Duration::from_secs(8);
/// How long the shutdown waits for quotes to be canceled.
const LEAVE_TIMEOUT: Duration = Duration::from_secs(1);

const CANCEL_REJECTED: i32 = -2011;
const REPLACE_FAILED: i32 = -2022;

/// An account that a bot trades for.
pub(crate) struct Bot {
    pub name: String,
    pub api_key: String,
    pub secret_key: String,
}

/// Quotes and takes on each instrument of the demo until `shutdown`. The last bot takes, the others
/// make; a single bot only makes.
pub(crate) async fn run(
    base_url: String,
    bots: Vec<Bot>,
    settings: Demo,
    shutdown: impl Future<Output = ()> + Send,
) {
    let mut crew = match Crew::new(&base_url, bots, &settings) {
        Ok(crew) => crew,
        Err(error) => {
            tracing::warn!(%error, "the bots cannot start");
            return;
        }
    };
    tokio::select! {
        () = shutdown => {}
        never = crew.trade() => match never {},
    }
    match tokio::time::timeout(LEAVE_TIMEOUT, crew.leave()).await {
        Ok(Ok(())) => tracing::debug!("the bots have left"),
        Ok(Err(error)) => tracing::debug!(%error, "the bots left quotes behind"),
        Err(_) => tracing::debug!("the bots left quotes behind: no answer"),
    }
}

struct Crew {
    makers: Vec<Client>,
    taker: Option<Client>,
    desks: Vec<Desk>,
    prices: Prices,
    schedule: Schedule,
    quoting: Random,
    taking: Random,
}

/// What the bots know of one instrument.
struct Desk {
    market: Market,
    tick: Increment,
    lot: Increment,
    /// Of each maker, as far as known: others may have traded with them since.
    quotes: Vec<Vec<Quote>>,
    /// Whose turn it is.
    maker: usize,
    /// What the taker has bought, less what it has sold, in lots.
    position: i64,
    resting_until_ms: u64,
    troubled: bool,
}

impl Crew {
    fn new(base_url: &str, bots: Vec<Bot>, settings: &Demo) -> Result<Self, Error> {
        let mut makers = Vec::with_capacity(bots.len());
        for bot in bots {
            tracing::debug!(name = bot.name, "a bot joins");
            let credentials = Credentials { api_key: bot.api_key, secret_key: bot.secret_key };
            makers.push(Client::new(base_url, Some(credentials))?);
        }
        let taker = if makers.len() > 1 { makers.pop() } else { None };
        if makers.is_empty() {
            return Err(Error::Usage("there are no bots".into()));
        }
        let markets = Market::all(settings);
        let seed = settings.bots_seed;
        Ok(Self {
            prices: Prices::new(settings),
            schedule: Schedule::new(markets.len(), taker.is_some(), Random::new(seed, 0)),
            desks: markets.map(|market| Desk::new(market, makers.len())).into(),
            quoting: Random::new(seed, 1),
            taking: Random::new(seed, 2),
            makers,
            taker,
        })
    }

    async fn trade(&mut self) -> std::convert::Infallible {
        let mut backoff = BACKOFF_MIN;
        while let Err(error) = self.open().await {
            tracing::debug!(%error, "the bots wait for the venue");
            tokio::time::sleep(backoff).await;
            backoff = (backoff * 2).min(BACKOFF_MAX);
        }
        backoff = BACKOFF_MIN;
        loop {
            let (pause, turn) = self.schedule.next();
            tokio::time::sleep(pause).await;
            match self.turn(turn).await {
                Ok(()) => backoff = BACKOFF_MIN,
                Err(error) => {
                    if backoff == BACKOFF_MIN {
                        tracing::warn!(%error, "the bots cannot trade");
                    }
                    tokio::time::sleep(backoff).await;
                    backoff = (backoff * 2).min(BACKOFF_MAX);
                }
            }
        }
    }

    /// Clears away what an earlier run left, and fills the book.
    async fn open(&mut self) -> Result<(), Error> {
        for client in self.makers.iter().chain(&self.taker) {
            self.cancel_all(client).await?;
        }
        for market in 0..self.desks.len() {
            for _ in 0..self.makers.len() {
                let result = self.quote(market, usize::MAX).await;
                self.settle(market, result)?;
            }
        }
        Ok(())
    }

    async fn leave(&self) -> Result<(), Error> {
        for client in &self.makers {
            self.cancel_all(client).await?;
        }
        Ok(())
    }

    /// On each instrument. That there is nothing to cancel, or no such instrument, is fine.
    async fn cancel_all(&self, client: &Client) -> Result<(), Error> {
        for symbol in self.desks.iter().map(|desk| desk.market.symbol) {
            match client.cancel_all(symbol).await {
                Ok(_) => {}
                Err(error) if is_refusal(&error) => {
                    if error.code() != Some(CANCEL_REJECTED) {
                        tracing::debug!(symbol, %error, "nothing canceled");
                    }
                }
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    async fn turn(&mut self, turn: Turn) -> Result<(), Error> {
        let (Turn::Quote(market) | Turn::Take(market)) = turn;
        if self.schedule.now_ms() < self.desks[market].resting_until_ms {
            return Ok(());
        }
        let result = match turn {
            Turn::Quote(market) => self.quote(market, ACTIONS_MAX).await,
            Turn::Take(market) => self.take(market).await,
        };
        self.settle(market, result)
    }

    /// A refusal concerns one instrument, and it rests; anything else concerns all.
    fn settle(&mut self, market: usize, result: Result<(), Error>) -> Result<(), Error> {
        let desk = &mut self.desks[market];
        let symbol = desk.market.symbol;
        match result {
            Ok(()) => desk.troubled = false,
            Err(error) if is_refusal(&error) => {
                if desk.troubled {
                    tracing::debug!(symbol, %error, "the bots rest again");
                } else {
                    tracing::warn!(symbol, %error, "the bots rest");
                }
                desk.troubled = true;
                desk.resting_until_ms = self.schedule.now_ms() + REST_MS;
            }
            Err(error) => return Err(error),
        }
        Ok(())
    }

    /// Brings one maker's quotes to where they should be, or some of the way.
    async fn quote(&mut self, market: usize, actions_max: usize) -> Result<(), Error> {
        self.prices.step(market);
        let price = self.prices.price(market);
        let makers = self.makers.len();
        let desk = &mut self.desks[market];
        let maker = desk.maker;
        desk.maker = (maker + 1) % makers;

        let client = &self.makers[maker];
        let open = client.open_orders(Some(desk.market.symbol)).await?;
        let quotes = open.iter().map(|order| desk.quote_of_open(order));
        desk.quotes[maker] = quotes.collect::<Result<_, _>>()?;

        let targets = quote::targets(&desk.market, price, maker, makers, &mut self.quoting);
        let mut actions = quote::plan(&desk.market, &desk.quotes[maker], &targets);
        if actions.is_empty() {
            actions.extend(quote::refresh(&desk.quotes[maker], &targets, &mut self.quoting));
        }
        let mut sent = 0;
        for action in actions {
            let target = action.target();
            if target.is_some_and(|target| quote::meets_any(target, desk.quotes.iter().flatten())) {
                continue; // The quote in the way moves at its maker's turn.
            }
            if sent == actions_max {
                break;
            }
            sent += 1;
            desk.perform(client, maker, action).await?;
        }
        Ok(())
    }

    async fn take(&mut self, market: usize) -> Result<(), Error> {
        let Some(client) = &self.taker else { return Ok(()) };
        let desk = &mut self.desks[market];
        let price = self.prices.price(market);
        let target = take::choose(&desk.market, price, desk.position, &mut self.taking);
        let order = desk.order(target).time_in_force(TimeInForce::Ioc);
        let placed = client.place(&order).await?;
        let lots =
            i64::try_from(desk.parse_qty(&placed.report.executed_qty)?.lots()).unwrap_or(i64::MAX);
        desk.position = match target.side {
            Side::Buy => desk.position.saturating_add(lots),
            Side::Sell => desk.position.saturating_sub(lots),
        };
        Ok(())
    }
}

impl Desk {
    fn new(market: Market, makers: usize) -> Self {
        Self {
            tick: Increment::parse(market.tick_size).expect("a decimal"),
            lot: Increment::parse(market.lot_size).expect("a decimal"),
            market,
            quotes: vec![Vec::new(); makers],
            maker: 0,
            position: 0,
            resting_until_ms: 0,
            troubled: false,
        }
    }

    async fn perform(
        &mut self,
        client: &Client,
        maker: usize,
        action: Action,
    ) -> Result<(), Error> {
        let symbol = self.market.symbol;
        let result = match action {
            Action::Place(target) => client.place(&self.order(target)).await.map(Some),
            Action::Replace(order_id, target) => {
                let order_id = OrderKey::OrderId(order_id);
                let replaced = client.replace(order_id, &self.order(target)).await;
                replaced.map(|replaced| Some(replaced.placed))
            }
            Action::Cancel(order_id) => {
                client.cancel(symbol, OrderKey::OrderId(order_id)).await.map(|_| None)
            }
        };
        let placed = match result {
            Ok(placed) => placed,
            // Another account has traded with it.
            Err(error) if matches!(error.code(), Some(CANCEL_REJECTED | REPLACE_FAILED)) => {
                tracing::debug!(symbol, %error, "a quote had gone");
                None
            }
            Err(error) => return Err(error),
        };
        let quote = placed
            .filter(|placed| placed.report.is_open())
            .map(|placed| self.quote_of_new(&placed));
        let quote = quote.transpose()?;
        let quotes = &mut self.quotes[maker];
        if let Action::Replace(order_id, _) | Action::Cancel(order_id) = action {
            quotes.retain(|quote| quote.order_id != order_id);
        }
        quotes.extend(quote);
        Ok(())
    }

    fn order(&self, target: Target) -> NewOrder {
        let qty = self.lot.format(i128::from(target.qty.lots()), 0);
        let price = self.tick.format(i128::from(target.price.ticks()), 0);
        NewOrder::limit(self.market.symbol, target.side, qty, price)
    }

    fn quote_of_open(&self, order: &OrderInfo) -> Result<Quote, Error> {
        self.quote(order.order_id, order.side, &order.price, &order.orig_qty, &order.executed_qty)
    }

    fn quote_of_new(&self, order: &PlacedOrder) -> Result<Quote, Error> {
        let OrderReport { side, price, orig_qty, executed_qty, .. } = &order.report;
        let orig_qty = orig_qty.as_deref();
        let orig_qty =
            orig_qty.ok_or_else(|| Error::Shape("an order without a size".to_owned()))?;
        self.quote(order.order_id, *side, price, orig_qty, executed_qty)
    }

    fn quote(
        &self,
        order_id: u64,
        side: Side,
        price: &str,
        orig_qty: &str,
        executed_qty: &str,
    ) -> Result<Quote, Error> {
        let ticks = self.tick.count(price).and_then(|ticks| i64::try_from(ticks).ok());
        let ticks = ticks.ok_or_else(|| Error::Shape(format!("not a price: {price}")))?;
        let (order_qty, cum_qty) = (self.parse_qty(orig_qty)?, self.parse_qty(executed_qty)?);
        let leaves_qty = Qty::from_lots(order_qty.lots().saturating_sub(cum_qty.lots()));
        Ok(Quote { order_id, side, price: Price::from_ticks(ticks), leaves_qty })
    }

    fn parse_qty(&self, text: &str) -> Result<Qty, Error> {
        let lots = self.lot.count(text).and_then(|lots| u64::try_from(lots).ok());
        lots.map(Qty::from_lots).ok_or_else(|| Error::Shape(format!("not a quantity: {text}")))
    }
}

/// Whether the venue works and said no. Limits (429) and overload (5xx) are not refusals, and
/// neither is a key that the venue does not know (401).
fn is_refusal(error: &Error) -> bool {
    matches!(error, Error::Api { status: 400 | 409, .. })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Nothing listens there.
    fn crew(bots: usize) -> Result<Crew, Error> {
        let bot = |_| Bot { name: "b".into(), api_key: "k".into(), secret_key: "s".into() };
        Crew::new("http://127.0.0.1:1", (0..bots).map(bot).collect(), &Demo::default())
    }

    fn refusal(status: u16, code: i32) -> Error {
        Error::Api { status, code, msg: "no".into() }
    }

    #[test]
    fn the_last_of_several_bots_takes() {
        let roles = |bots| crew(bots).map(|crew| (crew.makers.len(), crew.taker.is_some())).ok();
        assert_eq!(roles(0), None);
        assert_eq!(roles(1), Some((1, false)));
        assert_eq!(roles(2), Some((1, true)));
        assert_eq!(roles(3), Some((2, true)));
    }

    #[tokio::test]
    async fn after_a_refusal_one_market_rests() {
        let mut crew = crew(3).unwrap();
        assert!(crew.settle(0, Err(refusal(400, -2010))).is_ok());
        // A market that rests is not asked about, so it does not matter that nothing answers.
        assert!(crew.turn(Turn::Quote(0)).await.is_ok());
        assert!(crew.turn(Turn::Take(0)).await.is_ok());
        assert!(matches!(crew.turn(Turn::Take(1)).await, Err(Error::Transport(_))));
        while crew.schedule.now_ms() < REST_MS {
            crew.schedule.next();
        }
        assert!(matches!(crew.turn(Turn::Quote(0)).await, Err(Error::Transport(_))));
    }

    #[test]
    fn limits_and_overload_concern_all_markets() {
        let mut crew = crew(3).unwrap();
        for (status, code) in [(401, -2015), (429, -1003), (503, -1008)] {
            assert!(crew.settle(0, Err(refusal(status, code))).is_err(), "{status}");
        }
        assert!(crew.settle(0, Err(Error::Shape("?".into()))).is_err());
    }

    #[test]
    fn orders_are_sent_and_read_in_the_market_s_decimals() {
        let [.., market] = Market::all(&Demo::default());
        let desk = Desk::new(market, 2);
        let target = Target {
            side: Side::Sell,
            price: Price::from_ticks(5_001),
            qty: Qty::from_lots(1_234),
        };
        let order = desk.order(target);
        assert_eq!(order.price.as_deref(), Some("0.05001"));
        assert_eq!(order.quantity.as_deref(), Some("1.234"));
        let quote = desk.quote(7, Side::Sell, "0.05001000", "1.23400000", "0.23400000").unwrap();
        assert_eq!((quote.price.ticks(), quote.leaves_qty.lots()), (5_001, 1_000));
        assert!(desk.quote(7, Side::Sell, "0.050011", "1", "0").is_err());
    }
}

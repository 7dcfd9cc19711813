//! The task that has the feed's connection: streams, snapshots, and the difference of the clocks.

use std::collections::HashMap;
use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use protocol::binance::response::Depth;
use serde::Deserialize;
use serde_json::Value;
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use types::{Increment, Interval, PRICE_MAX, Price, QTY_MAX, Qty, Side};

use super::book_sync::{BookSync, DepthUpdate, Gap};
use super::{BookLevel, Change, FeedInstrument, FeedMessage, MarketChange};
use crate::moment::{now_ns, since_1970_ns};
use crate::stream::{Stream, StreamMessage};
use crate::venue::back_off::BackOff;
use crate::{Client, Error};

const SNAPSHOT_LEVELS: usize = 1_000;
/// Before a snapshot that came too early is asked for again.
const SNAPSHOT_AGAIN: Duration = Duration::from_millis(200);

pub(super) struct Link {
    client: Client,
    books: Vec<Book>,
    /// By the name of a stream.
    streams: HashMap<String, (usize, Kind)>,
    messages: mpsc::Sender<FeedMessage>,
    back_off: BackOff,
    /// What this machine's clock is ahead of the venue's.
    ahead_ns: Arc<AtomicI64>,
    /// Since the last loss there was no book.
    is_lost: bool,
}

#[derive(Clone, Copy)]
enum Kind {
    Depth,
    Trade,
    Bar,
}

struct Book {
    instrument: FeedInstrument,
    sync: BookSync,
    /// Times of the venue may step back with its clock.
    reached_ns: i64,
}

#[derive(Deserialize)]
struct TradeEvent {
    #[serde(rename = "T")]
    time: u64,
    #[serde(rename = "p")]
    price: String,
    #[serde(rename = "q")]
    qty: String,
    #[serde(rename = "m")]
    is_buyer_maker: bool,
}

#[derive(Deserialize)]
struct BarEvent {
    #[serde(rename = "E")]
    time: u64,
    #[serde(rename = "k")]
    bar: Candle,
}

#[derive(Deserialize)]
struct Candle {
    #[serde(rename = "o")]
    open: String,
    #[serde(rename = "h")]
    high: String,
    #[serde(rename = "l")]
    low: String,
    #[serde(rename = "c")]
    close: String,
    #[serde(rename = "v")]
    volume: String,
    #[serde(rename = "x")]
    has_ended: bool,
}

/// Snapshots on their way, by the position of their instrument.
type Snapshots = JoinSet<(usize, Result<Depth, Error>)>;

impl Link {
    pub(super) fn new(
        client: Client,
        instruments: Vec<FeedInstrument>,
        bars: Option<Interval>,
        messages: mpsc::Sender<FeedMessage>,
        ahead_ns: Arc<AtomicI64>,
    ) -> Self {
        let mut streams = HashMap::new();
        for (at, instrument) in instruments.iter().enumerate() {
            let symbol = instrument.symbol.to_ascii_lowercase();
            streams.insert(format!("{symbol}@depth@100ms"), (at, Kind::Depth));
            streams.insert(format!("{symbol}@trade"), (at, Kind::Trade));
            if let Some(interval) = bars {
                streams.insert(format!("{symbol}@kline_{}", interval.name()), (at, Kind::Bar));
            }
        }
        let book =
            |instrument| Book { instrument, sync: BookSync::default(), reached_ns: i64::MIN };
        let books = instruments.into_iter().map(book).collect();
        let back_off = BackOff::default();
        Self { client, books, streams, messages, back_off, ahead_ns, is_lost: false }
    }

    /// Runs until the feed is dropped.
    pub(super) async fn run(mut self) {
        let messages = self.messages.clone();
        tokio::select! {
            () = messages.closed() => {}
            never = self.connect_again_and_again() => match never {},
        }
    }

    async fn connect_again_and_again(&mut self) -> Infallible {
        loop {
            let Err(error) = self.serve().await;
            // An attempt that fails is no further loss.
            if !std::mem::replace(&mut self.is_lost, true) {
                let reason = error.to_string();
                // Without a reader this task ends at its next wait.
                let _unread = self.messages.send(FeedMessage::Lost { reason }).await;
            }
            self.back_off.wait().await;
        }
    }

    /// Serves one connection to its end.
    async fn serve(&mut self) -> Result<Infallible, Error> {
        let asked_ns = now_ns();
        let time = since_1970_ns(self.client.time().await?);
        self.ahead_ns.store(i64::midpoint(asked_ns, now_ns()) - time, Ordering::Relaxed);
        let (base_url, _) = self.client.access();
        let url = format!("ws{}", base_url.trim_start_matches("http"));
        let names: Vec<&str> = self.streams.keys().map(String::as_str).collect();
        let mut stream = Stream::of_micros(&url, &names, self.client.tls()).await?;
        let mut snapshots = Snapshots::new();
        for at in 0..self.books.len() {
            self.books[at].sync = BookSync::default();
            self.ask(at, Duration::ZERO, &mut snapshots);
        }
        loop {
            tokio::select! {
                message = stream.next() => {
                    let message = message.ok_or_else(|| Error::transport("the venue closed it"))?;
                    self.received(message?, &mut snapshots).await?;
                }
                Some(taken) = snapshots.join_next() => {
                    let (at, depth) = taken.map_err(Error::transport)?;
                    self.joined(at, &depth?, &mut snapshots).await?;
                    self.back_off.succeeded();
                }
            }
        }
    }

    /// Asks for a snapshot.
    fn ask(&self, at: usize, wait: Duration, snapshots: &mut Snapshots) {
        let client = self.client.clone();
        let symbol = self.books[at].instrument.symbol.clone();
        snapshots.spawn(async move {
            tokio::time::sleep(wait).await;
            (at, client.depth(&symbol, SNAPSHOT_LEVELS).await)
        });
    }

    async fn received(
        &mut self,
        message: StreamMessage,
        snapshots: &mut Snapshots,
    ) -> Result<(), Error> {
        let Some(&(at, kind)) = self.streams.get(&message.stream) else {
            // The venue announces its stop.
            return Ok(());
        };
        match kind {
            Kind::Depth => match self.books[at].sync.update(read(message.data)?) {
                Ok(Some(update)) => self.levels(at, &update).await,
                Ok(None) => Ok(()),
                Err(Gap) => {
                    self.ask(at, Duration::ZERO, snapshots);
                    Ok(())
                }
            },
            Kind::Trade => {
                let trade: TradeEvent = read(message.data)?;
                let instrument = &self.books[at].instrument;
                let change = Change::Trade {
                    aggressor: if trade.is_buyer_maker { Side::Sell } else { Side::Buy },
                    price: instrument.price(&trade.price)?,
                    qty: instrument.qty(&trade.qty)?,
                };
                self.send(at, Some(trade.time), change).await
            }
            Kind::Bar => {
                let BarEvent { time, bar } = read(message.data)?;
                if !bar.has_ended {
                    return Ok(());
                }
                let change = self.books[at].instrument.bar(&bar)?;
                self.send(at, Some(time), change).await
            }
        }
    }

    /// A snapshot has come.
    async fn joined(
        &mut self,
        at: usize,
        depth: &Depth,
        snapshots: &mut Snapshots,
    ) -> Result<(), Error> {
        let book = &mut self.books[at];
        let Ok(later) = book.sync.snapshot(depth.last_update_id) else {
            self.ask(at, SNAPSHOT_AGAIN, snapshots);
            return Ok(());
        };
        let levels = book.instrument.levels(&depth.bids, &depth.asks)?;
        self.is_lost = false;
        self.send(at, None, Change::Book(levels)).await?;
        for update in later {
            self.levels(at, &update).await?;
        }
        Ok(())
    }

    async fn levels(&mut self, at: usize, update: &DepthUpdate) -> Result<(), Error> {
        let levels = self.books[at].instrument.levels(&update.bids, &update.asks)?;
        self.send(at, Some(update.time), Change::Levels(levels)).await
    }

    /// Sends a change; without a time it happened now.
    async fn send(&mut self, at: usize, time: Option<u64>, change: Change) -> Result<(), Error> {
        let (local_ns, ahead_ns) = (now_ns(), self.ahead_ns.load(Ordering::Relaxed));
        let book = &mut self.books[at];
        let venue_ns = time.map(|time| since_1970_ns(time).saturating_add(ahead_ns));
        let exchange_ns = venue_ns.unwrap_or(local_ns).min(local_ns).max(book.reached_ns);
        book.reached_ns = exchange_ns;
        let instrument = u16::try_from(at).expect("the venue lists fewer");
        let change = MarketChange { instrument, exchange_ns, local_ns, change };
        self.messages.send(FeedMessage::Market(change)).await.map_err(Error::transport)
    }
}

fn read<T: for<'de> Deserialize<'de>>(data: Value) -> Result<T, Error> {
    let text = data.to_string();
    serde_json::from_value(data).map_err(|error| Error::Shape(format!("{error}: {text}")))
}

impl FeedInstrument {
    fn levels(&self, bids: &[[String; 2]], asks: &[[String; 2]]) -> Result<Vec<BookLevel>, Error> {
        let bids = bids.iter().map(|level| (Side::Buy, level));
        let asks = asks.iter().map(|level| (Side::Sell, level));
        let read = |(side, [price, qty]): (Side, &[String; 2])| {
            Ok(BookLevel { side, price: self.price(price)?, qty: self.qty(qty)? })
        };
        bids.chain(asks).map(read).collect()
    }

    fn bar(&self, bar: &Candle) -> Result<Change, Error> {
        Ok(Change::Bar {
            open: self.price(&bar.open)?,
            high: self.price(&bar.high)?,
            low: self.price(&bar.low)?,
            close: self.price(&bar.close)?,
            volume: self.qty(&bar.volume)?,
        })
    }

    fn price(&self, text: &str) -> Result<Price, Error> {
        let ticks = self.count(self.tick, text, "tick")?;
        let ticks = i64::try_from(ticks).ok().filter(|ticks| *ticks <= PRICE_MAX.ticks());
        let ticks = ticks.ok_or_else(|| self.wrong("price", text, "too large"))?;
        Ok(Price::from_ticks(ticks))
    }

    fn qty(&self, text: &str) -> Result<Qty, Error> {
        let lots = self.count(self.lot, text, "lot")?;
        let lots = u64::try_from(lots).ok().filter(|lots| *lots <= QTY_MAX.lots());
        Ok(Qty::from_lots(lots.ok_or_else(|| self.wrong("quantity", text, "too large"))?))
    }

    fn count(&self, size: Increment, text: &str, of: &str) -> Result<i128, Error> {
        size.count(text).ok_or_else(|| self.wrong("number", text, &format!("off {of}")))
    }

    fn wrong(&self, what: &str, text: &str, why: &str) -> Error {
        Error::Shape(format!("{}: the {what} {text:?} is {why}", self.symbol))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn instrument() -> FeedInstrument {
        FeedInstrument {
            symbol: "BTCUSDT".to_owned(),
            base_asset: "BTC".to_owned(),
            quote_asset: "USDT".to_owned(),
            tick: Increment::parse("0.01").unwrap(),
            lot: Increment::parse("0.00001").unwrap(),
        }
    }

    #[test]
    fn decimals_become_ticks_and_lots_or_an_error() {
        let level = |price: &str, qty: &str| {
            let levels = instrument().levels(&[[price.to_owned(), qty.to_owned()]], &[]);
            levels.map(|levels| (levels[0].price.ticks(), levels[0].qty.lots()))
        };
        assert_eq!(level("60000.01000000", "0.00300000").unwrap(), (6_000_001, 300));
        assert_eq!(level("60000.01", "0").unwrap(), (6_000_001, 0));
        let check = |price: &str, qty: &str, expected: &str| {
            let error = level(price, qty).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        };
        check("60000.001", "1", "BTCUSDT: the number \"60000.001\" is off tick");
        check("-1", "1", "off tick");
        check("1", "0.000001", "off lot");
        check("1", "99999999999999999999", "too large");
    }

    #[test]
    fn payloads_are_read_or_refused() {
        let text = r#"{"e":"depthUpdate","E":5,"s":"BTCUSDT","U":157,"u":160,
            "b":[["0.24","10"]],"a":[]}"#;
        let update: DepthUpdate = read(serde_json::from_str(text).unwrap()).unwrap();
        assert_eq!((update.first_id, update.last_id, update.bids.len()), (157, 160, 1));
        let text = r#"{"e":"trade","E":5,"t":12345,"p":"0.1","q":"1","T":4,"m":true,"M":true}"#;
        let trade: TradeEvent = read(serde_json::from_str(text).unwrap()).unwrap();
        assert_eq!((trade.time, &*trade.qty, trade.is_buyer_maker), (4, "1", true));
        let text = r#"{"e":"kline","E":60000,"s":"BTCUSDT","k":{"t":0,"T":59999,"s":"BTCUSDT",
            "i":"1m","f":1,"L":2,"o":"4.00","c":"4.10","h":"4.20","l":"3.90","v":"0.3","n":2,
            "x":true,"q":"1.2","V":"0.1","Q":"0.4","B":"0"}}"#;
        let BarEvent { time, bar } = read(serde_json::from_str(text).unwrap()).unwrap();
        let expected = Change::Bar {
            open: Price::from_ticks(400),
            high: Price::from_ticks(420),
            low: Price::from_ticks(390),
            close: Price::from_ticks(410),
            volume: Qty::from_lots(30_000),
        };
        assert_eq!(
            (time, bar.has_ended, instrument().bar(&bar).unwrap()),
            (60_000, true, expected)
        );
        let wrong = serde_json::json!({ "U": -1 });
        assert!(matches!(read::<DepthUpdate>(wrong), Err(Error::Shape(_))));
    }
}

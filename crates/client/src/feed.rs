//! A venue's market as one feed: books and trades of some instruments, in ticks and lots.
//!
//! A task has the connection. It joins the stream of changes to a snapshot of each book, as the
//! documentation of the Binance API describes, and begins anew when a message is missing or the
//! connection ends.
//!
//! # Invariants
//! - Between two [`Change::Book`] of an instrument no change is missing and none comes twice.
//! - After a [`FeedMessage::Lost`] no book is current until its next [`Change::Book`].
//! - Times are those of this machine's clock: the venue's are moved by the difference of the two
//!   clocks, measured with each connection. Of one instrument they never run backwards.
//!
//! # Known limits
//! - Bars that ended while the connection was lost are missing.
//! - Levels beyond the first thousand of a side are unknown until they change.

mod book_sync;
mod link;

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use tokio::sync::mpsc;
use types::{Increment, Interval, Price, Qty, Side};

use self::link::Link;
use crate::{Client, Error};

/// Instruments of one feed: their streams share a connection.
const INSTRUMENTS_MAX: usize = 256;
/// Messages that may wait to be read. Beyond it the connection is not read.
const WAITING_MAX: usize = 4_096;

/// The market of some instruments. Its task ends when it is dropped.
#[derive(Debug)]
pub struct Feed {
    instruments: Vec<FeedInstrument>,
    messages: mpsc::Receiver<FeedMessage>,
    ahead_ns: Arc<AtomicI64>,
}

#[derive(Clone, Debug, Eq, PartialEq)]
pub struct FeedInstrument {
    pub symbol: String,
    pub base_asset: String,
    pub quote_asset: String,
    pub tick: Increment,
    pub lot: Increment,
}

#[derive(Clone, Debug, Eq, PartialEq)]
pub enum FeedMessage {
    Market(MarketChange),
    /// The connection has ended or is out of step. It is made anew.
    Lost {
        reason: String,
    },
}

/// What happened to one instrument.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct MarketChange {
    /// Position among the feed's instruments.
    pub instrument: u16,
    /// When it happened at the venue, by this machine's clock.
    pub exchange_ns: i64,
    /// When it arrived.
    pub local_ns: i64,
    pub change: Change,
}

#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Change {
    /// The whole book; what was known before is void.
    Book(Vec<BookLevel>),
    Levels(Vec<BookLevel>),
    Trade {
        aggressor: Side,
        price: Price,
        qty: Qty,
    },
    /// A bar that has ended. A period without trades may have none.
    Bar {
        open: Price,
        high: Price,
        low: Price,
        close: Price,
        volume: Qty,
    },
}

/// The quantity at a price; zero where nothing is left.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct BookLevel {
    pub side: Side,
    pub price: Price,
    pub qty: Qty,
}

impl Feed {
    /// Opens the feed of these symbols, or of all that the venue lists if there are none, with bars
    /// of the given length. Runs in the present runtime.
    pub async fn open(
        client: Client,
        symbols: &[String],
        bars: Option<Interval>,
    ) -> Result<Self, Error> {
        let info = client.exchange_info().await?;
        let listed = || info.symbols.iter().map(|listed| listed.symbol.clone());
        let symbols = if symbols.is_empty() { listed().collect() } else { symbols.to_vec() };
        if symbols.len() > INSTRUMENTS_MAX {
            let count = symbols.len();
            let text = format!("{count} instruments are above the limit of {INSTRUMENTS_MAX}");
            return Err(Error::Usage(text));
        }
        let read = |symbol: &String| {
            let found = info.symbol(symbol).ok_or_else(|| {
                let known = listed().collect::<Vec<_>>().join(", ");
                Error::Usage(format!("the venue does not list {symbol}: there are {known}"))
            })?;
            let size = |text: Option<&str>| text.and_then(Increment::parse);
            let (tick, lot) = (size(found.tick_size()), size(found.lot_size()));
            let (Some(tick), Some(lot)) = (tick, lot) else {
                return Err(Error::Shape(format!("{symbol} has no size of ticks or lots")));
            };
            let (base_asset, quote_asset) = (found.base_asset.clone(), found.quote_asset.clone());
            Ok(FeedInstrument { symbol: symbol.clone(), base_asset, quote_asset, tick, lot })
        };
        let instruments: Vec<FeedInstrument> =
            symbols.iter().map(read).collect::<Result<_, _>>()?;
        let (sender, messages) = mpsc::channel(WAITING_MAX);
        let ahead_ns = Arc::<AtomicI64>::default();
        let link = Link::new(client, instruments.clone(), bars, sender, Arc::clone(&ahead_ns));
        tokio::spawn(link.run());
        Ok(Self { instruments, messages, ahead_ns })
    }

    pub fn instruments(&self) -> &[FeedInstrument] {
        &self.instruments
    }

    /// What this machine's clock is ahead of the venue's, as last measured.
    pub fn ahead_ns(&self) -> i64 {
        self.ahead_ns.load(Ordering::Relaxed)
    }

    /// The next message. Cancelling the wait loses none.
    pub async fn next(&mut self) -> FeedMessage {
        match self.messages.recv().await {
            Some(message) => message,
            // The task runs as long as there is a reader.
            None => FeedMessage::Lost { reason: "the feed's task has failed".to_owned() },
        }
    }

    /// The next message that has arrived.
    pub fn try_next(&mut self) -> Option<FeedMessage> {
        self.messages.try_recv().ok()
    }
}

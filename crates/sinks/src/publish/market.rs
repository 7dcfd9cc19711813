//! Market data as JSON: trades, best prices, changes of books, and the present state for keys.
//!
//! It is public: no account, no order.

use std::collections::BTreeSet;

use marketdata::{BookUpdate, DepthAccumulator, DepthDelta, InstrumentView, Level, Views};
use serde_json::{Value, json};
use spool::Applied;
use types::{AssetId, Balance, Candle, InstrumentId, Market, Names, Price, Qty, TradeExecuted};

use crate::publish::convert::upper;
use crate::publish::directory::Directory;

/// The last command that a state includes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Then {
    pub(crate) sequence: u64,
    pub(crate) time_ns: u64,
}

/// The changes of all books since the last messages.
#[derive(Debug, Default)]
pub(crate) struct Changes {
    /// By instrument.
    books: Vec<Book>,
    touched: BTreeSet<InstrumentId>,
}

#[derive(Debug)]
struct Book {
    levels: DepthAccumulator,
    best: Best,
}

type Best = (Option<Level>, Option<Level>);

impl Changes {
    /// From this state on.
    pub(crate) fn after(views: &Views) -> Self {
        let mut changes = Self::default();
        changes.meet(views);
        changes
    }

    /// An instrument may have been listed.
    fn meet(&mut self, views: &Views) {
        for view in &views.instruments()[self.books.len()..] {
            let best = best(view);
            self.books.push(Book { levels: DepthAccumulator::new(&view.book), best });
        }
    }

    /// After the views took it.
    pub(crate) fn apply(&mut self, views: &Views, update: &BookUpdate) {
        self.meet(views);
        if let Some(book) = self.books.get_mut(update.instrument.0 as usize) {
            book.levels.apply(update);
            self.touched.insert(update.instrument);
        }
    }

    /// A message of `bbo` and one of `l2` for each book that changed so.
    pub(crate) fn messages(
        &mut self,
        directory: &Directory,
        views: &Views,
        then: Then,
    ) -> Vec<(&'static str, String)> {
        let mut messages = Vec::new();
        for id in std::mem::take(&mut self.touched) {
            let (Some(view), Some(market)) = (views.instrument(id), directory.market(id)) else {
                continue;
            };
            let book = &mut self.books[id.0 as usize];
            let now = best(view);
            if now != book.best {
                book.best = now;
                messages.push(("bbo", bbo(&market, view, then)));
            }
            if let Some(delta) = book.levels.take(&view.book) {
                messages.push(("l2", l2(&market, &delta, then)));
            }
        }
        messages
    }
}

fn best(view: &InstrumentView) -> Best {
    (view.book.best_bid(), view.book.best_ask())
}

pub(crate) fn trade(directory: &Directory, applied: &Applied, trade: &TradeExecuted) -> String {
    let Some(market) = directory.market(trade.instrument) else { return String::new() };
    let message = json!({
        "symbol": market.symbol(),
        "sequence": applied.sequence,
        "timeNs": applied.sequenced_ns.to_string(),
        "updateId": trade.instrument_seq,
        "tradeId": trade.trade_id.0,
        "price": market.price(trade.price),
        "quantity": market.qty(trade.qty),
        "quote": market.quote_amount(trade.quote),
        "side": upper(&trade.side),
    });
    message.to_string()
}

fn l2(market: &Market, delta: &DepthDelta, then: Then) -> String {
    let levels = |levels: &[(Price, Qty)]| -> Value {
        levels.iter().map(|(price, qty)| json!([market.price(*price), market.qty(*qty)])).collect()
    };
    let message = json!({
        "symbol": market.symbol(),
        "sequence": then.sequence,
        "timeNs": then.time_ns.to_string(),
        "firstUpdateId": delta.first_update_id,
        "updateId": delta.last_update_id,
        "bids": levels(&delta.bids),
        "asks": levels(&delta.asks),
    });
    message.to_string()
}

pub(crate) fn bbo(market: &Market, view: &InstrumentView, then: Then) -> String {
    let side = |level: Option<Level>| {
        let shown =
            level.map(|level| (market.price(level.price), market.volume(level_lots(&level))));
        shown.unzip()
    };
    let (bid_price, bid_quantity) = side(view.book.best_bid());
    let (ask_price, ask_quantity) = side(view.book.best_ask());
    let message = json!({
        "symbol": market.symbol(),
        "sequence": then.sequence,
        "timeNs": then.time_ns.to_string(),
        "updateId": view.book.last_update_id(),
        "bidPrice": bid_price,
        "bidQuantity": bid_quantity,
        "askPrice": ask_price,
        "askQuantity": ask_quantity,
    });
    message.to_string()
}

pub(crate) fn snapshot(
    market: &Market,
    view: &InstrumentView,
    then: Then,
    levels_max: usize,
) -> String {
    let (bids, asks) = view.book.depth(levels_max);
    let message = json!({
        "symbol": market.symbol(),
        "sequence": then.sequence,
        "timeNs": then.time_ns.to_string(),
        "updateId": view.book.last_update_id(),
        "bids": bids.map(|level| shown(market, &level)).collect::<Value>(),
        "asks": asks.map(|level| shown(market, &level)).collect::<Value>(),
    });
    message.to_string()
}

fn shown(market: &Market, level: &Level) -> Value {
    json!([market.price(level.price), market.volume(level_lots(level))])
}

fn level_lots(level: &Level) -> i128 {
    level.qty.lots().into()
}

/// Of the last 24 hours.
pub(crate) fn ticker(market: &Market, view: &InstrumentView, then: Then) -> String {
    let window = view.statistics.day(then.time_ns);
    let price =
        |of: fn(&Candle) -> Price| window.candle.as_ref().map(|candle| market.price(of(candle)));
    let candle = window.candle;
    let message = json!({
        "symbol": market.symbol(),
        "sequence": then.sequence,
        "timeNs": then.time_ns.to_string(),
        "lastPrice": view.last_price().map(|price| market.price(price)),
        "openPrice": price(|candle| candle.open),
        "highPrice": price(|candle| candle.high),
        "lowPrice": price(|candle| candle.low),
        "volume": market.volume(candle.map_or(0, |candle| candle.volume_lots)),
        "quoteVolume": market.quote_amount(candle.map_or(types::Amount::ZERO, |candle| candle.quote)),
        "count": candle.map_or(0, |candle| candle.trade_count),
    });
    message.to_string()
}

/// All that an account owns.
pub(crate) fn balances(
    directory: &Directory,
    account: &str,
    sequence: u64,
    balances: &[(AssetId, Balance)],
) -> String {
    let all = balances.iter().filter_map(|(id, balance)| {
        let asset = directory.asset(*id)?;
        Some(json!({
            "asset": asset.name.to_string(),
            "free": asset.format_amount(balance.free),
            "locked": asset.format_amount(balance.locked),
        }))
    });
    let message = json!({
        "account": account,
        "sequence": sequence,
        "balances": all.collect::<Value>(),
    });
    message.to_string()
}

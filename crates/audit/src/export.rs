//! `buttonwood log export`: orders, trades, adjustments, transfers and balances as tables; or the
//! market order by order as files of ITCH.
//!
//! The rows come from the events of a replay: orders at their end, trades and transfers at their
//! event, and at the end of the range open orders and balances.

mod itch;
mod table;

use std::collections::BTreeMap;
use std::fs::{DirBuilder, File};
use std::io::Write;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use cli::Failure;
use cli::moment::{Range, format_time};
use cli::show::{account_name, find_instrument, word};
use engine::Engine;
use serde_json::{Value, json};
use types::{
    AccountId, Adjustment, Amount, AssetId, Event, ExternalRef, Fill, Instrument, InstrumentId,
    Order, OrderId, Price, Side, TradeExecuted,
};
use venue::{Archive, Place, Replay, ReplayedCommand};

use self::itch::Days;
use self::table::{Cell, Column, Format, Kind, Table};

/// Changes with tables, columns and their contents.
const EXPORT_FORMAT: u32 = 1;
const DONE_NAME: &str = "export.json";

#[derive(Args, Debug)]
#[command(after_help = "Example: buttonwood log export my-venue --out tables --format parquet")]
pub(super) struct Export {
    /// Folder of a venue, running or not, or of a backup
    #[arg(value_name = "DIR")]
    dir: PathBuf,
    /// Folder for the files, which must be empty or not exist
    #[arg(long, value_name = "FOLDER")]
    out: PathBuf,
    /// Format of the tables, in which decimals are exact texts; or `itch` for the market order by
    /// order, one file for each numbering day, from the log's first command on
    #[arg(long, default_value = "csv")]
    format: FormatName,
    #[command(flatten)]
    range: Range,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum FormatName {
    Csv,
    Parquet,
    Itch,
}

const ORDERS: &[Column] = &[
    ("sequence", Kind::Number),
    ("symbol", Kind::Text),
    ("order_id", Kind::Number),
    ("cl_ord_id", Kind::Text),
    ("account", Kind::Text),
    ("side", Kind::Text),
    ("order_type", Kind::Text),
    ("time_in_force", Kind::Text),
    ("price", Kind::Text),
    ("stop_price", Kind::Text),
    ("order_qty", Kind::Text),
    ("quote_order_qty", Kind::Text),
    ("display_qty", Kind::Text),
    ("cum_qty", Kind::Text),
    ("cum_quote", Kind::Text),
    ("leaves_qty", Kind::Text),
    ("status", Kind::Text),
    ("cause", Kind::Text),
    ("order_list_id", Kind::Number),
    ("created_time", Kind::Time),
    ("updated_time", Kind::Time),
];

const TRADES: &[Column] = &[
    ("sequence", Kind::Number),
    ("time", Kind::Time),
    ("symbol", Kind::Text),
    ("trade_id", Kind::Number),
    ("price", Kind::Text),
    ("qty", Kind::Text),
    ("quote_qty", Kind::Text),
    ("aggressor_side", Kind::Text),
    ("buyer", Kind::Text),
    ("buyer_order_id", Kind::Number),
    ("buyer_fee", Kind::Text),
    ("buyer_fee_asset", Kind::Text),
    ("seller", Kind::Text),
    ("seller_order_id", Kind::Number),
    ("seller_fee", Kind::Text),
    ("seller_fee_asset", Kind::Text),
];

const ADJUSTMENTS: &[Column] = &[
    ("sequence", Kind::Number),
    ("time", Kind::Time),
    ("symbol", Kind::Text),
    ("trade_id", Kind::Number),
    ("kind", Kind::Text),
    ("orig_price", Kind::Text),
    ("price", Kind::Text),
    ("buyer", Kind::Text),
    ("buyer_base", Kind::Text),
    ("buyer_quote", Kind::Text),
    ("seller", Kind::Text),
    ("seller_base", Kind::Text),
    ("seller_quote", Kind::Text),
];

const TRANSFERS: &[Column] = &[
    ("sequence", Kind::Number),
    ("time", Kind::Time),
    ("kind", Kind::Text),
    ("account", Kind::Text),
    ("asset", Kind::Text),
    ("amount", Kind::Text),
    ("free", Kind::Text),
    ("external_ref", Kind::Text),
];

const BALANCES: &[Column] = &[
    ("account", Kind::Text),
    ("asset", Kind::Text),
    ("free", Kind::Text),
    ("locked", Kind::Text),
    ("total", Kind::Text),
];

struct Tables {
    orders: Table,
    trades: Table,
    adjustments: Table,
    transfers: Table,
    balances: Table,
    /// The sequence that accepted each open order; `None` before the range.
    open: BTreeMap<(InstrumentId, OrderId), Option<u64>>,
}

impl Export {
    pub(super) fn run(&self) -> Result<(), Failure> {
        let range = self.range;
        range.check()?;
        let archive = Archive::open(&self.dir)?;
        let mut replay = range.begin(&archive)?;
        let format = match self.format {
            FormatName::Csv => Format::Csv,
            FormatName::Parquet => Format::Parquet,
            FormatName::Itch => return self.write_days(&mut replay),
        };
        make_folder(&self.out)?;
        let mut tables = Tables::create(&self.out, format)?;
        tables.note_open(replay.engine());
        let before = replay.place();
        while range.goes_on(&mut replay)? {
            let command = replay.step()?.expect("the range goes on");
            tables.take(&command, replay.engine())?;
        }
        tables.finish(&self.out, replay.engine(), before, replay.place())
    }
}

impl Export {
    fn write_days(&self, replay: &mut Replay) -> Result<(), Failure> {
        let before = replay.place();
        if before.sequence > 0 {
            return Err(Failure::new(
                "the orders of a book are known from the log's first command on: leave --from out, \
                 and export a folder whose log has its beginning",
            ));
        }
        make_folder(&self.out)?;
        let mut days = Days::new(&self.out);
        while self.range.goes_on(replay)? {
            let command = replay.step()?.expect("the range goes on");
            let reply = &command.reply;
            for applied in std::iter::once(&reply.applied).chain(&reply.continued) {
                days.take(applied)?;
            }
        }
        write_done(&self.out, before, replay.place(), "messages", &days.finish()?)
    }
}

/// Only its owner may read the folder, which has the data of all accounts.
fn make_folder(out: &Path) -> Result<(), Failure> {
    let cannot = |error: std::io::Error| {
        Failure::new(format!("the folder {} cannot be used: {error}", out.display()))
    };
    DirBuilder::new().recursive(true).mode(0o700).create(out).map_err(cannot)?;
    match std::fs::read_dir(out).map_err(cannot)?.next() {
        None => Ok(()),
        Some(_) => Err(Failure::new(format!(
            "{} is not empty: name another folder, so that nothing there is mixed with the export",
            out.display()
        ))),
    }
}

/// A file of the export, for its owner alone: the folder may have been there, and open to others.
fn create_new(path: &Path) -> std::io::Result<File> {
    File::options().write(true).create_new(true).mode(0o600).open(path)
}

impl Tables {
    fn create(out: &Path, format: Format) -> Result<Self, Failure> {
        Ok(Self {
            orders: Table::create(out, "orders", format, ORDERS)?,
            trades: Table::create(out, "trades", format, TRADES)?,
            adjustments: Table::create(out, "adjustments", format, ADJUSTMENTS)?,
            transfers: Table::create(out, "transfers", format, TRANSFERS)?,
            balances: Table::create(out, "balances", format, BALANCES)?,
            open: BTreeMap::new(),
        })
    }

    fn note_open(&mut self, engine: &Engine) {
        self.open.extend(open_orders(engine).map(|order| (key(&order), None)));
    }

    fn take(&mut self, command: &ReplayedCommand, engine: &Engine) -> Result<(), Failure> {
        let reply = &command.reply;
        for applied in std::iter::once(&reply.applied).chain(&reply.continued) {
            for event in &applied.events {
                self.take_event(event, applied.sequence, applied.sequenced_ns, engine)?;
            }
        }
        Ok(())
    }

    fn take_event(
        &mut self,
        event: &Event,
        sequence: u64,
        time_ns: u64,
        engine: &Engine,
    ) -> Result<(), Failure> {
        match event {
            Event::OrderAccepted(accepted) => {
                self.open.insert(key(&accepted.order), Some(sequence));
                Ok(())
            }
            Event::TradeExecuted(trade) => {
                self.trades.write(trade_row(trade, sequence, time_ns, engine))?;
                // A filled order has no other event of its end.
                for fill in [&trade.maker, &trade.taker] {
                    if !fill.order.status.is_open() {
                        self.end(&fill.order, None, engine)?;
                    }
                }
                Ok(())
            }
            Event::OrderCanceled(canceled) => {
                self.end(&canceled.order, Some(word(&canceled.cause)), engine)
            }
            Event::OrderExpired(expired) => {
                self.end(&expired.order, Some(word(&expired.cause)), engine)
            }
            Event::TradeBusted(busted) => {
                let head = (sequence, time_ns, "Busted", busted.trade_id.0);
                let sides = [&busted.buyer, &busted.seller];
                let row = adjustment_row(head, busted.instrument, None, sides, engine);
                self.adjustments.write(row)
            }
            Event::TradeCorrected(corrected) => {
                let head = (sequence, time_ns, "Corrected", corrected.trade_id.0);
                let prices = Some([corrected.orig_price, corrected.price]);
                let sides = [&corrected.buyer, &corrected.seller];
                let row = adjustment_row(head, corrected.instrument, prices, sides, engine);
                self.adjustments.write(row)
            }
            Event::Deposited(of) => {
                let of = (of.account, of.asset, &of.external_ref, [of.amount, of.free]);
                self.transfers.write(transfer_row((sequence, time_ns, "Deposited"), of, engine))
            }
            Event::Withdrawn(of) => {
                let of = (of.account, of.asset, &of.external_ref, [of.amount, of.free]);
                self.transfers.write(transfer_row((sequence, time_ns, "Withdrawn"), of, engine))
            }
            // A withdrawal that is only requested has moved nothing.
            Event::WithdrawalCompleted(of) => {
                let of = (of.account, of.asset, &of.external_ref, [of.amount, of.free]);
                self.transfers.write(transfer_row((sequence, time_ns, "Withdrawn"), of, engine))
            }
            _ => Ok(()),
        }
    }

    /// Writes an order at its end; later events of the order are ignored.
    fn end(
        &mut self,
        order: &Order,
        cause: Option<&'static str>,
        engine: &Engine,
    ) -> Result<(), Failure> {
        let Some(accepted) = self.open.remove(&key(order)) else { return Ok(()) };
        self.orders.write(order_row(order, accepted, cause, engine))
    }

    fn finish(
        mut self,
        out: &Path,
        engine: &Engine,
        before: Place,
        after: Place,
    ) -> Result<(), Failure> {
        for order in open_orders(engine) {
            let accepted = self.open.get(&key(&order)).copied().flatten();
            self.orders.write(order_row(&order, accepted, None, engine))?;
        }
        for (account, spec) in engine.accounts() {
            for (asset, balance) in engine.assets().iter().zip(engine.balances(account)) {
                let [free, locked, total] = [balance.free, balance.locked, balance.total()]
                    .map(|amount| Cell::Text(asset.format_amount(amount)));
                let row = [Cell::text(spec.name), Cell::text(asset.name), free, locked, total];
                self.balances.write(row)?;
            }
        }
        let rows = json!({
            "orders": self.orders.finish()?,
            "trades": self.trades.finish()?,
            "adjustments": self.adjustments.finish()?,
            "transfers": self.transfers.finish()?,
            "balances": self.balances.finish()?,
        });
        write_done(out, before, after, "rows", &rows)
    }
}

/// Says what is in the files, once all are written.
fn write_done(
    out: &Path,
    before: Place,
    after: Place,
    counted: &str,
    counts: &Value,
) -> Result<(), Failure> {
    let done = json!({
        "format": EXPORT_FORMAT,
        "first_sequence": before.sequence + 1,
        "last_sequence": after.sequence,
        "last_time": format_time(after.time_ns),
        counted: counts,
    });
    let done = format!("{}\n", serde_json::to_string_pretty(&done)?);
    let path = out.join(DONE_NAME);
    let written = create_new(&path).and_then(|mut file| file.write_all(done.as_bytes()));
    written.map_err(|error| Failure::new(format!("writing {} failed: {error}", path.display())))?;
    cli::print(done)
}

fn key(order: &Order) -> (InstrumentId, OrderId) {
    (order.instrument, order.order_id)
}

fn open_orders(engine: &Engine) -> impl Iterator<Item = Order> + '_ {
    engine.instruments().flat_map(move |instrument| {
        let accounts = engine.accounts();
        accounts.flat_map(move |(account, _)| engine.open_orders(account, instrument.id))
    })
}

fn listed(engine: &Engine, id: InstrumentId) -> &Instrument {
    find_instrument(engine, id).expect("events name listed instruments")
}

fn order_row(
    order: &Order,
    accepted: Option<u64>,
    cause: Option<&'static str>,
    engine: &Engine,
) -> [Cell; ORDERS.len()] {
    let instrument = listed(engine, order.instrument);
    let quote = &engine.assets()[usize::from(instrument.spec.quote.0)];
    let qty = |qty| Cell::Text(instrument.format_qty(qty, 0));
    let price = |price| Cell::Text(instrument.format_price(price, 0));
    let terms = order.terms.unwrap_or_default();
    let has_price = !order.order_type.is_market();
    let by_quote = !order.quote_order_qty.is_zero();
    [
        accepted.map_or(Cell::Empty, Cell::Number),
        Cell::text(instrument.spec.symbol),
        Cell::number(order.order_id.0),
        Cell::text(order.cl_ord_id),
        Cell::Text(account_name(engine, order.account)),
        Cell::text(word(&order.side)),
        Cell::text(word(&order.order_type)),
        Cell::text(word(&order.time_in_force)),
        if has_price { price(order.price) } else { Cell::Empty },
        terms.terms.stop_price.map_or(Cell::Empty, price),
        qty(order.order_qty),
        if by_quote { Cell::Text(quote.format_amount(order.quote_order_qty)) } else { Cell::Empty },
        if terms.terms.display_qty.is_zero() { Cell::Empty } else { qty(terms.terms.display_qty) },
        qty(order.cum_qty),
        Cell::Text(quote.format_amount(order.cum_quote)),
        qty(order.leaves_qty()),
        Cell::text(word(&order.status)),
        Cell::optional(cause),
        if terms.order_list.0 == 0 { Cell::Empty } else { Cell::number(terms.order_list.0) },
        Cell::TimeNs(order.created_ns),
        Cell::TimeNs(order.updated_ns),
    ]
}

fn trade_row(
    trade: &TradeExecuted,
    sequence: u64,
    time_ns: u64,
    engine: &Engine,
) -> [Cell; TRADES.len()] {
    let instrument = listed(engine, trade.instrument);
    let quote = &engine.assets()[usize::from(instrument.spec.quote.0)];
    let (buyer, seller) = match trade.side {
        Side::Buy => (&trade.taker, &trade.maker),
        Side::Sell => (&trade.maker, &trade.taker),
    };
    let fee = |fill: &Fill| {
        let asset = &engine.assets()[usize::from(fill.fee_asset.0)];
        (Cell::Text(asset.format_amount(fill.fee)), Cell::text(asset.name))
    };
    let account = |fill: &Fill| Cell::Text(account_name(engine, fill.order.account));
    let (buyer_fee, buyer_fee_asset) = fee(buyer);
    let (seller_fee, seller_fee_asset) = fee(seller);
    [
        Cell::Number(sequence),
        Cell::TimeNs(time_ns),
        Cell::text(instrument.spec.symbol),
        Cell::number(trade.trade_id.0),
        Cell::Text(instrument.format_price(trade.price, 0)),
        Cell::Text(instrument.format_qty(trade.qty, 0)),
        Cell::Text(quote.format_amount(trade.quote)),
        Cell::text(word(&trade.side)),
        account(buyer),
        Cell::number(buyer.order.order_id.0),
        buyer_fee,
        buyer_fee_asset,
        account(seller),
        Cell::number(seller.order.order_id.0),
        seller_fee,
        seller_fee_asset,
    ]
}

fn adjustment_row(
    (sequence, time_ns, kind, trade_id): (u64, u64, &'static str, u64),
    instrument: InstrumentId,
    prices: Option<[Price; 2]>,
    [buyer, seller]: [&Adjustment; 2],
    engine: &Engine,
) -> [Cell; ADJUSTMENTS.len()] {
    let instrument = listed(engine, instrument);
    let spec = &instrument.spec;
    let [base, quote] = [spec.base, spec.quote].map(|id| &engine.assets()[usize::from(id.0)]);
    let price =
        |at: usize| Cell::optional(prices.map(|prices| instrument.format_price(prices[at], 0)));
    let account = |side: &Adjustment| Cell::Text(account_name(engine, side.account));
    [
        Cell::Number(sequence),
        Cell::TimeNs(time_ns),
        Cell::text(spec.symbol),
        Cell::Number(trade_id),
        Cell::text(kind),
        price(0),
        price(1),
        account(buyer),
        Cell::Text(base.format_amount(buyer.base)),
        Cell::Text(quote.format_amount(buyer.quote)),
        account(seller),
        Cell::Text(base.format_amount(seller.base)),
        Cell::Text(quote.format_amount(seller.quote)),
    ]
}

fn transfer_row(
    (sequence, time_ns, kind): (u64, u64, &'static str),
    (account, asset, external_ref, amounts): (AccountId, AssetId, &ExternalRef, [Amount; 2]),
    engine: &Engine,
) -> [Cell; TRANSFERS.len()] {
    let asset = &engine.assets()[usize::from(asset.0)];
    let [amount, free] = amounts.map(|amount| Cell::Text(asset.format_amount(amount)));
    [
        Cell::Number(sequence),
        Cell::TimeNs(time_ns),
        Cell::text(kind),
        Cell::Text(account_name(engine, account)),
        Cell::text(asset.name),
        amount,
        free,
        Cell::text(external_ref),
    ]
}

//! `buttonwood log state`: the venue's state at a moment of the past.

use std::path::PathBuf;

use clap::Args;
use cli::Failure;
use cli::moment::{Moment, format_time, replay_until};
use cli::show::{Show, word};
use engine::Engine;
use serde_json::{Value, json};
use types::{
    AccountId, Asset, Balance, Describe, Described, Instrument, InstrumentId, Order, Price, Qty,
    Side,
};
use venue::{Archive, Place};

/// Show the books, balances and open orders of a moment
///
/// The state is that after the last command up to SEQ or TIME, which must not be beyond the end of
/// the log; the first line has its sequence and time. The steps of a large command are not divided.
#[derive(Args, Debug)]
#[command(after_help = "Example: buttonwood log state my-venue --until 2026-11-21T16:30:00Z")]
pub(super) struct State {
    /// Folder of a venue, running or not, or of a backup
    #[arg(value_name = "DIR")]
    dir: PathBuf,
    /// Moment: a sequence, or a time (RFC 3339, or milliseconds since 1970)
    /// [default: the end of the log]
    #[arg(long, value_name = "SEQ|TIME")]
    until: Option<Moment>,
    /// Print one JSON object; 64-bit numbers, prices, quantities and amounts are strings
    #[arg(long)]
    json: bool,
}

impl State {
    pub(super) fn run(&self) -> Result<(), Failure> {
        let archive = Archive::open(&self.dir)?;
        let replay = replay_until(&archive, self.until)?;
        let (place, engine) = (replay.place(), replay.engine());
        cli::print_line(if self.json {
            serde_json::to_string_pretty(&json(place, engine, Only::default()))?
        } else {
            text(place, engine)
        })
    }
}

/// The part of the state that is wanted: of one account, of one instrument.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Only {
    pub(super) account: Option<AccountId>,
    pub(super) instrument: Option<InstrumentId>,
}

pub(super) fn json(place: Place, engine: &Engine, only: Only) -> Value {
    let is_listed = |instrument: &InstrumentId| only.instrument.is_none_or(|of| of == *instrument);
    let instruments = engine.instruments().filter(|instrument| is_listed(&instrument.id));
    let instruments = instruments.map(|instrument| {
        let levels = |side| -> Value {
            levels(engine, instrument, side).map(|(price, qty)| json!([price, qty])).collect()
        };
        json!({
            "symbol": instrument.spec.symbol.as_str(),
            "phase": phase(engine, instrument),
            "bids": levels(Side::Buy),
            "asks": levels(Side::Sell),
        })
    });
    let accounts =
        engine.accounts().filter(|(account, _)| only.account.is_none_or(|of| of == *account));
    let accounts = accounts.map(|(account, spec)| {
        let balances = balances(engine, account).map(|(asset, balance)| {
            json!({
                "asset": asset.name.as_str(),
                "free": asset.format_amount(balance.free),
                "locked": asset.format_amount(balance.locked),
            })
        });
        let orders = open_orders(engine, account).filter(|order| is_listed(&order.instrument));
        json!({
            "account": spec.name.as_str(),
            "balances": balances.collect::<Value>(),
            "open_orders":
                orders.map(|order| Show::new(engine).json(&described(&order))).collect::<Value>(),
        })
    });
    json!({
        "sequence": place.sequence,
        "batch": place.batch_number,
        "time": format_time(place.time_ns),
        "sequenced_ns": place.time_ns.to_string(),
        "rules_version": engine.rules(),
        "instruments": instruments.collect::<Value>(),
        "accounts": accounts.collect::<Value>(),
    })
}

fn text(place: Place, engine: &Engine) -> String {
    let time = format_time(place.time_ns);
    let mut lines = vec![format!("after sequence {}, {time}", place.sequence)];
    for instrument in engine.instruments() {
        let symbol = instrument.spec.symbol;
        lines.push(String::new());
        lines.push(format!("{symbol} ({})", phase(engine, instrument)));
        let asks: Vec<_> = levels(engine, instrument, Side::Sell).collect();
        lines.extend(asks.iter().rev().map(|(price, qty)| format!("  ask {price} {qty}")));
        let bids = levels(engine, instrument, Side::Buy);
        lines.extend(bids.map(|(price, qty)| format!("  bid {price} {qty}")));
    }
    for (account, spec) in engine.accounts() {
        let balances = balances(engine, account).map(|(asset, balance)| {
            let [free, locked] = [balance.free, balance.locked].map(|of| asset.format_amount(of));
            format!("  {} free {free} locked {locked}", asset.name)
        });
        let orders = open_orders(engine, account).map(|order| {
            let mut line = "  order".to_owned();
            Show::new(engine).text("", &described(&order), &mut line);
            line
        });
        let owned: Vec<_> = balances.chain(orders).collect();
        if !owned.is_empty() {
            lines.extend([String::new(), spec.name.to_string()]);
            lines.extend(owned);
        }
    }
    lines.join("\n")
}

/// The levels of one side, best first.
fn levels<'a>(
    engine: &'a Engine,
    instrument: &'a Instrument,
    side: Side,
) -> impl Iterator<Item = (String, String)> + 'a {
    let shown = |(price, qty): (Price, Qty)| {
        (instrument.format_price(price, 0), instrument.format_qty(qty, 0))
    };
    engine.levels(instrument.id, side).map(shown)
}

/// What an account has of each asset that it has any of.
fn balances(engine: &Engine, account: AccountId) -> impl Iterator<Item = (&Asset, Balance)> {
    let all = engine.assets().iter().zip(engine.balances(account));
    all.filter(|(_, balance)| !balance.free.is_zero() || !balance.locked.is_zero())
}

fn open_orders(engine: &Engine, account: AccountId) -> impl Iterator<Item = Order> + '_ {
    engine.instruments().flat_map(move |listed| engine.open_orders(account, listed.id))
}

fn phase(engine: &Engine, instrument: &Instrument) -> &'static str {
    let phase = engine.phase(instrument.id).expect("a listed instrument has a phase");
    if engine.is_delisted(instrument.id) { "delisted" } else { word(&phase) }
}

/// The order, and what is still to be traded of it.
fn described(order: &Order) -> Described {
    let Described::Record(mut fields) = order.describe() else { unreachable!("it is a record") };
    fields.push(("leaves_qty", order.leaves_qty().describe()));
    Described::Record(fields)
}

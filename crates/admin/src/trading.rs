//! Operations on trading: phases, halts, delisting, busts and corrections.

use std::collections::BTreeMap;

use clap::Args;
use cli::Failure;
use engine::Engine;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use server::now_ns;
use types::{
    AccountId, Adjustment, Asset, BustTrade, CircuitBreaker, Command, CorrectTrade,
    DelistInstrument, Event, HALT_LEVELS, HaltLevel, HaltVenue, Receivable, ReceivableId, SetPhase,
    SettleReceivable, TradeId,
};

use super::backend::{Venue, execute};
use super::lookup::{Listing, account_names, find_account, find_instrument};
use super::phase::PhaseName;
use super::value::{Nothing, invalid};

#[derive(Args, Debug, Deserialize, JsonSchema, Serialize)]
pub(crate) struct NamedInstrument {
    /// Instrument, such as BTCUSDT
    symbol: String,
}

#[derive(Args, Debug, Deserialize, JsonSchema, Serialize)]
pub(crate) struct Owed {
    /// Number of the receivable, as `owed` shows it
    receivable: u64,
}

#[derive(Args, Debug, Deserialize, JsonSchema, Serialize)]
#[command(
    after_help = "Example: buttonwood admin breaker BTCUSDT --level 700 900 --level 1300 900 --level 2000 0"
)]
pub(crate) struct Breaker {
    /// Instrument whose last price is the index
    symbol: String,
    /// Decline from the index's opening in basis points, 1 to 10000, and seconds of the halt; 0 is
    /// until `resume`. Up to 3 times, in ascending order
    #[arg(long = "level", num_args = 2, value_names = ["BPS", "SECONDS"], required = true)]
    levels: Vec<u32>,
}

#[derive(Args, Debug, Deserialize, JsonSchema, Serialize)]
pub(crate) struct PhaseChange {
    /// Instrument, such as BTCUSDT
    symbol: String,
    /// Phase that begins at once
    phase: PhaseName,
}

#[derive(Args, Debug, Deserialize, JsonSchema, Serialize)]
pub(crate) struct Halt {
    /// Level of the halt, 1 to 3, which clients see; it has no other effect
    #[arg(long, value_name = "N", default_value_t = 1)]
    #[serde(default = "least_level")]
    #[schemars(range(min = 1, max = 3))]
    level: u8,
    /// Seconds after which trading resumes by itself [default: until `resume`]
    #[arg(long = "for", value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..))]
    #[schemars(range(min = 1))]
    seconds: Option<u64>,
}

fn least_level() -> u8 {
    1
}

/// Trade ids of an instrument are dense, so both accounts are named as well: then a wrong number
/// does not undo another account's trade.
#[derive(Args, Debug, Deserialize, JsonSchema, Serialize)]
pub(crate) struct TradeSides {
    /// Instrument, such as BTCUSDT
    symbol: String,
    /// Id of the trade
    trade_id: u64,
    /// Account that bought
    buyer: String,
    /// Account that sold
    seller: String,
}

#[derive(Args, Debug, Deserialize, JsonSchema, Serialize)]
pub(crate) struct Correction {
    #[command(flatten)]
    #[serde(flatten)]
    trade: TradeSides,
    /// The correct price
    price: String,
}

pub(super) fn set_phase(change: PhaseChange, venue: &mut Venue<'_>) -> Result<PhaseShown, Failure> {
    let instrument = find_instrument(venue, &change.symbol)?.instrument.id;
    let phase = change.phase.into();
    execute(venue, Command::SetPhase(SetPhase { instrument, phase }))?;
    Ok(PhaseShown { symbol: change.symbol, phase: format!("{phase:?}") })
}

pub(super) fn resume(_: Nothing, venue: &mut Venue<'_>) -> Result<Resumed, Failure> {
    execute(venue, Command::ResumeVenue(()))?;
    Ok(Resumed { halted: false })
}

pub(super) fn begin_numbering_day(
    _: Nothing,
    venue: &mut Venue<'_>,
) -> Result<NumberingDay, Failure> {
    let events = execute(venue, Command::BeginNumberingDay(()))?;
    let begun = events.iter().find_map(|event| match event {
        Event::NumberingDayBegun(begun) => Some(begun.day),
        _ => None,
    });
    let numbering_day = begun.ok_or_else(|| Failure::fault("no numbering day has begun"))?;
    Ok(NumberingDay { numbering_day })
}

pub(super) fn delist(named: NamedInstrument, venue: &mut Venue<'_>) -> Result<Delisted, Failure> {
    let instrument = find_instrument(venue, &named.symbol)?.instrument.id;
    execute(venue, Command::DelistInstrument(DelistInstrument { instrument }))?;
    Ok(Delisted { symbol: named.symbol, delisted: true })
}

pub(super) fn bust(trade: TradeSides, venue: &mut Venue<'_>) -> Result<Adjusted, Failure> {
    let (listing, trade) = trade.find(venue)?;
    let events = execute(venue, Command::BustTrade(trade))?;
    adjusted(venue, &listing, &events)
}

pub(super) fn correct(correction: Correction, venue: &mut Venue<'_>) -> Result<Adjusted, Failure> {
    let Correction { trade, price } = correction;
    let (listing, trade) = trade.find(venue)?;
    let BustTrade { instrument, trade_id, buyer, seller } = trade;
    let price = listing
        .instrument
        .parse_price(&price)
        .ok_or_else(|| invalid("price", &price, "a whole number of ticks"))?;
    let correct = CorrectTrade { instrument, trade_id, buyer, seller, price };
    let events = execute(venue, Command::CorrectTrade(correct))?;
    adjusted(venue, &listing, &events)
}

pub(super) fn list_owed(
    _: Nothing,
    venue: &mut Venue<'_>,
) -> Result<Vec<ReceivableShown>, Failure> {
    venue.read(owed)
}

pub(super) fn settle(
    owed_now: Owed,
    venue: &mut Venue<'_>,
) -> Result<Vec<ReceivableShown>, Failure> {
    let receivable = ReceivableId(owed_now.receivable);
    execute(venue, Command::SettleReceivable(SettleReceivable { receivable }))?;
    venue.read(owed)
}

impl TradeSides {
    fn find(&self, venue: &mut Venue<'_>) -> Result<(Listing, BustTrade), Failure> {
        let listing = find_instrument(venue, &self.symbol)?;
        let trade = BustTrade {
            instrument: listing.instrument.id,
            trade_id: TradeId(self.trade_id),
            buyer: find_account(venue, &self.buyer)?,
            seller: find_account(venue, &self.seller)?,
        };
        Ok((listing, trade))
    }
}

impl Halt {
    pub(super) fn execute(self, venue: &mut Venue<'_>) -> Result<Halted, Failure> {
        if self.seconds == Some(0) {
            return Err(Failure::new(
                "`seconds` must be at least 1; without it the halt lasts until `resume`",
            ));
        }
        let resume_ns = self
            .seconds
            .map_or(Some(0), |seconds| now_ns().checked_add(seconds.checked_mul(1_000_000_000)?));
        let resume_ns = resume_ns.ok_or_else(|| Failure::new("`seconds` is too large"))?;
        execute(venue, Command::HaltVenue(HaltVenue { level: self.level, resume_ns }))?;
        Ok(Halted { halted: true, level: self.level, seconds: self.seconds })
    }
}

impl Breaker {
    pub(super) fn execute(self, venue: &mut Venue<'_>) -> Result<BreakerShown, Failure> {
        let index = find_instrument(venue, &self.symbol)?.instrument.id;
        let named = self.levels.chunks(2);
        if !self.levels.len().is_multiple_of(2) {
            return Err(Failure::new("a level is basis points and seconds"));
        }
        if named.len() > HALT_LEVELS {
            return Err(Failure::new(format!("there are at most {HALT_LEVELS} levels")));
        }
        let mut levels = [None; HALT_LEVELS];
        for (place, level) in levels.iter_mut().zip(named) {
            let halt_ns = u64::from(level[1]) * 1_000_000_000;
            *place = Some(HaltLevel { decline_bps: level[0], halt_ns });
        }
        let breaker = CircuitBreaker { index, levels };
        execute(venue, Command::SetCircuitBreaker(breaker))?;
        let level = |level: &HaltLevel| LevelShown {
            bps: level.decline_bps,
            seconds: level.halt_ns / 1_000_000_000,
        };
        let levels = levels.iter().flatten().map(level).collect();
        Ok(BreakerShown { index: self.symbol, levels })
    }
}

#[derive(JsonSchema, Serialize)]
pub(super) struct PhaseShown {
    symbol: String,
    phase: String,
}

#[derive(JsonSchema, Serialize)]
pub(super) struct Halted {
    halted: bool,
    level: u8,
    /// Null if the halt lasts until `resume`
    seconds: Option<u64>,
}

#[derive(JsonSchema, Serialize)]
pub(super) struct Resumed {
    halted: bool,
}

#[derive(JsonSchema, Serialize)]
pub(super) struct NumberingDay {
    /// The number of the day that has begun
    numbering_day: u32,
}

#[derive(JsonSchema, Serialize)]
pub(super) struct Delisted {
    symbol: String,
    delisted: bool,
}

#[derive(JsonSchema, Serialize)]
pub(super) struct BreakerShown {
    index: String,
    levels: Vec<LevelShown>,
}

#[derive(JsonSchema, Serialize)]
struct LevelShown {
    bps: u32,
    seconds: u64,
}

#[derive(JsonSchema, Serialize)]
pub(super) struct ReceivableShown {
    receivable: u64,
    debtor: String,
    creditor: String,
    asset: String,
    amount: String,
}

/// The amounts that a bust or a correction has moved.
#[derive(JsonSchema, Serialize)]
pub(super) struct Adjusted {
    symbol: String,
    trade_id: u64,
    buyer: SideAdjusted,
    seller: SideAdjusted,
    /// Amounts that could not be moved, as receivables
    owed: Vec<ReceivableShown>,
}

#[derive(JsonSchema, Serialize)]
struct SideAdjusted {
    account: String,
    base: String,
    quote: String,
}

fn owed(engine: &Engine) -> Vec<ReceivableShown> {
    let names = account_names(engine);
    let row = |receivable: &Receivable| {
        let asset = &engine.assets()[usize::from(receivable.asset.0)];
        receivable_row(receivable, asset, &names)
    };
    engine.receivables().map(row).collect()
}

fn receivable_row(
    receivable: &Receivable,
    asset: &Asset,
    names: &BTreeMap<AccountId, String>,
) -> ReceivableShown {
    ReceivableShown {
        receivable: receivable.receivable.0,
        debtor: name_of(receivable.debtor, names),
        creditor: name_of(receivable.creditor, names),
        asset: asset.name.to_string(),
        amount: asset.format_amount(receivable.amount),
    }
}

fn name_of(account: AccountId, names: &BTreeMap<AccountId, String>) -> String {
    names.get(&account).map_or("the venue", String::as_str).to_owned()
}

/// Reads the moved amounts and the receivables from the events of a bust or a correction.
fn adjusted(
    venue: &mut Venue<'_>,
    listing: &Listing,
    events: &[Event],
) -> Result<Adjusted, Failure> {
    let (trade_id, buyer, seller) = events
        .iter()
        .find_map(|event| match event {
            Event::TradeBusted(busted) => Some((busted.trade_id, busted.buyer, busted.seller)),
            Event::TradeCorrected(corrected) => {
                Some((corrected.trade_id, corrected.buyer, corrected.seller))
            }
            _ => None,
        })
        .ok_or_else(|| Failure::new("the venue's events have neither a bust nor a correction"))?;
    let names = venue.read(account_names)?;
    let side = |adjustment: Adjustment| SideAdjusted {
        account: name_of(adjustment.account, &names),
        base: listing.base.format_amount(adjustment.base),
        quote: listing.quote.format_amount(adjustment.quote),
    };
    let owed = events.iter().filter_map(|event| match event {
        Event::ReceivableCreated(created) => Some(created.receivable),
        _ => None,
    });
    let owed = owed.map(|receivable| {
        let asset = if receivable.asset == listing.instrument.spec.base {
            &listing.base
        } else {
            &listing.quote
        };
        receivable_row(&receivable, asset, &names)
    });
    Ok(Adjusted {
        symbol: listing.instrument.spec.symbol.to_string(),
        trade_id: trade_id.0,
        buyer: side(buyer),
        seller: side(seller),
        owed: owed.collect(),
    })
}

//! A venue without sockets, filled with plain order flow.

use std::collections::VecDeque;
use std::path::Path;
use std::time::{Duration, Instant};

use cli::Failure;
use server::Random;
use types::{
    AccountId, AccountName, AccountSpec, Amount, Asset, AssetId, AssetName, ClOrdId, Command,
    CreateAccount, Deposit, Entry, Envelope, ExternalRef, FeeRates, Increment, InstrumentId,
    InstrumentSpec, ListAsset, ListInstrument, NewOrder, OrderSize, OrderType, Origin, Price, Qty,
    Refused, Side, StpMode, Symbol, TimeInForce,
};
use venue::{Durability, Handle, Reply, Retention, Settings, Ticket};

const ACCOUNTS: u32 = 96;
const INSTRUMENTS: u32 = 4;
const DEPOSITED: Amount = Amount::from_minor(1 << 80);
const BOUND: Amount = Amount::from_minor(1 << 90);
const ORDERS_OPEN_MAX: u32 = 1_000_000;
/// The engine's own memory of them is not measured here.
const KEPT: u32 = 10;
/// Prices lie around this one, within a few ticks: about half of the orders trade.
const MIDDLE: u64 = 10_000;
const WITHIN: u64 = 8;
/// Commands under way at once.
const WINDOW: usize = 1_000;
/// Kept for the feed, which must find all of them: the spool is what is measured.
const SPOOL_BYTES: u64 = 1 << 40;

pub(super) fn settings(folder: &Path) -> Settings {
    let retention = Retention { max_bytes: SPOOL_BYTES, max_age_ns: None };
    Settings { durability: Durability::Os, retention, ..Settings::new(folder) }
}

/// Lists assets and instruments, and opens accounts.
pub(super) fn set_up(handle: &Handle) -> Result<(), Failure> {
    for name in ["USD", "OIL"] {
        let name = AssetName::parse(name).expect("a name");
        operate(handle, Command::ListAsset(ListAsset { asset: Asset { name, decimals: 2 } }))?;
    }
    for at in 0..INSTRUMENTS {
        let spec = instrument(at);
        operate(handle, Command::ListInstrument(ListInstrument { spec }))?;
    }
    for account in (1..=ACCOUNTS).map(AccountId) {
        let spec = AccountSpec {
            name: AccountName::parse(&format!("bench-{}", account.0)).expect("a name"),
            fees: None,
            max_open_orders: ORDERS_OPEN_MAX,
            finished_orders_kept: KEPT,
            trades_kept: KEPT,
        };
        operate(handle, Command::CreateAccount(CreateAccount { spec }))?;
        for asset in [AssetId(0), AssetId(1)] {
            let external_ref = ExternalRef::parse(&format!("fund-{}", asset.0)).expect("a name");
            let deposit = Deposit { account, asset, amount: DEPOSITED, external_ref };
            operate(handle, Command::Deposit(deposit))?;
        }
    }
    Ok(())
}

fn instrument(at: u32) -> InstrumentSpec {
    InstrumentSpec {
        symbol: Symbol::parse(&format!("OILUSD{at}")).expect("a symbol"),
        base: AssetId(1),
        quote: AssetId(0),
        tick_size: Increment::parse("0.01").expect("an increment"),
        lot_size: Increment::parse("1").expect("an increment"),
        min_price: Price::from_ticks(1),
        max_price: Price::from_ticks(1_000_000),
        min_qty: Qty::from_lots(1),
        max_qty: Qty::from_lots(1_000_000),
        market_max_qty: Qty::from_lots(1_000_000),
        min_notional: Amount::ZERO,
        max_notional: BOUND,
        max_open_orders: ORDERS_OPEN_MAX,
        fees: FeeRates { maker_fee_bps_x100: 0, taker_fee_bps_x100: 500 },
    }
}

fn operate(handle: &Handle, command: Command) -> Result<(), Failure> {
    let entry = Entry { envelope: Envelope::venue(Origin::Admin, 0), command };
    let ticket = handle.submit(entry).map_err(|refused| refusal(&refused))?;
    outcome(ticket)
}

/// Orders that follow from a seed.
#[derive(Debug)]
pub(super) struct Flow {
    random: Random,
    number: u64,
}

impl Flow {
    pub(super) fn new(seed: u64) -> Self {
        Self { random: Random::new(seed, 0), number: 0 }
    }

    /// How many orders it has sent.
    pub(super) fn sent(&self) -> u64 {
        self.number
    }

    /// Sends a number of orders as fast as the venue takes them.
    pub(super) fn send(&mut self, handle: &Handle, orders: u64) -> Result<(), Failure> {
        let mut under_way = VecDeque::with_capacity(WINDOW);
        for _ in 0..orders {
            let entry = self.order();
            if under_way.len() == WINDOW {
                under_way.pop_front().map_or(Ok(()), outcome)?;
            }
            under_way.push_back(submit(handle, entry)?);
        }
        under_way.into_iter().try_for_each(outcome)
    }

    /// Sends orders at a rate for a time, and calls `between` before each.
    pub(super) fn send_at(
        &mut self,
        handle: &Handle,
        (rate, time): (f64, Duration),
        mut between: impl FnMut(),
    ) -> Result<(), Failure> {
        let begun = Instant::now();
        for at in 0..(rate * time.as_secs_f64()) as u64 {
            let due = begun + Duration::from_secs_f64(at as f64 / rate);
            between();
            std::thread::sleep(due.saturating_duration_since(Instant::now()));
            let entry = self.order();
            outcome(submit(handle, entry)?)?;
        }
        Ok(())
    }

    /// Half of them rest if they do not trade; the others are canceled then.
    fn order(&mut self) -> Entry {
        self.number += 1;
        let mut draw = |below: u64| self.random.between(0, below - 1);
        let account = AccountId(1 + draw(ACCOUNTS.into()) as u32);
        let ticks = MIDDLE - WITHIN + draw(2 * WITHIN + 1);
        let order = NewOrder {
            instrument: InstrumentId(draw(INSTRUMENTS.into()) as u32),
            cl_ord_id: ClOrdId::parse(&format!("bench-{}", self.number)).expect("a name"),
            side: if draw(2) == 0 { Side::Buy } else { Side::Sell },
            order_type: OrderType::Limit,
            time_in_force: if draw(2) == 0 { TimeInForce::Gtc } else { TimeInForce::Ioc },
            stp_mode: StpMode::None,
            price: Price::from_ticks(ticks as i64),
            size: OrderSize::Base(Qty::from_lots(1 + draw(9))),
            strategy_id: None,
            strategy_type: None,
            terms: None,
        };
        let envelope = Envelope { account, ..Envelope::venue(Origin::Rest, 0) };
        Entry { envelope, command: Command::NewOrder(order) }
    }
}

type Outcome = Ticket<Result<Reply, Refused>>;

/// A full inbox is waited for.
fn submit(handle: &Handle, entry: Entry) -> Result<Outcome, Failure> {
    loop {
        match handle.submit(entry.clone()) {
            Ok(ticket) => return Ok(ticket),
            Err(Refused::Overloaded) => std::thread::yield_now(),
            Err(refused) => return Err(refusal(&refused)),
        }
    }
}

fn outcome(ticket: Outcome) -> Result<(), Failure> {
    match ticket.blocking_recv() {
        Ok(Ok(_)) => Ok(()),
        Ok(Err(refused)) => Err(refusal(&refused)),
        Err(_) => Err(Failure::fault("the venue of the benchmark has ended")),
    }
}

fn refusal(refused: &Refused) -> Failure {
    Failure::fault(format!("the venue of the benchmark refuses a command: {refused:?}"))
}

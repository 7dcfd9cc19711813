//! The whole engine as a target: every order belongs to an account that pays for it, has a client
//! id, and causes events.

use std::collections::BTreeSet;

use engine::Engine;
use types::{
    AMOUNT_MAX, AccountId, AccountName, AccountSpec, AmendOrder, Amount, Asset, AssetId, AssetName,
    CancelOrder, CancelRestriction, ClOrdId, Command, CreateAccount, Deposit, Entry, Envelope,
    Event, ExternalRef, FeeRates, Increment, InstrumentId, InstrumentSpec, ListAsset,
    ListInstrument, NewOrder, OrderId, OrderRef, OrderSize, OrderType, Origin, PRICE_MAX, Price,
    QTY_MAX, Qty, SetPhase, Side, StpMode, Symbol, TimeInForce,
};

use super::plan::{Auction, Plan, Step, Terms};
use super::target::{Tally, Target};
use super::watch::Watch;

/// The default. Buyers have the ids from 1, sellers the ids after these.
pub const ACCOUNTS_A_SIDE: u32 = 1_000;
/// 10 basis points from each side of a trade.
const FEES: FeeRates = FeeRates { maker_fee_bps_x100: 1_000, taker_fee_bps_x100: 1_000 };

const QUOTE: AssetId = AssetId(0);
/// The engine has a limit of assets: further instruments share base assets.
const BASES_MAX: u32 = 9_000;
/// Number of entries that are decoded ahead of the clock. All entries of the flow would be half a
/// gigabyte and would come back through the cache, which no entry of a log does.
pub(super) const ENTRIES_PER_CHUNK: usize = 1_024;

#[derive(Debug)]
pub(crate) struct Whole {
    pub(super) engine: Engine,
    accounts_a_side: u32,
    /// The highest price of a new order, in ticks.
    highest: i64,
    pub(super) ready: Vec<WholeStep>,
    pub(super) events: Vec<Event>,
    pub(super) sequenced_ns: u64,
    pub(super) tally: Tally,
    last_maker: u64,
}

/// A command for the engine, and its expected result.
#[derive(Debug)]
pub(super) struct WholeStep {
    pub(super) entry: Entry,
    expect: Expect,
}

#[derive(Clone, Copy, Debug)]
enum Expect {
    OrderId(u64),
    Maker(u64),
    Phase,
    Nothing,
}

impl Target for Whole {
    fn execute(&mut self, steps: &[Step], watch: &mut Watch) {
        let mut ready = std::mem::take(&mut self.ready);
        for steps in steps.chunks(ENTRIES_PER_CHUNK) {
            self.decode(steps, &mut ready);
            watch.time(self, &ready, Self::step);
        }
        self.ready = ready;
    }

    fn tally(&self) -> &Tally {
        &self.tally
    }

    fn levels(&self, instrument: u32, side: Side, depth: usize) -> Vec<(i64, u64)> {
        let levels = self.engine.levels(InstrumentId(instrument), side).take(depth);
        levels.map(|(price, qty)| (price.ticks(), qty.lots())).collect()
    }

    fn resting_orders(&self) -> usize {
        self.engine.resting_count()
    }
}

impl Whole {
    /// An engine with the instruments and accounts that the plan needs.
    ///
    /// The engine keeps `kept` finished orders and `kept` trades of each account.
    pub(crate) fn new(plan: &Plan, accounts_a_side: u32, kept: u32) -> Self {
        let prices = plan.steps.iter().map(|step| match step {
            Step::New { price, .. } => *price,
            _ => 0,
        });
        let mut whole = Self {
            engine: Engine::default(),
            accounts_a_side,
            highest: prices.max().unwrap_or(0).max(1),
            ready: Vec::with_capacity(ENTRIES_PER_CHUNK.min(plan.steps.len())),
            events: Vec::new(),
            sequenced_ns: 0,
            tally: Tally { auctions: Some(Vec::new()), ..Tally::default() },
            last_maker: 0,
        };
        whole.list(plan.instrument_count);
        for at in 1..=2 * accounts_a_side {
            let spec = AccountSpec {
                name: AccountName::parse(&format!("trader-{at}")).expect("a valid name"),
                fees: None,
                max_open_orders: u32::MAX,
                finished_orders_kept: kept,
                trades_kept: kept,
            };
            whole.operate(Command::CreateAccount(CreateAccount { spec }));
        }
        whole.fund(plan);
        whole
    }

    /// Makes the entries of a chunk of steps.
    pub(super) fn decode(&self, steps: &[Step], ready: &mut Vec<WholeStep>) {
        ready.clear();
        let new = |step| WholeStep::new(step, self.accounts_a_side, self.highest);
        ready.extend(steps.iter().map(new));
    }

    /// Carries out a step, given the steps queued after it.
    #[inline]
    fn step(&mut self, ready: &WholeStep, waiting: &[WholeStep]) {
        self.engine.announce(waiting.get(Engine::AHEAD - 1).map(|waits| &waits.entry));
        self.apply(ready);
    }

    fn list(&mut self, instrument_count: u32) {
        let mut list_asset = |name: &str| {
            let name = AssetName::parse(name).expect("a valid name");
            let asset = Asset { name, decimals: 0 };
            self.operate(Command::ListAsset(ListAsset { asset }));
        };
        list_asset("QUOTE");
        (0..instrument_count.min(BASES_MAX)).for_each(|at| list_asset(&format!("BASE{at}")));
        let one = Increment { units: 1, decimals: 0 };
        for at in 0..instrument_count {
            let spec = InstrumentSpec {
                symbol: Symbol::parse(&format!("S{at}")).expect("a valid name"),
                base: base_of(at),
                quote: QUOTE,
                tick_size: one,
                lot_size: one,
                min_price: Price::from_ticks(1),
                max_price: PRICE_MAX,
                min_qty: Qty::from_lots(1),
                max_qty: QTY_MAX,
                market_max_qty: QTY_MAX,
                min_notional: Amount::from_minor(1),
                max_notional: AMOUNT_MAX,
                max_open_orders: u32::MAX,
                fees: FEES,
            };
            self.operate(Command::ListInstrument(ListInstrument { spec }));
        }
    }

    /// Buyers get the quote asset; sellers get the base assets that they will sell.
    fn fund(&mut self, plan: &Plan) {
        let accounts = self.accounts_a_side;
        let buyers = (1..=accounts).map(|at| (AccountId(at), QUOTE));
        let sellers: BTreeSet<_> =
            plan.steps.iter().filter_map(|step| sells(step, accounts)).collect();
        // No account runs out of it, and all deposits together stay within an amount.
        let shares = (4 * i128::from(accounts)).cast_unsigned().next_power_of_two();
        let amount = Amount::from_minor(AMOUNT_MAX.minor() / shares.cast_signed());
        for (account, asset) in buyers.chain(sellers) {
            let name = format!("deposit-{}", asset.0);
            let external_ref = ExternalRef::parse(&name).expect("a valid name");
            let deposit = Deposit { account, asset, amount, external_ref };
            self.operate(Command::Deposit(deposit));
        }
    }

    /// Carries out a command of the setup, which is never refused.
    fn operate(&mut self, command: Command) {
        let entry = Entry { envelope: Envelope::venue(Origin::Replay, 0), command };
        self.engine.apply(0, &entry, &mut self.events);
        let refused = self.events.iter().any(|event| matches!(event, Event::CommandRejected(_)));
        assert!(!refused, "{:?} caused {:?}", entry.command, self.events);
        self.events.clear();
    }

    #[inline]
    fn apply(&mut self, ready: &WholeStep) {
        self.enter(&ready.entry);
        if let Expect::Phase = ready.expect {
            return self.record_auction();
        }
        let trades = self.tally.trades;
        for event in &self.events {
            match event {
                Event::OrderAccepted(accepted) => {
                    if let Expect::OrderId(expected) = ready.expect {
                        let given = accepted.order.order_id.0;
                        assert_eq!(given, expected, "a plan counts as its target does");
                    }
                }
                Event::TradeExecuted(trade) => {
                    self.tally.trade(trade.price.ticks(), trade.qty.lots());
                    self.last_maker = trade.maker.order.order_id.0;
                }
                Event::CommandRejected(_) => self.tally.rejected += 1,
                _ => {}
            }
        }
        if let Expect::Maker(maker) = ready.expect {
            self.tally.execution(trades, maker, self.last_maker);
        }
    }

    #[inline]
    fn enter(&mut self, entry: &Entry) {
        self.sequenced_ns += 1;
        self.events.clear();
        self.engine.apply(self.sequenced_ns, entry, &mut self.events);
        while self.engine.has_deferred() {
            self.resume();
        }
    }

    #[cold]
    fn record_auction(&mut self) {
        for event in &self.events {
            match event {
                Event::AuctionUncrossed(uncrossed) => {
                    let auction = Auction { price: uncrossed.price, volume: uncrossed.volume };
                    self.tally.auctions.get_or_insert_default().push(auction);
                }
                Event::CommandRejected(_) => self.tally.rejected += 1,
                _ => {}
            }
        }
    }

    /// Emulates the sequencer: a `Continue` resumes work beyond the limit of one command.
    #[cold]
    fn resume(&mut self) {
        let envelope = Envelope::venue(Origin::Replay, self.sequenced_ns);
        let entry = Entry { envelope, command: Command::Continue(()) };
        self.engine.apply(self.sequenced_ns, &entry, &mut self.events);
    }
}

/// An engine with one instrument in continuous trading, and accounts that can pay for anything.
#[cfg(test)]
pub(crate) fn for_market(accounts: u32) -> Engine {
    let mut whole = Whole::new(&Plan::new(recorded::Format::Obwl, 1), accounts, 0);
    for account in (1..=accounts).map(AccountId) {
        for asset in [QUOTE, base_of(0)] {
            let external_ref = ExternalRef::parse(&format!("more-{}", asset.0)).expect("a name");
            let amount = Amount::from_minor(1_000_000_000);
            whole.operate(Command::Deposit(Deposit { account, asset, amount, external_ref }));
        }
    }
    whole.engine
}

impl WholeStep {
    /// `highest` is the price of a market order that buys. It is an immediate limit order that no
    /// price is too far for, because a plan counts on an id for it: the engine refuses a market
    /// order that finds the other side empty.
    fn new(step: &Step, accounts_a_side: u32, highest: i64) -> Self {
        let (expect, command) = match *step {
            Step::New { order_id, price, qty, instrument, side, terms } => {
                let (price, time_in_force) = match (terms, side) {
                    (Terms::Limit | Terms::Auction, _) => (price, TimeInForce::Gtc),
                    (Terms::Ioc, _) => (price, TimeInForce::Ioc),
                    (Terms::Market, Side::Buy) => (highest, TimeInForce::Ioc),
                    (Terms::Market, Side::Sell) => (1, TimeInForce::Ioc),
                };
                let order = NewOrder {
                    instrument: InstrumentId(instrument),
                    cl_ord_id: cl_ord_id('o', order_id),
                    side,
                    order_type: OrderType::Limit,
                    time_in_force,
                    stp_mode: StpMode::None,
                    price: Price::from_ticks(price),
                    size: OrderSize::Base(Qty::from_lots(qty)),
                    strategy_id: None,
                    strategy_type: None,
                    terms: None,
                };
                (Expect::OrderId(order_id), Command::NewOrder(order))
            }
            Step::Execution { price, maker, qty, instrument, side } => {
                let order = NewOrder {
                    instrument: InstrumentId(instrument),
                    cl_ord_id: cl_ord_id('x', maker),
                    side,
                    order_type: OrderType::Limit,
                    time_in_force: TimeInForce::Ioc,
                    stp_mode: StpMode::None,
                    price: Price::from_ticks(price),
                    size: OrderSize::Base(Qty::from_lots(qty)),
                    strategy_id: None,
                    strategy_type: None,
                    terms: None,
                };
                (Expect::Maker(maker), Command::NewOrder(order))
            }
            Step::Cancel { order_id, instrument, .. } => {
                let cancel = CancelOrder {
                    instrument: InstrumentId(instrument),
                    order: OrderRef::by_id(OrderId(order_id)),
                    cl_ord_id: cl_ord_id('c', order_id),
                    restriction: CancelRestriction::None,
                };
                (Expect::Nothing, Command::CancelOrder(cancel))
            }
            Step::Reduce { order_id, order_qty, instrument, .. } => {
                let amend = AmendOrder {
                    instrument: InstrumentId(instrument),
                    order: OrderRef::by_id(OrderId(order_id)),
                    cl_ord_id: None,
                    order_qty: Qty::from_lots(order_qty),
                };
                (Expect::Nothing, Command::AmendOrder(amend))
            }
            Step::Phase { instrument, phase } => {
                let instrument = InstrumentId(instrument);
                (Expect::Phase, Command::SetPhase(SetPhase { instrument, phase }))
            }
        };
        let envelope = Envelope {
            account: account_of(step, accounts_a_side),
            ..Envelope::venue(Origin::Replay, 0)
        };
        Self { entry: Entry { envelope, command }, expect }
    }
}

/// The account of a step. Steps for the same order give the same account.
fn account_of(step: &Step, accounts_a_side: u32) -> AccountId {
    let (instrument, order_id, side) = match *step {
        Step::New { instrument, order_id, side, .. }
        | Step::Cancel { instrument, order_id, side }
        | Step::Reduce { instrument, order_id, side, .. } => (instrument, order_id, side),
        Step::Execution { instrument, maker, side, .. } => (instrument, maker, side),
        Step::Phase { .. } => return AccountId::VENUE,
    };
    let at = hash(u64::from(instrument) << 32 ^ order_id) % u64::from(accounts_a_side);
    let at = u32::try_from(at).expect("below accounts_a_side");
    match side {
        Side::Buy => AccountId(1 + at),
        Side::Sell => AccountId(1 + accounts_a_side + at),
    }
}

fn sells(step: &Step, accounts_a_side: u32) -> Option<(AccountId, AssetId)> {
    match *step {
        Step::New { side: Side::Sell, instrument, .. }
        | Step::Execution { side: Side::Sell, instrument, .. } => {
            Some((account_of(step, accounts_a_side), base_of(instrument)))
        }
        _ => None,
    }
}

fn base_of(instrument: u32) -> AssetId {
    AssetId(u16::try_from(1 + instrument % BASES_MAX).expect("below BASES_MAX"))
}

fn cl_ord_id(kind: char, order_id: u64) -> ClOrdId {
    ClOrdId::parse(&format!("{kind}{order_id}")).expect("a letter and at most 20 digits")
}

/// The finalizer of SplitMix64, which spreads neighbouring ids over all accounts.
fn hash(id: u64) -> u64 {
    let id = (id ^ (id >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let id = (id ^ (id >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    id ^ (id >> 31)
}

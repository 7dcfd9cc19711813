//! A small venue for tests of the rules, and a driver that checks the invariants after each
//! command.

use std::collections::{BTreeMap, BTreeSet};

use engine::{Engine, RULES_VERSION, WORK_PER_COMMAND};
use types::{
    AccountId, AccountName, AccountSpec, Amount, Asset, AssetId, AssetName, CancelOrder,
    CancelRestriction, ClOrdId, Command, CreateAccount, Deposit, Entry, Envelope, Event,
    ExpireCause, ExternalRef, FeeRates, Increment, InstrumentId, InstrumentSpec, ListAsset,
    ListInstrument, NewOrder, Order, OrderId, OrderRef, OrderSize, OrderStatus, OrderType, Origin,
    Price, Qty, Reader, RejectReason, RetryKey, SetWithdrawalApprovals, Side, StpMode, Symbol,
    TimeInForce, Wire,
};

/// Every account's balance of every asset, unless a script sets another.
pub(crate) const PLENTY: i128 = 1_000_000;
pub(crate) const ACCOUNTS: u32 = 4;
pub(crate) const ASSETS: [&str; 3] = ["B", "Q", "C"];

/// The setup of the venue at the start of a script.
#[derive(Clone, Debug)]
pub(crate) struct House {
    pub(crate) instruments: Vec<InstrumentSpec>,
    pub(crate) accounts: Vec<AccountSpec>,
    /// By account and asset.
    pub(crate) balances: BTreeMap<(u32, u16), i128>,
    pub(crate) rules: u16,
}

impl Default for House {
    /// Instrument 0 trades B for Q at one Q per tick and lot. Instrument 1 trades C for Q: one lot
    /// is ten of C's smallest units, and one tick times one lot is five of Q's.
    fn default() -> Self {
        let plain = InstrumentSpec {
            symbol: Symbol::parse("BQ").unwrap(),
            base: AssetId(0),
            quote: AssetId(1),
            tick_size: Increment { units: 1, decimals: 0 },
            lot_size: Increment { units: 1, decimals: 0 },
            min_price: ticks(1),
            max_price: ticks(1000),
            min_qty: lots(1),
            max_qty: lots(1000),
            market_max_qty: lots(2000),
            min_notional: minor(1),
            max_notional: minor(100_000),
            max_open_orders: 5000,
            fees: FeeRates::ZERO,
        };
        let coarse = InstrumentSpec {
            symbol: Symbol::parse("CQ").unwrap(),
            base: AssetId(2),
            tick_size: Increment { units: 50, decimals: 0 },
            lot_size: Increment { units: 1, decimals: 1 },
            ..plain
        };
        Self {
            instruments: vec![plain, coarse],
            accounts: (1..=ACCOUNTS).map(account_spec).collect(),
            balances: BTreeMap::new(),
            rules: RULES_VERSION,
        }
    }
}

pub(crate) fn account_spec(number: u32) -> AccountSpec {
    AccountSpec {
        name: AccountName::parse(&format!("account-{number}")).unwrap(),
        fees: None,
        max_open_orders: 5000,
        finished_orders_kept: 100,
        trades_kept: 100,
    }
}

impl House {
    pub(crate) fn commands(&self) -> Vec<Command> {
        let mut commands = Vec::new();
        for (name, decimals) in ASSETS.into_iter().zip([0, 0, 2]) {
            let asset = Asset { name: AssetName::parse(name).unwrap(), decimals };
            commands.push(Command::ListAsset(ListAsset { asset }));
        }
        for spec in &self.instruments {
            commands.push(Command::ListInstrument(ListInstrument { spec: *spec }));
        }
        for (number, spec) in (1..).zip(&self.accounts) {
            commands.push(Command::CreateAccount(CreateAccount { spec: *spec }));
            for asset in 0..3 {
                let amount = self.balances.get(&(number, asset)).copied().unwrap_or(PLENTY);
                if amount > 0 {
                    commands.push(deposit(number, asset, amount, &format!("start-{asset}")));
                }
            }
        }
        // Withdrawals need no approval, so that they can take one step.
        if self.rules > 1 {
            let approvals = SetWithdrawalApprovals { approvals: 0 };
            commands.push(Command::SetWithdrawalApprovals(approvals));
        }
        commands
    }

    /// A venue with this setup.
    pub(crate) fn open(&self) -> Driver {
        let engine = Engine::with_rules(self.rules).expect("known rules");
        let mut driver = Driver { engine, ..Driver::default() };
        for command in self.commands() {
            let events = driver.apply(0, command.clone());
            let refused = events.iter().any(|event| matches!(event, Event::CommandRejected(_)));
            assert!(!refused, "{command:?}: {events:?}");
        }
        driver
    }
}

/// Applies commands, and checks the invariants after each.
#[derive(Clone, Default)]
pub(crate) struct Driver {
    pub(crate) engine: Engine,
    pub(crate) now_ns: u64,
    numbers: Numbers,
    open: OpenOrders,
    published: PublishedBook,
    /// If it differs from the engine's: see [`Engine::limit_work`].
    pub(crate) work_max: Option<u32>,
    /// For states so large that a check after every command takes too long.
    pub(crate) unchecked: bool,
}

impl Driver {
    pub(crate) fn over(engine: Engine, like: &Self) -> Self {
        Self { engine, ..like.clone() }
    }

    pub(crate) fn apply(&mut self, account: u32, command: Command) -> Vec<Event> {
        self.apply_entry(&entry(account, None, command))
    }

    pub(crate) fn apply_entry(&mut self, entry: &Entry) -> Vec<Event> {
        self.now_ns += 1;
        let mut events = Vec::new();
        self.engine.limit_work(self.work_max.unwrap_or(WORK_PER_COMMAND));
        self.engine.apply(self.now_ns, entry, &mut events);
        for event in &events {
            self.numbers.see(event);
            self.open.see(event);
            self.published.see(event);
        }
        if !self.unchecked {
            self.engine.assert_consistent();
            self.published.assert_shown_by(&self.engine);
        }
        events
    }

    /// Applies a command and its `Continue`s.
    pub(crate) fn apply_whole(&mut self, entry: &Entry) -> Vec<Event> {
        let mut events = self.apply_entry(entry);
        while self.engine.has_deferred() {
            self.now_ns -= 1;
            events.extend(self.apply(0, Command::Continue(())));
        }
        events
    }

    pub(crate) fn reason(&mut self, account: u32, command: Command) -> Option<RejectReason> {
        match self.apply(account, command)[..] {
            [Event::CommandRejected(rejected)] => Some(rejected.reason),
            _ => None,
        }
    }

    pub(crate) fn balance(&self, account: u32, asset: u16) -> (i128, i128) {
        let balance = self.engine.balance(AccountId(account), AssetId(asset));
        (balance.free.minor(), balance.locked.minor())
    }

    pub(crate) fn levels(&self, instrument: u32, side: Side) -> Vec<(i64, u64)> {
        let levels = self.engine.levels(InstrumentId(instrument), side);
        levels.map(|(price, qty)| (price.ticks(), qty.lots())).collect()
    }

    /// Writes the state, and continues with the state read back.
    pub(crate) fn restart(&mut self) {
        let bytes = state_bytes(&self.engine);
        self.engine = Engine::read_state(Reader(&bytes)).expect("its own state");
        assert_eq!(state_bytes(&self.engine), bytes, "the same state gives the same bytes");
    }
}

/// The last event number of every account and instrument, and the last order and trade ids: all
/// count from 1 without a gap.
#[derive(Clone, Default)]
struct Numbers {
    of_account: BTreeMap<AccountId, u64>,
    of_instrument: BTreeMap<InstrumentId, u64>,
    order_ids: BTreeMap<InstrumentId, u64>,
    trade_ids: BTreeMap<InstrumentId, u64>,
}

impl Numbers {
    fn see(&mut self, event: &Event) {
        if let Some((instrument, seq)) = event.instrument_seq() {
            count(&mut self.of_instrument, instrument, seq);
        }
        for (account, seq) in event.account_seqs() {
            count(&mut self.of_account, account, seq);
        }
        match event {
            Event::OrderAccepted(accepted) => {
                let order = &accepted.order;
                count(&mut self.order_ids, order.instrument, order.order_id.0);
            }
            Event::TradeExecuted(trade) => {
                count(&mut self.trade_ids, trade.instrument, trade.trade_id.0);
            }
            _ => {}
        }
    }
}

/// Accepted orders that have not ended: each ends once, in one way.
#[derive(Clone, Default)]
struct OpenOrders(BTreeSet<(InstrumentId, OrderId)>);

impl OpenOrders {
    fn see(&mut self, event: &Event) {
        match event {
            Event::OrderAccepted(e) => {
                self.0.insert((e.order.instrument, e.order.order_id));
            }
            Event::OrderCanceled(e) => self.end(&e.order, OrderStatus::Canceled),
            Event::OrderExpired(e) if e.cause == ExpireCause::SelfTrade => {
                self.end(&e.order, OrderStatus::Prevented);
            }
            Event::OrderExpired(e) => self.end(&e.order, OrderStatus::Expired),
            Event::TradeExecuted(e) => {
                for order in [&e.maker.order, &e.taker.order] {
                    if !order.status.is_open() {
                        self.end(order, OrderStatus::Filled);
                    }
                }
            }
            _ => {}
        }
    }

    fn end(&mut self, order: &Order, published: OrderStatus) {
        let was_open = self.0.remove(&(order.instrument, order.order_id));
        assert!(was_open && order.status == published, "{order:?} has ended before, or otherwise");
    }
}

/// The levels derived from the events alone, by the rules of market data.
#[derive(Clone, Default)]
struct PublishedBook {
    levels: BTreeMap<(InstrumentId, Side, Price), u64>,
}

impl PublishedBook {
    fn see(&mut self, event: &Event) {
        match event {
            Event::OrderRested(e) => {
                *self.levels.entry((e.instrument, e.side, e.price)).or_default() +=
                    e.leaves_qty.lots();
            }
            Event::BookReduced(e) => self.reduce((e.instrument, e.side, e.price), e.qty),
            Event::TradeExecuted(e) if e.maker.order.terms.is_none() => {
                self.reduce((e.instrument, e.side.opposite(), e.maker.order.price), e.qty);
            }
            Event::OrderCanceled(e) if e.order.terms.is_none() => {
                let Order { instrument, side, price, .. } = e.order;
                self.reduce((instrument, side, price), e.canceled_qty);
            }
            Event::OrderAmended(e) if e.order.terms.is_none() => {
                let Order { instrument, side, price, order_qty, .. } = e.order;
                self.reduce((instrument, side, price), e.orig_order_qty - order_qty);
            }
            _ => {}
        }
    }

    fn reduce(&mut self, level: (InstrumentId, Side, Price), qty: Qty) {
        let Some(left) = self.levels.get(&level).and_then(|level| level.checked_sub(qty.lots()))
        else {
            panic!("{} lots taken off {level:?}, above the published quantity", qty.lots());
        };
        match left {
            0 => self.levels.remove(&level),
            _ => self.levels.insert(level, left),
        };
    }

    fn assert_shown_by(&self, engine: &Engine) {
        let mut shown = BTreeMap::new();
        for id in engine.instruments().map(|instrument| instrument.id) {
            for side in [Side::Buy, Side::Sell] {
                let levels = engine.levels(id, side);
                shown.extend(levels.map(|(price, qty)| ((id, side, price), qty.lots())));
            }
        }
        assert_eq!(self.levels, shown, "published and displayed levels");
    }
}

fn count<K: Copy + Ord + std::fmt::Debug>(last: &mut BTreeMap<K, u64>, of: K, number: u64) {
    let last = last.entry(of).or_default();
    assert_eq!(number, *last + 1, "the number after {last} of {of:?}");
    *last = number;
}

pub(crate) fn entry(account: u32, retry_key: Option<RetryKey>, command: Command) -> Entry {
    let envelope =
        Envelope { account: AccountId(account), retry_key, ..Envelope::venue(Origin::Rest, 0) };
    Entry { envelope, command }
}

pub(crate) fn deposit(account: u32, asset: u16, amount: i128, external_ref: &str) -> Command {
    Command::Deposit(Deposit {
        account: AccountId(account),
        asset: AssetId(asset),
        amount: minor(amount),
        external_ref: ExternalRef::parse(external_ref).unwrap(),
    })
}

/// A good-till-canceled limit order on instrument 0.
pub(crate) fn limit(cl_ord_id: &str, side: Side, qty: u64, price: i64) -> NewOrder {
    NewOrder {
        instrument: InstrumentId(0),
        cl_ord_id: name(cl_ord_id),
        side,
        order_type: OrderType::Limit,
        time_in_force: TimeInForce::Gtc,
        stp_mode: StpMode::None,
        price: ticks(price),
        size: OrderSize::Base(lots(qty)),
        strategy_id: None,
        strategy_type: None,
        terms: None,
    }
}

pub(crate) fn market(cl_ord_id: &str, side: Side, size: OrderSize) -> NewOrder {
    NewOrder { order_type: OrderType::Market, size, ..limit(cl_ord_id, side, 0, 0) }
}

pub(crate) fn name(cl_ord_id: &str) -> ClOrdId {
    ClOrdId::parse(cl_ord_id).unwrap()
}

pub(crate) const fn ticks(price: i64) -> Price {
    Price::from_ticks(price)
}

pub(crate) const fn lots(qty: u64) -> Qty {
    Qty::from_lots(qty)
}

pub(crate) const fn minor(amount: i128) -> Amount {
    Amount::from_minor(amount)
}

pub(crate) fn state_bytes(engine: &Engine) -> Vec<u8> {
    let mut bytes = Vec::new();
    engine.write_state(&mut bytes);
    bytes
}

pub(crate) fn event_bytes(events: &[Event]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for event in events {
        event.write(&mut bytes);
    }
    bytes
}

pub(crate) fn cancel_named(cl_ord_id: &str) -> Command {
    Command::CancelOrder(CancelOrder {
        instrument: InstrumentId(0),
        order: OrderRef::by_cl_ord_id(name(cl_ord_id)),
        cl_ord_id: name("cancel"),
        restriction: CancelRestriction::None,
    })
}

//! The whole state as bytes, for snapshots and for the state hash.
//!
//! The same state gives the same bytes in every process: nothing here goes by the order of a hash
//! table or by where a record happens to lie in memory.

use types::{
    AMOUNT_MAX, AccountId, AccountTrade, Amount, Balance, Instrument, InstrumentId, Order, OrderId,
    OrderStatus, OrderTerms, OrderType, Price, QTY_MAX, Reader, Side, TimeInForce, Wire,
};

use crate::account::{Account, Retry};
use crate::book::prefetch::{advise_huge, prefetch_whole};
use crate::book::{Node, NodeId};
use crate::engine::{Deferred, Engine, Key, RETRY_KEYS_PER_ACCOUNT, RULES_VERSION};
use crate::market::Market;
use crate::market::auction::Uncrossing;
use crate::market::phase::Settling;
use crate::matching::special::Unshown;
use crate::operator::check_account_spec;
use crate::orders::list::is_in_list;
use crate::orders::record::Standing;
use crate::taken::Taken;

/// Changes whenever the bytes do. It is the version of the rules too: under older rules the state
/// is written as it was then, so that its hash is the one it had.
const STATE_VERSION: u16 = RULES_VERSION;

/// How far ahead of an order that is put in its place others are brought near, then where their
/// names go, and then the orders that they are put behind.
const ORDERS_AHEAD: usize = 16;
const NAMES_AHEAD: usize = 8;
const TAILS_AHEAD: usize = 4;

/// No order is written in fewer bytes.
const ORDER_SIZE_MIN: usize = 64;

/// The bytes of a [`types::MasterKeyInUse`].
const MASTER_KEY_SIZE: usize = 24;

/// No sequence and no id comes near this.
const COUNT_MAX: u64 = 1 << 53;

impl Engine {
    pub fn write_state(&self, out: &mut Vec<u8>) {
        self.rules.write(out);
        self.sequence.write(out);
        self.now_ns.write(out);
        self.assets.write(out);
        self.supply.write(out);
        let accounts = (0..).map(AccountId).zip(&self.accounts);
        write_list(accounts, out, |(id, account), out| Self::write_account(id, account, out));
        write_list(self.markets.iter(), out, |market, out| self.write_market(market, out));
        write_list(self.keys.iter(), out, |key, out| (key.spec, key.revoked).write(out));
        write_list(self.deferred.iter(), out, write_deferred);
        if self.rules >= 2 {
            self.write_off_book(out);
            self.write_risk(out);
            self.write_receivables(out);
            self.write_sessions(out);
            self.write_trading(out);
            self.write_halts(out);
            self.write_special(out);
            self.write_triggers(out);
            self.write_amends(out);
            self.write_lists(out);
            self.write_lately_added(out);
        }
    }

    /// `None` unless the bytes are a whole state of this version that does not contradict itself.
    pub fn read_state(mut bytes: Reader<'_>) -> Option<Self> {
        let r = &mut bytes;
        let rules = r.read::<u16>()?;
        (1..=STATE_VERSION).contains(&rules).then_some(())?;
        let mut engine = Self {
            rules,
            sequence: r.read()?,
            now_ns: r.read()?,
            assets: r.read()?,
            supply: r.read()?,
            ..Self::default()
        };
        // Orders lie with their accounts and instruments, and are indexed when both are known.
        let mut finished = Vec::new();
        let mut ids = 0..;
        engine.accounts = read_list(r, |r| {
            let id = AccountId(ids.next().expect("as many as the list has"));
            read_account(r, id, &mut finished)
        })?;
        let mut resting = Vec::new();
        let mut ids = 0..;
        engine.markets = read_list(r, |r| {
            let id = InstrumentId(ids.next().expect("as many as the list has"));
            read_market(r, id, &mut resting)
        })?;
        engine.keys = read_list(r, |r| {
            let (spec, revoked) = r.read()?;
            Some(Key { spec, revoked })
        })?;
        engine.taken = Taken::of(&engine)?;
        engine.deferred = read_list(r, read_deferred)?.into();
        let off_book: Vec<(Standing, Order)> = if rules >= 2 { r.read()? } else { Vec::new() };
        let mut unshown = Unshown::default();
        if rules >= 2 {
            engine.read_risk(r)?;
            engine.read_receivables(r)?;
            engine.read_sessions(r)?;
            engine.read_trading(r)?;
            engine.read_halts(r)?;
            unshown = engine.read_special(r)?;
        }
        let triggers = if rules >= 2 { r.read()? } else { Vec::new() };
        let amends = if rules >= 2 { r.read()? } else { Vec::new() };
        let lists = if rules >= 2 { Some(r.read()?) } else { None };
        if rules >= 2 {
            engine.read_lately_added(r)?;
        }
        r.is_empty().then_some(())?;
        engine.check_parts(&resting, &finished)?;
        off_book.iter().all(|waiting| engine.off_book_is_sound(waiting)).then_some(())?;
        let place_of =
            |(_, order): &(Standing, Order)| (order.account, order.instrument, order.order_id);
        off_book.is_sorted_by_key(place_of).then_some(())?;
        unshown.hidden.iter().flatten().all(|order| engine.hidden_is_sound(order)).then_some(())?;
        let waiting = engine.place_orders(resting, off_book, unshown, finished)?;
        engine.restore_triggers(triggers, waiting)?;
        engine.restore_amends(amends)?;
        engine.restore_lists(lists.unwrap_or_default())?;
        engine.mark_follow_ups()?;
        engine.count_exposures();
        for (id, account) in (0..).map(AccountId).zip(&engine.accounts) {
            let oldest = account.retries.front();
            engine.retry_deadlines.extend(oldest.map(|retry| (retry.expires_ns, id)));
        }
        for (id, market) in (0..).map(InstrumentId).zip(&engine.markets) {
            let until_ns = market.trading.until_ns;
            engine.phase_ends.extend((until_ns > 0).then_some((until_ns, id)));
            let indication = &market.trading.indication;
            engine.indications.extend(indication.is_due.then_some((indication.due_ns(), id)));
        }
        engine.check_parts_agree().ok()?;
        Some(engine)
    }

    /// What states did not always have is there from its first use on, so that those of before keep
    /// their bytes: nothing at all, or the master key alone, or all.
    fn write_lately_added(&self, out: &mut Vec<u8>) {
        if !self.withdrawals.is_empty() {
            self.master_key.write(out);
            self.write_withdrawals(out);
        } else if let Some(master_key) = self.master_key {
            master_key.write(out);
        }
    }

    fn read_lately_added(&mut self, r: &mut Reader<'_>) -> Option<()> {
        match r.0.len() {
            0 => {}
            // A withdrawal alone is longer.
            MASTER_KEY_SIZE => self.master_key = Some(r.read()?),
            _ => {
                self.master_key = r.read()?;
                self.read_withdrawals(r)?;
            }
        }
        Some(())
    }

    /// Refers every part to others that are there, and keeps all numbers within what the engine
    /// counts with, so that what follows can go by them.
    fn check_parts(&self, resting: &[Vec<Order>], finished: &[Place]) -> Option<()> {
        let counts = self.markets.iter().flat_map(|market| {
            let special = &market.special;
            let of_special = [special.last_prevented_id, special.pegs.cursor.0];
            let Market { last_order_id, last_trade_id, instrument_seq, .. } = *market;
            [last_order_id, last_trade_id, instrument_seq].into_iter().chain(of_special)
        });
        let counts = counts.chain(self.accounts.iter().map(|account| account.account_seq));
        let amounts = |balance: &Balance| [balance.free, balance.locked];
        let balances = self.accounts.iter().flat_map(|account| &account.balances);
        let mut amounts = balances.flat_map(amounts);
        // What accounts without balances owe, others own, beyond what was deposited.
        let (least, most) = match self.has_clearing {
            true => (Amount::ZERO - AMOUNT_MAX, AMOUNT_MAX + AMOUNT_MAX),
            false => (Amount::ZERO, AMOUNT_MAX),
        };
        let mut supply = self.supply.iter();
        let sound = self.supply.len() == self.assets.len()
            && !self.accounts.is_empty()
            && self.accounts.iter().all(|account| self.account_is_sound(account))
            && (0..).zip(&self.markets).all(|(id, market)| self.market_is_sound(id, market))
            && self.keys.iter().all(|key| self.account(key.spec.account).is_some())
            && self.sequence < COUNT_MAX
            && counts.into_iter().all(|count| count < COUNT_MAX)
            && amounts.all(|amount| (Amount::ZERO..=most).contains(&amount))
            && supply.all(|supply| (least..=AMOUNT_MAX).contains(supply))
            && resting.iter().flatten().all(|order| self.resting_is_sound(order))
            && self.deferred.iter().all(|work| self.deferred_is_sound(work));
        sound.then_some(())?;
        let has_given = |place: &Place| {
            let market = self.market(place.instrument);
            market.is_some_and(|market| (1..=market.last_order_id).contains(&place.order_id.0))
        };
        finished.iter().all(has_given).then_some(())
    }

    fn account_is_sound(&self, account: &Account) -> bool {
        let is_amount =
            |amount: Amount| amount.minor().unsigned_abs() <= AMOUNT_MAX.minor().unsigned_abs();
        let trade_is_sound = |trade: &AccountTrade| {
            let Some(market) = self.market(trade.instrument) else { return false };
            let widest = market.trading.widest_spec(&market.instrument.spec);
            self.asset(trade.fee_asset).is_some()
                && trade.qty <= widest.max_qty.max(widest.market_max_qty)
                && is_amount(trade.quote)
                && is_amount(trade.fee)
        };
        check_account_spec(&account.spec).is_ok()
            && account.balances.len() <= self.assets.len()
            && account.retries.len() <= RETRY_KEYS_PER_ACCOUNT
            && account.trades.iter(AccountId::VENUE).all(|trade| trade_is_sound(&trade))
    }

    fn market_is_sound(&self, id: u32, market: &Market) -> bool {
        let spec = market.instrument.spec;
        let (Some(base), Some(quote)) = (self.asset(spec.base), self.asset(spec.quote)) else {
            return false;
        };
        let widest = market.trading.widest_spec(&spec);
        Instrument::new(InstrumentId(id), spec, base, quote) == Ok(market.instrument)
            && Instrument::new(InstrumentId(id), widest, base, quote).is_ok()
    }

    fn resting_is_sound(&self, order: &Order) -> bool {
        !order.order_type.is_market()
            && match self.rules {
                1 => order.time_in_force == TimeInForce::Gtc && order.terms.is_none(),
                _ => order.time_in_force.may_rest(),
            }
            && self.open_is_sound(order)
    }

    fn hidden_is_sound(&self, order: &Order) -> bool {
        order.terms.is_some_and(|terms| terms.terms.hidden && terms.terms.display_qty.is_zero())
            && self.resting_is_sound(order)
    }

    /// An order that is still to trade, on the book or suspended.
    fn open_is_sound(&self, order: &Order) -> bool {
        let Some(market) = self.market(order.instrument) else { return false };
        let widest = market.trading.widest_spec(&market.instrument.spec);
        let by_quote = !order.quote_order_qty.is_zero();
        let size_is_sound = match (order.order_type, by_quote) {
            (OrderType::Market, true) => {
                order.order_qty.is_zero()
                    && order.cum_qty <= QTY_MAX
                    && order.cum_quote <= order.quote_order_qty
            }
            (OrderType::Market | OrderType::StopLoss | OrderType::TakeProfit, false) => {
                order.cum_qty < order.order_qty && order.order_qty <= widest.market_max_qty
            }
            (_, true) => false,
            (_, false) => {
                order.cum_qty < order.order_qty
                    && order.order_qty <= widest.max_qty
                    && (widest.min_price..=widest.max_price).contains(&order.price)
            }
        };
        let status = match order.cum_qty.is_zero() {
            true => OrderStatus::New,
            false => OrderStatus::PartiallyFilled,
        };
        let OrderTerms { terms, prevented_qty, .. } = order.terms.unwrap_or_default();
        let has_date = terms.expire_ns > 0;
        size_is_sound
            && has_date == (order.time_in_force == TimeInForce::Gtd)
            && prevented_qty <= QTY_MAX
            && order.status == status
            && self.account(order.account).is_some()
            && (1..=market.last_order_id).contains(&order.order_id.0)
            && cum_quote_is_sound(order, widest.min_price)
    }

    fn deferred_is_sound(&self, work: &Deferred) -> bool {
        match work {
            // It is still the newest, since nothing comes between the parts of a command.
            Deferred::Trade(order) => {
                self.open_is_sound(order)
                    && self.markets[order.instrument.0 as usize].last_order_id == order.order_id.0
            }
            Deferred::CancelAll(account, request) => {
                self.account(*account).is_some() && self.market(request.instrument).is_some()
            }
            Deferred::Sweep(_) | Deferred::EndSession(_) | Deferred::Due => self.rules >= 2,
            Deferred::SettleDebts(account, asset) => {
                let known = (account.0 as usize) < self.accounts.len();
                self.rules >= 2 && known && self.asset(*asset).is_some()
            }
            Deferred::Reenter(instrument, _) | Deferred::FollowUp(instrument) => {
                self.rules >= 2 && self.market(*instrument).is_some()
            }
            Deferred::Delist(instrument) => self.rules >= 2 && self.is_delisted(*instrument),
            Deferred::Uncross(Uncrossing { then, .. }) => {
                self.rules >= 2 && self.market(then.instrument).is_some()
            }
            Deferred::SettlePhase(Settling { instrument, done, .. }) => {
                let market = self.market(*instrument);
                self.rules >= 2 && market.is_some_and(|market| done.0 <= market.last_order_id)
            }
        }
    }

    fn write_account(id: AccountId, account: &Account, out: &mut Vec<u8>) {
        account.spec.write(out);
        account.account_seq.write(out);
        write_list(account.balances.iter(), out, |balance, out| balance.write(out));
        write_list(account.finished.iter(id), out, |order, out| order.write(out));
        write_list(account.trades.iter(id), out, |trade, out| trade.write(out));
        write_list(account.external_refs.iter(), out, |name, out| {
            u8::try_from(name.len()).expect("an external reference is short").write(out);
            out.extend_from_slice(name);
        });
        write_list(account.retries.iter(), out, |retry, out| {
            (retry.key, (retry.sequence, retry.expires_ns)).write(out);
        });
    }

    fn write_market(&self, market: &Market, out: &mut Vec<u8>) {
        market.instrument.write(out);
        market.last_order_id.write(out);
        market.last_trade_id.write(out);
        market.instrument_seq.write(out);
        for side in [Side::Buy, Side::Sell] {
            let orders = market.book.orders(&self.orders.nodes, side);
            write_list(orders, out, |node, out| self.orders.order(node).write(out));
        }
    }

    /// Connects what waits with the orders and markets that it is about.
    fn mark_follow_ups(&mut self) -> Option<()> {
        for work in &self.deferred {
            match work {
                Deferred::FollowUp(instrument) => {
                    let waits = &mut self.markets[instrument.0 as usize].follow_up_waits;
                    (!std::mem::replace(waits, true)).then_some(())?;
                }
                Deferred::Reenter(instrument, order_id) => {
                    let node = self.find_by_id(*instrument, *order_id)?;
                    (self.orders.standing(node) == Standing::Entering).then_some(())?;
                }
                _ => {}
            }
        }
        Some(())
    }

    /// All open orders, account by account.
    pub(crate) fn open_nodes(&self) -> impl Iterator<Item = NodeId> {
        self.accounts.iter().flat_map(|account| {
            let instruments = (0..).map(InstrumentId).take(account.markets.len());
            instruments.flat_map(|instrument| self.orders.of_account(account, instrument))
        })
    }

    /// Open orders that are on no book, as their accounts have them.
    fn write_off_book(&self, out: &mut Vec<u8>) {
        let off_book = self.open_nodes().filter(|node| self.orders.standing(*node).is_off_book());
        write_list(off_book, out, |node, out| {
            (self.orders.standing(node), self.orders.order(node)).write(out);
        });
    }

    fn off_book_is_sound(&self, (standing, order): &(Standing, Order)) -> bool {
        let is_entering = *standing == Standing::Entering;
        standing.is_off_book()
            && (is_entering || order.terms.is_some())
            && (order.order_type != OrderType::Market || is_in_list(order))
            && (*standing != Standing::Close || waits_for_close(order))
            && self.open_is_sound(order)
    }

    /// Puts resting orders back on their books in the order of their queues, and everything where
    /// it is found by its id, oldest first, as it was when it came. Returns those that wait for a trigger,
    /// account by account.
    fn place_orders(
        &mut self,
        resting: Vec<Vec<Order>>,
        off_book: Vec<(Standing, Order)>,
        mut unshown: Unshown,
        mut places: Vec<Place>,
    ) -> Option<Vec<NodeId>> {
        let on_books = resting.iter().chain(&unshown.hidden).map(Vec::len).sum::<usize>();
        let mut placed = Vec::with_capacity(on_books + off_book.len());
        self.orders.reserve(placed.capacity());
        for (standing, order) in &off_book {
            let node = self.orders.nodes.insert(Node::off_book(order));
            placed.push(Placed::new(order, node, *standing));
        }
        let is_waiting = |placed: &&Placed<'_>| placed.standing == Standing::Trigger;
        let waiting = placed.iter().filter(is_waiting).map(|placed| placed.node).collect();
        let hidden = std::mem::take(&mut unshown.hidden);
        for order in hidden.iter().flatten() {
            let special = &mut self.markets.get_mut(order.instrument.0 as usize)?.special;
            let (price, qty) = (order.price, order.leaves_qty());
            let node =
                special.dark.rest(&mut self.orders.nodes, order.order_id, order.side, price, qty);
            special.hidden_count += 1;
            placed.push(Placed::new(order, node, Standing::Dark));
        }
        for order in resting.iter().flatten() {
            let market = self.markets.get_mut(order.instrument.0 as usize)?;
            let shown = unshown.shown_of(order)?;
            let node = market.book.rest(
                &mut self.orders.nodes,
                order.order_id,
                order.side,
                order.price,
                shown,
            );
            placed.push(Placed::new(order, node, Standing::Book));
        }
        places.extend(placed.iter().map(|it| it.place));
        placed.sort_unstable_by_key(|it| it.place.id());
        for at in 0..placed.len() {
            if let Some(ahead) = placed.get(at + ORDERS_AHEAD) {
                prefetch_whole(ahead.order);
            }
            if let Some(Placed { order: ahead, node, .. }) = placed.get(at + NAMES_AHEAD) {
                let name = self.orders.sought(ahead.account, ahead.instrument, &ahead.cl_ord_id);
                self.orders.prefetch_name(name.hash);
                self.orders.prefetch(*node);
                self.accounts[ahead.account.0 as usize].prefetch();
            }
            if let Some(Placed { order: ahead, .. }) = placed.get(at + TAILS_AHEAD) {
                let account = &self.accounts[ahead.account.0 as usize];
                self.orders.prefetch(account.last_open(ahead.instrument, ahead.side));
            }
            let Placed { order, node, standing, .. } = placed[at];
            let Order { account, instrument, ref cl_ord_id, .. } = *order;
            let namesake = self.orders.by_cl_ord_id(account, instrument, cl_ord_id);
            namesake.is_none().then_some(())?;
            self.orders.attach(&mut self.accounts[account.0 as usize], node, order);
            if standing != Standing::Book {
                self.orders.extra_mut(node).standing = standing;
            }
            if let Some(reserve) = unshown.reserves.remove(&(instrument, order.order_id)) {
                self.orders.extra_mut(node).reserve = reserve;
            }
            if order.terms.is_some_and(|terms| terms.terms.peg.is_some()) {
                self.markets[instrument.0 as usize].special.pegs.insert(order.order_id);
            }
            let displays = |terms: OrderTerms| !terms.terms.display_qty.is_zero();
            if standing == Standing::Book && order.terms.is_some_and(displays) {
                self.markets[instrument.0 as usize].special.icebergs.insert(order.order_id);
            }
        }
        unshown.reserves.is_empty().then_some(())?;
        places.sort_unstable_by_key(Place::id);
        places.is_sorted_by(|place, next| place.id() < next.id()).then_some(())?;
        for Place { instrument, order_id, open } in places {
            let market = self.markets.get_mut(instrument.0 as usize)?;
            if let Some(node) = open {
                market.index.insert(order_id.0, node);
            }
        }
        Some(waiting)
    }
}

/// What fills came to; below zero only where prices are.
fn cum_quote_is_sound(order: &Order, min_price: Price) -> bool {
    let least = match min_price.ticks() < 0 {
        true => Amount::ZERO - AMOUNT_MAX,
        false => Amount::ZERO,
    };
    (least..=AMOUNT_MAX).contains(&order.cum_quote)
}

fn waits_for_close(order: &Order) -> bool {
    !order.order_type.is_market() && order.time_in_force == TimeInForce::AtClose
}

/// An order that was read, and its node once it has one.
#[derive(Clone, Copy)]
struct Place {
    instrument: InstrumentId,
    order_id: OrderId,
    open: Option<NodeId>,
}

impl Place {
    fn new(order: &Order, open: Option<NodeId>) -> Self {
        Self { instrument: order.instrument, order_id: order.order_id, open }
    }

    fn id(&self) -> (InstrumentId, OrderId) {
        (self.instrument, self.order_id)
    }
}

/// An open order that has its node. Orders are large, and stay where they were read.
struct Placed<'a> {
    place: Place,
    order: &'a Order,
    node: NodeId,
    standing: Standing,
}

impl<'a> Placed<'a> {
    fn new(order: &'a Order, node: NodeId, standing: Standing) -> Self {
        Self { place: Place::new(order, Some(node)), order, node, standing }
    }
}

fn read_account(r: &mut Reader<'_>, id: AccountId, finished: &mut Vec<Place>) -> Option<Account> {
    let mut account = Account::new(r.read()?);
    account.account_seq = r.read()?;
    account.balances = r.read::<Vec<Balance>>()?.as_slice().into();
    for _ in 0..r.read::<u32>()? {
        let order: Order = r.read()?;
        (order.account == id && !order.status.is_open()).then_some(())?;
        account.finished.push(&order, usize::MAX);
        finished.push(Place::new(&order, None));
    }
    for trade in r.read::<Vec<AccountTrade>>()? {
        account.trades.push(&trade, usize::MAX);
    }
    let external_refs: Vec<Box<[u8]>> = read_list(r, |r| {
        let len = r.read::<u8>()?;
        r.take_slice(usize::from(len)).map(Box::from)
    })?;
    external_refs.is_sorted_by(|one, next| one < next).then_some(())?;
    account.external_refs = external_refs.into_iter().collect();
    account.retries = read_list(r, |r| {
        let (key, (sequence, expires_ns)) = r.read()?;
        Some(Retry { key, sequence, expires_ns })
    })?
    .into();
    Some(account)
}

fn read_market(
    r: &mut Reader<'_>,
    id: InstrumentId,
    resting: &mut Vec<Vec<Order>>,
) -> Option<Market> {
    let mut market = Market::new(r.read()?);
    market.last_order_id = r.read()?;
    market.last_trade_id = r.read()?;
    market.instrument_seq = r.read()?;
    for side in [Side::Buy, Side::Sell] {
        resting.push(read_queue(r, id, side)?);
    }
    Some(market)
}

/// The orders of one side of a book, in the order in which they would trade.
pub(crate) fn read_queue(r: &mut Reader<'_>, id: InstrumentId, side: Side) -> Option<Vec<Order>> {
    let count = r.read::<u32>()? as usize;
    // A count that lies takes little more memory than the bytes that were read.
    let mut orders = Vec::<Order>::with_capacity(count.min(r.0.len() / ORDER_SIZE_MIN));
    advise_huge(&mut orders);
    for _ in 0..count {
        orders.push(r.read()?);
    }
    let here = orders.iter().all(|order| (order.instrument, order.side) == (id, side));
    // As the book will have them, so that nothing is read that would be written otherwise.
    let best_first = orders.is_sorted_by(|one, next| match side {
        Side::Buy => one.price >= next.price,
        Side::Sell => one.price <= next.price,
    });
    (here && best_first).then_some(orders)
}

fn write_deferred(work: &Deferred, out: &mut Vec<u8>) {
    match work {
        Deferred::Trade(order) => (1_u8, *order).write(out),
        Deferred::CancelAll(account, request) => (2_u8, (*account, *request)).write(out),
        Deferred::Reenter(instrument, order_id) => (3_u8, (*instrument, *order_id)).write(out),
        Deferred::FollowUp(instrument) => (4_u8, *instrument).write(out),
        Deferred::Sweep(sweep) => (16_u8, *sweep).write(out),
        Deferred::EndSession(session) => (17_u8, *session).write(out),
        Deferred::SettleDebts(account, asset) => (18_u8, (*account, *asset)).write(out),
        Deferred::Due => 11_u8.write(out),
        Deferred::Delist(instrument) => (12_u8, *instrument).write(out),
        Deferred::Uncross(Uncrossing { price, then }) => (9_u8, (*price, *then)).write(out),
        Deferred::SettlePhase(settling) => (10_u8, *settling).write(out),
    }
}

fn read_deferred(r: &mut Reader<'_>) -> Option<Deferred> {
    match r.read::<u8>()? {
        1 => r.read().map(Deferred::Trade),
        2 => r.read().map(|(account, request)| Deferred::CancelAll(account, request)),
        3 => r.read().map(|(instrument, order_id)| Deferred::Reenter(instrument, order_id)),
        4 => r.read().map(Deferred::FollowUp),
        16 => r.read().map(Deferred::Sweep),
        17 => r.read().map(Deferred::EndSession),
        18 => r.read().map(|(account, asset)| Deferred::SettleDebts(account, asset)),
        11 => Some(Deferred::Due),
        12 => r.read().map(Deferred::Delist),
        9 => r.read().map(|(price, then)| Deferred::Uncross(Uncrossing { price, then })),
        10 => r.read().map(Deferred::SettlePhase),
        _ => None,
    }
}

/// Reads back as a `Vec`.
pub(crate) fn write_list<T>(
    list: impl Iterator<Item = T>,
    out: &mut Vec<u8>,
    write: impl Fn(T, &mut Vec<u8>),
) {
    let start = out.len();
    0_u32.write(out);
    let mut count = 0_u32;
    for element in list {
        write(element, out);
        count += 1;
    }
    out[start..start + 4].copy_from_slice(&count.to_le_bytes());
}

pub(crate) fn read_list<T>(
    r: &mut Reader<'_>,
    mut read: impl FnMut(&mut Reader<'_>) -> Option<T>,
) -> Option<Vec<T>> {
    let count: u32 = r.read()?;
    (0..count).map(|_| read(r)).collect()
}

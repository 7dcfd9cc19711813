//! The clients: each sends a few commands at a time, and repeats those without a reply in time.

use std::collections::BTreeMap;

use disk::simulated::Random;
use types::{
    AccountId, AccountName, AccountSpec, Amount, Asset, AssetId, AssetName, CancelAll, CancelOrder,
    CancelRestriction, ClOrdId, Command, CreateAccount, Deposit, Entry, Envelope, ExternalRef,
    FeeRates, Increment, InstrumentId, InstrumentSpec, ListAsset, ListInstrument, NewOrder,
    OrderRef, OrderSize, OrderType, Origin, Price, Qty, RetryKey, SetWithdrawalApprovals, Side,
    StpMode, Symbol, TimeInForce, Withdraw,
};

use crate::answer::Answer;
use crate::world::Plant;

const ACCOUNTS: u32 = 4;
/// What a client has under way at most.
const IN_FLIGHT_MAX: usize = 3;
/// How long a client waits before it asks again.
const PATIENCE_NS: u64 = 3_000_000;

pub(super) type RequestId = u64;

#[derive(Debug)]
pub(super) struct Request {
    pub(super) account: AccountId,
    pub(super) command: Command,
    pub(super) answer: Option<Answer>,
    /// What had been answered to this client when it sent this: it must come behind all of that.
    pub(super) after_sequence: u64,
    asked_ns: u64,
    times_asked: u64,
}

#[derive(Debug)]
pub(super) struct Clients {
    pub(super) requests: BTreeMap<RequestId, Request>,
    random: Random,
    plant: Option<Plant>,
    next_id: RequestId,
    /// How many requests are made in all.
    wanted: u64,
    set_up: Vec<Command>,
    in_flight: BTreeMap<AccountId, Vec<RequestId>>,
    last_answered: BTreeMap<AccountId, u64>,
}

impl Clients {
    pub(super) fn new(seed: u64, wanted: u64, plant: Option<Plant>) -> Self {
        let mut set_up = set_up();
        set_up.reverse();
        Self {
            requests: BTreeMap::new(),
            random: Random::new(seed),
            plant,
            next_id: 1,
            wanted,
            set_up,
            in_flight: BTreeMap::new(),
            last_answered: BTreeMap::new(),
        }
    }

    /// What is sent now: a new request, or one once more.
    pub(super) fn next(&mut self, now_ns: u64) -> Option<(Entry, RequestId)> {
        let overdue = self.requests.iter_mut().filter(|(_, request)| request.answer.is_none());
        let mut overdue = overdue.filter(|(_, request)| request.asked_ns + PATIENCE_NS <= now_ns);
        if let Some((&id, request)) = overdue.next() {
            request.asked_ns = now_ns;
            request.times_asked += 1;
            return Some((self.entry(id, now_ns), id));
        }
        let account = self.next_client()?;
        let id = self.next_id;
        let command = match self.set_up.pop() {
            Some(command) => command,
            None => self.draw(account, id),
        };
        self.next_id += 1;
        let after_sequence = self.last_answered.get(&account).copied().unwrap_or(0);
        let request = Request {
            account,
            command,
            answer: None,
            after_sequence,
            asked_ns: now_ns,
            times_asked: 1,
        };
        self.requests.insert(id, request);
        self.in_flight.entry(account).or_default().push(id);
        Some((self.entry(id, now_ns), id))
    }

    pub(super) fn answered(&mut self, id: RequestId, answer: Answer) {
        let request = self.requests.get_mut(&id).expect("only requests are answered");
        if request.answer.is_some() {
            return; // It was asked twice, and both came through.
        }
        let last = self.last_answered.entry(request.account).or_default();
        *last = (*last).max(answer.sequence);
        request.answer = Some(answer);
        let in_flight = self.in_flight.get_mut(&request.account).expect("it was under way");
        in_flight.retain(|other| *other != id);
    }

    /// It was not taken: the client asks again soon.
    pub(super) fn refused(&mut self, id: RequestId, now_ns: u64) {
        let request = self.requests.get_mut(&id).expect("only requests are refused");
        request.asked_ns = (now_ns + PATIENCE_NS / 10).saturating_sub(PATIENCE_NS);
    }

    pub(super) fn are_done(&self) -> bool {
        self.next_id > self.wanted && self.in_flight.values().all(Vec::is_empty)
    }

    fn next_client(&mut self) -> Option<AccountId> {
        if self.next_id > self.wanted {
            return None;
        }
        // One after the other while the venue is set up.
        if !self.set_up.is_empty() {
            return self.in_flight.values().all(Vec::is_empty).then_some(AccountId::VENUE);
        }
        let account = AccountId(1 + self.random.below(u64::from(ACCOUNTS)) as u32);
        let under_way = self.in_flight.get(&account).map_or(0, Vec::len);
        (under_way < IN_FLIGHT_MAX).then_some(account)
    }

    fn entry(&self, id: RequestId, now_ns: u64) -> Entry {
        let Request { account, command, times_asked, .. } = &self.requests[&id];
        let retry_key = match self.plant {
            Some(Plant::ForgetRetries) => retry_key(id | times_asked << 48),
            _ => retry_key(id),
        };
        let envelope = Envelope {
            account: *account,
            retry_key: Some(retry_key),
            ..Envelope::venue(Origin::Rest, now_ns)
        };
        Entry { envelope, command: command.clone() }
    }

    fn draw(&mut self, account: AccountId, id: RequestId) -> Command {
        let external_ref = ExternalRef::parse(&format!("r{id}")).expect("it is short");
        let asset = AssetId(self.random.below(2) as _);
        let amount = Amount::from_minor(1 + i128::from(self.random.below(5_000)));
        match self.random.below(20) {
            0 => Command::Deposit(Deposit { account, asset, amount, external_ref }),
            1 => Command::Withdraw(Withdraw { account, asset, amount, external_ref }),
            2 => Command::CancelAll(CancelAll { instrument: INSTRUMENT, cl_ord_id: name(id) }),
            3..=7 => Command::CancelOrder(CancelOrder {
                instrument: INSTRUMENT,
                order: OrderRef::by_cl_ord_id(name(1 + self.random.below(id))),
                cl_ord_id: name(id),
                restriction: CancelRestriction::None,
            }),
            _ => Command::NewOrder(NewOrder {
                instrument: INSTRUMENT,
                cl_ord_id: name(id),
                side: *self.random.pick(&[Side::Buy, Side::Sell]),
                order_type: OrderType::Limit,
                time_in_force: *self.random.pick(&[
                    TimeInForce::Gtc,
                    TimeInForce::Gtc,
                    TimeInForce::Ioc,
                ]),
                stp_mode: StpMode::None,
                price: Price::from_ticks(95 + self.random.below(10) as i64),
                size: OrderSize::Base(Qty::from_lots(1 + self.random.below(9))),
                strategy_id: None,
                strategy_type: None,
                terms: None,
            }),
        }
    }
}

const INSTRUMENT: InstrumentId = InstrumentId(0);

/// Identifies a request that is sent twice, in the log as well.
fn retry_key(id: u64) -> RetryKey {
    (u128::from(id) << 64 | 0x5157).to_le_bytes()
}

/// Which request an entry of the log is.
pub(super) fn request_id(key: &RetryKey) -> RequestId {
    let id = (u128::from_le_bytes(*key) >> 64) as u64;
    id & ((1 << 48) - 1)
}

fn name(id: RequestId) -> ClOrdId {
    ClOrdId::parse(&format!("c{id}")).expect("it is short")
}

fn set_up() -> Vec<Command> {
    let asset = |name| Asset { name: AssetName::parse(name).expect("a name"), decimals: 2 };
    let mut commands: Vec<Command> = ["USD", "OIL"]
        .into_iter()
        .map(|name| Command::ListAsset(ListAsset { asset: asset(name) }))
        .collect();
    commands.push(Command::ListInstrument(ListInstrument {
        spec: InstrumentSpec {
            symbol: Symbol::parse("OILUSD").expect("a symbol"),
            base: AssetId(1),
            quote: AssetId(0),
            tick_size: Increment::parse("0.01").expect("a number"),
            lot_size: Increment::parse("1").expect("a number"),
            min_price: Price::from_ticks(1),
            max_price: Price::from_ticks(1_000),
            min_qty: Qty::from_lots(1),
            max_qty: Qty::from_lots(1_000),
            market_max_qty: Qty::from_lots(1_000),
            min_notional: Amount::from_minor(0),
            max_notional: Amount::from_minor(1_000_000_000),
            max_open_orders: 1_000,
            fees: FeeRates { maker_fee_bps_x100: 1_000, taker_fee_bps_x100: 2_000 },
        },
    }));
    for number in 1..=ACCOUNTS {
        let spec = AccountSpec {
            name: AccountName::parse(&format!("a{number}")).expect("a name"),
            fees: None,
            max_open_orders: 1_000,
            finished_orders_kept: 50,
            trades_kept: 50,
        };
        commands.push(Command::CreateAccount(CreateAccount { spec }));
        for asset in [AssetId(0), AssetId(1)] {
            commands.push(Command::Deposit(Deposit {
                account: AccountId(number),
                asset,
                amount: Amount::from_minor(1_000_000),
                external_ref: ExternalRef::parse(&format!("s{asset}")).expect("it is short"),
            }));
        }
    }
    // Withdrawals take one step.
    let approvals = SetWithdrawalApprovals { approvals: 0 };
    commands.push(Command::SetWithdrawalApprovals(approvals));
    commands
}

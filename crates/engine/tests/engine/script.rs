//! Language of the rule tests, which run on the engine and its model with equal results.
//!
//! A script is one command a line; a line's first number is the account. Its results are compared
//! as short texts, with `cum_qty/order_qty` after the id of an order that ended.
//!
//! ```text
//! with fees 1000 2000              of instrument 0, in 10^-6: maker, taker
//! with balance 1 50B 0Q            instead of the default
//! with account 1 orders=2 finished=1 trades=1 fees=0,500
//! with min_notional=100            any bound of instrument 0
//! with huge amounts                that would take the model too long
//! with work 1                      the limit of a command's work; `continue` resumes it
//! with version 1                   of the rules, which the model does not know; then `version 2`
//! 1 buy 10 @ 100 ioc as a1         gtc, ioc, fok or post; `as` names it; `on 1` is instrument 1
//! 1 sell market 5                  or mtl: market-to-limit; fixed-peg
//! 1 buy market quote 1000          or market 5; within-balance
//! 1 buy 10 @ 100 display 3         or hidden; min 5; stp taker, maker, both, decrement
//! 1 buy 10 peg primary -1 limit 99 or market, mid; the offset may be left out
//! 1 sell 5 stop 90                 or take 120 (take-profit); with a price: 5 @ 88 stop 90
//! 1 cancel-list exit
//! 1 oco exit : sell 5 @ 110 post : sell 5 stop 90      or oto, otoco, opo, opoco
//! 1 sell 5 stop trail 100          in basis points, from now; stop 90 trail 100: from 90 on
//! 1 buy 10 @ 100 until 500         good till that nanosecond, or day, at-open, at-close
//! 1 cancel a1                      by name; #3 is order 3; `a1 #3` is both; only-new, only-partial
//! 1 cancel all
//! 1 replace a1 : buy 5 @ 99        `replace! a1 : ...` tries the new order even if that fails
//! 1 replace a1 limited : buy 5 @ 99   cancels even if the order rate refuses the new order
//! 1 amend a1 5 as a2
//! 1 modify a1 5 @ 99 as a2         without a price it keeps the old one
//! 1 deposit 5B ref r1              or withdraw
//! tick, continue, restart
//! 1 balance | 1 order a1 | 1 orders | 1 finished | 1 trades | book       queries
//! ```
//! `script_account.rs` has the lines about accounts; `script_trading.rs` has those about phases,
//! auctions, bands, halts, calendars and time.
//! `key k1` at a line's end sends the command under that retry key.

use engine::{Engine, RULES_VERSION};
use types::{
    AccountId, AmendOrder, AssetId, CancelAll, CancelOrder, CancelOrderList, CancelRestriction,
    ClOrdId, Command, Deposit, ExternalRef, FeeRates, InstrumentId, InstrumentSpec, ModifyOrder,
    NewOrder, NewOrderList, Order, OrderId, OrderListKind, OrderRef, OrderSize, OrderType, Peg,
    PegReference, ReplaceMode, ReplaceOrder, Side, StpMode, Terms, TimeInForce, TradeRevision,
    Withdraw,
};

use crate::house::{ASSETS, Driver, House, entry, limit, lots, minor, name, ticks};
use crate::model::Model;
use crate::script_print::{of, print_event};
use crate::{script_account, script_trading};

pub(crate) fn check(script: &str, expect: &[&str]) {
    let (_, output) = play(script);
    assert_eq!(output, expect, "\n{script}");
}

/// Runs a script. Returns its output and the venue.
pub(crate) fn play(script: &str) -> (Driver, Vec<String>) {
    let lines: Vec<&str> = script.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let mut house = House::default();
    let (mut work_max, mut is_huge) = (None, false);
    for setup in lines.iter().filter_map(|line| line.strip_prefix("with ")) {
        match setup.split_once(' ') {
            Some(("work", work)) => work_max = Some(work.parse().unwrap()),
            Some(("huge", "amounts")) => is_huge = true,
            Some(("version", version)) => house.rules = version.parse().unwrap(),
            _ => set_up(&mut house, setup),
        }
    }
    let mut driver = house.open();
    driver.work_max = work_max;
    let is_modeled = work_max.is_none() && !is_huge && house.rules == RULES_VERSION;
    let model = is_modeled.then(|| modeled(&house));
    let mut script = Script { driver, model, output: Vec::new(), unnamed: 0 };
    for line in lines.iter().filter(|line| !line.starts_with("with ")) {
        script.line(line);
    }
    (script.driver, script.output)
}

fn set_up(house: &mut House, line: &str) {
    let words: Vec<&str> = line.split_whitespace().collect();
    match words[..] {
        ["fees", maker, taker] => {
            house.instruments[0].fees = FeeRates {
                maker_fee_bps_x100: maker.parse().unwrap(),
                taker_fee_bps_x100: taker.parse().unwrap(),
            };
        }
        ["balance", account, ..] => {
            let account: u32 = account.parse().unwrap();
            for owned in &words[2..] {
                let (amount, asset) = parse_amount(owned);
                house.balances.insert((account, asset.0), amount);
            }
        }
        ["account", account, ..] => {
            let at = account.parse::<usize>().unwrap() - 1;
            let spec = &mut house.accounts[at];
            for setting in &words[2..] {
                let (key, value) = setting.split_once('=').expect("key=value");
                match key {
                    "orders" => spec.max_open_orders = value.parse().unwrap(),
                    "finished" => spec.finished_orders_kept = value.parse().unwrap(),
                    "trades" => spec.trades_kept = value.parse().unwrap(),
                    "fees" => {
                        let (maker, taker) = value.split_once(',').expect("maker,taker");
                        spec.fees = Some(FeeRates {
                            maker_fee_bps_x100: maker.parse().unwrap(),
                            taker_fee_bps_x100: taker.parse().unwrap(),
                        });
                    }
                    _ => panic!("no such setting: {setting}"),
                }
            }
        }
        _ => {
            words.iter().for_each(|bound| set_bound(&mut house.instruments[0], bound));
        }
    }
}

pub(crate) fn set_bound(spec: &mut InstrumentSpec, bound: &str) {
    let (key, value) = bound.split_once('=').expect("key=value");
    match key {
        "tick" => spec.tick_size.units = value.parse().unwrap(),
        "min_price" => spec.min_price = ticks(value.parse().unwrap()),
        "max_price" => spec.max_price = ticks(value.parse().unwrap()),
        "min_qty" => spec.min_qty = lots(value.parse().unwrap()),
        "max_qty" => spec.max_qty = lots(value.parse().unwrap()),
        "market_max_qty" => spec.market_max_qty = lots(value.parse().unwrap()),
        "min_notional" => spec.min_notional = minor(value.parse().unwrap()),
        "max_notional" => spec.max_notional = minor(value.parse().unwrap()),
        "max_open_orders" => spec.max_open_orders = value.parse().unwrap(),
        _ => panic!("no such bound: {bound}"),
    }
}

/// The model of the rules, with the same setup as the venue.
fn modeled(house: &House) -> Model {
    let mut model = Model::new();
    for (at, command) in (1..).zip(house.commands()) {
        model.apply(at, &entry(0, None, command));
    }
    model
}

struct Script {
    driver: Driver,
    /// The model's output for every command, without a limit of its work.
    model: Option<Model>,
    output: Vec<String>,
    unnamed: u32,
}

impl Script {
    fn line(&mut self, line: &str) {
        let (line, key) = match line.split_once(" key ") {
            Some((line, key)) => {
                let mut bytes = [0; 16];
                bytes[..key.len()].copy_from_slice(key.as_bytes());
                (line, Some(bytes))
            }
            None => (line, None),
        };
        let (account, rest) = match line.split_once(' ') {
            Some((account, rest)) if account.parse::<u32>().is_ok() => {
                (account.parse().unwrap(), rest)
            }
            _ => (0, line),
        };
        if rest == "restart" {
            return self.driver.restart();
        }
        if let Some(version) = rest.strip_prefix("version ") {
            return assert!(self.driver.engine.raise_rules(version.parse().unwrap()), "{version}");
        }
        if let Some(now_ns) = script_trading::time(line, self.driver.now_ns) {
            return self.driver.now_ns = now_ns;
        }
        if let Some(answer) = answer(&self.driver, account, rest) {
            return self.output.push(answer);
        }
        let command = self.command(account, rest);
        let mut entry = entry(account, key, command);
        entry.envelope.session = script_account::session(rest);
        entry.envelope.key = script_account::operator(rest);
        entry.envelope.client_seq = script_account::client_seq(rest);
        let events = self.driver.apply_entry(&entry);
        if self.driver.engine.has_deferred() {
            self.model = None;
        }
        if let Some(model) = &mut self.model {
            let expect = model.apply(self.driver.now_ns, &entry);
            assert_eq!(events, expect, "the model differs at {line}");
        }
        self.output.extend(events.iter().map(print_event));
    }

    fn command(&mut self, account: u32, line: &str) -> Command {
        if let Some(command) = script_account::command(account, line, name("by-script")) {
            return command;
        }
        if let Some(command) = script_trading::command(line) {
            return command;
        }
        let mut words = line.split_whitespace();
        match words.next().expect("a verb") {
            "tick" => {
                if let Some(at) = words.next() {
                    self.driver.now_ns = at.parse().unwrap();
                }
                Command::Tick(())
            }
            "continue" => Command::Continue(()),
            "cancel" => match self.cancel(line) {
                None => Command::CancelAll(CancelAll {
                    instrument: instrument(line),
                    cl_ord_id: self.named(line),
                }),
                Some(cancel) => Command::CancelOrder(cancel),
            },
            verb @ ("replace" | "replace!") => {
                let (cancel, order) = line.split_once(" : ").expect("replace ... : ...");
                Command::ReplaceOrder(ReplaceOrder {
                    cancel: self.cancel(&cancel.replace(" limited", "")).expect("one order"),
                    mode: match verb {
                        "replace" => ReplaceMode::StopOnFailure,
                        _ => ReplaceMode::AllowFailure,
                    },
                    cancel_when_limited: cancel.contains(" limited"),
                    order: self.order(order),
                })
            }
            "amend" | "modify" => change(line),
            verb @ ("deposit" | "withdraw") => {
                let words: Vec<&str> = words.collect();
                let [amount, "ref", external_ref] = words[..] else { panic!("{line}") };
                let (amount, asset) = parse_amount(amount);
                let account = AccountId(account);
                let external_ref = ExternalRef::parse(external_ref).unwrap();
                let amount = minor(amount);
                match verb {
                    "deposit" => Command::Deposit(Deposit { account, asset, amount, external_ref }),
                    _ => Command::Withdraw(Withdraw { account, asset, amount, external_ref }),
                }
            }
            "buy" | "sell" => Command::NewOrder(self.order(line)),
            "oco" | "oto" | "otoco" | "opo" | "opoco" => self.order_list(line),
            "cancel-list" => Command::CancelOrderList(CancelOrderList {
                instrument: instrument(line),
                order_list: None,
                list_cl_ord_id: Some(name(line.split_whitespace().nth(1).expect("a list"))),
                cl_ord_id: name("c"),
            }),
            _ => panic!("no such command: {line}"),
        }
    }

    fn order_list(&mut self, line: &str) -> Command {
        let mut parts = line.split(" : ");
        let (kind, list) = parts.next().and_then(|head| head.split_once(' ')).expect("a name");
        let kind = match kind {
            "oco" => OrderListKind::Oco,
            "oto" => OrderListKind::Oto,
            "otoco" => OrderListKind::Otoco,
            "opo" => OrderListKind::Opo,
            _ => OrderListKind::Opoco,
        };
        let orders = parts.map(|part| self.order(part)).collect();
        let instrument = instrument(line);
        Command::NewOrderList(NewOrderList { instrument, cl_ord_id: name(list), kind, orders })
    }

    fn order(&mut self, line: &str) -> NewOrder {
        let words: Vec<&str> = line.split_whitespace().collect();
        let after =
            |word: &str| words.iter().position(|other| *other == word).map(|at| words[at + 1]);
        let side = if words[0] == "buy" { Side::Buy } else { Side::Sell };
        let mut order = limit("x", side, 0, 0);
        order.cl_ord_id = self.named(line);
        order.instrument = instrument(line);
        order.price = ticks(after("@").map_or(0, |price| price.parse().unwrap()));
        order.strategy_id = after("strategy").map(|id| id.parse().unwrap());
        order.strategy_type = after("type").map(|id| id.parse().unwrap());
        for word in &words {
            match *word {
                "market" if after("peg") != Some("market") => {
                    order.order_type = OrderType::Market;
                }
                "mtl" => order.order_type = OrderType::MarketToLimit,
                "post" => order.order_type = OrderType::LimitMaker,
                "ioc" => order.time_in_force = TimeInForce::Ioc,
                "fok" => order.time_in_force = TimeInForce::Fok,
                "day" => order.time_in_force = TimeInForce::Day,
                "at-open" => order.time_in_force = TimeInForce::AtOpen,
                "at-close" => order.time_in_force = TimeInForce::AtClose,
                "until" => order.time_in_force = TimeInForce::Gtd,
                "stop" | "take" => {
                    order.order_type = match (*word, after("@")) {
                        ("stop", None) => OrderType::StopLoss,
                        ("stop", Some(_)) => OrderType::StopLossLimit,
                        (_, None) => OrderType::TakeProfit,
                        (_, Some(_)) => OrderType::TakeProfitLimit,
                    };
                }
                _ => {}
            }
        }
        order.stp_mode = match after("stp") {
            None => StpMode::None,
            Some("taker") => StpMode::ExpireTaker,
            Some("maker") => StpMode::ExpireMaker,
            Some("both") => StpMode::ExpireBoth,
            Some("decrement") => StpMode::Decrement,
            Some(mode) => panic!("no such mode: {mode}"),
        };
        let terms = terms(&words);
        order.terms = (terms != Terms::default()).then_some(terms);
        order.size = match after("quote") {
            Some(amount) => OrderSize::Quote(minor(amount.parse().unwrap())),
            None => {
                let qty = words[1..].iter().find_map(|word| word.parse().ok());
                OrderSize::Base(lots(qty.expect("a quantity")))
            }
        };
        order
    }

    fn cancel(&mut self, line: &str) -> Option<CancelOrder> {
        if line.contains(" all") {
            return None;
        }
        let restriction = match line {
            _ if line.contains("only-new") => CancelRestriction::OnlyNew,
            _ if line.contains("only-partial") => CancelRestriction::OnlyPartiallyFilled,
            _ => CancelRestriction::None,
        };
        Some(CancelOrder {
            instrument: instrument(line),
            order: reference_in(line),
            cl_ord_id: self.named(line),
            restriction,
        })
    }

    fn named(&mut self, line: &str) -> ClOrdId {
        match line.split_once(" as ") {
            Some((_, rest)) => name(rest.split(' ').next().expect("a name")),
            None => {
                self.unnamed += 1;
                name(&format!("unnamed-{}", self.unnamed))
            }
        }
    }
}

/// `amend a1 5 as a2`, or `modify a1 5 @ 99 as a2`.
fn change(line: &str) -> Command {
    let (line, cl_ord_id) = match line.split_once(" as ") {
        Some((line, new_name)) => (line, Some(name(new_name))),
        None => (line, None),
    };
    let (head, price) = match line.split_once(" @ ") {
        Some((head, price)) => (head, Some(ticks(price.parse().unwrap()))),
        None => (line, None),
    };
    let (reference, qty) = head.rsplit_once(' ').expect("a quantity");
    let (instrument, order) = (instrument(line), reference_in(reference));
    let order_qty = lots(qty.parse().unwrap());
    if line.starts_with("amend") {
        return Command::AmendOrder(AmendOrder { instrument, order, cl_ord_id, order_qty });
    }
    Command::ModifyOrder(ModifyOrder { instrument, order, cl_ord_id, order_qty, price })
}

/// The special terms.
fn terms(words: &[&str]) -> Terms {
    let after = |word: &str| words.iter().position(|other| *other == word).map(|at| words[at + 1]);
    let number = |word: &str| after(word).map(|value| value.parse().unwrap());
    let peg = words.iter().position(|word| *word == "peg").map(|at| Peg {
        reference: match words[at + 1] {
            "primary" => PegReference::Primary,
            "market" => PegReference::Market,
            "mid" => PegReference::Mid,
            reference => panic!("no such reference: {reference}"),
        },
        offset_ticks: words.get(at + 2).and_then(|offset| offset.parse().ok()).unwrap_or(0),
        limit: after("limit").map(|price| ticks(price.parse().unwrap())),
    });
    let stop_price = words
        .iter()
        .position(|word| matches!(*word, "stop" | "take"))
        .and_then(|at| words.get(at + 1)?.parse().ok());
    Terms {
        stop_price: stop_price.map(ticks),
        trailing_delta_bps: after("trail").map_or(0, |delta_bps| delta_bps.parse().unwrap()),
        expire_ns: after("until").map_or(0, |at| at.parse().unwrap()),
        peg,
        display_qty: lots(number("display").unwrap_or(0)),
        hidden: words.contains(&"hidden"),
        within_balance: words.contains(&"within-balance"),
        fixed_peg: words.contains(&"fixed-peg"),
        min_qty: lots(number("min").unwrap_or(0)),
    }
}

pub(crate) fn instrument(line: &str) -> InstrumentId {
    let on = line.split_once(" on ").map(|(_, rest)| rest.split(' ').next().expect("a number"));
    InstrumentId(on.map_or(0, |number| number.parse().unwrap()))
}

/// The order of `cancel a1 #3 on 1 as c` or `amend a1`.
fn reference_in(line: &str) -> OrderRef {
    let mut found = OrderRef { order_id: None, cl_ord_id: None };
    let mut words = line.split_whitespace().skip(1);
    while let Some(word) = words.next() {
        match word {
            "on" | "as" => drop(words.next()),
            "only-new" | "only-partial" => {}
            _ => match word.strip_prefix('#') {
                Some(id) => found.order_id = Some(OrderId(id.parse().unwrap())),
                None => found.cl_ord_id = Some(name(word)),
            },
        }
    }
    found
}

pub(crate) fn parse_amount(text: &str) -> (i128, AssetId) {
    let (amount, asset) = text.split_at(text.len() - 1);
    let id = ASSETS.iter().position(|name| *name == asset).expect("an asset");
    (amount.parse().unwrap(), AssetId(u16::try_from(id).unwrap()))
}

fn answer(driver: &Driver, account: u32, line: &str) -> Option<String> {
    let engine: &Engine = &driver.engine;
    let id = AccountId(account);
    let ids = |orders: &mut dyn Iterator<Item = Order>| -> String {
        orders.map(|order| format!(" {}", order.order_id)).collect()
    };
    let verb = line.split(' ').next().expect("a verb");
    Some(match verb {
        "balance" => {
            let balances = engine.balances(id);
            let owned = balances.zip(ASSETS).map(|(balance, asset)| {
                let locked = match balance.locked.minor() {
                    0 => String::new(),
                    locked => format!("+{locked}"),
                };
                format!(" {}{locked}{asset}", balance.free.minor())
            });
            format!("balance{}", owned.collect::<String>())
        }
        "order" => match engine.order(id, instrument(line), &reference_in(line)) {
            None => "no order".to_owned(),
            Some(order) => {
                let Order { order_id, cl_ord_id, status, cum_quote, .. } = order;
                format!(
                    "order {order_id} {cl_ord_id} {status:?} {} ={}",
                    of(&order),
                    cum_quote.minor()
                )
            }
        },
        "orders" => format!("orders{}", ids(&mut engine.open_orders(id, instrument(line)))),
        "finished" => format!("finished{}", ids(&mut engine.finished_orders(id))),
        "trades" => {
            let trades = engine.account_trades(id).map(|trade| {
                let role = if trade.is_maker { "maker" } else { "taker" };
                let TradeRevision { busted_ns, orig_price, .. } = trade.revision;
                let price =
                    orig_price.map(|was| format!(":{}->{}", was.ticks(), trade.price.ticks()));
                let busted = if busted_ns > 0 { ":busted" } else { "" };
                let revised = price.unwrap_or_default() + busted;
                format!(" {}:{}:{role}{revised}", trade.trade_id, trade.order_id)
            });
            format!("trades{}", trades.collect::<String>())
        }
        "book" => {
            let side = |side| -> String {
                let levels = engine.levels(instrument(line), side);
                levels.map(|(price, qty)| format!(" {}@{}", qty.lots(), price.ticks())).collect()
            };
            format!("book{} |{}", side(Side::Buy), side(Side::Sell))
        }
        _ => {
            return script_account::answer(engine, account, line)
                .or_else(|| script_trading::answer(engine, driver.now_ns + 1, line));
        }
    })
}

//! Script lines about accounts: modes, limits, fees, switches, sessions, busted trades.
//!
//! ```text
//! 1 risk limits group=3 per10s=5 perday=9     the mode is cash, limits or none
//! 1 limits qty=5 notional=9 orders=2 open=9 position=7 collar=500 on 1
//! schedule quote 0:-100,500 1000:-200,300     volume:maker,taker; quote, received or none
//! 1 kill on                                   or off
//! 1 mass-cancel buy on 1 as m                 without a side or instrument, all of them
//! 1 open-session 7                            `open-session 7 keep` keeps the orders
//! 1 buy 5 @ 9 via 7                           any command of a session
//! 1 buy 5 @ 9 via 7 no 3                      which the session gives a number
//! close-session 7
//! bust 3 1 2                                  a trade's number, buyer and seller
//! correct 3 1 2 @ 55
//! settle 1                                    a receivable
//! 1 request 5B ref r1                         a withdrawal; then `1 confirm r1` or `1 return r1`
//! 1 approve r1 by 7                           any command of an operator's key; else of none
//! approvals 1                                 how many operators must approve a withdrawal
//! 1 new-key 7                                 of any new hash; then `revoke 1`, by its number
//! 1 positions | 1 limited | 1 rate | 1 fees | receivables | clearing     queries
//! withdrawals                                 a query too
//! ```

use engine::Engine;
use types::{
    AccountId, AccountLimits, AccountMode, AccountRisk, Adjustment, Amount, ApproveWithdrawal,
    AssetId, BustTrade, CancelWithdrawal, CloseSession, Command, ConfirmWithdrawal, CorrectTrade,
    CreateKey, Event, ExternalRef, FeeAsset, FeeSchedule, FeeTier, KeyId, KeySpec, LoginId,
    MassCancel, OpenSession, Receivable, ReceivableId, RequestWithdrawal, RevokeKey, Role, Sealed,
    SessionId, SetAccountLimits, SetAccountRisk, SetFeeSchedule, SetKillSwitch,
    SetWithdrawalApprovals, SettleReceivable, Side, TradeId, Withdrawal,
};

use crate::house::{ASSETS, lots, minor, ticks};
use crate::script::{instrument, parse_amount};

/// `None` for other lines.
pub(crate) fn command(account: u32, line: &str, cl_ord_id: types::ClOrdId) -> Option<Command> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let account = AccountId(account);
    let number = |at: usize| words[at].parse::<u32>().expect("a number");
    let trade = || (TradeId(number(1).into()), AccountId(number(2)), AccountId(number(3)));
    let instrument = instrument(line);
    Some(match words[0] {
        "risk" => Command::SetAccountRisk(SetAccountRisk { account, risk: risk(&words) }),
        "limits" => {
            let limits = limits(&words);
            Command::SetAccountLimits(SetAccountLimits { account, instrument, limits })
        }
        "schedule" => {
            let schedule = schedule(&words);
            Command::SetFeeSchedule(SetFeeSchedule { instrument, schedule })
        }
        "kill" => Command::SetKillSwitch(SetKillSwitch { account, on: words[1] == "on" }),
        "mass-cancel" => {
            let side = words.iter().find_map(|word| match *word {
                "buy" => Some(Side::Buy),
                "sell" => Some(Side::Sell),
                _ => None,
            });
            let instrument = words.contains(&"on").then_some(instrument);
            Command::MassCancel(MassCancel { instrument, side, cl_ord_id })
        }
        "open-session" => {
            let cancel_on_disconnect = !words.contains(&"keep");
            let login = words.iter().position(|word| *word == "login");
            let login = login.map(|at| LoginId(number(at + 1)));
            Command::OpenSession(OpenSession { cancel_on_disconnect, login })
        }
        "close-session" => {
            Command::CloseSession(CloseSession { session: SessionId(number(1).into()) })
        }
        "bust" => {
            let (trade_id, buyer, seller) = trade();
            Command::BustTrade(BustTrade { instrument, trade_id, buyer, seller })
        }
        "correct" => {
            let (trade_id, buyer, seller) = trade();
            let price = ticks(words[5].parse().unwrap());
            Command::CorrectTrade(CorrectTrade { instrument, trade_id, buyer, seller, price })
        }
        "request" => {
            let (amount, asset) = parse_amount(words[1]);
            let (amount, external_ref) = (minor(amount), reference(words[3]));
            Command::RequestWithdrawal(RequestWithdrawal { account, asset, amount, external_ref })
        }
        "approve" => {
            let external_ref = reference(words[1]);
            Command::ApproveWithdrawal(ApproveWithdrawal { account, external_ref })
        }
        "approvals" => {
            let approvals = words[1].parse().unwrap();
            Command::SetWithdrawalApprovals(SetWithdrawalApprovals { approvals })
        }
        "new-key" => {
            let api_key_hash = [u8::try_from(number(1)).unwrap(); 16];
            let sealed_secret = Sealed::new(&api_key_hash).unwrap();
            let spec =
                KeySpec { account, role: Role::Operator, login: None, api_key_hash, sealed_secret };
            Command::CreateKey(Box::new(CreateKey { spec }))
        }
        "revoke" => Command::RevokeKey(RevokeKey { key: KeyId(number(1)) }),
        "confirm" => {
            let external_ref = reference(words[1]);
            Command::ConfirmWithdrawal(ConfirmWithdrawal { account, external_ref })
        }
        "return" => {
            let external_ref = reference(words[1]);
            Command::CancelWithdrawal(CancelWithdrawal { account, external_ref })
        }
        "settle" => {
            let receivable = ReceivableId(number(1).into());
            Command::SettleReceivable(SettleReceivable { receivable })
        }
        _ => return None,
    })
}

fn risk(words: &[&str]) -> AccountRisk {
    let mut risk = AccountRisk::PLAIN;
    risk.mode = match words[1] {
        "cash" => AccountMode::Cash,
        "limits" => AccountMode::Limits,
        "none" => AccountMode::None,
        other => panic!("no such mode: {other}"),
    };
    for (key, value) in settings(&words[2..]) {
        match key {
            "group" => risk.stp_group = value.parse().unwrap(),
            "per10s" => risk.max_orders_per_10s = value.parse().unwrap(),
            "perday" => risk.max_orders_per_day = value.parse().unwrap(),
            _ => panic!("no such setting: {key}"),
        }
    }
    risk
}

fn limits(words: &[&str]) -> AccountLimits {
    let mut limits = AccountLimits::default();
    for (key, value) in settings(&words[1..]) {
        match key {
            "qty" => limits.max_order_qty = lots(value.parse().unwrap()),
            "notional" => limits.max_order_notional = minor(value.parse().unwrap()),
            "orders" => limits.max_open_orders = value.parse().unwrap(),
            "open" => limits.max_open_notional = minor(value.parse().unwrap()),
            "position" => limits.max_position = lots(value.parse().unwrap()),
            "collar" => limits.collar_bps = value.parse().unwrap(),
            _ => panic!("no such limit: {key}"),
        }
    }
    limits
}

fn schedule(words: &[&str]) -> Option<FeeSchedule> {
    let fee_asset = match words[1] {
        "quote" => Some(FeeAsset::Quote),
        "received" => Some(FeeAsset::Received),
        _ => None,
    };
    fee_asset.map(|fee_asset| {
        let mut tiers = [None; types::FEE_TIERS_MAX];
        let given = words[2..].iter().filter_map(|word| word.split_once(':'));
        for (tier, (volume, rates)) in tiers.iter_mut().zip(given) {
            let (maker, taker) = rates.split_once(',').expect("maker,taker");
            *tier = Some(FeeTier {
                volume_min: minor(volume.parse().unwrap()),
                maker_fee_bps_x100: maker.parse().unwrap(),
                taker_fee_bps_x100: taker.parse().unwrap(),
            });
        }
        FeeSchedule { fee_asset, tiers }
    })
}

/// The session of a line's command.
pub(crate) fn session(line: &str) -> SessionId {
    let words: Vec<&str> = line.split_whitespace().collect();
    let number = match words.iter().position(|word| *word == "via" || *word == "open-session") {
        Some(at) => words[at + 1].parse().expect("a number"),
        None => 0,
    };
    SessionId(number)
}

/// The operator's key of a line's command.
pub(crate) fn operator(line: &str) -> KeyId {
    let mut words = line.split_whitespace().skip_while(|word| *word != "by");
    KeyId(words.nth(1).map_or(0, |number| number.parse().expect("a number")))
}

/// The number of a line's command in its session.
pub(crate) fn client_seq(line: &str) -> u64 {
    let mut words = line.split_whitespace().skip_while(|word| *word != "no");
    words.nth(1).map_or(0, |number| number.parse().expect("a number"))
}

fn settings<'a>(words: &'a [&str]) -> impl Iterator<Item = (&'a str, &'a str)> {
    words.iter().filter_map(|word| word.split_once('='))
}

pub(crate) fn answer(engine: &Engine, account: u32, line: &str) -> Option<String> {
    let account = AccountId(account);
    let verb = line.split(' ').next().expect("a verb");
    Some(match verb {
        "positions" => {
            let positions = engine.positions(account);
            let all: String = positions.map(|(id, lots)| format!(" {id}:{lots}")).collect();
            format!("positions{all}")
        }
        "limited" => {
            let all: String = engine.limits(account).map(|(id, _)| format!(" {id}")).collect();
            format!("limited{all}")
        }
        "rate" => {
            let rate = engine.order_rate(account).expect("an account");
            format!("rate {} {}", rate.in_window, rate.in_day)
        }
        "fees" => {
            let (maker, taker) = engine.account_fees(account, instrument(line)).expect("both");
            format!("fees {maker} {taker}")
        }
        "receivables" => {
            let all: String = engine
                .receivables()
                .map(|receivable| format!(" [{}]", print_receivable(receivable)))
                .collect();
            format!("receivables{all}")
        }
        "withdrawals" => {
            let print = |known: &Withdrawal| {
                let Withdrawal { account, asset, amount, external_ref, status, .. } = known;
                let asset = ASSETS[usize::from(asset.0)];
                let approved: String =
                    known.approved_by.iter().flatten().map(|key| format!(" +{key}")).collect();
                format!(
                    " [{account} {external_ref} {}{asset} {status:?}{approved}]",
                    amount.minor()
                )
            };
            format!("withdrawals{}", engine.withdrawals().map(print).collect::<String>())
        }
        "clearing" => {
            let all = (0..).zip(ASSETS).map(|(id, name)| {
                let cleared = engine.clearing(AssetId(id)).expect("an asset");
                format!(" {}{name}", cleared.minor())
            });
            format!("clearing{}", all.collect::<String>())
        }
        _ => return None,
    })
}

pub(crate) fn print(event: &Event) -> Option<String> {
    let moved = |side: &Adjustment| {
        format!("{} {}B {}Q", side.account, side.base.minor(), side.quote.minor())
    };
    let left = |what: &str, amount: Amount, free: Amount, asset: AssetId| {
        let asset = ASSETS[usize::from(asset.0)];
        format!("{what} {} free {}{asset}", amount.minor(), free.minor())
    };
    Some(match event {
        Event::AccountRiskSet(set) => format!("risk {} {:?}", set.account, set.risk.mode),
        Event::AccountLimitsSet(set) => format!("limits {} {}", set.account, set.instrument),
        Event::FeeScheduleSet(set) => format!("schedule {}", set.instrument),
        Event::KillSwitchSet(set) => {
            let on = if set.set.on { "on" } else { "off" };
            format!("kill {} {on}", set.set.account)
        }
        Event::SessionOpened(opened) => format!("opened {}", opened.session),
        Event::SessionClosed(closed) => format!("closed {}", closed.session),
        Event::TradeBusted(busted) => {
            let (buyer, seller) = (moved(&busted.buyer), moved(&busted.seller));
            format!("busted {}: {buyer}, {seller}", busted.trade_id)
        }
        Event::TradeCorrected(corrected) => {
            let (buyer, seller) = (moved(&corrected.buyer), moved(&corrected.seller));
            let (from, to) = (corrected.orig_price.ticks(), corrected.price.ticks());
            format!("corrected {} {from}->{to}: {buyer}, {seller}", corrected.trade_id)
        }
        Event::ReceivableCreated(created) => {
            format!("receivable {}", print_receivable(&created.receivable))
        }
        Event::ReceivableSettled(settled) => {
            format!("paid {} of {}", settled.paid.minor(), print_receivable(&settled.receivable))
        }
        Event::WithdrawalRequested(e) => left("requested", e.amount, e.free, e.asset),
        Event::WithdrawalApproved(e) => {
            format!("approved {} {} by {}", e.account, e.external_ref, e.approved_by)
        }
        Event::WithdrawalApprovalsSet(set) => format!("approvals {}", set.approvals),
        Event::KeyCreated(created) => format!("key {}", created.key),
        Event::KeyRevoked(revoked) => format!("revoked {}", revoked.key),
        Event::WithdrawalCompleted(e) => left("completed", e.amount, e.free, e.asset),
        Event::WithdrawalCanceled(e) => left("returned", e.amount, e.free, e.asset),
        _ => return None,
    })
}

fn reference(text: &str) -> ExternalRef {
    ExternalRef::parse(text).expect("a reference")
}

/// `number: debtor->creditor amount, trade`.
fn print_receivable(open: &Receivable) -> String {
    let asset = ASSETS[usize::from(open.asset.0)];
    let Receivable { receivable, debtor, creditor, trade_id, .. } = open;
    format!("{receivable}: {debtor}->{creditor} {}{asset}, trade {trade_id}", open.amount.minor())
}

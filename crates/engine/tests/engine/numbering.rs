//! Numbers of logins: what is lost, doubled or late on its way is carried out once or refused.

use std::collections::BTreeMap;

use proptest::prelude::*;
use types::{
    AccountId, AmendOrder, BustTrade, ClOrdId, Command, CorrectTrade, CreateLogin, Entry, Event,
    InstrumentId, LoginId, LoginSpec, MassCancel, ModifyOrder, NumberedName, OpenSession, OrderRef,
    Price, Qty, RefuseOrder, RejectReason, RevokeLogin, Role, Sealed, SessionId, SetKillSwitch,
    Side, Terms, TradeId, UserName, Way, Ways,
};

use crate::house::{Driver, House, entry, limit};

/// The pairs of numbers and sequences that the engine keeps.
const KEPT: u64 = 4_096;

#[test]
fn numbers_go_on_over_sessions_and_restarts() {
    let mut venue = venue();
    assert_eq!(open(&mut venue, 7), "opened 7 day 1 first");
    assert_eq!(buy(&mut venue, 7, 1), "accepted 1");
    assert_eq!(buy(&mut venue, 7, 5), "accepted 5");
    assert_eq!(open(&mut venue, 8), "closed 7, opened 8 day 1");
    assert_eq!(buy(&mut venue, 7, 6), "refused UnknownSession", "the last log-on wins");
    assert_eq!(buy(&mut venue, 8, 5), "repeats");
    assert_eq!(buy(&mut venue, 8, 3), "refused 3 NumberNotRising", "it never arrived");
    venue.restart();
    assert_eq!(buy(&mut venue, 8, 5), "repeats");
    assert_eq!(buy(&mut venue, 8, 3), "refused 3 NumberNotRising");
    assert_eq!(buy(&mut venue, 8, 9), "accepted 9");
    assert_eq!(send(&mut venue, 8, 0, Command::QueryNumbers(())), "highest 9");
}

#[test]
fn a_new_day_begins_with_one_and_ends_the_sessions_of_the_last() {
    let mut venue = venue();
    open(&mut venue, 7);
    assert_eq!(buy(&mut venue, 7, 5), "accepted 5");
    assert_eq!(send(&mut venue, 0, 0, Command::BeginNumberingDay(())), "day 2");
    assert_eq!(buy(&mut venue, 7, 6), "refused UnknownSession");
    venue.restart();
    assert_eq!(open(&mut venue, 8), "closed 7, opened 8 day 2 first");
    assert_eq!(buy(&mut venue, 8, 1), "accepted 1");
    assert_eq!(send(&mut venue, 8, 0, Command::QueryNumbers(())), "highest 1");
}

#[test]
fn refusals_of_numbered_commands_are_messages_of_the_login() {
    let mut venue = venue();
    open(&mut venue, 7);
    let refuse = RefuseOrder { cl_ord_id: name(1), code: 23 };
    assert_eq!(send(&mut venue, 7, 1, Command::RefuseOrder(refuse)), "refused 1 FieldInvalid 23");
    assert_eq!(send(&mut venue, 7, 1, Command::RefuseOrder(refuse)), "repeats");
    let empty = Command::NewOrder(limit_order(2, 0));
    assert_eq!(send(&mut venue, 7, 2, empty), "refused 2 OrderQtyBelowMin");
    let modify = |number: u64, of: u64, order_qty| {
        Command::ModifyOrder(ModifyOrder {
            instrument: InstrumentId(0),
            order: OrderRef::by_cl_ord_id(name(of)),
            cl_ord_id: (number > 0).then(|| name(number)),
            order_qty: Qty::from_lots(order_qty),
            price: None,
        })
    };
    assert_eq!(send(&mut venue, 7, 3, modify(3, 2, 1)), "refused 3 OrderNotFound");
    assert_eq!(send(&mut venue, 7, 0, modify(0, 2, 1)), "refused OrderNotFound");
    assert_eq!(buy(&mut venue, 7, 4), "accepted 4");
    assert_eq!(send(&mut venue, 7, 5, modify(5, 4, 3)), "modified 5");
    let cancel = MassCancel { instrument: None, side: None, cl_ord_id: name(6) };
    assert_eq!(send(&mut venue, 7, 6, Command::MassCancel(cancel)), "answered 6, canceled 5");
    let cancel = MassCancel { cl_ord_id: name(7), ..cancel };
    assert_eq!(send(&mut venue, 7, 7, Command::MassCancel(cancel)), "refused 7 OrderNotFound");
}

#[test]
fn a_refusal_to_lower_an_open_order_is_a_message_of_its_login() {
    let mut venue = venue();
    open(&mut venue, 7);
    assert_eq!(buy(&mut venue, 7, 1), "accepted 1");
    let amend = |order_qty| {
        Command::AmendOrder(AmendOrder {
            instrument: InstrumentId(0),
            order: OrderRef::by_cl_ord_id(name(1)),
            cl_ord_id: None,
            order_qty: Qty::from_lots(order_qty),
        })
    };
    assert_eq!(send(&mut venue, 7, 0, amend(2)), "cancel refused 1 AmendQtyNotLower");
    // Another way to the account has its own reply.
    assert_eq!(print(&venue.apply(1, amend(2))), "refused AmendQtyNotLower");
    let kill = SetKillSwitch { account: AccountId(1), on: true };
    venue.apply(0, Command::SetKillSwitch(kill));
    assert_eq!(send(&mut venue, 7, 0, amend(1)), "refused OrderNotFound");
}

#[test]
fn the_next_part_of_an_iceberg_is_a_message_of_its_login() {
    let mut venue = venue();
    open(&mut venue, 7);
    let sell = |cl_ord_id| types::NewOrder {
        cl_ord_id,
        terms: Some(Terms { display_qty: Qty::from_lots(2), ..Terms::default() }),
        ..limit("a", Side::Sell, 5, 10)
    };
    send(&mut venue, 7, 1, Command::NewOrder(sell(name(1))));
    let mut take = |qty| print(&venue.apply(2, Command::NewOrder(limit("b", Side::Buy, qty, 10))));
    assert_eq!(take(1), "accepted b");
    assert_eq!(take(1), "accepted b, refreshed 1 shows 2");
    assert_eq!(take(3), "accepted b, refreshed 1 shows 1");
    // An order without a number is no login's.
    venue.apply(1, Command::NewOrder(sell(ClOrdId::parse("own").unwrap())));
    let bought = venue.apply(2, Command::NewOrder(limit("b", Side::Buy, 2, 10)));
    assert_eq!(print(&bought), "accepted b");
}

#[test]
fn busts_and_corrections_are_messages_of_the_logins_that_traded() {
    let mut venue = venue();
    open(&mut venue, 7);
    for number in [1, 2] {
        assert_eq!(buy(&mut venue, 7, number), format!("accepted {number}"));
        venue.apply(2, Command::NewOrder(limit("a", Side::Sell, 1, 10)));
    }
    let (instrument, trade_id) = (InstrumentId(0), TradeId(1));
    let (buyer, seller, price) = (AccountId(1), AccountId(2), Price::from_ticks(9));
    let correct = CorrectTrade { instrument, trade_id, buyer, seller, price };
    assert_eq!(print(&venue.apply(0, Command::CorrectTrade(correct))), "corrected 1 #1 @9");
    let bust = BustTrade { instrument, trade_id, buyer, seller };
    venue.restart();
    assert_eq!(print(&venue.apply(0, Command::BustTrade(bust))), "busted 1 #1");
    assert_eq!(print(&venue.apply(0, Command::BustTrade(bust))), "refused TradeBustedAlready");
    let bust = BustTrade { trade_id: TradeId(2), ..bust };
    assert_eq!(print(&venue.apply(0, Command::BustTrade(bust))), "busted 2 #2");
}

#[test]
fn a_revoked_login_has_no_session() {
    let mut venue = venue();
    open(&mut venue, 7);
    let revoke = Command::RevokeLogin(RevokeLogin { login: LoginId(1) });
    assert_eq!(send(&mut venue, 0, 0, revoke), "revoked, closed 7");
    assert_eq!(buy(&mut venue, 7, 1), "refused UnknownSession");
    assert_eq!(open(&mut venue, 8), "refused UnknownLogin");
    let open = OpenSession { cancel_on_disconnect: false, login: Some(LoginId(2)) };
    let mut foreign = entry(2, None, Command::OpenSession(open));
    foreign.envelope.session = SessionId(9);
    assert_eq!(print(&venue.apply_entry(&foreign)), "refused UnknownLogin");
}

#[test]
fn a_number_that_is_no_longer_kept_is_neither_a_repeat_nor_a_gap() {
    let mut venue = venue();
    venue.unchecked = true;
    open(&mut venue, 7);
    for number in 0..=KEPT {
        let refuse = RefuseOrder { cl_ord_id: name(2 + number), code: 1 };
        send(&mut venue, 7, 2 + number, Command::RefuseOrder(refuse));
    }
    assert_eq!(buy(&mut venue, 7, 3), "repeats");
    for number in [1, 2] {
        assert_eq!(buy(&mut venue, 7, number), "refused NumberForgotten");
    }
    venue.restart();
    assert_eq!(buy(&mut venue, 7, 2), "refused NumberForgotten");
    assert_eq!(buy(&mut venue, 7, KEPT + 3), format!("accepted {}", KEPT + 3));
}

/// What happens to a command on its way.
#[derive(Clone, Copy, Debug)]
enum Fate {
    Arrives,
    IsLost,
    IsDoubled,
    /// Arrives after as many others.
    IsLate(usize),
    /// Arrives, and the client sends all it has no answer to again in a new session.
    LogsOnAgain,
    Restarts,
}

proptest! {
    #[test]
    fn lost_doubled_and_late_orders_are_carried_out_once(
        ways in prop::collection::vec(
            prop_oneof![
                6 => Just(Fate::Arrives),
                2 => Just(Fate::IsLost),
                2 => Just(Fate::IsDoubled),
                2 => (1..6_usize).prop_map(Fate::IsLate),
                1 => Just(Fate::LogsOnAgain),
                1 => Just(Fate::Restarts),
            ],
            1..60,
        ),
    ) {
        let mut venue = venue();
        let mut session = 1;
        open(&mut venue, session);
        let mut carried_out = BTreeMap::new();
        let mut arrivals: Vec<(usize, u64)> = Vec::new();
        for (at, way) in ways.iter().enumerate() {
            let number = at as u64 + 1;
            match way {
                Fate::Arrives | Fate::LogsOnAgain | Fate::Restarts => arrivals.push((at, number)),
                Fate::IsLost => {}
                Fate::IsDoubled => arrivals.extend([(at, number), (at, number)]),
                Fate::IsLate(by) => arrivals.push((at + by, number)),
            }
        }
        arrivals.sort_by_key(|(at, _)| *at);
        for (at, number) in arrivals {
            deliver(&mut venue, session, number, &mut carried_out)?;
            match ways.get(at) {
                Some(Fate::LogsOnAgain) => {
                    session += 1;
                    open(&mut venue, session);
                    for number in 1..=number {
                        deliver(&mut venue, session, number, &mut carried_out)?;
                    }
                }
                Some(Fate::Restarts) => venue.restart(),
                _ => {}
            }
        }
        let accepted = venue.engine.resting_count();
        prop_assert_eq!(accepted, carried_out.len(), "none is carried out twice, none is lost");
    }
}

/// Delivers a number, and compares the answer with what is known of it.
fn deliver(
    venue: &mut Driver,
    session: u64,
    number: u64,
    carried_out: &mut BTreeMap<u64, u64>,
) -> Result<(), TestCaseError> {
    let highest = carried_out.keys().next_back().copied().unwrap_or(0);
    let expected = if let Some(first) = carried_out.get(&number) {
        format!("repeated {first}")
    } else if number < highest {
        format!("refused {number} NumberNotRising")
    } else {
        carried_out.insert(number, venue.engine.sequence() + 1);
        format!("accepted {number}")
    };
    let events =
        venue.apply_entry(&numbered(session, number, Command::NewOrder(limit_order(number, 1))));
    let found = match events[..] {
        [Event::CommandRepeated(repeated)] => format!("repeated {}", repeated.first_sequence),
        _ => print(&events),
    };
    prop_assert_eq!(found, expected);
    Ok(())
}

fn venue() -> Driver {
    let mut venue = House::default().open();
    for (user, account) in [("ann", 1), ("bob", 1)] {
        let spec = LoginSpec {
            user: UserName::parse(user).unwrap(),
            account: AccountId(account),
            role: Role::Trader,
            ways: Ways::new(&[Way::Ouch]).unwrap(),
            sealed_secret: Sealed::new(b"login").unwrap(),
        };
        venue.apply(0, Command::CreateLogin(Box::new(CreateLogin { spec })));
    }
    venue
}

fn open(venue: &mut Driver, session: u64) -> String {
    let open = OpenSession { cancel_on_disconnect: false, login: Some(LoginId(1)) };
    send(venue, session, 0, Command::OpenSession(open))
}

fn buy(venue: &mut Driver, session: u64, number: u64) -> String {
    send(venue, session, number, Command::NewOrder(limit_order(number, 1)))
}

fn send(venue: &mut Driver, session: u64, number: u64, command: Command) -> String {
    print(&venue.apply_entry(&numbered(session, number, command)))
}

fn numbered(session: u64, number: u64, command: Command) -> Entry {
    let account = if session == 0 { 0 } else { 1 };
    let mut entry = entry(account, None, command);
    entry.envelope.session = SessionId(session);
    entry.envelope.client_seq = number;
    entry
}

fn limit_order(number: u64, qty: u64) -> types::NewOrder {
    types::NewOrder { cl_ord_id: name(number), ..limit("a", Side::Buy, qty, 10) }
}

fn name(number: u64) -> ClOrdId {
    let number = number as u32;
    let name = NumberedName { login: LoginId(1), day: 1, number, flags: 0 };
    name.to_cl_ord_id(b"text").unwrap()
}

fn number_of(name: &ClOrdId) -> u32 {
    name.numbered().unwrap().0.number
}

/// What a client would learn.
fn print(events: &[Event]) -> String {
    let texts = events.iter().filter_map(|event| {
        Some(match event {
            Event::OrderAccepted(e) => match e.order.cl_ord_id.numbered() {
                Some((name, _)) => format!("accepted {}", name.number),
                None => format!("accepted {}", e.order.cl_ord_id),
            },
            Event::OrderRefreshed(e) => {
                format!("refreshed {} shows {}", number_of(&e.cl_ord_id), e.shown_qty.lots())
            }
            Event::FillRevised(e) => {
                let about = format!("{} #{}", number_of(&e.cl_ord_id), e.trade_id);
                e.price.map_or_else(
                    || format!("busted {about}"),
                    |price| format!("corrected {about} @{}", price.ticks()),
                )
            }
            Event::OrderAmended(e) => format!("modified {}", number_of(&e.order.cl_ord_id)),
            Event::OrderModified(e) => format!("modified {}", number_of(&e.order.cl_ord_id)),
            Event::OrderCanceled(e) => format!("canceled {}", number_of(&e.order.cl_ord_id)),
            Event::CommandRepeated(_) => "repeats".to_owned(),
            Event::CommandRejected(e) if e.in_cancel => {
                format!("cancel {}", refused(e.reason, e.numbered))
            }
            Event::CommandRejected(e) => refused(e.reason, e.numbered),
            Event::SessionOpened(e) => {
                let numbering = e.numbering.unwrap();
                let first = if numbering.is_first { " first" } else { "" };
                format!("opened {} day {}{first}", e.session, numbering.day)
            }
            Event::SessionClosed(e) => format!("closed {}", e.session),
            Event::NumberingDayBegun(e) => format!("day {}", e.day),
            Event::NumbersAnswered(e) if e.number == 0 => format!("highest {}", e.highest),
            Event::NumbersAnswered(e) => format!("answered {}", e.number),
            Event::LoginRevoked(_) => "revoked".to_owned(),
            _ => return None,
        })
    });
    texts.collect::<Vec<_>>().join(", ")
}

fn refused(reason: RejectReason, numbered: Option<types::NumberedRefusal>) -> String {
    match numbered {
        None => format!("refused {reason:?}"),
        Some(of) if of.code == 0 => format!("refused {} {reason:?}", number_of(&of.cl_ord_id)),
        Some(of) => format!("refused {} {reason:?} {}", number_of(&of.cl_ord_id), of.code),
    }
}

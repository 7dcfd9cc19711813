//! The audit trail: each command of an operator once, whatever deletes or makes anew.

use projection::{AuditTrail, Audited, HistoryRetention, sqlite};
use rusqlite::Connection;
use types::{
    AccountId, Amount, AssetId, Command, Entry, Envelope, ExternalRef, HaltVenue, KeyId, Origin,
    RejectReason, RequestWithdrawal, SetKillSwitch, Side,
};

use crate::support::*;

/// As docs/history.md has it.
const REQUESTERS: &str = "SELECT t.account, t.external_ref, a.key AS requested_by
  FROM transfers t LEFT JOIN audit a ON a.sequence = t.sequence
  WHERE t.kind = 'withdrawal'";

const ALL: usize = 10_000;
/// More than one command of the engine cancels, and more than a page of events has.
const OPEN: u64 = 4_500;

fn trail(venue: &Venue) -> Vec<Audited> {
    venue.ask(AuditTrail { limit: ALL, ..AuditTrail::default() }).unwrap()
}

#[test]
fn a_command_that_works_for_long_is_one_row_with_all_its_effects() {
    let dir = tempfile::tempdir().unwrap();
    let venue = Venue::start(dir.path());
    venue.wait();
    let set_up = trail(&venue);
    assert!(set_up.iter().any(|row| row.command.kind() == "Deposit"), "{set_up:?}");
    assert!(set_up.iter().all(|row| row.origin == Origin::Admin && row.reason.is_none()));

    let killed = |account: AccountId, on: bool| {
        let reply =
            venue.send(AccountId::VENUE, Command::SetKillSwitch(SetKillSwitch { account, on }));
        reply.applied.sequence
    };
    for number in 0..OPEN {
        venue.send(ALICE, limit(number, Side::Buy, 10, 1));
    }
    let kill = killed(ALICE, true);
    let halt = Command::HaltVenue(HaltVenue { level: 0, resume_ns: 0 });
    let refused = venue.send(AccountId::VENUE, halt).applied.sequence;
    venue.wait();
    let rows = trail(&venue);
    let [killed, refused_row] = &rows[set_up.len()..] else { panic!("{rows:?}") };
    assert_eq!((killed.sequence, refused_row.sequence), (kill, refused));
    let counts: Vec<(&str, u64)> = killed.effect.counts().collect();
    assert_eq!(counts, [("KillSwitchSet", 1), ("OrderCanceled", OPEN)]);
    assert_eq!(refused_row.reason, Some(RejectReason::HaltLevelInvalid));
    assert_eq!(refused_row.effect.counts().count(), 0);
    venue.stop();

    // Made anew from the log it is the same, and no retention deletes it.
    rebuild(dir.path()).unwrap();
    let retention = HistoryRetention { max_age_ns: Some(1), max_bytes: Some(1) };
    let venue = Venue::start_keeping(settings(dir.path()), retention);
    venue.trade(10_000..10_100);
    venue.wait();
    assert_eq!(trail(&venue), rows);
    venue.stop();
}

#[test]
fn a_withdrawal_leads_to_the_operator_that_requested_it() {
    let dir = tempfile::tempdir().unwrap();
    let venue = Venue::start(dir.path());
    for (key, reference) in [(0, "socket"), (7, "desk")] {
        let (external_ref, amount) =
            (ExternalRef::parse(reference).unwrap(), Amount::from_minor(5));
        let asset = AssetId(0);
        let request = RequestWithdrawal { account: ALICE, asset, amount, external_ref };
        let envelope = Envelope { key: KeyId(key), ..Envelope::venue(Origin::AdminApi, 0) };
        let command = Command::RequestWithdrawal(request);
        let ticket = venue.handle().submit(Entry { envelope, command }).unwrap();
        ticket.blocking_recv().unwrap().unwrap();
    }
    venue.wait();
    let file = Connection::open(sqlite::path(dir.path())).unwrap();
    let mut select = file.prepare(REQUESTERS).unwrap();
    let rows = select.query_map([], |row| Ok((row.get("external_ref")?, row.get("requested_by")?)));
    let mut rows: Vec<(String, Option<u32>)> = rows.unwrap().map(Result::unwrap).collect();
    rows.sort();
    assert_eq!(rows, [("desk".to_owned(), Some(7)), ("socket".to_owned(), Some(0))]);
    let page = include_str!("../../../../docs/history.md");
    assert!(page.contains(REQUESTERS), "the page has this query");
    venue.stop();
}

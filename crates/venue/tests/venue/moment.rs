//! The state at moments of a log.

use venue::{Archive, Place};

use super::*;

/// All at once, so that they share batches.
fn send_together(handle: &Handle, commands: impl IntoIterator<Item = Command>) {
    let submit = |command| {
        let envelope = Envelope { account: ALICE, ..Envelope::venue(Origin::Rest, 0) };
        handle.submit(Entry { envelope, command }).unwrap()
    };
    let tickets: Vec<_> = commands.into_iter().map(submit).collect();
    tickets.into_iter().for_each(|ticket| drop(ticket.blocking_recv().unwrap().unwrap()));
}

#[test]
fn a_pass_leads_to_each_state_that_single_steps_lead_to() {
    let dir = tempfile::tempdir().unwrap();
    let running = start(settings(dir.path()));
    let handle = running.handle();
    set_up(&handle);
    send_together(&handle, (0..2_500).map(|number| limit(number, Side::Buy, 10)));
    let cl_ord_id = ClOrdId::parse("all").unwrap();
    let cancel = Command::CancelAll(CancelAll { instrument: INSTRUMENT, cl_ord_id });
    send_together(&handle, [order(3_000), cancel, order(3_001), order(3_002)]);
    send(&handle, BOB, order(3_003));
    // Without its last snapshot the log is read from the beginning.
    running.stop().unwrap();
    fs::remove_dir_all(dir.path().join("snapshots")).unwrap();

    let archive = Archive::open(dir.path()).unwrap();
    let mut stepped = archive.replay().unwrap();
    let mut places = vec![stepped.place()];
    while let Some(command) = stepped.step().unwrap() {
        assert!(command.batch_number >= places.last().unwrap().batch_number);
        places.push(stepped.place());
    }
    let in_batch = places.windows(2).filter(|two| two[0].batch_number == two[1].batch_number);
    assert!(in_batch.count() > 100, "batches have several commands");
    assert!(
        places.windows(2).any(|two| two[1].sequence == two[0].sequence + 3),
        "the steps of one command are not divided"
    );

    // Some of the orders, and all that comes behind them.
    let few = places.iter().take(2_500).step_by(250).chain(places.iter().skip(2_495));
    let mut once = archive.replay().unwrap();
    for &place in few {
        let mut stepped = archive.replay().unwrap();
        while stepped.place().sequence < place.sequence {
            stepped.step().unwrap();
        }
        let mut passed = archive.replay().unwrap();
        let is_before = |at: Place| at.sequence < place.sequence;
        passed.pass(|at, _| is_before(at)).unwrap();
        once.pass(|at, _| is_before(at)).unwrap();
        for replay in [&passed, &once] {
            assert_eq!(replay.place(), place);
            assert_eq!(replay.state_hash(), stepped.state_hash(), "at {place:?}");
        }
        // By time it is the end of the batches of that time.
        let mut timed = archive.replay().unwrap();
        timed.pass(|at, batch| batch.sequenced_ns.max(at.time_ns) <= place.time_ns).unwrap();
        let last = places.iter().rfind(|last| last.time_ns <= place.time_ns).unwrap();
        assert_eq!(timed.place(), *last);
    }
    let mut all = archive.replay().unwrap();
    all.pass(|_, _| true).unwrap();
    assert_eq!((all.place(), all.state_hash()), (*places.last().unwrap(), stepped.state_hash()));
    assert!(all.step().unwrap().is_none());
}

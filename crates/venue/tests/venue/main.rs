//! A running venue, stopped and read back.

#![allow(clippy::unwrap_used, reason = "a test that fails there says where")]

mod moment;
mod snapshot;
mod upgrade;
mod volume;

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use spool::{Applied, NumberedEvent};
use testing::{ALICE, BOB, INSTRUMENT, Kept, instrument, send, settings};
use types::{
    AccountId, Asset, AssetName, Calendar, CancelAll, ClOrdId, Command, Entry, Envelope, Event,
    HaltVenue, ListAsset, ListInstrument, Origin, Phase, SESSIONS_MAX, Session, SetPhase, Side,
    Wire,
};
use venue::{Durability, Handle, LogRetention, OpenError, Opened, Running, Settings};

fn start(settings: Settings) -> Running {
    Opened::open(settings).unwrap().start(Vec::new())
}

fn set_up(handle: &Handle) {
    testing::set_up(handle, Kept(50));
}

fn order(number: u64) -> Command {
    // Prices around each other, so that some trade.
    let side = if number.is_multiple_of(2) { Side::Buy } else { Side::Sell };
    let price = 1_000 + i64::try_from(number * 37 % 41).unwrap();
    limit(number, side, price)
}

fn limit(number: u64, side: Side, price: i64) -> Command {
    Command::NewOrder(testing::limit(&number.to_string(), side, price, 1 + number % 7))
}

fn trade(handle: &Handle, numbers: std::ops::Range<u64>) {
    for number in numbers {
        let account = if number % 3 == 0 { ALICE } else { BOB };
        send(handle, account, order(number));
    }
}

/// All that a venue knows: state, views, and how far its event numbers have come.
fn knowledge(dir: &Path) -> (Vec<u8>, Vec<u8>) {
    let opened = Opened::open(settings(dir)).unwrap();
    opened.engine().assert_consistent();
    let (mut state, mut views) = (Vec::new(), Vec::new());
    opened.engine().write_state(&mut state);
    opened.views().write(&mut views);
    (state, views)
}

/// The book as readers see it, which unlike the trades has no times in it.
fn book(dir: &Path) -> marketdata::L2Book {
    Opened::open(settings(dir)).unwrap().views().instrument(INSTRUMENT).unwrap().book.clone()
}

#[test]
fn a_snapshot_and_the_log_lead_to_the_same() {
    let dir = tempfile::tempdir().unwrap();
    let running = start(Settings { snapshot_every: 100, ..settings(dir.path()) });
    set_up(&running.handle());
    trade(&running.handle(), 0..500);
    running.stop().unwrap();
    assert_eq!(fs::read_dir(dir.path().join("snapshots")).unwrap().count(), 2, "two are kept");
    let with_snapshot = knowledge(dir.path());

    // The older snapshot and the rest of the log.
    let newest = newest_snapshot(dir.path());
    let mut bytes = fs::read(&newest).unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    fs::write(&newest, bytes).unwrap();
    assert!(knowledge(dir.path()) == with_snapshot);
    assert!(!newest.exists(), "what is damaged is set aside");

    // The log alone, and the spool anew.
    fs::remove_dir_all(dir.path().join("snapshots")).unwrap();
    fs::remove_dir_all(dir.path().join("spool")).unwrap();
    assert!(knowledge(dir.path()) == with_snapshot);

    // It goes on as if it had never stopped.
    let running = start(settings(dir.path()));
    trade(&running.handle(), 500..600);
    running.stop().unwrap();
    let other = tempfile::tempdir().unwrap();
    let running = start(settings(other.path()));
    set_up(&running.handle());
    trade(&running.handle(), 0..600);
    running.stop().unwrap();
    assert!(book(dir.path()) == book(other.path()));
}

#[test]
fn events_of_any_command_can_be_read_again_after_a_restart() {
    let dir = tempfile::tempdir().unwrap();
    let running = start(settings(dir.path()));
    set_up(&running.handle());
    let reply = send(&running.handle(), ALICE, order(1));
    let told = (*reply.applied).clone();
    running.stop().unwrap();
    let running = start(settings(dir.path()));
    let sequence = told.sequence;
    let read = running.handle().read_views(move |_, spool| spool.reader().read(sequence)).unwrap();
    assert_eq!(read.blocking_recv().unwrap().unwrap(), [told]);
    running.stop().unwrap();
}

#[test]
fn a_large_cancel_is_answered_when_all_of_it_is_done() {
    let dir = tempfile::tempdir().unwrap();
    let running = start(Settings { durability: Durability::Memory, ..settings(dir.path()) });
    let handle = running.handle();
    set_up(&handle);
    for number in 0..2_500 {
        send(&handle, ALICE, limit(number, Side::Buy, 10));
    }
    let cl_ord_id = ClOrdId::parse("all").unwrap();
    let cancel = Command::CancelAll(CancelAll { instrument: INSTRUMENT, cl_ord_id });
    let reply = send(&handle, ALICE, cancel);
    let canceled = reply.events().filter(|event| matches!(event, Event::OrderCanceled(_))).count();
    assert_eq!((canceled, reply.continued.len()), (2_500, 2), "in bounded steps");
    let open = handle.read(|engine| engine.open_orders(ALICE, INSTRUMENT).count()).unwrap();
    assert_eq!(open.blocking_recv().unwrap(), 0);
    running.stop().unwrap();
}

#[test]
fn what_does_not_belong_together_is_refused() {
    let make = |commands: u64| {
        let dir = tempfile::tempdir().unwrap();
        let running = start(settings(dir.path()));
        set_up(&running.handle());
        trade(&running.handle(), 0..commands);
        running.stop().unwrap();
        dir
    };
    let (short, long) = (make(10), make(100));
    let replace = |part: &str| {
        fs::remove_dir_all(short.path().join(part)).unwrap();
        fs::rename(long.path().join(part), short.path().join(part)).unwrap();
    };
    replace("snapshots");
    let error = Opened::open(settings(short.path())).unwrap_err();
    let ends_early = |error: &_| matches!(error, log::OpenError::EndsBeforeSnapshot { .. });
    assert!(matches!(&error, OpenError::Log(error) if ends_early(error)), "{error}");
    replace("log");
    Opened::open(settings(short.path())).unwrap();

    let (first, second) = (make(10), make(10));
    fs::remove_dir_all(first.path().join("snapshots")).unwrap();
    fs::rename(second.path().join("snapshots"), first.path().join("snapshots")).unwrap();
    let error = Opened::open(settings(first.path())).unwrap_err();
    assert!(matches!(error, OpenError::SnapshotOfAnotherLog { .. }), "{error}");
}

/// It looks like a torn tail. The snapshot shows that the venue had acknowledged it.
#[test]
fn a_damaged_end_of_the_log_that_a_snapshot_holds_is_left_as_it_is() {
    let dir = tempfile::tempdir().unwrap();
    let running = start(settings(dir.path()));
    set_up(&running.handle());
    trade(&running.handle(), 0..10);
    running.stop().unwrap();
    let files = fs::read_dir(dir.path().join("log")).unwrap().map(|entry| entry.unwrap().path());
    let segment = files.filter(|path| path.extension().is_some_and(|it| it == "log")).max();
    let segment = segment.unwrap();
    let mut damaged = fs::read(&segment).unwrap();
    let last = damaged.iter().rposition(|&byte| byte != 0).unwrap();
    damaged[last] ^= 1;
    fs::write(&segment, &damaged).unwrap();
    for _ in 0..2 {
        let error = Opened::open(settings(dir.path())).unwrap_err();
        assert!(
            error.to_string().contains("a frame that a snapshot holds is not whole"),
            "{error}"
        );
        assert!(fs::read(&segment).unwrap() == damaged, "nothing was changed");
    }
    damaged[last] ^= 1;
    fs::write(&segment, &damaged).unwrap();
    Opened::open(settings(dir.path())).unwrap();
}

/// Power that fails under `Durability::Os` may take more of the log than of what is derived from
/// it.
#[test]
fn a_spool_with_more_than_the_log_is_rebuilt() {
    let dir = tempfile::tempdir().unwrap();
    let (log, early) = (dir.path().join("log"), dir.path().join("early"));
    let running = start(settings(dir.path()));
    set_up(&running.handle());
    running.stop().unwrap();
    fs::create_dir(&early).unwrap();
    for entry in fs::read_dir(&log).unwrap() {
        let file = entry.unwrap();
        fs::copy(file.path(), early.join(file.file_name())).unwrap();
    }
    let running = start(settings(dir.path()));
    trade(&running.handle(), 0..20);
    running.stop().unwrap();
    fs::remove_dir_all(dir.path().join("snapshots")).unwrap();
    fs::remove_dir_all(&log).unwrap();
    fs::rename(&early, &log).unwrap();

    let running = start(settings(dir.path()));
    let told = (*send(&running.handle(), ALICE, limit(77, Side::Buy, 7)).applied).clone();
    let sequence = told.sequence;
    let read = running.handle().read_views(move |_, spool| spool.reader().read(sequence)).unwrap();
    assert_eq!(read.blocking_recv().unwrap().unwrap(), [told]);
    running.stop().unwrap();
}

#[test]
fn time_goes_on_where_it_was_after_a_restart_with_a_clock_set_back() {
    let dir = tempfile::tempdir().unwrap();
    for (clock_ns, expect_ns) in [(1_000, 1_000), (400, 1_000), (2_000, 2_000)] {
        let opened = Opened::open(settings(dir.path())).unwrap();
        let (mut machine, _lock) = opened.into_machine(clock_ns).unwrap();
        let envelope = Envelope::venue(Origin::Admin, clock_ns);
        machine.submit(Entry { envelope, command: order(1) }, ()).unwrap();
        let mut outputs = Vec::new();
        while machine.is_busy() {
            machine.poll(clock_ns, &mut outputs).unwrap();
        }
        assert_eq!(outputs.len(), 2, "a new epoch, and the order");
        assert!(outputs.iter().all(|output| output.reply.applied.sequenced_ns == expect_ns));
    }
}

#[test]
fn a_calendar_opens_and_closes_before_commands_of_that_time() {
    const HOUR_NS: u64 = 3_600 * 1_000_000_000;
    let monday = 4 * 24 * HOUR_NS;
    let dir = tempfile::tempdir().unwrap();
    let opened = Opened::open(settings(dir.path())).unwrap();
    let (mut machine, _lock) = opened.into_machine::<()>(0).unwrap();
    let mut apply = |now_ns: u64, commands: Vec<Command>| -> Vec<Event> {
        for command in commands {
            let envelope = Envelope::venue(Origin::Admin, now_ns);
            machine.submit(Entry { envelope, command }, ()).unwrap();
        }
        let mut outputs = Vec::new();
        for _ in 0..1_000 {
            let progress = machine.poll(now_ns, &mut outputs).unwrap();
            if !progress.is_any && !machine.is_busy() {
                break;
            }
            std::thread::sleep(std::time::Duration::from_micros(200));
        }
        outputs.iter().flat_map(|output| output.reply.events()).copied().collect()
    };
    let phases = |events: &[Event]| -> Vec<Phase> {
        let phase = |event: &Event| match event {
            Event::PhaseChanged(changed) => Some(changed.phase),
            _ => None,
        };
        events.iter().filter_map(phase).collect()
    };

    let begin = monday + 7 * HOUR_NS;
    let mut commands: Vec<Command> = ["USD", "OIL"]
        .into_iter()
        .map(|name| Asset { name: AssetName::parse(name).unwrap(), decimals: 2 })
        .map(|asset| Command::ListAsset(ListAsset { asset }))
        .collect();
    commands.push(Command::ListInstrument(ListInstrument { spec: instrument() }));
    let session = |hour: u32, phase| Some(Session { weekdays: 1, begins_s: hour * 3_600, phase });
    let mut sessions = [None; SESSIONS_MAX];
    sessions[0] = session(8, Phase::PreOpen);
    sessions[1] = session(9, Phase::Continuous);
    sessions[2] = session(17, Phase::Closed);
    commands.push(Command::SetCalendar(Calendar { instrument: INSTRUMENT, sessions }));
    assert_eq!(phases(&apply(begin, commands)), [], "nothing was on before the first Monday");

    assert_eq!(phases(&apply(monday + 8 * HOUR_NS - 1, Vec::new())), []);
    assert_eq!(phases(&apply(monday + 8 * HOUR_NS, Vec::new())), [Phase::PreOpen]);
    let events = apply(monday + 9 * HOUR_NS, vec![order(1)]);
    let rejected = matches!(events.last(), Some(Event::CommandRejected(_)));
    assert!(phases(&events) == [Phase::Continuous] && rejected, "first the phase: {events:?}");

    // An operator over-rules a session until the next one begins.
    let halt = SetPhase { instrument: INSTRUMENT, phase: Phase::Halt };
    let noon = monday + 12 * HOUR_NS;
    assert_eq!(phases(&apply(noon, vec![Command::SetPhase(halt)])), [Phase::Halt]);
    assert_eq!(phases(&apply(noon + HOUR_NS, Vec::new())), []);

    // While the venue is halted no phase changes; what is due then comes afterwards, at once.
    let halt = HaltVenue { level: 1, resume_ns: 0 };
    apply(noon + HOUR_NS, vec![Command::HaltVenue(halt)]);
    assert_eq!(phases(&apply(monday + 18 * HOUR_NS, Vec::new())), []);
    let resumed = apply(monday + 19 * HOUR_NS, vec![Command::ResumeVenue(())]);
    assert_eq!(phases(&resumed), [Phase::Closed]);
}

fn newest_snapshot(dir: &Path) -> std::path::PathBuf {
    let snapshots = fs::read_dir(dir.join("snapshots")).unwrap();
    snapshots.map(|entry| entry.unwrap().path()).max().unwrap()
}

/// Makes the spool one of another format version.
fn make_other_version(dir: &Path) {
    for entry in fs::read_dir(dir.join("spool")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "spool") {
            let mut bytes = fs::read(&path).unwrap();
            bytes[..8].copy_from_slice(b"BWSPOOL2");
            fs::write(&path, bytes).unwrap();
        }
    }
}

#[test]
fn a_spool_of_another_version_is_made_anew_once() {
    let trimmed = LogRetention::Delete;
    for (log_retention, snapshot_every) in [(LogRetention::Keep, 1_000), (trimmed.clone(), 100)] {
        let dir = tempfile::tempdir().unwrap();
        let log_segment_size = log::SEGMENT_SIZE_MIN;
        let settings = settings(dir.path());
        let is_trimmed = log_retention == trimmed;
        let settings = Settings { log_retention, snapshot_every, log_segment_size, ..settings };
        let running = start(settings.clone());
        set_up(&running.handle());
        trade(&running.handle(), 0..500);
        running.stop().unwrap();
        make_other_version(dir.path());

        let first = spooled(&Opened::open(settings.clone()).unwrap());
        assert!(first.last().unwrap().sequence > 500, "{}", first.len());
        // Of a trimmed log there is what the older snapshot has left, much or little.
        assert!(is_trimmed || first.len() > 200, "{}", first.len());
        // A file that is removed and made anew would be another one than this.
        let kept = dir.path().join("kept");
        let segment = newest_segment(dir.path());
        fs::hard_link(&segment, &kept).unwrap();
        let second = spooled(&Opened::open(settings.clone()).unwrap());
        assert!(second == first);
        let inode = |path: &Path| fs::metadata(path).unwrap().ino();
        assert_eq!(inode(&segment), inode(&kept), "it was made anew once more");

        let running = start(settings.clone());
        trade(&running.handle(), 500..600);
        running.stop().unwrap();
        let after = spooled(&Opened::open(settings).unwrap());
        assert!(after.starts_with(&first) && after.len() >= first.len() + 100);
        assert_eq!(inode(&segment), inode(&kept), "it was made anew once more");
    }
}

/// All that readers of the spool get.
fn spooled(opened: &Opened) -> Vec<Applied> {
    let spool = opened.spool();
    let (first, last) = (spool.first_sequence(), spool.last_sequence());
    let told = spool.reader().read_from(first, 10_000).unwrap();
    assert_eq!(told.last().unwrap().sequence, last);
    told
}

fn newest_segment(dir: &Path) -> std::path::PathBuf {
    let files = fs::read_dir(dir.join("spool")).unwrap().map(|entry| entry.unwrap().path());
    files.filter(|file| file.extension().is_some_and(|it| it == "spool")).max().unwrap()
}

/// All events of the accounts and the instrument, page by page.
fn all_numbered(handle: &Handle) -> Vec<Vec<NumberedEvent>> {
    let reader = handle.read_views(|_, spool| spool.reader()).unwrap().blocking_recv().unwrap();
    let pages = |read: &dyn Fn(u64) -> Vec<NumberedEvent>| {
        let mut all: Vec<NumberedEvent> = Vec::new();
        loop {
            let page = read(all.len() as u64 + 1);
            if page.is_empty() {
                return all;
            }
            all.extend(page);
            assert_eq!(all.last().unwrap().number, all.len() as u64);
        }
    };
    let accounts = [AccountId::VENUE, ALICE, BOB].into_iter();
    let of_accounts =
        accounts.map(|account| pages(&|from| reader.read_account(account, from, 97).unwrap()));
    let of_instrument = pages(&|from| reader.read_instrument(INSTRUMENT, from, 97).unwrap());
    of_accounts.chain([of_instrument]).collect()
}

#[test]
fn whatever_is_lost_of_the_spool_readers_get_the_same_events() {
    let dir = tempfile::tempdir().unwrap();
    let settings = Settings { snapshot_every: 150, ..settings(dir.path()) };
    let running = start(settings.clone());
    set_up(&running.handle());
    trade(&running.handle(), 0..500);
    let told = all_numbered(&running.handle());
    let heads = running.handle().read(|engine| engine.account_seqs().collect::<Vec<_>>()).unwrap();
    let heads = heads.blocking_recv().unwrap();
    assert!(
        heads[1..].iter().all(|(account, head)| *head == told[account.0 as usize].len() as u64)
    );
    assert!(told[1].len() > 300 && told[3].len() > 900);
    running.stop().unwrap();

    let spool = dir.path().join("spool");
    let check = |what: &str| {
        let running = start(settings.clone());
        assert!(all_numbered(&running.handle()) == told, "{what}");
        running.stop().unwrap();
    };
    check("nothing is lost");
    fs::remove_dir_all(&spool).unwrap();
    check("all is lost");
    for entry in fs::read_dir(&spool).unwrap() {
        let file = entry.unwrap().path();
        let mut bytes = fs::read(&file).unwrap();
        let middle = bytes.len() / 2;
        bytes[middle] ^= 1;
        fs::write(&file, bytes).unwrap();
        check(&format!("{} is damaged", file.display()));
    }
    fs::remove_dir_all(&spool).unwrap();
    fs::create_dir(&spool).unwrap();
    fs::write(spool.join("00000000000000000001.spool"), "BWSPOOL2 and other bytes").unwrap();
    check("one of another version is here");
}

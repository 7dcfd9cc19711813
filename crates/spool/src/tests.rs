//! A story of events is written to a spool, and readers must get it back from any number on,
//! whatever happened to the files in between.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::fs;
use std::net::IpAddr;
use std::path::{Path, PathBuf};

use disk::Disk;
use proptest::prelude::*;
use types::{
    AccountId, Adjustment, Amount, Command, CommandRejected, Event, InstrumentDelisted,
    InstrumentId, KeyId, Origin, RejectReason, RevokeKey, RotateMasterKey, SessionClosed,
    SessionId, TradeBusted, TradeId,
};

use super::*;
use crate::frame::{EventHash, FRAME_SIZE_MIN};
use crate::index::{Key, Numbers};
use crate::segment::{index_path, parse_name, scan, segment_path};

/// Segments of 1 KiB, of which a few commands make one.
pub(super) const SMALL: Retention = Retention { max_bytes: 32 << 10, max_age_ns: None };
/// For short stories, of which that keeps all.
const ALL: Retention = SMALL;
/// Segments of 2 KiB, and room for longer stories.
pub(super) const WIDE: Retention = Retention { max_bytes: 64 << 10, max_age_ns: None };
pub(super) const SECOND_NS: u64 = 1_000_000_000;

/// A history: every account and instrument has its numbers in it.
#[derive(Clone, Debug, Default)]
pub(super) struct Story {
    pub(super) applied: Vec<Applied>,
    accounts: BTreeMap<u32, u64>,
    instruments: BTreeMap<u32, u64>,
    /// The states that a replay can begin at; others are trimmed.
    pub(super) bases: Vec<u64>,
}

impl Story {
    pub(super) fn of(length: u64) -> Self {
        let mut story = Self { bases: vec![0], ..Self::default() };
        (0..length).for_each(|number| story.go_on(number * 7 % 5));
        story
    }

    /// One more command. What it does depends on the choice.
    fn go_on(&mut self, choice: u64) {
        let sequence = self.applied.len() as u64 + 1;
        let account = u32::try_from(1 + choice % 3).unwrap();
        let events = match choice % 5 {
            0 => vec![self.session(account), self.delisted(0)],
            1 => vec![self.busted(account, 9)],
            2 => vec![self.busted(account, account), self.delisted(1), self.delisted(1)],
            3 => {
                let (account, reason) = (AccountId(account), RejectReason::OrderNotFound);
                vec![Event::CommandRejected(CommandRejected {
                    account,
                    reason,
                    in_cancel: false,
                    numbered: None,
                })]
            }
            _ => Vec::new(),
        };
        self.applied.push(Applied {
            sequence,
            sequenced_ns: sequence * SECOND_NS,
            account: AccountId(account),
            continues: choice % 5 == 4,
            operated: (choice % 5 == 1).then(|| self.operated(sequence)),
            events,
        });
    }

    fn operated(&self, sequence: u64) -> Box<Operated> {
        let address: IpAddr = [10, 0, 0, (sequence % 256) as u8].into();
        let command = match sequence % 3 {
            0 => Command::ResumeVenue(()),
            1 => Command::RevokeKey(RevokeKey { key: KeyId(7) }),
            _ => Command::RotateMasterKey(RotateMasterKey {
                fingerprint: [3; 16],
                keys: vec![],
                logins: vec![],
            }),
        };
        let address = (!sequence.is_multiple_of(4)).then(|| address.into());
        Box::new(Operated { key: KeyId(9), origin: Origin::AdminApi, address, command })
    }

    fn session(&mut self, account: u32) -> Event {
        let account_seq = next(&mut self.accounts, account);
        let session = SessionId(account_seq * 1_000);
        Event::SessionClosed(SessionClosed { account_seq, account: AccountId(account), session })
    }

    fn delisted(&mut self, instrument: u32) -> Event {
        let instrument_seq = next(&mut self.instruments, instrument);
        let instrument = InstrumentId(instrument);
        Event::InstrumentDelisted(InstrumentDelisted { instrument_seq, instrument })
    }

    fn busted(&mut self, buyer: u32, seller: u32) -> Event {
        let mut adjusted = |account| {
            let account_seq = next(&mut self.accounts, account);
            next(&mut self.accounts, account); // That of the quote amount.
            let quote = Amount::from_minor(7);
            Adjustment { account: AccountId(account), account_seq, base: Amount::ZERO, quote }
        };
        let (buyer, seller) = (adjusted(buyer), adjusted(seller));
        let instrument_seq = next(&mut self.instruments, 2);
        let (instrument, trade_id) = (InstrumentId(2), TradeId(instrument_seq));
        Event::TradeBusted(TradeBusted { instrument_seq, instrument, trade_id, buyer, seller })
    }

    pub(super) fn hash_before(&self, sequence: u64) -> EventHash {
        let mut chain = Chain::new([0; 16]);
        let before = &self.applied[..sequence as usize - 1];
        before.iter().for_each(|applied| chain.extend(applied, &mut Vec::new()));
        chain.hash()
    }

    pub(super) fn last(&self) -> u64 {
        self.applied.len() as u64
    }

    /// What readers of a key get of commands from `first` on.
    fn numbered(&self, key: Key, first: u64) -> Vec<NumberedEvent> {
        let mut found = Vec::new();
        for Applied { sequence, sequenced_ns, events, .. } in &self.applied[first as usize - 1..] {
            for event in events {
                let (sequence, sequenced_ns, event) = (*sequence, *sequenced_ns, *event);
                batch::each_number(&event, |of, number| {
                    if of == key {
                        found.push(NumberedEvent { number, sequence, sequenced_ns, event });
                    }
                });
            }
        }
        found
    }
}

fn next(numbers: &mut BTreeMap<u32, u64>, id: u32) -> u64 {
    let number = numbers.entry(id).or_default();
    *number += 1;
    *number
}

impl History for Story {
    type Error = Infallible;

    fn replay(&self, wanted: u64, listener: &mut dyn HistoryListener) -> Result<(), Infallible> {
        let before = self.bases.iter().rfind(|base| **base < wanted);
        let Some(base) = before.or(self.bases.first()).copied() else { return Ok(()) };
        let mut goes_on = listener.begin(base, self.hash_before(base + 1));
        for applied in &self.applied[base as usize..] {
            goes_on = goes_on && listener.applied(applied);
        }
        Ok(())
    }
}

/// Starts a venue with this history: opens its spool behind `base`, replays, and completes it.
pub(super) fn start(dir: &Path, retention: Retention, story: &Story, base: u64) -> Spool {
    start_on(Disk::default(), dir, retention, story, base)
}

pub(super) fn start_on(
    disk: Disk,
    dir: &Path,
    retention: Retention,
    story: &Story,
    base: u64,
) -> Spool {
    let event_hash = story.hash_before(base + 1);
    let mut spool = Spool::open_on(disk, dir, retention, base, event_hash).unwrap();
    write(&mut spool, &story.applied[base as usize..]);
    let heads = |heads: &BTreeMap<u32, u64>| heads.clone().into_iter();
    spool.know_heads(
        heads(&story.accounts).map(|(id, head)| (AccountId(id), head)),
        heads(&story.instruments).map(|(id, head)| (InstrumentId(id), head)),
    );
    spool.complete(story, story.last());
    assert_eq!(spool.last_sequence(), story.last());
    assert_eq!(spool.event_hash(), story.hash_before(story.last() + 1));
    spool
}

pub(super) fn write(spool: &mut Spool, applied: &[Applied]) {
    for applied in applied {
        spool.append([applied]);
        spool.flush();
    }
}

/// Every reader gets what was written from `first` on, and an error for what is older.
pub(super) fn check(spool: &Spool, story: &Story, first: u64) {
    let reader = spool.reader();
    let pages = |max: usize| {
        read_all(first, |from| (reader.read_from(from, max), |it: &Applied| it.sequence))
    };
    assert_eq!(pages(3), story.applied[first as usize - 1..], "by command");
    assert_eq!(pages(1_000), story.applied[first as usize - 1..], "by command");
    check_gone(first, |from| reader.read_from(from, 1));
    for (account, head) in &story.accounts {
        let expect = story.numbered(Key::account(AccountId(*account)), first);
        let read = |from, max| reader.read_account(AccountId(*account), from, max);
        check_numbers(&format!("account {account}"), &expect, *head, read);
    }
    for (instrument, head) in &story.instruments {
        let expect = story.numbered(Key::instrument(InstrumentId(*instrument)), first);
        let read = |from, max| reader.read_instrument(InstrumentId(*instrument), from, max);
        check_numbers(&format!("instrument {instrument}"), &expect, *head, read);
    }
    assert_eq!(reader.read_account(AccountId(77), 1, 9).unwrap(), [], "no account has that number");
}

fn check_numbers(
    what: &str,
    expect: &[NumberedEvent],
    head: u64,
    read: impl Fn(u64, usize) -> Result<Vec<NumberedEvent>, SpoolError>,
) {
    let first = expect.first().map_or(head + 1, |event| event.number);
    for max in [1, 4, 1_000] {
        let found = read_all(first, |from| (read(from, max), |it: &NumberedEvent| it.number));
        assert_eq!(found, expect, "{what}, {max} at a time");
    }
    check_gone(first, |from| read(from, 5));
}

/// Turns page after page until there is none.
fn read_all<T>(
    mut from: u64,
    read: impl Fn(u64) -> (Result<Vec<T>, SpoolError>, fn(&T) -> u64),
) -> Vec<T> {
    let mut all = Vec::new();
    loop {
        let (page, number) = read(from);
        let page = page.unwrap();
        let Some(last) = page.last() else { return all };
        from = number(last) + 1;
        all.extend(page);
    }
}

fn check_gone<T: std::fmt::Debug>(first: u64, read: impl Fn(u64) -> Result<Vec<T>, SpoolError>) {
    for from in (1..first).step_by(3) {
        match read(from) {
            Err(SpoolError::Gone { first: found }) => assert_eq!(found, first, "from {from}"),
            other => panic!("from {from}: {other:?}"),
        }
    }
}

pub(super) fn files(dir: &Path) -> Vec<PathBuf> {
    let mut files: Vec<_> = fs::read_dir(dir).unwrap().map(|file| file.unwrap().path()).collect();
    files.sort_unstable();
    files
}

/// A spool of several segments, all of which are kept.
fn spooled(story: &Story) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    let spool = start(dir.path(), ALL, story, 0);
    check(&spool, story, 1);
    assert!(files(dir.path()).len() > 6, "some segments, their indexes, and the mark");
    dir
}

#[test]
fn what_was_written_is_read_from_any_number_on_also_after_a_restart() {
    let story = Story::of(60);
    let dir = spooled(&story);
    for base in [0, 1, 30, 59, 60] {
        let mut spool = start(dir.path(), ALL, &story, base);
        check(&spool, &story, 1);
        let mut story = story.clone();
        (0..30).for_each(|choice| story.go_on(choice));
        write(&mut spool, &story.applied[60..]);
        check(&spool, &story, 1);
        drop(spool);
        // The log has lost what came last: that spool is of another history.
        let dir = dir.path();
        check(&start(dir, ALL, &Story::of(60), base), &Story::of(60), 1);
    }
}

#[test]
fn a_command_comes_with_what_it_left_to_later() {
    let mut story = Story::default();
    story.bases.push(0);
    [0, 4, 4, 1, 4, 0].into_iter().for_each(|choice| story.go_on(choice));
    let dir = tempfile::tempdir().unwrap();
    let spool = start(dir.path(), ALL, &story, 0);
    let read = |sequence| spool.reader().read(sequence).unwrap();
    assert_eq!(read(1), story.applied[..3]);
    assert_eq!(read(4), story.applied[3..5]);
    assert_eq!(read(6), story.applied[5..]);
    assert_eq!(read(7), [], "it is yet to come");
    assert_eq!(read(1_000), []);
}

#[test]
fn a_long_continued_command_is_read_to_its_end() {
    let mut story = Story::default();
    story.bases.push(0);
    story.go_on(0);
    (0..100).for_each(|_| story.go_on(4));
    let dir = tempfile::tempdir().unwrap();
    let spool = start(dir.path(), ALL, &story, 0);
    assert_eq!(spool.reader().read(1).unwrap(), story.applied);
}

#[test]
fn a_torn_end_is_made_whole_at_every_byte() {
    let story = Story::of(5);
    let dir = tempfile::tempdir().unwrap();
    drop(start(dir.path(), ALL, &story, 0));
    let path = segment_path(dir.path(), 1);
    let whole = fs::read(&path).unwrap();
    for cut in 0..whole.len() {
        fs::write(&path, &whole[..cut]).unwrap();
        check(&start(dir.path(), ALL, &story, 4), &story, 1);
        for file in files(dir.path()) {
            fs::remove_file(file).unwrap();
        }
    }
}

#[test]
fn whatever_file_is_lost_is_made_anew() {
    let story = Story::of(60);
    let dir = spooled(&story);
    for file in files(dir.path()) {
        for base in [0, 37, 60] {
            fs::remove_file(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
            check(&start(dir.path(), ALL, &story, base), &story, 1);
            // Segments made anew may begin elsewhere.
            if !file.exists() {
                break;
            }
        }
    }
    fs::remove_dir_all(dir.path()).unwrap();
    check(&start(dir.path(), ALL, &story, 60), &story, 1);
}

#[test]
fn whatever_byte_is_damaged_is_made_anew() {
    let story = Story::of(34);
    let dir = spooled(&story);
    let whole: Vec<_> =
        files(dir.path()).into_iter().map(|file| (fs::read(&file).unwrap(), file)).collect();
    for (bytes, damaged) in &whole {
        // Every byte of the small files, some of each part of the others.
        for place in (0..bytes.len()).step_by(1 + bytes.len() / 50) {
            for (bytes, file) in &whole {
                fs::write(file, bytes).unwrap();
            }
            let mut bytes = bytes.clone();
            bytes[place] ^= 0x10;
            fs::write(damaged, bytes).unwrap();
            let spool = start(dir.path(), ALL, &story, 30);
            let what = format!("byte {place} of {}", damaged.display());
            let read = spool.reader().read_from(1, 1_000);
            assert_eq!(read.expect(&what), story.applied, "{what}");
            if place % 16 == 0 {
                check(&spool, &story, 1);
            }
            drop(spool);
            for file in files(dir.path()) {
                fs::remove_file(file).unwrap();
            }
        }
    }
}

#[test]
fn a_segment_of_a_later_build_is_named_as_such() {
    let story = Story::of(34);
    let dir = spooled(&story);
    let path = segment_path(dir.path(), 1);
    let mut bytes = fs::read(&path).unwrap();
    let check = |bytes: &[u8]| {
        fs::write(&path, bytes).unwrap();
        segment::Sealed::check(&Disk::default(), dir.path(), 1).map(|_| ()).unwrap_err().to_string()
    };
    bytes[7] = b'2';
    let error = check(&bytes);
    assert!(error.contains("made by a later build: it has format version 2"), "{error}");
    bytes[0] = b'X';
    assert!(check(&bytes).contains("its header is not sound"));
}

#[test]
fn damage_while_it_runs_is_reported_and_never_shown() {
    let story = Story::of(60);
    let dir = spooled(&story);
    let spool = start(dir.path(), ALL, &story, 60);
    let path = segment_path(dir.path(), 1);
    let mut bytes = fs::read(&path).unwrap();
    bytes[segment::HEADER_SIZE + FRAME_SIZE_MIN] ^= 1;
    fs::write(&path, bytes).unwrap();
    let error = spool.reader().read_from(1, 10).unwrap_err();
    let sentence = error.to_string();
    assert!(sentence.contains("0001.spool is damaged at byte 32"), "{sentence}");
    assert!(sentence.contains("start the venue again"), "{sentence}");
    assert_eq!(spool.reader().read_from(20, 1).unwrap(), story.applied[19..20]);
}

#[test]
fn the_oldest_goes_and_numbers_stay() {
    let dir = tempfile::tempdir().unwrap();
    let story = Story::of(2_000);
    let spool = start(dir.path(), SMALL, &story, 0);
    let first = spool.first_sequence();
    assert!(first > 1_000, "most is gone");
    check(&spool, &story, first);
    let size: u64 = files(dir.path()).iter().map(|file| fs::metadata(file).unwrap().len()).sum();
    assert!(size <= SMALL.max_bytes && size > SMALL.max_bytes * 8 / 10, "{size} bytes are kept");
    drop(spool);
    check(&start(dir.path(), SMALL, &story, 1_990), &story, first);

    // All is lost: as much is made anew.
    fs::remove_dir_all(dir.path()).unwrap();
    let spool = start(dir.path(), SMALL, &story, 1_990);
    let again = spool.first_sequence();
    assert!(again.abs_diff(first) < 20, "{again} {first}");
    check(&spool, &story, again);
}

#[test]
fn what_is_too_old_goes() {
    let dir = tempfile::tempdir().unwrap();
    let retention = Retention { max_age_ns: Some(100 * SECOND_NS), ..SMALL };
    let story = Story::of(300);
    let spool = start(dir.path(), retention, &story, 0);
    let first = spool.first_sequence();
    assert!((180..=205).contains(&first), "a command a second, kept from {first} on");
    check(&spool, &story, first);
}

#[test]
fn an_account_of_which_nothing_is_left_gets_its_next_number() {
    let mut story = Story::of(3);
    story.go_on(1); // A trade of account 2 with account 9.
    (0..2_000).for_each(|_| story.go_on(0));
    let dir = tempfile::tempdir().unwrap();
    let check = |spool: &Spool| {
        let read = |from| spool.reader().read_account(AccountId(9), from, 10);
        let head = story.accounts[&9];
        let gone = read(1).unwrap_err();
        assert!(matches!(gone, SpoolError::Gone { first } if first == head + 1), "{gone}");
        assert_eq!(read(head + 1).unwrap(), []);
    };
    check(&start(dir.path(), SMALL, &story, 0));
    check(&start(dir.path(), SMALL, &story, 2_000));
}

#[test]
fn a_spool_of_another_history_is_made_anew() {
    let mut other = Story::of(50);
    other.bases = vec![0, 20];
    other.applied[17..].iter_mut().for_each(|applied| applied.sequenced_ns += 1);
    let story = Story::of(60);
    for base in [0, 20, 45, 60] {
        let dir = tempfile::tempdir().unwrap();
        drop(start(dir.path(), ALL, &other, 0));
        check(&start(dir.path(), ALL, &story, base), &story, 1);

        // Of another history is the beginning only.
        let (mine, others) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        drop(start(mine.path(), ALL, &story, 0));
        drop(start(others.path(), ALL, &other, 0));
        let second = list(mine.path())[1];
        fs::copy(segment_path(others.path(), second), segment_path(mine.path(), second)).unwrap();
        check(&start(mine.path(), ALL, &story, base), &story, 1);
    }
}

#[test]
fn a_spool_whose_numbers_the_log_does_not_continue_is_made_anew() {
    let story = Story::of(30);
    // Commands of the same times with other events: an operator restored the log or the spool, or
    // another build wrote the spool.
    let mut other = Story::default();
    (0..30).for_each(|_| other.go_on(0));
    for length in [1, 7, 29, 30] {
        for retention in [ALL, WIDE] {
            let dir = tempfile::tempdir().unwrap();
            let mut spool = Spool::open(dir.path(), retention, 0, [0; 16]).unwrap();
            write(&mut spool, &other.applied[..length]);
            drop(spool);
            let mut spool = start(dir.path(), retention, &story, 0);
            check(&spool, &story, 1);
            let mut story = story.clone();
            (0..30).for_each(|choice| story.go_on(choice));
            write(&mut spool, &story.applied[30..]);
            check(&spool, &story, 1);
        }
    }
}

#[test]
fn a_spool_of_another_version_is_rebuilt() {
    let story = Story::of(60);
    let dir = tempfile::tempdir().unwrap();
    let mut bytes = b"BWSPOOL2".to_vec();
    let mut chain = Chain::new([0; 16]);
    story.applied.iter().for_each(|applied| chain.extend(applied, &mut bytes));
    fs::write(segment_path(dir.path(), 1), bytes).unwrap();
    check(&start(dir.path(), ALL, &story, 60), &story, 1);
}

#[test]
fn what_the_log_has_trimmed_is_a_hole_that_readers_see() {
    let mut story = Story::of(60);
    let dir = spooled(&story);
    story.bases = vec![40];
    let removed = list(dir.path())[1];
    fs::remove_file(segment_path(dir.path(), removed)).unwrap();
    let spool = start(dir.path(), ALL, &story, 50);
    let next = list(dir.path())[1];
    assert!(next > removed);
    let reader = spool.reader();
    assert_eq!(reader.read_from(1, 100).unwrap(), story.applied[..removed as usize - 1]);
    let gone = reader.read_from(removed, 100).unwrap_err();
    assert!(matches!(gone, SpoolError::Gone { first } if first == next), "{gone}");
    assert_eq!(reader.read_from(next, 100).unwrap(), story.applied[next as usize - 1..]);
    let key = Key::account(AccountId(2));
    let before: Vec<_> =
        story.numbered(key, 1).into_iter().filter(|it| it.sequence < removed).collect();
    let after = story.numbered(key, next);
    assert_eq!(reader.read_account(AccountId(2), 1, 100).unwrap(), before);
    let gone = reader.read_account(AccountId(2), before.len() as u64 + 1, 100).unwrap_err();
    assert!(matches!(gone, SpoolError::Gone { first } if first == after[0].number), "{gone}");
    assert_eq!(reader.read_account(AccountId(2), after[0].number, 100).unwrap(), after);
}

fn list(dir: &Path) -> Vec<u64> {
    let files = files(dir).into_iter();
    files.filter_map(|file| parse_name(file.file_name()?.to_str()?, "spool")).collect()
}

#[test]
fn a_foreign_file_is_named_and_left_alone() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("notes.txt"), "mine").unwrap();
    let error = Spool::open(dir.path(), ALL, 0, [0; 16]).unwrap_err();
    assert!(error.to_string().contains("notes.txt"), "{error}");
    assert!(dir.path().join("notes.txt").exists());
}

#[test]
fn a_reader_goes_on_while_the_oldest_is_deleted() {
    let story = Story::of(4_000);
    let dir = tempfile::tempdir().unwrap();
    let mut spool = start(dir.path(), SMALL, &Story::of(300), 0);
    let reader = spool.reader();
    let reading = std::thread::spawn(move || {
        let (mut next, mut read) = (1, 0_u64);
        while next <= 4_000 {
            match reader.read_from(next, 5) {
                Ok(page) => {
                    for applied in page {
                        assert_eq!(applied.sequence, next);
                        (next, read) = (next + 1, read + 1);
                    }
                }
                Err(SpoolError::Gone { first }) => {
                    assert!(first > next);
                    next = first;
                }
                Err(error) => panic!("{error}"),
            }
        }
        read
    });
    write(&mut spool, &story.applied[300..]);
    assert!(reading.join().unwrap() > 0);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn no_bytes_make_the_decoders_panic(bytes: Vec<u8>, first: u64) {
        scan_anything(&bytes, first);
        let mut bytes = [b"BWSPOOL1", &bytes[..]].concat();
        scan_anything(&bytes, first);
        bytes[..8].copy_from_slice(b"BWSPIDX1");
        look_up_anything(&bytes, first);
    }

    #[test]
    fn no_change_of_a_segment_makes_its_decoders_panic(
        changes in prop::collection::vec((0_usize..4_000, any::<u8>()), 1..5),
    ) {
        let (mut segment, mut index) = segment_and_index();
        for (place, byte) in changes {
            let (in_segment, in_index) = (place % segment.len(), place % index.len());
            segment[in_segment] = byte;
            index[in_index] = byte;
        }
        scan_anything(&segment, 1);
        look_up_anything(&index, 3);
    }

    #[test]
    fn pages_of_any_size_from_anywhere_are_the_story(
        choices in prop::collection::vec(0_u64..15, 1..200),
        from in 1_u64..60,
        max in 0_usize..40,
        flush_every in 1_usize..9,
    ) {
        let mut story = Story { bases: vec![0], ..Story::default() };
        choices.into_iter().for_each(|choice| story.go_on(choice));
        let dir = tempfile::tempdir().unwrap();
        let mut spool = Spool::open(dir.path(), WIDE, 0, [0; 16]).unwrap();
        for applied in story.applied.chunks(flush_every) {
            spool.append(applied);
            spool.flush();
        }
        spool.complete(&story, story.last());
        let expect = story.applied.iter().skip(from as usize - 1).take(max).cloned();
        prop_assert_eq!(spool.reader().read_from(from, max).unwrap(), expect.collect::<Vec<_>>());
        for account in [1, 2, 3, 9].map(AccountId) {
            let expect = story.numbered(Key::account(account), 1).into_iter();
            let expect: Vec<_> = expect.skip(from as usize - 1).take(max).collect();
            prop_assert_eq!(spool.reader().read_account(account, from, max).unwrap(), expect);
        }
    }
}

fn segment_and_index() -> (Vec<u8>, Vec<u8>) {
    let dir = tempfile::tempdir().unwrap();
    drop(start(dir.path(), ALL, &Story::of(60), 0));
    (fs::read(segment_path(dir.path(), 1)).unwrap(), fs::read(index_path(dir.path(), 1)).unwrap())
}

fn scan_anything(bytes: &[u8], first: u64) {
    if let Some(scanned) = scan(bytes, first) {
        assert!(scanned.summary.size <= bytes.len() as u64);
        assert_eq!(scanned.summary.first, first);
    }
}

fn look_up_anything(bytes: &[u8], number: u64) {
    index::check(bytes);
    let file = tempfile::NamedTempFile::new().unwrap();
    fs::write(file.path(), bytes).unwrap();
    if let Ok(index) = index::IndexFile::open(&Disk::default(), file.path()) {
        let key = Key::account(AccountId(2));
        for numbers in [Numbers::Commands, Numbers::Of(key)] {
            let offsets = index.offsets(numbers, number, 100);
            assert!(offsets.is_err() || offsets.unwrap().len() <= 100);
        }
        let _ = index.range(key);
    }
}

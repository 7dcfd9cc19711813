//! What the targets share: a small venue, and what no command may do to it.

mod market;
mod site;
mod state;

use engine::{Engine, WORK_PER_COMMAND};
use types::{Command, Entry, Envelope, Origin, Reader};

pub use market::{busy_venue, small_venue};
pub use site::{OPERATOR, SECRET, Site, TRADER, finish, set_up_and_trade};
pub use state::{go_on, patch};

/// The most events of one unit of a command's work: a trade, both books, both
/// lists, the next part of an iceberg.
const EVENTS_PER_WORK: usize = 16;

/// The most events of one command.
pub const EVENTS_MAX: usize = (WORK_PER_COMMAND as usize + 1) * EVENTS_PER_WORK;

/// `Continue`s after which the work of one command is done: no script is long enough for more.
pub const CONTINUES_MAX: usize = 1_000;

/// The entries that are read of one input.
const ENTRIES_MAX: usize = 2_000;

/// Applies (time, entry) after (time, entry), as they lie in a log, until something else comes.
pub fn apply_all(engine: &mut Engine, bytes: &[u8]) {
    let mut reader = Reader(bytes);
    for _ in 0..ENTRIES_MAX {
        let Some((sequenced_ns, entry)) = read_timed(&mut reader) else { break };
        apply(engine, sequenced_ns, &entry);
    }
    engine.assert_consistent();
}

fn read_timed(r: &mut Reader<'_>) -> Option<(u64, Entry)> {
    Some((r.read()?, r.read()?))
}

/// Applies one entry and the `Continue`s that it leads to: neither may be without end.
pub fn apply(engine: &mut Engine, sequenced_ns: u64, entry: &Entry) {
    let mut events = Vec::new();
    engine.apply(sequenced_ns, entry, &mut events);
    assert!(events.len() <= EVENTS_MAX, "{} events of {:?}", events.len(), entry.command);
    let envelope = Envelope::venue(Origin::Venue, 0);
    let rest = Entry { envelope, command: Command::Continue(()) };
    let mut continues = 0;
    while engine.has_deferred() {
        events.clear();
        engine.apply(sequenced_ns, &rest, &mut events);
        assert!(events.len() <= EVENTS_MAX, "{} events of {:?}", events.len(), entry.command);
        continues += 1;
        assert!(continues <= CONTINUES_MAX, "{:?} does not end", entry.command);
    }
}

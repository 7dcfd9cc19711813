//! Model checks of the log's hand-over: what was appended is polled, in order, and a caller that
//! waits is called for each commit and for the end.
//!
//! The hand-over is the log's own file. The writer is a model: it commits a group, or fails.
//! A caller that is not called waits for ever, which loom reports as a deadlock.
//!
//! # Known limits
//! The queues are a list under a lock. The disk is never full, and the filler has nothing to do.

mod batch;
#[path = "../check.rs"]
mod check;
mod contract;
mod error;
#[path = "../../../crates/log/src/file"]
#[allow(dead_code, reason = "the log uses more of it")]
mod file {
    #[path = "../../../../loom/src/hand_over/filler.rs"]
    pub(crate) mod filler;
    pub(crate) mod hand_over;
    pub(crate) mod shared;
    #[path = "../../../../loom/src/hand_over/writer.rs"]
    pub(crate) mod writer;
}
mod frame;
#[path = "../queue.rs"]
#[allow(dead_code, reason = "other models use more of it")]
mod queue;
mod sync;

use std::sync::Arc;

use loom::sync::{Condvar, Mutex};
use loom::thread::JoinHandle;

use crate::batch::Batch;
use crate::check::check;
use crate::error::LogError;
use crate::file::filler::Filler;
use crate::file::hand_over::{Caller, Held, hand_over};
use crate::file::shared::Shared;
use crate::file::writer::Writer;

fn main() {
    check("each batch is polled once, in order", 3, || {
        let mut log = Log::start(2, Writer::sound());
        log.append(1);
        log.append(2);
        assert_eq!([log.wait(), log.wait()], [Ok(1), Ok(2)]);
        log.close();
    });
    check("one batch in flight after another", 3, || {
        let mut log = Log::start(1, Writer::sound());
        for number in 1..=3 {
            log.append(number);
            assert_eq!(log.wait(), Ok(number));
        }
        log.close();
    });
    check("the writer fails: the caller is called, and can append no more", 3, || {
        let mut log = Log::start(2, Writer::that_fails_at(2));
        log.append(1);
        assert_eq!(log.wait(), Ok(1));
        log.append(2);
        assert_eq!(log.wait(), Err(LogError::Failed));
        let refused = log.caller.append(Batch { number: 3, payload: Vec::new() });
        assert_eq!(refused, Err(LogError::Failed));
        log.close();
    });
    check("a caller commits between batches of the writer's thread", 3, || {
        let mut log = Log::start(2, Writer::sound());
        log.append(1);
        assert_eq!(log.wait(), Ok(1));
        log.append_and_commit(2);
        log.append(3);
        assert_eq!([log.wait(), log.wait()], [Ok(2), Ok(3)]);
        log.append_and_commit(4);
        assert_eq!(log.wait(), Ok(4));
        log.close();
    });
    check("another thread commits what the caller appended, and closes meanwhile", 3, || {
        let mut log = Log::start(2, Writer::sound());
        let committed = log.writer_commits();
        let batch = Batch { number: 1, payload: Vec::new() };
        let held = log.caller.append_held(batch).expect("there is room");
        log.append(2);
        let thread = loom::thread::spawn(move || held.map(Held::commit));
        log.close();
        thread.join().expect("it commits");
        assert_eq!(*committed.lock().expect("no thread panics"), 2);
    });
    check("a commit by the caller fails: it can append no more", 3, || {
        let mut log = Log::start(2, Writer::that_fails_at(1));
        log.append_and_commit(1);
        assert_eq!(log.wait(), Err(LogError::Failed));
        let refused = log.caller.append(Batch { number: 2, payload: Vec::new() });
        assert_eq!(refused, Err(LogError::Failed));
        log.close();
    });
    check("what is in flight at the end is committed", 3, || {
        let mut log = Log::start(2, Writer::sound());
        let committed = log.writer_commits();
        log.append(1);
        log.append(2);
        log.close();
        assert_eq!(*committed.lock().expect("no thread panics"), 2);
    });
}

struct Log {
    caller: Caller,
    committed: Arc<Mutex<u64>>,
    call: Arc<Call>,
    thread: JoinHandle<()>,
}

/// Wakes the thread that waits for the log.
#[derive(Default)]
struct Call {
    is_called: Mutex<bool>,
    called: Condvar,
}

impl Log {
    fn start(in_flight_max: usize, writer: Writer) -> Self {
        let shared = Arc::new(Shared::new());
        let call = Arc::new(Call::default());
        let (to_call, failure) = (Arc::clone(&call), Arc::clone(&shared));
        let on_commit = Arc::new(move || {
            if cfg!(not(feature = "lost-wake-up")) || failure.failure.get().is_none() {
                to_call.notify();
            }
        });
        let committed = writer.committed();
        let (caller, thread) = hand_over(in_flight_max, (writer, Filler), &shared, on_commit);
        let thread = loom::thread::spawn(move || thread.run());
        Self { caller, committed, call, thread }
    }

    /// Appends a batch and commits it, unless the writer's thread does.
    fn append_and_commit(&mut self, number: u64) {
        let batch = Batch { number, payload: Vec::new() };
        if let Some(held) = self.caller.append_held(batch).expect("there is room") {
            held.commit();
        }
    }

    fn append(&mut self, number: u64) {
        self.caller.append(Batch { number, payload: Vec::new() }).expect("there is room");
    }

    /// The number of the next batch that is committed. Polls again only after a call.
    fn wait(&mut self) -> Result<u64, LogError> {
        loop {
            if let Some(committed) = self.caller.poll()? {
                return Ok(committed.batch.number);
            }
            self.call.wait();
        }
    }

    fn writer_commits(&self) -> Arc<Mutex<u64>> {
        Arc::clone(&self.committed)
    }

    fn close(mut self) {
        self.caller.close();
        self.thread.join().expect("the writer ends");
    }
}

impl Call {
    fn notify(&self) {
        *self.is_called.lock().expect("no thread panics") = true;
        self.called.notify_all();
    }

    fn wait(&self) {
        let mut is_called = self.is_called.lock().expect("no thread panics");
        while !*is_called {
            is_called = self.called.wait(is_called).expect("no thread panics");
        }
        *is_called = false;
    }
}

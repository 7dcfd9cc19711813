//! Model checks of the combiner: no request stays in the inbox, whichever thread has the engine.
//!
//! The combiner is the venue's own file. The engine behind it is a model: an inbox, a batch in
//! flight, and replies. Loom runs each scenario in every order of its threads, up to
//! a number of preemptions, with the weak memory that the orderings allow. A request that
//! no thread drains leaves its submitter waiting for ever, which loom reports as a deadlock.
//!
//! # Known limits
//! The inbox is a counter with the orderings of a channel, and a submitter waits under a lock.

mod machine {
    #[derive(Debug)]
    pub(crate) struct MachineError;
}
#[path = "../../../crates/venue/src/run"]
#[allow(dead_code, reason = "the venue uses more of the combiner")]
mod run {
    pub(crate) mod combiner;
    #[path = "../../../../loom/src/combiner/model.rs"]
    pub(crate) mod shell;
}
#[path = "../check.rs"]
mod check;
#[path = "../threads.rs"]
mod sync;

use std::sync::Arc;

use crate::check::check;
use crate::run::combiner::Combiner;
use crate::run::shell::{Engine, Shell};

fn main() {
    check("two submitters, nothing on disk", 3, || {
        let venue = Venue::start(Engine::in_memory());
        let other = venue.submitter();
        venue.submit();
        other.join().expect("the submitter ends");
        venue.stop();
    });
    check("two submitters that leave the work to the engine's thread", 3, || {
        let venue = Venue::start(Engine::that_leaves_work());
        let other = venue.submitter();
        venue.submit();
        other.join().expect("the submitter ends");
        venue.stop();
    });
    check("one request after another, on disk", 3, || {
        let venue = Venue::start(Engine::on_disk());
        let log_writer = venue.log_writer(2);
        venue.submit();
        venue.submit();
        log_writer.join().expect("the log writer ends");
        venue.stop();
    });
    check("a request during the commit of another", 2, || {
        let venue = Venue::start(Engine::on_disk());
        let log_writer = venue.log_writer(2);
        let other = venue.submitter();
        venue.submit();
        other.join().expect("the submitter ends");
        log_writer.join().expect("the log writer ends");
        venue.stop();
    });
    check("a request after another, which its submitter commits", 3, || {
        let venue = Venue::start(Engine::whose_submitters_commit());
        let log_writer = venue.log_writer(2);
        venue.submit();
        venue.submit();
        log_writer.join().expect("the log writer ends");
        venue.stop();
    });
    check("a request during a commit by the submitter of another", 2, || {
        let venue = Venue::start(Engine::whose_submitters_commit());
        let log_writer = venue.log_writer(2);
        let other = venue.submitter();
        venue.submit();
        other.join().expect("the submitter ends");
        log_writer.join().expect("the log writer ends");
        venue.stop();
    });
}

#[derive(Clone)]
struct Venue {
    combiner: Arc<Combiner>,
    engine: Arc<Engine>,
}

impl Venue {
    /// With the engine's thread, which waits for wake-ups.
    fn start(engine: Engine) -> Running {
        let engine = Arc::new(engine);
        let combiner = Arc::new(Combiner::new(Shell::new(&engine), true));
        engine.combiner.set(Arc::downgrade(&combiner)).expect("it is set once");
        let venue = Self { combiner, engine };
        let of_engine = venue.clone();
        let thread = loom::thread::spawn(move || of_engine.combiner.run().expect("it ends well"));
        Running { venue, thread }
    }

    /// As a ticket does: into the inbox, run the inbox, wait for the reply.
    fn submit(&self) {
        let ticket = self.engine.push();
        self.combiner.run_inbox();
        self.engine.await_reply(ticket);
    }
}

struct Running {
    venue: Venue,
    thread: loom::thread::JoinHandle<()>,
}

impl Running {
    fn submit(&self) {
        self.venue.submit();
    }

    fn submitter(&self) -> loom::thread::JoinHandle<()> {
        let venue = self.venue.clone();
        loom::thread::spawn(move || venue.submit())
    }

    /// Commits batches until `requests` of them are on disk, and calls the combiner after each.
    fn log_writer(&self, requests: usize) -> loom::thread::JoinHandle<()> {
        let venue = self.venue.clone();
        loom::thread::spawn(move || {
            while venue.engine.commit(requests) {
                venue.combiner.on_commit();
            }
        })
    }

    fn stop(self) {
        self.venue.engine.stop();
        self.venue.combiner.wake_engine();
        self.thread.join().expect("the engine's thread ends");
    }
}

//! Model checks of the way to the publisher: what was applied reaches it once and in order, a
//! submitter that has its reply finds its command in the views, and nothing stays where the outbox
//! had no room.
//!
//! Combiner, dispatch and outbox are the venue's own files. The engine applies what it drains, in
//! memory. The outbox has room for one message, so that the publisher is behind all the time.
//!
//! # Known limits
//! The queues are a list under a lock.

mod machine;
#[path = "../queue.rs"]
#[allow(dead_code, reason = "other models use more of it")]
mod queue;
#[path = "../../../crates/venue/src/run"]
#[allow(dead_code, reason = "the venue uses more of the combiner")]
mod run {
    pub(crate) mod combiner;
    pub(crate) mod dispatch;
    #[path = "../../../../loom/src/publisher/inbox.rs"]
    pub(crate) mod inbox;
    pub(crate) mod outbox;
    #[path = "../../../../loom/src/publisher/publisher.rs"]
    pub(crate) mod publisher;
    #[path = "../../../../loom/src/publisher/reporter.rs"]
    pub(crate) mod reporter;
    #[path = "../../../../loom/src/publisher/shell.rs"]
    pub(crate) mod shell;
}
#[path = "../check.rs"]
mod check;
#[path = "../threads.rs"]
mod threads;
mod sync {
    pub(crate) use crate::queue::{Receiver, SyncSender};
    pub(crate) use crate::threads::*;
}

use std::sync::Arc;

use loom::thread::JoinHandle;

use crate::check::check;
use crate::queue::{SyncSender, sync_channel};
use crate::run::combiner::Combiner;
use crate::run::inbox::{ReplyTo, Request, Submitter};
use crate::run::outbox::Outbox;
use crate::run::publisher::{Message, publish_all};
use crate::run::shell::Shell;
use crate::sync::Thread;

fn main() {
    check("one submitter, each of whose commands is in the views with its reply", 3, || {
        let venue = Running::start();
        for number in 1..=2 {
            venue.client.submit();
            assert_eq!(venue.client.count_of_views(), number);
        }
        venue.stop();
    });
    check("two submitters and an outbox without room", 2, || {
        let venue = Running::start();
        let client = venue.client.clone();
        let other = loom::thread::spawn(move || client.submit());
        venue.client.submit();
        other.join().expect("the submitter ends");
        assert_eq!(venue.client.count_of_views(), 2);
        venue.stop();
    });
}

#[derive(Clone)]
struct Client {
    combiner: Arc<Combiner>,
    inbox: SyncSender<Request>,
    outbox: Outbox<Message>,
}

struct Running {
    client: Client,
    engine: JoinHandle<()>,
    publisher: JoinHandle<()>,
}

impl Running {
    fn start() -> Self {
        let (inbox, requests) = sync_channel(4);
        let (to_publisher, messages) = sync_channel(1);
        let publisher = loom::thread::spawn(move || publish_all(&messages));
        let outbox = Outbox::new(to_publisher, Thread(publisher.thread().clone()));
        let combiner = Arc::new(Combiner::new(Shell::new(requests, outbox.clone()), true));
        let of_engine = Arc::clone(&combiner);
        let engine = loom::thread::spawn(move || of_engine.run().expect("it ends well"));
        Self { client: Client { combiner, inbox, outbox }, engine, publisher }
    }

    fn stop(self) {
        let Self { client, engine, publisher } = self;
        client.inbox.send(Request::Stop).expect("the engine runs");
        client.combiner.wake_engine();
        engine.join().expect("the engine's thread ends");
        client.outbox.send(Message::Stop);
        publisher.join().expect("the publisher ends");
    }
}

impl Client {
    /// As a ticket does: into the inbox, run the inbox, wait for the reply.
    fn submit(&self) {
        let (sender, reply) = sync_channel(1);
        let reply_to = ReplyTo { to: Submitter::Ticket(sender) };
        self.inbox.send(Request::Submit(reply_to)).expect("the engine runs");
        self.combiner.run_inbox();
        let reply = reply.recv().expect("each command has a reply").expect("none is refused");
        assert!(reply.applied.sequence > 0);
    }

    /// How many commands the views hold.
    fn count_of_views(&self) -> u64 {
        let (sender, count) = sync_channel(1);
        self.outbox.send(Message::Read(sender));
        count.recv().expect("each question has an answer")
    }
}

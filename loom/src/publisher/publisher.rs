//! A publisher whose views are a count: each command is to be the next.

use std::sync::Arc;
use std::time::Instant;

use crate::queue::{Receiver, SyncSender};
use crate::run::outbox;

#[derive(Debug)]
pub(crate) struct Applied {
    pub(crate) sequence: u64,
}

pub(crate) enum Message {
    Applied(Vec<Arc<Applied>>, Instant),
    Read(SyncSender<u64>),
    Stop,
}

pub(crate) fn publish_all(messages: &Receiver<Message>) {
    let mut views = 0;
    loop {
        match outbox::next(messages, None).expect("the venue stops it before it ends") {
            Message::Applied(batch, _) => {
                for applied in batch {
                    views += 1;
                    assert_eq!(applied.sequence, views);
                }
            }
            Message::Read(sender) => sender.send(views).expect("it waits"),
            Message::Stop => return,
        }
    }
}

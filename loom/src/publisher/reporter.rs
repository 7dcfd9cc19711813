//! A reporter that checks the order in which it gets what is applied.

use crate::machine::Reply;

pub(crate) trait Reporter: Send {
    fn applied(&mut self, reply: &Reply, posted_by: Option<u64>);
    fn batch_done(&mut self);
}

#[derive(Default)]
pub(crate) struct InOrder {
    sequence: u64,
}

impl Reporter for InOrder {
    fn applied(&mut self, reply: &Reply, _: Option<u64>) {
        self.sequence += 1;
        assert_eq!(reply.applied.sequence, self.sequence);
    }

    fn batch_done(&mut self) {}
}

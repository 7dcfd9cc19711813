//! Batches without content.

#[derive(Debug)]
pub(crate) struct Batch {
    pub(crate) number: u64,
    pub(crate) payload: Vec<u8>,
}

#[derive(Debug)]
pub(crate) struct Committed {
    pub(crate) batch: Batch,
}

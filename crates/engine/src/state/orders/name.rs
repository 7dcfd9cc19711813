//! The name that a client gave an order, as it is kept.

use types::PackedClOrdId;

#[derive(Clone, Copy, Debug)]
pub(super) enum Name {
    Packed(PackedClOrdId),
    /// Where it lies in `long_names`.
    Long(u32),
}

const _: () = assert!(size_of::<Name>() == 16);

/// A name as it is looked for, and kept.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sought {
    pub(super) packed: Option<PackedClOrdId>,
    pub(crate) hash: u32,
}

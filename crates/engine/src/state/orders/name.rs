//! Client ids of open orders in their stored form.

use types::PackedClOrdId;

#[derive(Clone, Copy, Debug)]
pub(super) enum Name {
    Packed(PackedClOrdId),
    /// Index into `long_names`.
    Long(u32),
}

const _: () = assert!(size_of::<Name>() == 16);

/// A client id for lookups, with its stored form.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sought {
    pub(super) packed: Option<PackedClOrdId>,
    pub(crate) hash: u32,
}

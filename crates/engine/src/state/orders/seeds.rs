//! Hashes of order names, for the table of names.

use std::hash::{BuildHasher, Hasher, RandomState};

use foldhash::SharedSeed;
use foldhash::quality::FoldHasher;
use types::{AccountId, ClOrdId, InstrumentId, PackedClOrdId};

use crate::book::slab::Slab;
use crate::state::orders::record::Name;
use crate::state::orders::record::OpenOrder;

/// The seed of the name hash. It differs for each process, so that no client can craft ids that
/// collide. No result depends on it: the table is only queried for single ids.
#[derive(Clone, Debug)]
pub(super) struct Seeds {
    shared: SharedSeed,
    own: u64,
}

impl Default for Seeds {
    fn default() -> Self {
        let random = RandomState::new(); // seeded by the operating system
        Self { shared: SharedSeed::from_u64(random.hash_one(0)), own: random.hash_one(1) }
    }
}

impl Seeds {
    #[inline(always)]
    pub(super) fn hash_of(&self, record: &OpenOrder, long_names: &Slab<ClOrdId>) -> u32 {
        let OpenOrder { account, instrument, .. } = *record;
        match record.cl_ord_id {
            Name::Packed(packed) => self.hash(account, instrument, packed),
            Name::Long(at) => self.hash_long(account, instrument, &long_names[at]),
        }
    }

    #[inline]
    pub(super) fn hash(
        &self,
        account: AccountId,
        instrument: InstrumentId,
        packed: PackedClOrdId,
    ) -> u32 {
        let mut hasher = self.hasher(account, instrument);
        packed.words().into_iter().for_each(|word| hasher.write_u64(word));
        hasher.finish() as u32
    }

    #[cold]
    pub(super) fn hash_long(
        &self,
        account: AccountId,
        instrument: InstrumentId,
        cl_ord_id: &ClOrdId,
    ) -> u32 {
        let mut hasher = self.hasher(account, instrument);
        hasher.write(cl_ord_id.as_bytes());
        hasher.finish() as u32
    }

    #[inline]
    fn hasher(&self, account: AccountId, instrument: InstrumentId) -> FoldHasher<'_> {
        let mut hasher = FoldHasher::with_seed(self.own, &self.shared);
        hasher.write_u64(u64::from(account.0) << 32 | u64::from(instrument.0));
        hasher
    }
}

//! Ids. The engine assigns all of them in order, so that a replay assigns the same ones.

use crate::describe::{Describe, Described};
use crate::wire::{Reader, Wire};

macro_rules! ids {
    ($( $(#[$attr:meta])* $name:ident($int:ty); )*) => {$(
        $(#[$attr])*
        #[derive(Clone, Copy, Debug, Default, Eq, Hash, Ord, PartialEq, PartialOrd)]
        pub struct $name(pub $int);

        impl Wire for $name {
            fn write(&self, out: &mut Vec<u8>) {
                self.0.write(out);
            }
            fn read(r: &mut Reader<'_>) -> Option<Self> {
                r.read().map(Self)
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                self.0.fmt(f)
            }
        }
    )*};
}

ids! {
    /// Dense from 1; 0 is the venue itself.
    AccountId(u32);
    /// Dense from 0, in order of listing.
    AssetId(u16);
    /// Dense from 0, in order of listing.
    InstrumentId(u32);
    /// Dense from 1; 0 means that the command used no key.
    KeyId(u32);
    /// Dense from 1.
    LoginId(u32);
    /// Dense from 1 per instrument, below 2^53 so that JavaScript can hold it.
    OrderId(u64);
    /// Dense from 1 per instrument, below 2^53.
    TradeId(u64);
    /// Dense from 1 per instrument; 0 means that an order is in no list.
    OrderListId(u64);
    /// Dense from 1.
    ReceivableId(u64);
    /// A connection that numbers its commands; 0 means that there is none.
    SessionId(u64);
}

impl AccountId {
    /// The venue itself, for which operators act.
    pub const VENUE: Self = Self(0);
}

/// Ids whose value has no special case.
macro_rules! plain {
    ($($name:ident),*) => {$(
        impl Describe for $name {
            fn describe(&self) -> Described {
                self.0.describe()
            }
        }
    )*};
}
plain!(KeyId, LoginId, OrderId, TradeId, OrderListId, ReceivableId, SessionId);

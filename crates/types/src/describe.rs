//! The parts of a value by name, for tools that print the log or the state.
//!
//! The macros that declare a type and its layout declare its description too, so that no field is
//! forgotten. The tool that prints a quantity finds its unit elsewhere: a [`Price`] counts ticks,
//! and the instrument has the size of a tick.

use crate::decimal::Increment;
use crate::id::{AccountId, AssetId, InstrumentId};
use crate::number::{Amount, Price, Qty};
use crate::text::Sealed;

/// A value as a tree of its parts.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Described {
    /// The value of `None` and of `()`.
    Nothing,
    Flag(bool),
    /// A number of at most 32 bits, which every JSON reader can hold.
    Number(i64),
    /// A number of 64 bits: some JSON readers cannot hold those beyond 2^53.
    Wide(i128),
    Text(String),
    /// A choice, by its name.
    Word(&'static str),
    Hash(Vec<u8>),
    /// A value that must not be printed.
    Secret,
    Price(Price),
    Qty(Qty),
    Amount(Amount),
    Increment(Increment),
    Account(AccountId),
    Asset(AssetId),
    Instrument(InstrumentId),
    List(Vec<Described>),
    Record(Vec<(&'static str, Described)>),
    /// One of several records, by its name.
    Choice(&'static str, Box<Described>),
}

pub trait Describe {
    fn describe(&self) -> Described;
}

impl Describe for () {
    fn describe(&self) -> Described {
        Described::Nothing
    }
}

impl Describe for bool {
    fn describe(&self) -> Described {
        Described::Flag(*self)
    }
}

macro_rules! integers {
    ($($variant:ident: $($int:ty),*;)*) => {$($(
        impl Describe for $int {
            fn describe(&self) -> Described {
                Described::$variant((*self).into())
            }
        }
    )*)*};
}
integers! {
    Number: u8, u16, u32, i32;
    Wide: u64, i64, i128;
}

impl<const N: usize> Describe for [u8; N] {
    fn describe(&self) -> Described {
        Described::Hash(self.to_vec())
    }
}

impl Describe for Sealed {
    fn describe(&self) -> Described {
        Described::Secret
    }
}

macro_rules! quantities {
    ($($variant:ident: $type:ty;)*) => {$(
        impl Describe for $type {
            fn describe(&self) -> Described {
                Described::$variant(*self)
            }
        }
    )*};
}
quantities! {
    Price: Price;
    Qty: Qty;
    Amount: Amount;
    Increment: Increment;
    Account: AccountId;
    Asset: AssetId;
    Instrument: InstrumentId;
}

impl<T: Describe> Describe for Option<T> {
    fn describe(&self) -> Described {
        self.as_ref().map_or(Described::Nothing, Describe::describe)
    }
}

impl<T: Describe> Describe for Box<T> {
    fn describe(&self) -> Described {
        (**self).describe()
    }
}

/// A list of at most `N`: the elements that it has.
impl<T: Describe, const N: usize> Describe for [Option<T>; N] {
    fn describe(&self) -> Described {
        Described::List(self.iter().flatten().map(Describe::describe).collect())
    }
}

impl<T: Describe> Describe for Vec<T> {
    fn describe(&self) -> Described {
        Described::List(self.iter().map(Describe::describe).collect())
    }
}

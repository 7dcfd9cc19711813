//! What a value is made of, by name: for those who print what lies in a log or in the state.
//!
//! The macros that declare a type and its layout declare this with it, so that no field can be
//! forgotten. How a quantity is printed is left to the reader: a [`Price`] counts ticks, and how
//! much a tick is worth stands elsewhere.

use crate::decimal::Increment;
use crate::id::{AccountId, AssetId, InstrumentId};
use crate::number::{Amount, Price, Qty};
use crate::text::Sealed;

/// A value taken apart.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Described {
    /// `None`, and `()`.
    Nothing,
    Flag(bool),
    /// A number of at most 32 bits, which every reader can hold.
    Number(i64),
    /// A number of 64 bits: not every reader of JSON holds those beyond 2^53.
    Wide(i128),
    Text(String),
    /// A choice by its name.
    Word(&'static str),
    Hash(Vec<u8>),
    /// Whatever it holds is not for printing.
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

/// A list of at most `N`, as far as it goes.
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

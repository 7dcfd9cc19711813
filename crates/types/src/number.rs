//! Prices, quantities and amounts as whole numbers.

use crate::wire::{Reader, Wire};

/// A price in ticks. The instrument has the size of a tick, not the price.
#[derive(Clone, Copy, Debug, Default, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct Price(i64);

/// A quantity in lots. The instrument has the size of a lot.
#[derive(Clone, Copy, Debug, Default, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct Qty(u64);

/// A sum of money or of another asset, in its smallest units.
#[derive(Clone, Copy, Debug, Default, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct Amount(i128);

/// Upper bound of prices and quantities, which JavaScript can hold too.
pub const PRICE_MAX: Price = Price(1 << 53);
pub const QTY_MAX: Qty = Qty(1 << 53);

/// Upper bound of one deposit, of one balance, and of all balances of an asset together.
pub const AMOUNT_MAX: Amount = Amount(1 << 120);

impl Price {
    pub const fn from_ticks(ticks: i64) -> Self {
        Self(ticks)
    }

    pub const fn ticks(self) -> i64 {
        self.0
    }
}

impl Qty {
    pub const ZERO: Self = Self(0);

    pub const fn from_lots(lots: u64) -> Self {
        Self(lots)
    }

    pub const fn lots(self) -> u64 {
        self.0
    }

    pub const fn is_zero(self) -> bool {
        self.0 == 0
    }
}

impl Amount {
    pub const ZERO: Self = Self(0);

    pub const fn from_minor(minor: i128) -> Self {
        Self(minor)
    }

    pub const fn minor(self) -> i128 {
        self.0
    }

    pub const fn is_zero(self) -> bool {
        self.0 == 0
    }
}

macro_rules! arithmetic {
    ($($name:ident),*) => {$(
        impl std::ops::Add for $name {
            type Output = Self;
            fn add(self, other: Self) -> Self {
                Self(self.0 + other.0)
            }
        }
        impl std::ops::Sub for $name {
            type Output = Self;
            fn sub(self, other: Self) -> Self {
                Self(self.0 - other.0)
            }
        }
        impl std::ops::AddAssign for $name {
            fn add_assign(&mut self, other: Self) {
                self.0 += other.0;
            }
        }
        impl std::ops::SubAssign for $name {
            fn sub_assign(&mut self, other: Self) {
                self.0 -= other.0;
            }
        }
        impl std::iter::Sum for $name {
            fn sum<I: Iterator<Item = Self>>(iter: I) -> Self {
                Self(iter.map(|value| value.0).sum())
            }
        }
    )*};
}
arithmetic!(Qty, Amount);

macro_rules! wire_newtypes {
    ($($name:ident),*) => {$(
        impl Wire for $name {
            fn write(&self, out: &mut Vec<u8>) {
                self.0.write(out);
            }
            fn read(r: &mut Reader<'_>) -> Option<Self> {
                r.read().map(Self)
            }
        }
    )*};
}
wire_newtypes!(Price, Qty, Amount);

//! Short texts stored inline, so that commands and events stay flat and `Copy`.

mod generated;
mod numbered;
mod packed;

use std::fmt;

pub use self::numbered::NumberedName;
pub use self::packed::PackedClOrdId;
use crate::describe::{Describe, Described};
use crate::wire::{Reader, Wire};

macro_rules! texts {
    ($( $(#[$attr:meta])* $name:ident: 1..=$max:literal of $allowed:expr; )*) => {$(
        $(#[$attr])*
        #[derive(Clone, Copy, Eq, Hash, PartialEq)]
        pub struct $name {
            len: u8,
            bytes: [u8; $max], // zero after `len`, so that comparing is plain
        }

        impl $name {
            pub const LEN_MAX: usize = $max;

            /// `None` when it is empty, too long, or has a character that is not allowed.
            pub fn parse(text: &str) -> Option<Self> {
                Self::from_bytes(text.as_bytes())
            }

            fn from_bytes(text: &[u8]) -> Option<Self> {
                let allowed: fn(&u8) -> bool = $allowed;
                if text.is_empty() || text.len() > $max || !text.iter().all(allowed) {
                    return None;
                }
                let mut bytes = [0; $max];
                bytes[..text.len()].copy_from_slice(text);
                Some(Self { len: u8::try_from(text.len()).ok()?, bytes })
            }

            pub fn as_str(&self) -> &str {
                std::str::from_utf8(self.as_bytes()).expect("checked to be ASCII when it was made")
            }

            pub fn as_bytes(&self) -> &[u8] {
                &self.bytes[..usize::from(self.len)]
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.as_str())
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{:?}", self.as_str())
            }
        }

        impl Describe for $name {
            fn describe(&self) -> Described {
                Described::Text(self.as_str().to_owned())
            }
        }

        impl Wire for $name {
            fn write(&self, out: &mut Vec<u8>) {
                out.push(self.len);
                out.extend_from_slice(self.as_bytes());
            }
            fn read(r: &mut Reader<'_>) -> Option<Self> {
                let len = r.take::<1>()?[0];
                Self::from_bytes(r.take_slice(usize::from(len))?)
            }
        }
    )*};
}

texts! {
    /// The client's own name for an order, as Binance allows it: `^[\.A-Z\:/a-z0-9_-]{1,36}$`.
    /// The venue names numbered orders itself, with a `~` first ([`NumberedName`]).
    ClOrdId: 1..=36 of |b| b.is_ascii_alphanumeric() || b".:/_-~".contains(b);
    /// An instrument's name, such as `BTCUSDT`.
    Symbol: 1..=20 of |b| b.is_ascii_uppercase() || b.is_ascii_digit() || b"-_.".contains(b);
    /// An asset's name, such as `BTC`.
    AssetName: 1..=16 of |b| b.is_ascii_uppercase() || b.is_ascii_digit();
    /// An account's name, which operators use.
    AccountName: 1..=32 of |b| b.is_ascii_alphanumeric() || b"._-".contains(b);
    /// A key's name, unique among the keys of its account.
    KeyName: 1..=24 of |b| b.is_ascii_alphanumeric() || b"._-".contains(b);
    /// The name by which a person signs in. It has small letters only, so that no two differ by
    /// case.
    UserName: 1..=32 of |b| b.is_ascii_lowercase() || b.is_ascii_digit() || b"._@+-".contains(b);
    /// The external name of a deposit or a withdrawal, unique per account.
    ExternalRef: 1..=64 of |b| b.is_ascii_graphic();
}

/// A secret, sealed by the master key outside the engine. No message shows its bytes.
#[derive(Clone, Copy, Eq, PartialEq)]
pub struct Sealed {
    len: u16,
    bytes: [u8; Self::LEN_MAX],
}

impl Sealed {
    /// The most that an event has room for: a public key of 4096-bit RSA and its allowed networks.
    pub const LEN_MAX: usize = 592;

    /// The value of a secret that must not be opened again.
    pub const EMPTY: Self = Self { len: 0, bytes: [0; Self::LEN_MAX] };

    pub fn new(sealed: &[u8]) -> Option<Self> {
        let mut bytes = [0; Self::LEN_MAX];
        bytes.get_mut(..sealed.len())?.copy_from_slice(sealed);
        Some(Self { len: u16::try_from(sealed.len()).ok()?, bytes })
    }

    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes[..usize::from(self.len)]
    }
}

impl fmt::Debug for Sealed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Sealed({} bytes)", self.len)
    }
}

/// First byte of a length that does not fit into one byte; the length follows in two bytes.
const LONG: u8 = u8::MAX;

impl Wire for Sealed {
    fn write(&self, out: &mut Vec<u8>) {
        match u8::try_from(self.len) {
            Ok(len) if len < LONG => out.push(len),
            _ => {
                out.push(LONG);
                self.len.write(out);
            }
        }
        out.extend_from_slice(self.as_bytes());
    }

    fn read(r: &mut Reader<'_>) -> Option<Self> {
        let len = match r.read::<u8>()? {
            LONG => r.read::<u16>().filter(|len| *len >= u16::from(LONG))?,
            len => u16::from(len),
        };
        Self::new(r.take_slice(usize::from(len))?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_checked_when_made() {
        assert!(ClOrdId::parse("my-order_1.a:b/c").is_some());
        assert_eq!(ClOrdId::parse(""), None);
        assert_eq!(ClOrdId::parse("no blanks"), None);
        assert_eq!(ClOrdId::parse("ü"), None);
        assert!(ClOrdId::parse(&"x".repeat(36)).is_some());
        assert_eq!(ClOrdId::parse(&"x".repeat(37)), None);
        assert!(Symbol::parse("BTCUSDT").is_some());
        assert_eq!(Symbol::parse("btcusdt"), None);
    }

    #[test]
    fn texts_compare_by_what_they_say() {
        assert_eq!(ClOrdId::parse("a"), ClOrdId::parse("a"));
        assert_ne!(ClOrdId::parse("a"), ClOrdId::parse("ab"));
        assert_eq!(format!("{:?}", ClOrdId::parse("a").unwrap()), "\"a\"");
    }

    #[test]
    fn a_sealed_secret_is_not_printed() {
        let sealed = Sealed::new(b"hidden").unwrap();
        assert_eq!(format!("{sealed:?}"), "Sealed(6 bytes)");
        assert_eq!(sealed.as_bytes(), b"hidden");
        assert_eq!(Sealed::new(&[0; Sealed::LEN_MAX + 1]), None);
    }
}

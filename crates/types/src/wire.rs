//! Binary layout of values on disk: little-endian, fields in order of declaration, no padding.
//!
//! [`Reader`] alone checks lengths. The three macros declare a type and its layout together, so
//! that the declaration is the format's description.

/// A value with a binary form. `read` returns the value that `write` wrote, and `None` for other
/// bytes.
pub trait Wire: Sized {
    fn write(&self, out: &mut Vec<u8>);
    fn read(r: &mut Reader<'_>) -> Option<Self>;
}

/// The unread rest of a record's bytes.
#[derive(Clone, Copy, Debug)]
pub struct Reader<'a>(pub &'a [u8]);

impl<'a> Reader<'a> {
    pub fn read<T: Wire>(&mut self) -> Option<T> {
        T::read(self)
    }

    pub fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (head, tail) = self.0.split_first_chunk::<N>()?;
        self.0 = tail;
        Some(*head)
    }

    pub fn take_slice(&mut self, len: usize) -> Option<&'a [u8]> {
        let (head, tail) = self.0.split_at_checked(len)?;
        self.0 = tail;
        Some(head)
    }

    pub const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

macro_rules! wire_integers {
    ($($int:ty),*) => {$(
        impl Wire for $int {
            fn write(&self, out: &mut Vec<u8>) {
                out.extend_from_slice(&self.to_le_bytes());
            }
            fn read(r: &mut Reader<'_>) -> Option<Self> {
                r.take().map(Self::from_le_bytes)
            }
        }
    )*};
}
wire_integers!(u8, u16, u32, u64, i32, i64, i128);

impl Wire for bool {
    fn write(&self, out: &mut Vec<u8>) {
        out.push(u8::from(*self));
    }

    fn read(r: &mut Reader<'_>) -> Option<Self> {
        match r.take::<1>()?[0] {
            0 => Some(false),
            1 => Some(true),
            _ => None,
        }
    }
}

impl<T: Wire> Wire for Option<T> {
    fn write(&self, out: &mut Vec<u8>) {
        self.is_some().write(out);
        if let Some(value) = self {
            value.write(out);
        }
    }

    fn read(r: &mut Reader<'_>) -> Option<Self> {
        Some(if r.read()? { Some(r.read()?) } else { None })
    }
}

impl<const N: usize> Wire for [u8; N] {
    fn write(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(self);
    }

    fn read(r: &mut Reader<'_>) -> Option<Self> {
        r.take()
    }
}

/// A large and rare part: stored in its own allocation, so that a command stays small.
impl<T: Wire> Wire for Box<T> {
    fn write(&self, out: &mut Vec<u8>) {
        (**self).write(out);
    }

    fn read(r: &mut Reader<'_>) -> Option<Self> {
        r.read().map(Self::new)
    }
}

/// A list of at most `N`: a byte for the number of elements, then the elements, which come first.
impl<T: Wire + Copy, const N: usize> Wire for [Option<T>; N] {
    fn write(&self, out: &mut Vec<u8>) {
        let count = self.iter().flatten().count();
        out.push(u8::try_from(count).expect("a short list"));
        self.iter().flatten().for_each(|value| value.write(out));
    }

    fn read(r: &mut Reader<'_>) -> Option<Self> {
        let mut list = [None; N];
        let count = usize::from(r.read::<u8>()?);
        for place in list.get_mut(..count)? {
            *place = Some(r.read()?);
        }
        Some(list)
    }
}

impl<A: Wire, B: Wire> Wire for (A, B) {
    fn write(&self, out: &mut Vec<u8>) {
        self.0.write(out);
        self.1.write(out);
    }

    fn read(r: &mut Reader<'_>) -> Option<Self> {
        Some((r.read()?, r.read()?))
    }
}

/// A `u32` count, then the elements. The count is not trusted: memory grows only with the bytes
/// read.
impl<T: Wire> Wire for Vec<T> {
    fn write(&self, out: &mut Vec<u8>) {
        let count = u32::try_from(self.len()).expect("a list in a record is below 2^32");
        count.write(out);
        for element in self {
            element.write(out);
        }
    }

    fn read(r: &mut Reader<'_>) -> Option<Self> {
        let count: u32 = r.read()?;
        (0..count).map(|_| r.read()).collect()
    }
}

/// A flat struct whose fields are written in order.
macro_rules! record {
    ($(#[$attr:meta])* pub struct $name:ident { $( $(#[$field_attr:meta])* pub $field:ident: $type:ty, )* }) => {
        $(#[$attr])*
        #[derive(Clone, Copy, Debug, Eq, PartialEq)]
        pub struct $name { $( $(#[$field_attr])* pub $field: $type, )* }

        impl $crate::wire::Wire for $name {
            fn write(&self, out: &mut Vec<u8>) {
                $( self.$field.write(out); )*
            }
            fn read(r: &mut $crate::wire::Reader<'_>) -> Option<Self> {
                Some(Self { $( $field: r.read()?, )* })
            }
        }

        impl $crate::describe::Describe for $name {
            fn describe(&self) -> $crate::describe::Described {
                $crate::describe::Described::Record(vec![
                    $( (stringify!($field), self.$field.describe()), )*
                ])
            }
        }
    };
}

/// A [`record!`] of an order. Few orders have special terms: the highest bit of the order type's
/// byte states whether they follow after the last field. `order_type` and `terms` are fields too.
macro_rules! record_with_terms {
    ($(#[$attr:meta])* pub struct $name:ident {
        $( $(#[$before_attr:meta])* pub $before:ident: $before_type:ty, )*
    } order_type {
        $( $(#[$after_attr:meta])* pub $after:ident: $after_type:ty, )*
    } terms: $terms:ty) => {
        $(#[$attr])*
        #[derive(Clone, Copy, Debug, Eq, PartialEq)]
        pub struct $name {
            $( $(#[$before_attr])* pub $before: $before_type, )*
            pub order_type: $crate::order::OrderType,
            $( $(#[$after_attr])* pub $after: $after_type, )*
            /// Special terms, which few orders have.
            pub terms: Option<$terms>,
        }

        impl $crate::wire::Wire for $name {
            fn write(&self, out: &mut Vec<u8>) {
                $( self.$before.write(out); )*
                let follows = if self.terms.is_some() { $crate::wire::TERMS_FOLLOW } else { 0 };
                out.push(self.order_type.number() | follows);
                $( self.$after.write(out); )*
                if let Some(terms) = &self.terms {
                    terms.write(out);
                }
            }
            fn read(r: &mut $crate::wire::Reader<'_>) -> Option<Self> {
                $( let $before = r.read()?; )*
                let [kind] = r.take::<1>()?;
                let number = kind & !$crate::wire::TERMS_FOLLOW;
                let order_type = $crate::order::OrderType::from_number(number)?;
                $( let $after = r.read()?; )*
                let terms = match kind & $crate::wire::TERMS_FOLLOW {
                    0 => None,
                    _ => Some(r.read()?),
                };
                Some(Self { $( $before, )* order_type, $( $after, )* terms })
            }
        }

        impl $crate::describe::Describe for $name {
            fn describe(&self) -> $crate::describe::Described {
                $crate::describe::Described::Record(vec![
                    $( (stringify!($before), self.$before.describe()), )*
                    ("order_type", self.order_type.describe()),
                    $( (stringify!($after), self.$after.describe()), )*
                    ("terms", self.terms.describe()),
                ])
            }
        }
    };
}

/// The flag in the byte of an order's type.
pub(crate) const TERMS_FOLLOW: u8 = 0x80;

/// An enum without fields, written as its number.
macro_rules! numbered {
    ($(#[$attr:meta])* pub enum $name:ident: $repr:ty { $( $(#[$variant_attr:meta])* $variant:ident = $number:literal, )* }) => {
        $(#[$attr])*
        #[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
        #[repr($repr)]
        pub enum $name { $( $(#[$variant_attr])* $variant = $number, )* }

        impl $name {
            pub const ALL: &[Self] = &[ $( Self::$variant, )* ];

            pub const fn number(self) -> $repr {
                self as $repr
            }

            pub const fn from_number(number: $repr) -> Option<Self> {
                match number {
                    $( $number => Some(Self::$variant), )*
                    _ => None,
                }
            }
        }

        impl $crate::wire::Wire for $name {
            fn write(&self, out: &mut Vec<u8>) {
                self.number().write(out);
            }
            fn read(r: &mut $crate::wire::Reader<'_>) -> Option<Self> {
                Self::from_number(r.read()?)
            }
        }

        impl $crate::describe::Describe for $name {
            fn describe(&self) -> $crate::describe::Described {
                $crate::describe::Described::Word(match self {
                    $( Self::$variant => stringify!($variant), )*
                })
            }
        }
    };
}

/// An enum of records, written as one byte for the variant and then the record.
macro_rules! choice {
    ($(#[$attr:meta])* pub enum $name:ident { $( $(#[$variant_attr:meta])* $number:literal => $variant:ident($type:ty), )* }) => {
        $(#[$attr])*
        #[derive(Clone, Debug, Eq, PartialEq)]
        pub enum $name { $( $(#[$variant_attr])* $variant($type), )* }

        impl $name {
            /// The names of all variants.
            pub const KINDS: &[&str] = &[ $( stringify!($variant), )* ];

            /// The name of the variant.
            pub const fn kind(&self) -> &'static str {
                match self {
                    $( Self::$variant(_) => stringify!($variant), )*
                }
            }

            /// The place of its name in [`Self::KINDS`].
            pub const fn kind_index(&self) -> usize {
                #[allow(clippy::enum_variant_names, reason = "the names are those of the choice")]
                enum Index { $( $variant, )* }
                match self {
                    $( Self::$variant(_) => Index::$variant as usize, )*
                }
            }
        }

        impl $crate::wire::Wire for $name {
            fn write(&self, out: &mut Vec<u8>) {
                match self {
                    $( Self::$variant(record) => {
                        out.push($number);
                        record.write(out);
                    } )*
                }
            }
            fn read(r: &mut $crate::wire::Reader<'_>) -> Option<Self> {
                match r.read::<u8>()? {
                    $( $number => Some(Self::$variant(r.read()?)), )*
                    _ => None,
                }
            }
        }

        impl $crate::describe::Describe for $name {
            fn describe(&self) -> $crate::describe::Described {
                match self {
                    $( Self::$variant(record) => $crate::describe::Described::Choice(
                        stringify!($variant),
                        Box::new(record.describe()),
                    ), )*
                }
            }
        }
    };
}

pub(crate) use {choice, numbered, record, record_with_terms};

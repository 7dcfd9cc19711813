//! The declaration of fixed layouts as Nasdaq's tables have them: offset, name, width.

/// A field of a fixed width.
pub(crate) trait Field: Copy {
    const SIZE: usize;

    /// `bytes` has the field's width.
    fn get(bytes: &[u8]) -> Self;
    fn put(self, bytes: &mut [u8]);
}

macro_rules! integers {
    ($($int:ty),*) => {$(
        impl Field for $int {
            const SIZE: usize = size_of::<$int>();

            #[inline(always)]
            fn get(bytes: &[u8]) -> Self {
                Self::from_be_bytes(bytes.try_into().expect("the width of the field"))
            }

            #[inline(always)]
            fn put(self, bytes: &mut [u8]) {
                bytes.copy_from_slice(&self.to_be_bytes());
            }
        }
    )*};
}
integers!(u8, u16, u32, u64);

impl<const N: usize> Field for [u8; N] {
    const SIZE: usize = N;

    #[inline(always)]
    fn get(bytes: &[u8]) -> Self {
        bytes.try_into().expect("the width of the field")
    }

    #[inline(always)]
    fn put(self, bytes: &mut [u8]) {
        bytes.copy_from_slice(&self);
    }
}

/// Declares messages with their layouts, and what reads and writes the fixed part.
macro_rules! layouts {
    ($(
        $(#[$attr:meta])*
        $name:ident = $kind:literal, $size:literal {
            $( $(#[$field_attr:meta])* $at:literal $field:ident: $type:ty, )*
        }
    )*) => {$(
        $(#[$attr])*
        #[derive(Clone, Copy, Debug, Eq, PartialEq)]
        pub struct $name {
            $( $(#[$field_attr])* pub $field: $type, )*
        }

        const _: () = {
            let mut _next = 1;
            $(
                assert!(_next == $at, "the offset of the specification");
                _next += <$type as $crate::layout::Field>::SIZE;
            )*
            assert!(_next == $size, "the length of the specification");
        };

        impl $name {
            pub const KIND: u8 = $kind;
            /// Of the fixed part.
            pub const SIZE: usize = $size;

            /// `None` if the type is another.
            #[inline(always)]
            fn of_fixed(fixed: &[u8; $size]) -> Option<Self> {
                (fixed[0] == $kind).then(|| Self {
                    $( $field: $crate::layout::Field::get(
                        &fixed[$at..$at + <$type as $crate::layout::Field>::SIZE],
                    ), )*
                })
            }

            /// Writes the fixed part at the begin of `bytes`.
            #[inline(always)]
            fn put_fixed(&self, bytes: &mut [u8]) {
                bytes[0] = $kind;
                $( $crate::layout::Field::put(
                    self.$field,
                    &mut bytes[$at..$at + <$type as $crate::layout::Field>::SIZE],
                ); )*
            }
        }
    )*};
}

pub(crate) use layouts;

//! The declaration of messages that may have an appendage.

/// Declares messages with their layouts. A message is `required` to have the length of its
/// appendage, or has it only before an appendage: `optional`.
macro_rules! messages {
    ($(
        $(#[$attr:meta])*
        $name:ident = $kind:literal, $size:literal, $rule:ident {
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
            /// Without the appendage and its length.
            pub const SIZE: usize = $size;

            /// Reads a whole message. `None` unless each byte is of its layout.
            #[inline]
            pub fn read(message: &[u8]) -> Option<(Self, $crate::ouch::Appendage<'_>)> {
                let (_fixed, rest) = message.split_first_chunk::<{ $size }>()?;
                let appendage = $crate::ouch::Appendage::$rule(rest)?;
                let read = Self {
                    $( $field: $crate::layout::Field::get(
                        &_fixed[$at..$at + <$type as $crate::layout::Field>::SIZE],
                    ), )*
                };
                (message[0] == $kind).then_some((read, appendage))
            }

            /// Appends the message, with an appendage that `tags` has written.
            #[inline]
            pub fn write(
                &self,
                out: &mut Vec<u8>,
                tags: impl FnOnce(&mut $crate::ouch::Tags<'_>),
            ) {
                // The length of an appendage, as it is without one, is written with the rest.
                let mut fixed = [0; $size + $crate::ouch::Tags::LENGTH_SIZE];
                fixed[0] = $kind;
                $( $crate::layout::Field::put(
                    self.$field,
                    &mut fixed[$at..$at + <$type as $crate::layout::Field>::SIZE],
                ); )*
                out.extend_from_slice(&fixed);
                $crate::ouch::Tags::$rule(out, tags);
            }
        }
    )*};
}

/// Declares the messages of one direction as one type.
macro_rules! direction {
    ($(#[$attr:meta])* $direction:ident { $($name:ident),* $(,)? }) => {
        $(#[$attr])*
        #[derive(Clone, Copy, Debug, Eq, PartialEq)]
        pub enum $direction<'a> {
            $( $name($name, $crate::ouch::Appendage<'a>), )*
        }

        impl<'a> $direction<'a> {
            /// Reads a whole message.
            #[inline]
            pub fn read(message: &'a [u8]) -> Result<Self, $crate::ouch::inbound::Unreadable> {
                use $crate::ouch::inbound::Unreadable;
                let read = match *message.first().ok_or(Unreadable::Malformed)? {
                    $( $name::KIND => $name::read(message).map(|(read, tags)| Self::$name(read, tags)), )*
                    kind => return Err(Unreadable::UnknownKind(kind)),
                };
                read.ok_or(Unreadable::Malformed)
            }
        }
    };
}

pub(super) use {direction, messages};

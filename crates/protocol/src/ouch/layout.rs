//! The declaration of messages that may have an appendage.

/// Declares messages with their layouts. A message is `required` to have the length of its
/// appendage, or has it only before an appendage: `optional`.
macro_rules! messages {
    ($(
        $(#[$attr:meta])*
        $name:ident = $kind:literal, $size:literal, $rule:ident { $($fields:tt)* }
    )*) => {$(
        $crate::layout::layouts! { $(#[$attr])* $name = $kind, $size { $($fields)* } }

        impl $name {
            /// Reads a whole message. `None` unless each byte is of its layout.
            #[inline]
            pub fn read(message: &[u8]) -> Option<(Self, $crate::ouch::Appendage<'_>)> {
                let (fixed, rest) = message.split_first_chunk()?;
                let appendage = $crate::ouch::Appendage::$rule(rest)?;
                Some((Self::of_fixed(fixed)?, appendage))
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
                self.put_fixed(&mut fixed);
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

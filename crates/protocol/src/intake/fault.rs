//! What is wrong with a message.

use std::borrow::Cow;
use std::fmt;

/// A message that is no command.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Fault {
    pub code: FaultCode,
    /// One sentence for the program's author.
    pub sentence: Cow<'static, str>,
}

macro_rules! codes {
    ($( $(#[$attr:meta])* $name:ident = $number:literal, )*) => {
        /// Numbers are in replies and in the log, so they are never reused. The engine's own are
        /// below 1,000.
        #[derive(Clone, Copy, Debug, Eq, PartialEq)]
        #[repr(u16)]
        pub enum FaultCode {
            $( $(#[$attr])* $name = $number, )*
        }

        impl FaultCode {
            pub const ALL: &[Self] = &[ $( Self::$name, )* ];

            pub const fn name(self) -> &'static str {
                match self {
                    $( Self::$name => stringify!($name), )*
                }
            }
        }
    };
}

codes! {
    /// The entry has no field with a message.
    MessageMissing = 1000,
    MessageTooLong = 1001,
    /// No JSON object, a field that is not known, or one of another kind.
    MessageMalformed = 1002,
    FieldMissing = 1003,
    FieldInvalid = 1004,
    /// A field that this order has no use for.
    FieldNotAllowed = 1005,
    UnknownSymbol = 1006,
    UnknownAccount = 1007,
    /// The settings of the intake leave the account out.
    AccountNotAllowed = 1008,
    /// The id was used for another request before.
    IdReused = 1009,
    /// The id of the stream's entry is too large for a number.
    StreamIdTooLarge = 1010,
    /// The first outcome of a repeated entry is no longer kept.
    OutcomeGone = 1011,
    /// The venue takes cancels only.
    DiskFull = 1012,
}

impl Fault {
    pub fn new(code: FaultCode, sentence: impl Into<Cow<'static, str>>) -> Self {
        Self { code, sentence: sentence.into() }
    }

    pub(super) fn missing(field: &str) -> Self {
        Self::new(FaultCode::FieldMissing, format!("the field {field} is missing"))
    }

    pub(super) fn invalid(field: &str, rule: &str) -> Self {
        Self::new(FaultCode::FieldInvalid, format!("the field {field} must be {rule}"))
    }

    pub(super) fn not_allowed(field: &str, why: &str) -> Self {
        Self::new(FaultCode::FieldNotAllowed, format!("the field {field} is for {why}"))
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.sentence)
    }
}

impl std::error::Error for Fault {}

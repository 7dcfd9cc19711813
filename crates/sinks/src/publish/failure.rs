//! Why a broker did not take something.

use std::fmt;

use projection::{ProjectionError, Standstill};

/// The end of a sentence that begins with the broker's name.
#[derive(Debug)]
pub struct Failed {
    pub standstill: Standstill,
    pub sentence: String,
}

impl Failed {
    pub fn new(standstill: Standstill, sentence: impl Into<String>) -> Self {
        Self { standstill, sentence: sentence.into() }
    }

    pub fn unreachable(sentence: impl Into<String>) -> Self {
        Self::new(Standstill::Unreachable, sentence)
    }

    pub fn refused(sentence: impl Into<String>) -> Self {
        Self::new(Standstill::Refused, sentence)
    }

    pub fn at(self, place: &impl fmt::Display) -> ProjectionError {
        let Self { standstill, sentence } = self;
        ProjectionError::Server { standstill, sentence: format!("{place} {sentence}") }
    }
}

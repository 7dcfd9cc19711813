//! A filler that has filled all.

use std::time::Duration;

use crate::error::LogError;
use crate::file::writer::Writer;

pub(crate) const FULL_RETRY: Duration = Duration::from_millis(1);

pub(crate) struct Filler;

impl Filler {
    pub(crate) const fn is_busy(&self) -> bool {
        false
    }

    pub(crate) fn look(&mut self, _: &mut Writer) -> Result<(), LogError> {
        Ok(())
    }

    pub(crate) fn take_back(&mut self, _: &mut Writer) -> Result<(), LogError> {
        Ok(())
    }
}

//! In place of the recorded market, in a build without it.

use std::convert::Infallible;

use venue::Handle;

use crate::error::ServeError;
use crate::settings::market::Market as Settings;

#[derive(Debug)]
pub(crate) struct Reader(Infallible);

#[derive(Debug)]
pub(crate) struct RecordedMarket(Infallible);

impl Reader {
    pub(crate) fn open(settings: &Settings) -> Result<Option<Self>, ServeError> {
        if settings.files.is_empty() {
            return Ok(None);
        }
        Err(ServeError::new("this build has no recorded markets: build with the feature `market`"))
    }
}

impl RecordedMarket {
    pub(crate) async fn open(
        reader: Reader,
        _: f64,
        _: Handle,
        _: u32,
    ) -> Result<Self, ServeError> {
        match reader.0 {}
    }

    pub(crate) async fn run(self, _: impl Future<Output = ()>) {
        match self.0 {}
    }
}

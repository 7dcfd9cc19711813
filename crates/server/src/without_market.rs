//! In place of recorded and mirrored markets, in a build without them.

use std::convert::Infallible;

use venue::Handle;

use crate::error::ServeError;
use crate::settings::market::Market as Settings;

#[derive(Debug)]
pub(crate) struct Source(Infallible);

#[derive(Debug)]
pub(crate) struct Counterparty(Infallible);

impl Source {
    pub(crate) async fn open(settings: &Settings) -> Result<Option<Self>, ServeError> {
        if settings.files.is_empty() {
            return Ok(None);
        }
        Err(ServeError::new("this build has no recorded markets: build with the feature `market`"))
    }
}

impl Counterparty {
    pub(crate) async fn open(source: Source, _: Handle, _: u32) -> Result<Self, ServeError> {
        match source.0 {}
    }

    pub(crate) async fn run(self, _: impl Future<Output = ()>) {
        match self.0 {}
    }
}

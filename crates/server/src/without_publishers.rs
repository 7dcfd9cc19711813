//! In place of publishers, in a build without them.

use std::path::Path;

use venue::{Handle, Listener, Opened};

use crate::error::ServeError;
use crate::settings::publish::Publish;

#[derive(Debug)]
pub(crate) struct Publishers;

impl Publishers {
    /// The settings have refused URLs.
    pub(crate) fn start(_: &Publish, _: &Path, _: &Opened) -> Result<Self, ServeError> {
        Ok(Self)
    }

    pub(crate) fn listener(&self) -> Option<Box<dyn Listener>> {
        None
    }

    pub(crate) fn meet(&self, _: Handle) {}

    pub(crate) fn stop(self) {}
}

//! A stretch of the log as flags name it.

use clap::Args;
use cli::Failure;
use cli::moment::{Moment, Range};

/// From where to where in the log.
#[derive(Args, Debug)]
pub(crate) struct FromTo {
    /// First command: a sequence, or a time (RFC 3339, or nanoseconds since 1970)
    #[arg(long, value_name = "SEQ|TIME")]
    from: Option<Moment>,
    /// Last command: a sequence, or a time
    #[arg(long, value_name = "SEQ|TIME")]
    to: Option<Moment>,
}

impl FromTo {
    pub(crate) fn range(&self) -> Result<Range, Failure> {
        Range::new(self.from, self.to)
    }
}

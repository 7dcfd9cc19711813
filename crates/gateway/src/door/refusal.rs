//! A refusal with the dialect's own error. The access record holds those before the log; the log
//! has the others.

/// A refused request, with the dialect's own error. The access record keeps those without a
/// command; the log has the others.
#[derive(Debug)]
pub(crate) enum Refusal<E> {
    /// No command was submitted to the venue.
    BeforeLog(E),
    /// A command was submitted: the log has its outcome.
    ByEngine(E),
}

impl<E> Refusal<E> {
    /// For a failure after a command was submitted.
    pub(crate) fn by_engine(error: impl Into<E>) -> Self {
        Self::ByEngine(error.into())
    }

    pub(crate) fn error(&self) -> &E {
        match self {
            Self::BeforeLog(error) | Self::ByEngine(error) => error,
        }
    }

    pub(crate) fn into_error(self) -> E {
        match self {
            Self::BeforeLog(error) | Self::ByEngine(error) => error,
        }
    }
}

//! Why a request was refused, and on which side of the log.

/// A refused request, with the dialect's own error. The access record keeps those without a
/// command; the log has the others.
#[derive(Debug)]
pub(crate) enum Refusal<E> {
    /// No command was handed to the venue.
    BeforeLog(E),
    /// A command was handed to the venue: the log says what became of it.
    ByEngine(E),
}

impl<E> Refusal<E> {
    /// For what fails once a command was handed over.
    pub(crate) fn by_engine(error: impl Into<E>) -> Self {
        Self::ByEngine(error.into())
    }

    pub(crate) fn into_error(self) -> E {
        match self {
            Self::BeforeLog(error) | Self::ByEngine(error) => error,
        }
    }
}

//! The error of a venue that did not start, or that stopped before it was asked to.

/// One sentence for the operator: what is wrong and where.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    #[error("{0}")]
    Sentence(String),
    #[error(transparent)]
    Io(#[from] std::io::Error),
    #[error(transparent)]
    Tls(#[from] gateway::TlsError),
    #[error(transparent)]
    MasterKey(#[from] venue::MasterKeyError),
    #[error(transparent)]
    Open(#[from] venue::OpenError),
    #[error(transparent)]
    Stopped(#[from] venue::Stopped),
}

impl ServeError {
    pub fn new(sentence: impl Into<String>) -> Self {
        Self::Sentence(sentence.into())
    }
}

impl From<String> for ServeError {
    fn from(sentence: String) -> Self {
        Self::Sentence(sentence)
    }
}

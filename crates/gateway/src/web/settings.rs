//! Settings of the page's sessions.

use std::time::Duration;

/// Limits of the sessions of browsers.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct WebSettings {
    /// Browsers that are signed in at once.
    pub sessions_max: usize,
    /// How long a session may be unused.
    pub session_idle_max: Duration,
}

impl Default for WebSettings {
    fn default() -> Self {
        Self { sessions_max: 10_000, session_idle_max: Duration::from_secs(12 * 3600) }
    }
}

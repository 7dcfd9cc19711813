//! Settings of the page's sessions.

use std::time::Duration;

/// Limits of the sessions of browsers.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct WebSettings {
    /// Browsers that are signed in at once.
    pub sessions_max: usize,
    /// Of them, those of one login.
    pub sessions_per_login_max: usize,
    /// How long a session may be unused.
    pub session_idle_max: Duration,
    /// How long a session lasts, however much it is used.
    pub session_life_max: Duration,
}

impl Default for WebSettings {
    fn default() -> Self {
        Self {
            sessions_max: 10_000,
            sessions_per_login_max: 64,
            session_idle_max: Duration::from_secs(12 * 3600),
            session_life_max: Duration::from_secs(7 * 24 * 3600),
        }
    }
}

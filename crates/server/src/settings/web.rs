//! `[web]`: the sessions of browsers that are signed in at the venue's page.

use std::ops::RangeInclusive;
use std::time::Duration;

use gateway::WebSettings;
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Web {
    /// Browsers that are signed in at once.
    pub sessions_max: usize,
    /// Of them, those of one login.
    pub sessions_per_login: usize,
    /// Minutes without a request after which a session ends.
    pub session_idle_mins: u64,
    /// Hours after which a session ends, however much it is used.
    pub session_hours: u64,
}

const SESSIONS_MAX: RangeInclusive<u64> = 1..=1_000_000;
const SESSIONS_PER_LOGIN: RangeInclusive<u64> = 1..=1_000;
const SESSION_IDLE_MINS: RangeInclusive<u64> = 1..=10_080;
const SESSION_HOURS: RangeInclusive<u64> = 1..=8_760;

impl Default for Web {
    fn default() -> Self {
        let WebSettings {
            sessions_max,
            sessions_per_login_max: sessions_per_login,
            session_idle_max,
            session_life_max,
        } = WebSettings::default();
        Self {
            sessions_max,
            sessions_per_login,
            session_idle_mins: session_idle_max.as_secs() / 60,
            session_hours: session_life_max.as_secs() / 3600,
        }
    }
}

impl Web {
    pub(super) fn check(&self) -> Result<(), String> {
        for (name, value, range) in [
            ("web_sessions_max", self.sessions_max as u64, SESSIONS_MAX),
            ("web_sessions_per_login", self.sessions_per_login as u64, SESSIONS_PER_LOGIN),
            ("web_session_idle_mins", self.session_idle_mins, SESSION_IDLE_MINS),
            ("web_session_hours", self.session_hours, SESSION_HOURS),
        ] {
            if !range.contains(&value) {
                let (first, last) = (range.start(), range.end());
                return Err(format!("{name} must be {first} to {last}, and is {value}"));
            }
        }
        Ok(())
    }

    pub(super) fn web_settings(&self) -> WebSettings {
        WebSettings {
            sessions_max: self.sessions_max,
            sessions_per_login_max: self.sessions_per_login,
            session_idle_max: Duration::from_secs(60 * self.session_idle_mins),
            session_life_max: Duration::from_secs(3600 * self.session_hours),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::settings::tests::{load, refused};

    #[test]
    fn sessions_have_limits_each_with_a_range() {
        let settings = |flags| load(flags).unwrap().web.web_settings();
        assert_eq!(settings(json!({})), WebSettings::default());
        let own = json!({
            "web_sessions_max": 5,
            "web_sessions_per_login": 2,
            "web_session_idle_mins": 10,
            "web_session_hours": 3,
        });
        let expected = WebSettings {
            sessions_max: 5,
            sessions_per_login_max: 2,
            session_idle_max: Duration::from_secs(600),
            session_life_max: Duration::from_secs(10_800),
        };
        assert_eq!(settings(own), expected);
        for (name, last) in [
            ("web_sessions_max", 1_000_000),
            ("web_sessions_per_login", 1_000),
            ("web_session_idle_mins", 10_080),
            ("web_session_hours", 8_760),
        ] {
            for wrong in [0, last + 1] {
                let sentence = refused(json!({ name: wrong }));
                let expected = format!("{name} must be 1 to {last}, and is {wrong}");
                assert!(sentence.contains(&expected), "{sentence}");
            }
        }
    }
}

//! `[publish]`: the brokers that events are published to.

use std::fmt;

use serde::{Deserialize, Serialize};

#[derive(Clone, Default, Deserialize, Serialize)]
pub struct Publish {
    /// URLs of brokers. Each may hold a password.
    pub urls: Vec<String>,
}

impl fmt::Debug for Publish {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Publish").field("urls", &self.urls.len()).finish_non_exhaustive()
    }
}

impl Publish {
    #[cfg(feature = "publish")]
    pub(super) fn check(&self) -> Result<(), String> {
        self.targets().map(drop)
    }

    /// An error does not repeat the URL.
    #[cfg(feature = "publish")]
    pub(crate) fn targets(&self) -> Result<Vec<sinks::publishers::Target>, String> {
        let parse = |url: &String| {
            sinks::publishers::Target::parse(url)
                .map_err(|reason| format!("publish has a URL that cannot be used: {reason}"))
        };
        let targets = self.urls.iter().map(parse).collect::<Result<Vec<_>, _>>()?;
        let mut names: Vec<_> = targets.iter().flat_map(|target| target.names()).collect();
        names.sort_unstable();
        match names.windows(2).find(|two| two[0] == two[1]) {
            Some(two) => Err(format!("publish names {} twice", two[0])),
            None => Ok(targets),
        }
    }

    #[cfg(not(feature = "publish"))]
    pub(super) fn check(&self) -> Result<(), String> {
        if self.urls.is_empty() {
            return Ok(());
        }
        Err("this build has no publishers: leave publish out (`cargo build --release` makes a build \
             that has them)"
            .into())
    }
}

#[cfg(all(test, feature = "redis"))]
mod tests {
    use serde_json::json;

    use crate::settings::tests::{load, refused};

    #[test]
    fn urls_are_read_at_the_start_and_not_repeated_in_an_error() {
        let two = ["redis://:secret@cache:6379/2?kinds=streams+cache", "rediss://cache"];
        assert_eq!(load(json!({ "publish": two })).unwrap().publish.targets().unwrap().len(), 2);
        let twice = refused(json!({ "publish": ["redis://a?kinds=streams", "redis://a"] }));
        assert!(twice.contains("publish names redis://a stream events twice"), "{twice}");
        for (url, reason) in [
            ("redis://:secret@cache?kinds=all", "kinds are streams, channels and cache"),
            ("redis://:secret@cache?kind=streams", "it has no setting `kind`"),
            ("redis://:secret@cache/x", "Invalid database number"),
            ("amqp://secret@cache", "this build publishes to redis"),
        ] {
            let sentence = refused(json!({ "publish": [url] }));
            assert!(sentence.contains(reason), "{sentence}");
            assert!(!sentence.contains("secret"), "{sentence}");
        }
    }
}

//! One instrument's snapshot and changes as a book without a gap. Without a socket.

use serde::Deserialize;

/// Changes that may wait for their snapshot.
const EARLY_MAX: usize = 10_000;

/// `depthUpdate`: levels that have changed since the message before.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq)]
pub(super) struct DepthUpdate {
    #[serde(rename = "E")]
    pub(super) time: u64,
    #[serde(rename = "U")]
    pub(super) first_id: u64,
    #[serde(rename = "u")]
    pub(super) last_id: u64,
    #[serde(rename = "b")]
    pub(super) bids: Vec<[String; 2]>,
    #[serde(rename = "a")]
    pub(super) asks: Vec<[String; 2]>,
}

/// Which changes follow on what is known.
#[derive(Debug, Default)]
pub(super) struct BookSync {
    /// Of the last change; `None` until there is a snapshot.
    last_id: Option<u64>,
    early: Vec<DepthUpdate>,
}

/// A change is missing: another snapshot is needed.
#[derive(Debug, Eq, PartialEq)]
pub(super) struct Gap;

impl BookSync {
    /// Takes a snapshot, and returns the changes beyond it that came early.
    pub(super) fn snapshot(&mut self, last_id: u64) -> Result<Vec<DepthUpdate>, Gap> {
        self.last_id = Some(last_id);
        let early = std::mem::take(&mut self.early);
        let mut later = Vec::new();
        for update in &early {
            match self.follow(update) {
                Ok(true) => later.push(update.clone()),
                Ok(false) => {}
                Err(gap) => {
                    // A newer snapshot may join them.
                    *self = Self { last_id: None, early };
                    return Err(gap);
                }
            }
        }
        Ok(later)
    }

    /// Returns the change if it is the next one. One that was known is left out, and one that comes
    /// before the snapshot is kept.
    pub(super) fn update(&mut self, update: DepthUpdate) -> Result<Option<DepthUpdate>, Gap> {
        if self.last_id.is_none() {
            if self.early.len() == EARLY_MAX {
                self.early.clear();
                return Err(Gap);
            }
            self.early.push(update);
            return Ok(None);
        }
        match self.follow(&update) {
            Ok(is_new) => Ok(is_new.then_some(update)),
            Err(gap) => {
                *self = Self { last_id: None, early: vec![update] };
                Err(gap)
            }
        }
    }

    fn follow(&mut self, update: &DepthUpdate) -> Result<bool, Gap> {
        let known = self.last_id.unwrap_or_default();
        if update.last_id <= known {
            return Ok(false);
        }
        if update.first_id > known + 1 {
            return Err(Gap);
        }
        self.last_id = Some(update.last_id);
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn update(first_id: u64, last_id: u64) -> DepthUpdate {
        DepthUpdate { time: 1, first_id, last_id, bids: Vec::new(), asks: Vec::new() }
    }

    /// `snapshot ID` and `FIRST-LAST` lines; the ids of the changes that come out, or `gap`.
    #[track_caller]
    fn check(script: &str, expected: &str) {
        let mut sync = BookSync::default();
        let mut found = Vec::new();
        for word in script.split_whitespace() {
            let out = match word.split_once('-') {
                Some((first, last)) => sync
                    .update(update(first.parse().unwrap(), last.parse().unwrap()))
                    .map(Vec::from_iter),
                None => sync.snapshot(word.parse().unwrap()),
            };
            match out {
                Ok(updates) => {
                    found.extend(updates.iter().map(|update| update.last_id.to_string()));
                }
                Err(Gap) => found.push("gap".to_owned()),
            }
        }
        assert_eq!(found.join(" "), expected, "{script}");
    }

    #[test]
    fn changes_follow_their_snapshot_without_a_gap() {
        check("1-2 3-5 6-6 4 7-9", "5 6 9");
        check("5 1-5 6-7 6-7 8-8", "7 8");
        // Missing before the snapshot, and after it.
        check("8-9 5 7 10-10", "gap 9 10");
        check("8-9 5 9 10-10", "gap 10");
        check("5 6-6 8-8 9-9 7 10-10", "6 gap 8 9 10");
    }

    #[test]
    fn what_comes_early_is_bounded() {
        let mut sync = BookSync::default();
        for id in 0..EARLY_MAX as u64 {
            assert_eq!(sync.update(update(id, id)), Ok(None));
        }
        assert_eq!(sync.update(update(20_000, 20_000)), Err(Gap));
        assert!(sync.early.is_empty());
    }
}

//! The map of accounts to databases, by buckets.

use std::collections::VecDeque;

use types::AccountId;

/// The number of buckets that accounts are dealt to, whatever the number of databases. The SQL
/// script names it, too.
pub(crate) const BUCKETS: usize = 256;

/// Databases of one history.
pub const SHARDS_MAX: usize = 32;

/// Which database has which buckets. A database is named by its place in the list.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct Map {
    /// Of two maps the later one counts.
    pub(crate) version: u64,
    /// One for each bucket.
    homes: Vec<Home>,
}

/// Where the rows of a bucket are.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct Home {
    pub(crate) shard: usize,
    /// The command after which they are there; 0 if they never moved.
    pub(crate) since: u64,
    /// Where they were before.
    pub(crate) from: Option<usize>,
}

/// Buckets that go from one database to another.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct Transfer {
    pub(crate) from: usize,
    pub(crate) to: usize,
    pub(crate) buckets: Vec<usize>,
}

impl Map {
    /// `None` unless it is of all buckets.
    pub(crate) fn new(version: u64, homes: Vec<Home>) -> Option<Self> {
        (homes.len() == BUCKETS).then_some(Self { version, homes })
    }

    /// All buckets are in the first database.
    pub(crate) fn first_alone() -> Self {
        Self::by(|_| 0)
    }

    /// The same number of buckets in each, as far as that can be.
    pub(crate) fn spread(shards: usize) -> Self {
        Self::by(|bucket| bucket % shards)
    }

    fn by(shard: impl Fn(usize) -> usize) -> Self {
        let home = |bucket| Home { shard: shard(bucket), since: 0, from: None };
        Self { version: 1, homes: (0..BUCKETS).map(home).collect() }
    }

    pub(crate) fn homes(&self) -> impl Iterator<Item = (usize, &Home)> {
        self.homes.iter().enumerate()
    }

    pub(crate) fn shard_of(&self, account: AccountId) -> usize {
        self.homes[bucket_of(account)].shard
    }

    /// The number of databases that it needs.
    pub(crate) fn shards(&self) -> usize {
        self.homes.iter().map(|home| home.shard + 1).max().unwrap_or(1)
    }

    /// What a database has of all rows.
    pub(crate) fn scope(&self, shard: usize) -> Scope {
        let is_own = self.homes.iter().map(|home| home.shard == shard).collect();
        Scope { is_own, has_public: shard == 0 }
    }

    /// What has to move so that each of `shards` databases has its part. Neighbouring buckets go
    /// different ways: ids of accounts are dense.
    pub(crate) fn transfers_to(&self, shards: usize) -> Vec<Transfer> {
        let due = |shard| BUCKETS / shards + usize::from(shard < BUCKETS % shards);
        let own: Vec<Vec<usize>> = (0..shards).map(|shard| self.scope(shard).buckets()).collect();
        let lack = |shard: usize| due(shard).saturating_sub(own[shard].len());
        let mut lacking: VecDeque<(usize, usize)> =
            (0..shards).map(|shard| (shard, lack(shard))).filter(|(_, lack)| *lack > 0).collect();
        let mut transfers = Vec::new();
        for (from, own) in own.iter().enumerate() {
            let mut spare: VecDeque<usize> = beyond(own, due(from)).into();
            // As few databases as can be: each one more reads all rows of the source.
            let mut targets: Vec<(Transfer, usize)> = Vec::new();
            let mut left = spare.len();
            while left > 0 {
                let (to, lack) = lacking.pop_front().expect("what one has too many, others lack");
                let taken = left.min(lack);
                left -= taken;
                if taken < lack {
                    lacking.push_front((to, lack - taken));
                }
                targets.push((Transfer { from, to, buckets: Vec::new() }, taken));
            }
            while !spare.is_empty() {
                for (transfer, taken) in &mut targets {
                    if transfer.buckets.len() < *taken {
                        transfer.buckets.extend(spare.pop_front());
                    }
                }
            }
            transfers.extend(targets.into_iter().map(|(transfer, _)| transfer));
        }
        transfers
    }

    /// The next map, in which these buckets have moved after a command.
    pub(crate) fn moved(&self, transfer: &Transfer, since: u64) -> Self {
        let mut moved = Self { version: self.version + 1, ..self.clone() };
        for bucket in &transfer.buckets {
            moved.homes[*bucket] = Home { shard: transfer.to, since, from: Some(transfer.from) };
        }
        moved
    }
}

/// Evenly drawn from all, so that `kept` are left.
fn beyond(own: &[usize], kept: usize) -> Vec<usize> {
    let up_to = |count: usize| count * kept / own.len();
    let is_spare = |at: usize| own.len() > kept && up_to(at + 1) == up_to(at);
    own.iter().enumerate().filter(|(at, _)| is_spare(*at)).map(|(_, bucket)| *bucket).collect()
}

fn bucket_of(account: AccountId) -> usize {
    account.0 as usize % BUCKETS
}

/// The condition of rows of these buckets, by the column of their account.
pub(crate) fn is_in(column: &str, buckets: &[usize]) -> String {
    let numbers: Vec<String> = buckets.iter().map(ToString::to_string).collect();
    format!("{column} % {BUCKETS} IN ({})", numbers.join(","))
}

/// Which rows of a page a transaction writes.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct Scope {
    /// By bucket.
    is_own: Vec<bool>,
    /// Whether it has what is of no account: trades, candles, the audit.
    pub(crate) has_public: bool,
}

impl Scope {
    pub(crate) fn of(buckets: &[usize]) -> Self {
        let is_own = (0..BUCKETS).map(|bucket| buckets.contains(&bucket)).collect();
        Self { is_own, has_public: false }
    }

    pub(crate) fn has(&self, account: AccountId) -> bool {
        self.is_own[bucket_of(account)]
    }

    pub(crate) fn buckets(&self) -> Vec<usize> {
        (0..BUCKETS).filter(|bucket| self.is_own[*bucket]).collect()
    }

    /// A further condition of rows by their account; none where all are own.
    pub(crate) fn and_is_own(&self) -> String {
        if self.is_own.iter().all(|own| *own) {
            return String::new();
        }
        format!(" AND {}", is_in("account", &self.buckets()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The number of buckets of each database, and how many move to get there.
    fn check(from: &[usize], moving: usize, parts: &[usize]) {
        let shards = parts.len();
        let mut map = Map::spread(1);
        for count in from {
            for transfer in map.transfers_to(*count) {
                map = map.moved(&transfer, 7);
            }
        }
        let transfers = map.transfers_to(shards);
        let moved: usize = transfers.iter().map(|transfer| transfer.buckets.len()).sum();
        assert_eq!(moved, moving, "{transfers:?}");
        let map = transfers.iter().fold(map, |map, transfer| map.moved(transfer, 9));
        let found: Vec<usize> = (0..shards).map(|shard| map.scope(shard).buckets().len()).collect();
        assert_eq!((found.as_slice(), map.shards()), (parts, shards));
        assert_eq!(map.transfers_to(shards), []);
    }

    #[test]
    fn no_more_moves_than_the_new_databases_lack() {
        check(&[], 0, &[256]);
        check(&[], 170, &[86, 85, 85]);
        check(&[3], 127, &[43, 43, 43, 43, 42, 42]);
        check(&[3, 6], 36, &[37, 37, 37, 37, 36, 36, 36]);
        check(&[2], 64 * 2, &[64, 64, 64, 64]);
    }

    #[test]
    fn accounts_in_a_row_are_spread() {
        let grown = |map: Map, shards| {
            map.transfers_to(shards).iter().fold(map, |map, transfer| map.moved(transfer, 9))
        };
        let three = grown(Map::spread(1), 3);
        let six = grown(three.clone(), 6);
        for (map, shards) in [(three, 3), (six, 6)] {
            let count = |shard| (1..=60).filter(|id| map.shard_of(AccountId(*id)) == shard).count();
            let counts: Vec<usize> = (0..shards).map(count).collect();
            assert!(counts.iter().all(|count| count.abs_diff(60 / shards) <= 2), "{counts:?}");
        }
    }

    #[test]
    fn a_moved_bucket_knows_since_when_and_from_where() {
        let map = Map::spread(3);
        let transfer = Transfer { from: 1, to: 3, buckets: vec![1, 4] };
        let moved = map.moved(&transfer, 50);
        assert_eq!(moved.version, map.version + 1);
        assert_eq!(moved.homes[4], Home { shard: 3, since: 50, from: Some(1) });
        assert_eq!(moved.shard_of(AccountId(256 + 4)), 3);
        assert_eq!(moved.shard_of(AccountId(7)), 1);
        assert!(!moved.scope(1).has(AccountId(1)) && moved.scope(1).has(AccountId(7)));
    }
}

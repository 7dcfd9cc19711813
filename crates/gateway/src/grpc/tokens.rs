//! Tokens of callers that do not sign each call. They are kept in memory: after a restart of the
//! venue a caller logs in again.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use venue::{api_key_hash, random_text};

use crate::clock::now_ns;
use crate::grpc::holder::Holder;

/// How long a token is good.
const LIFE: Duration = Duration::from_secs(12 * 3600);
/// Tokens of one key or login. The oldest makes room.
const OF_HOLDER_MAX: usize = 64;
const TOKEN_LEN: usize = 43; // 256 bits

#[derive(Debug, Default)]
pub(super) struct Tokens {
    by_hash: Mutex<HashMap<[u8; 16], Issued>>,
}

#[derive(Clone, Debug)]
struct Issued {
    holder: Holder,
    expires_ns: u64,
}

impl Tokens {
    /// A new token, and when it expires.
    pub(super) fn issue(&self, holder: Holder) -> (String, u64) {
        let token = random_text(TOKEN_LEN);
        let now_ns = now_ns();
        let expires_ns = now_ns + LIFE.as_nanos() as u64;
        let mut by_hash = self.lock();
        by_hash.retain(|_, issued| issued.expires_ns > now_ns);
        let own = by_hash.iter().filter(|(_, issued)| issued.holder.is(&holder));
        let (count, oldest) =
            own.fold((0, None::<(u64, [u8; 16])>), |(count, oldest), (hash, issued)| {
                let one = (issued.expires_ns, *hash);
                (count + 1, Some(oldest.map_or(one, |oldest| oldest.min(one))))
            });
        if let (OF_HOLDER_MAX.., Some((_, hash))) = (count, oldest) {
            by_hash.remove(&hash);
        }
        by_hash.insert(api_key_hash(&token), Issued { holder, expires_ns });
        (token, expires_ns)
    }

    pub(super) fn holder(&self, token: &str) -> Option<Holder> {
        let by_hash = self.lock();
        let issued = by_hash.get(&api_key_hash(token))?;
        (issued.expires_ns > now_ns()).then(|| issued.holder.clone())
    }

    pub(super) fn end(&self, token: &str) {
        self.lock().remove(&api_key_hash(token));
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<[u8; 16], Issued>> {
        self.by_hash.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use types::KeyId;

    use super::*;

    fn key(n: u8) -> Holder {
        Holder::Key { key: KeyId(n.into()), hash: [n; 16] }
    }

    #[test]
    fn a_token_is_good_until_it_ends() {
        let tokens = Tokens::default();
        let (token, _) = tokens.issue(key(1));
        assert!(tokens.holder(&token).is_some_and(|holder| holder.is(&key(1))));
        assert!(tokens.holder("another").is_none());
        tokens.end(&token);
        assert!(tokens.holder(&token).is_none());
    }

    #[test]
    fn a_holder_has_no_more_tokens_than_it_may() {
        let tokens = Tokens::default();
        let (other, _) = tokens.issue(key(2));
        let issued: Vec<_> = (0..=OF_HOLDER_MAX).map(|_| tokens.issue(key(1)).0).collect();
        assert_eq!(tokens.lock().len(), 1 + OF_HOLDER_MAX);
        assert!(tokens.holder(&issued[0]).is_none(), "the oldest made room");
        assert!(tokens.holder(&issued[1]).is_some());
        assert!(tokens.holder(&other).is_some());
    }
}

//! The one-time code of a demo: it stands in the address that the venue prints, signs one browser
//! in, and is followed by the next one.

use std::fmt;
use std::sync::{Mutex, PoisonError};

use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use venue::{api_key_hash, random_text};

/// Letters and digits of a code: 131 bits, so that no guess needs to be counted.
const CODE_LEN: usize = 22;

/// Sign-in for the accounts of a demo.
pub struct DemoSignIn {
    accounts: Vec<String>,
    /// The hash of the one code that is good.
    code: Mutex<[u8; 16]>,
    announce: UnboundedSender<String>,
}

impl DemoSignIn {
    /// Sign-in for these accounts, and the codes to show. The first is there at once, and each one
    /// that is used is followed by another.
    pub fn new(accounts: Vec<String>) -> (Self, UnboundedReceiver<String>) {
        let (announce, codes) = unbounded_channel();
        let demo = Self { accounts, code: Mutex::default(), announce };
        demo.renew(&mut demo.code.lock().unwrap_or_else(PoisonError::into_inner));
        (demo, codes)
    }

    pub(crate) fn accounts(&self) -> &[String] {
        &self.accounts
    }

    /// Uses a code, which is good once.
    pub(crate) fn use_up(&self, code: &str) -> bool {
        let mut expected = self.code.lock().unwrap_or_else(PoisonError::into_inner);
        let is_good = api_key_hash(code) == *expected;
        if is_good {
            self.renew(&mut expected);
        }
        is_good
    }

    fn renew(&self, code: &mut [u8; 16]) {
        let next = random_text(CODE_LEN);
        *code = api_key_hash(&next);
        // Without a reader the demo can be signed in to no more.
        let _no_reader = self.announce.send(next);
    }
}

impl fmt::Debug for DemoSignIn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DemoSignIn").field("accounts", &self.accounts).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_is_good_once_and_the_next_one_follows() {
        let (demo, mut codes) = DemoSignIn::new(vec!["alice".into()]);
        let first = codes.try_recv().unwrap();
        assert!(codes.try_recv().is_err(), "one at a time");
        assert!(!demo.use_up("wrong") && !demo.use_up(""));
        assert!(demo.use_up(&first));
        assert!(!demo.use_up(&first));
        let second = codes.try_recv().unwrap();
        assert_ne!(first, second);
        assert!(demo.use_up(&second));
        assert!(!format!("{demo:?}").contains(&codes.try_recv().unwrap()));
    }
}

//! Checks of passwords: each takes a core for some 20 ms and 19 MiB, so one thread does one after
//! another, and a bounded queue waits for it.

use std::io;
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};

use rustix::process::setpriority_process;
use tokio::sync::oneshot;
use venue::{PasswordHash, password_matches};

const QUEUE_MAX: usize = 32;

/// Behind the threads of the venue, which have 0.
const NICENESS: i32 = 10;

/// The thread, which ends with its pool.
#[derive(Debug)]
pub(crate) struct Passwords {
    queue: SyncSender<Check>,
}

struct Check {
    /// `None` of a user that does not exist: it takes as long.
    hash: Option<PasswordHash>,
    attempt: String,
    reply: oneshot::Sender<bool>,
}

/// Too many checks wait already.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct Busy;

impl Passwords {
    pub(crate) fn start() -> io::Result<Self> {
        let (queue, checks) = sync_channel(QUEUE_MAX);
        std::thread::Builder::new().name("passwords".into()).spawn(move || run(&checks))?;
        Ok(Self { queue })
    }

    pub(crate) async fn check(
        &self,
        hash: Option<PasswordHash>,
        attempt: String,
    ) -> Result<bool, Busy> {
        let (reply, replied) = oneshot::channel();
        match self.queue.try_send(Check { hash, attempt, reply }) {
            Ok(()) => replied.await.map_err(|_| Busy),
            Err(TrySendError::Full(_) | TrySendError::Disconnected(_)) => Err(Busy),
        }
    }
}

fn run(checks: &Receiver<Check>) {
    // Linux takes this for the calling thread alone.
    if let Err(error) = setpriority_process(None, NICENESS) {
        tracing::debug!(%error, "passwords are checked at the priority of the venue");
    }
    while let Ok(Check { hash, attempt, reply }) = checks.recv() {
        if !reply.is_closed() {
            // A browser that has gone needs no reply.
            let _gone = reply.send(password_matches(hash.as_ref(), &attempt));
        }
    }
}

#[cfg(test)]
mod tests {
    use venue::Password;

    use super::*;

    #[tokio::test]
    async fn a_password_is_checked_and_a_full_queue_refuses() {
        let hash = PasswordHash::of(&Password::new("correct horse".into()).unwrap());
        let passwords = Passwords::start().unwrap();
        let check = |attempt: &str| passwords.check(Some(hash.clone()), attempt.to_owned());
        assert_eq!(check("correct horse").await, Ok(true));
        assert_eq!(check("wrong horses").await, Ok(false));
        assert_eq!(passwords.check(None, "correct horse".into()).await, Ok(false));
        let many = (0..10 * QUEUE_MAX).map(|_| passwords.check(None, "x".into()));
        let answers = futures_util::future::join_all(many).await;
        let busy = answers.iter().filter(|answer| **answer == Err(Busy)).count();
        assert!(busy >= 8 * QUEUE_MAX, "{busy}");
        assert_eq!(check("correct horse").await, Ok(true), "and the thread goes on");
    }
}

//! Checks of passwords: each takes a core for some 20 ms and 19 MiB, so one thread does one after
//! another, and a bounded queue waits for it.

use std::io;
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::time::Instant;

use rustix::process::setpriority_process;
use tokio::sync::oneshot;
use venue::{PasswordHash, password_matches};

use crate::door::back_off::{BackOff, Slowed};

/// Checks that wait for the thread.
const QUEUE_MAX: usize = 32;

/// Behind the threads of the venue, which have 0.
const NICENESS: i32 = 10;

/// The thread, which ends with its pool.
#[derive(Debug)]
pub(crate) struct Passwords {
    queue: SyncSender<Check>,
    back_off: Arc<BackOff>,
}

/// Why a password is not judged.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum NotJudged {
    /// Too many checks wait already.
    Busy,
    /// Earlier failures slow the address or the user.
    Slowed(Slowed),
}

struct Check {
    /// `None` of a user that does not exist: it takes as long.
    hash: Option<PasswordHash>,
    password: String,
    /// The address and the user that a failure slows, unless the caller sees to it.
    slows: Option<(IpAddr, String)>,
    reply: oneshot::Sender<Result<bool, Slowed>>,
}

impl Passwords {
    pub(crate) fn start(back_off: Arc<BackOff>) -> io::Result<Self> {
        let (queue, checks) = sync_channel(QUEUE_MAX);
        let of_thread = Arc::clone(&back_off);
        std::thread::Builder::new()
            .name("passwords".into())
            .spawn(move || run(&checks, &of_thread))?;
        Ok(Self { queue, back_off })
    }

    /// Whether the password is right. The caller has begun the attempt, and concludes it.
    pub(crate) async fn check(
        &self,
        hash: Option<PasswordHash>,
        password: String,
    ) -> Result<bool, NotJudged> {
        self.ask(hash, password, None).await
    }

    /// Whether the password is right, which lets a program in. The attempt begins with its turn, so
    /// that programs which come back at once are not slowed by those before them. What is slowed
    /// already waits for no turn.
    pub(crate) async fn judge(
        &self,
        (address, user): (IpAddr, String),
        hash: Option<PasswordHash>,
        password: String,
    ) -> Result<bool, NotJudged> {
        let now = Instant::now();
        self.back_off.check(address, Some(&user), now).map_err(NotJudged::Slowed)?;
        self.ask(hash, password, Some((address, user))).await
    }

    async fn ask(
        &self,
        hash: Option<PasswordHash>,
        password: String,
        slows: Option<(IpAddr, String)>,
    ) -> Result<bool, NotJudged> {
        let (reply, replied) = oneshot::channel();
        match self.queue.try_send(Check { hash, password, slows, reply }) {
            Ok(()) => {
                let judged = replied.await.map_err(|_| NotJudged::Busy)?;
                judged.map_err(NotJudged::Slowed)
            }
            Err(TrySendError::Full(_) | TrySendError::Disconnected(_)) => Err(NotJudged::Busy),
        }
    }
}

fn run(checks: &Receiver<Check>, back_off: &BackOff) {
    // Linux takes this for the calling thread alone.
    if let Err(error) = setpriority_process(None, NICENESS) {
        tracing::debug!(%error, "passwords are checked at the priority of the venue");
    }
    while let Ok(check) = checks.recv() {
        if !check.reply.is_closed() {
            let judged = check.judge(back_off);
            // A browser that has gone needs no reply.
            let _gone = check.reply.send(judged);
        }
    }
}

impl Check {
    fn judge(&self, back_off: &BackOff) -> Result<bool, Slowed> {
        let Self { hash, password, slows, .. } = self;
        let begin = |(address, user): &(IpAddr, String)| {
            back_off.begin(*address, Some(user), Instant::now())
        };
        let attempt = slows.as_ref().map(begin).transpose()?;
        let is_right = password_matches(hash.as_ref(), password);
        if let Some(attempt) = attempt
            && is_right
        {
            attempt.succeeded();
        }
        Ok(is_right)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use futures_util::future::join_all;
    use venue::Password;

    use super::*;

    #[tokio::test]
    async fn a_password_is_checked_and_a_full_queue_refuses() {
        let hash = PasswordHash::of(&Password::new("correct horse".into()).unwrap());
        let passwords = Passwords::start(Arc::default()).unwrap();
        let check = |attempt: &str| passwords.check(Some(hash.clone()), attempt.to_owned());
        assert_eq!(check("correct horse").await, Ok(true));
        assert_eq!(check("wrong horses").await, Ok(false));
        assert_eq!(passwords.check(None, "correct horse".into()).await, Ok(false));
        let many = (0..10 * QUEUE_MAX).map(|_| passwords.check(None, "x".into()));
        let answers = join_all(many).await;
        let busy = answers.iter().filter(|answer| **answer == Err(NotJudged::Busy)).count();
        assert!(busy >= 8 * QUEUE_MAX, "{busy}");
        assert_eq!(check("correct horse").await, Ok(true), "and the thread goes on");
    }

    #[tokio::test]
    async fn programs_at_once_are_all_let_in_and_guesses_at_once_are_slowed() {
        const NEAR: IpAddr = IpAddr::V4(std::net::Ipv4Addr::new(192, 0, 2, 7));
        let hash = PasswordHash::of(&Password::new("correct horse".into()).unwrap());
        let passwords = Passwords::start(Arc::default()).unwrap();
        let judge = |user: usize, password: &str| {
            let of = (NEAR, format!("user{user}"));
            passwords.judge(of, Some(hash.clone()), password.to_owned())
        };
        let answers = join_all((0..24).map(|user| judge(user, "correct horse"))).await;
        assert!(answers.iter().all(|answer| *answer == Ok(true)), "{answers:?}");

        let begun = Instant::now();
        let answers = join_all((0..24).map(|user| judge(user, "wrong horses"))).await;
        let judged = answers.iter().filter(|answer| **answer == Ok(false)).count();
        // One more after each wait, which a slow machine may come to.
        assert!((5..=5 + begun.elapsed().as_secs() as usize).contains(&judged), "{answers:?}");
        let slowed = |answer: &&Result<_, _>| matches!(answer, Err(NotJudged::Slowed(_)));
        assert_eq!(answers.iter().filter(slowed).count(), 24 - judged, "{answers:?}");
    }

    #[tokio::test]
    async fn a_guess_that_is_slowed_takes_no_turn() {
        let back_off = Arc::<BackOff>::default();
        let passwords = Passwords::start(Arc::clone(&back_off)).unwrap();
        let (address, mut now) = (IpAddr::from([192, 0, 2, 7]), Instant::now());
        for _ in 0..12 {
            drop(back_off.begin(address, None, now).unwrap());
            now += Duration::from_secs(60);
        }
        let many = (0..10 * QUEUE_MAX)
            .map(|_| passwords.judge((address, "alice".into()), None, "x".into()));
        let answers = join_all(many).await;
        let slowed = |answer: &Result<_, _>| matches!(answer, Err(NotJudged::Slowed(_)));
        assert!(answers.iter().all(slowed), "{answers:?}");
    }
}

//! The message of a strategy that panicked: its run ends with an error, not the process.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::task::Poll;

use crate::backtest::RunError;

/// Runs a back-test. What it has changed is of no use after a panic.
pub(crate) fn caught<T, E>(run: impl FnOnce() -> Result<T, RunError<E>>) -> Result<T, RunError<E>> {
    let ran = catch_unwind(AssertUnwindSafe(run));
    ran.unwrap_or_else(|panic| Err(RunError::Strategy(message(&*panic))))
}

/// The same of a run on a venue, whose orders the caller has to cancel then.
pub(crate) async fn caught_while_polled<T>(run: impl Future<Output = T>) -> Result<T, String> {
    let mut run = pin!(run);
    std::future::poll_fn(|context| {
        match catch_unwind(AssertUnwindSafe(|| run.as_mut().poll(context))) {
            Ok(poll) => poll.map(Ok),
            Err(panic) => Poll::Ready(Err(message(&*panic))),
        }
    })
    .await
}

fn message(panic: &(dyn Any + Send)) -> String {
    let literal = panic.downcast_ref::<&str>().copied();
    let text = literal.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    format!("it panicked: {}", text.unwrap_or("no message"))
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use super::*;

    #[test]
    fn a_panic_is_an_error_with_its_message() {
        let run = || -> Result<(), RunError<Infallible>> { panic!("at {}", 7) };
        let Err(RunError::Strategy(message)) = caught(run) else { panic!("it is an error") };
        assert_eq!(message, "it panicked: at 7");
    }

    #[tokio::test]
    async fn so_is_one_after_a_wait() {
        let run = async {
            tokio::task::yield_now().await;
            panic!("later");
        };
        let ended: Result<(), _> = caught_while_polled(run).await;
        assert_eq!(ended, Err("it panicked: later".to_owned()));
        assert_eq!(caught_while_polled(async { 5 }).await, Ok(5));
    }
}

//! Several futures of one thread, at the same time.

use std::future::poll_fn;
use std::task::Poll;

/// Runs all to their ends, whatever one returns, and returns their outcomes in order. There are
/// few: each wake polls all that have not ended.
pub(crate) async fn join_all<F: Future>(futures: impl IntoIterator<Item = F>) -> Vec<F::Output> {
    let mut all: Vec<_> = futures.into_iter().map(|future| (Box::pin(future), None)).collect();
    poll_fn(|context| {
        for (future, outcome) in all.iter_mut().filter(|(_, outcome)| outcome.is_none()) {
            if let Poll::Ready(ended) = future.as_mut().poll(context) {
                *outcome = Some(ended);
            }
        }
        let has_ended = all.iter().all(|(_, outcome)| outcome.is_some());
        if has_ended { Poll::Ready(()) } else { Poll::Pending }
    })
    .await;
    all.into_iter().filter_map(|(_, outcome)| outcome).collect()
}

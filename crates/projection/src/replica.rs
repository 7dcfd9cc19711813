//! The lag of answers that come from a replica of a read model, for what passes them on.

use std::cell::Cell;
use std::time::Duration;

tokio::task_local! {
    /// The largest of the answers so far.
    static LAG: Cell<Option<Duration>>;
}

/// Runs queries, and returns the lag of the replica that answered one of them: of several, the
/// largest. `None` if no replica did.
pub async fn with_lag<F: Future>(queries: F) -> (F::Output, Option<Duration>) {
    let both = async {
        let output = queries.await;
        (output, LAG.with(Cell::get))
    };
    LAG.scope(Cell::new(None), both).await
}

/// A replica answers a query of this task.
pub fn answered_by_replica(lag: Duration) {
    // Where nothing passes it on, as in a tool, it is of no use.
    let _ = LAG.try_with(|largest| largest.set(largest.get().max(Some(lag))));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run<T>(what: impl Future<Output = T>) -> T {
        let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
        runtime.block_on(what)
    }

    #[test]
    fn the_largest_lag_of_several_answers_counts() {
        let lag = |answers: &'static [u64]| {
            run(with_lag(async {
                answers.iter().for_each(|ms| answered_by_replica(Duration::from_millis(*ms)));
            }))
            .1
        };
        assert_eq!(lag(&[]), None);
        assert_eq!(lag(&[0]), Some(Duration::ZERO));
        assert_eq!(lag(&[3, 7, 5]), Some(Duration::from_millis(7)));
        answered_by_replica(Duration::ZERO); // Outside of all queries nothing asks for it.
    }
}

//! The threads that serve WebSockets which only read. Market data goes to all its readers at the
//! same moment: on the threads of the orders, each order of that moment would wait for all of them.

use std::io;
use std::thread::available_parallelism;

use rustix::process::setpriority_process;
use tokio::runtime::{Builder, Handle, Runtime};

/// In the steps of `nice`: about a third of another thread's share.
const NICENESS: i32 = 5;

/// The threads, which end with it.
#[derive(Debug)]
pub(crate) struct ReaderThreads {
    /// `None` once it is dropped.
    runtime: Option<Runtime>,
}

impl ReaderThreads {
    pub(crate) fn start() -> io::Result<Self> {
        let runtime = Builder::new_multi_thread()
            .worker_threads(available_parallelism()?.get())
            .thread_name("readers")
            .on_thread_start(yield_to_orders)
            .enable_time()
            .build()?;
        Ok(Self { runtime: Some(runtime) })
    }

    pub(crate) fn handle(&self) -> Handle {
        self.runtime.as_ref().expect("it has not been dropped").handle().clone()
    }
}

impl Drop for ReaderThreads {
    /// Its connections have ended, and a task of another runtime may not wait for threads.
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

fn yield_to_orders() {
    // Linux takes this for the calling thread alone.
    if let Err(error) = setpriority_process(None, NICENESS) {
        tracing::debug!(%error, "market data is sent at the priority of orders");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn readers_are_served_behind_orders() {
        let readers = ReaderThreads::start().unwrap();
        let served = readers.handle().spawn(async {
            // The nineteenth field; the name, in brackets, is the second.
            let stat = std::fs::read_to_string("/proc/thread-self/stat").unwrap();
            let fields = stat.rsplit_once(')').unwrap().1;
            fields.split_whitespace().nth(16).unwrap().parse::<i32>().unwrap()
        });
        assert_eq!(served.await.unwrap(), NICENESS);
    }
}

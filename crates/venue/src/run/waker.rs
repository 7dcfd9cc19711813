use std::fmt;
use std::sync::OnceLock;

/// Lets the log's writer tell that there is something to poll. Who is told begins later than the log.
#[derive(Default)]
pub(crate) struct LogWaker(OnceLock<Box<dyn Fn() + Send + Sync>>);

impl LogWaker {
    pub(crate) fn attach(&self, wake: impl Fn() + Send + Sync + 'static) {
        assert!(self.0.set(Box::new(wake)).is_ok(), "a venue is started once");
    }

    pub(crate) fn wake(&self) {
        if let Some(wake) = self.0.get() {
            wake();
        }
    }
}

impl fmt::Debug for LogWaker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("LogWaker")
    }
}

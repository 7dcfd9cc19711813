//! The thread that fills the next segment of a log with zeros while the writer commits: an
//! `fdatasync` of what grows takes long, and must hold up no order.

use std::io;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use disk::DiskError;

use crate::error::LogError;
use crate::file::shared::Shared;
use crate::file::writer::{Filling, Writer};

/// How often a full disk is looked at again.
pub(crate) const FULL_RETRY: Duration = Duration::from_millis(200);

type Filled = (Filling, Result<(), DiskError>);

/// The writer's side of it.
pub(crate) struct Filler {
    /// `None` ends the thread.
    to_fill: Option<SyncSender<Filling>>,
    filled: Receiver<Filled>,
    thread: Option<JoinHandle<()>>,
    is_busy: bool,
    found_full: Option<Instant>,
}

impl Filler {
    pub(crate) fn start(shared: Arc<Shared>) -> io::Result<Self> {
        let (to_fill, segments) = sync_channel::<Filling>(1);
        let (sender, filled) = sync_channel(1);
        let thread = std::thread::Builder::new().name("log-filler".into()).spawn(move || {
            for mut filling in segments {
                let result = filling.run(|| !shared.is_closing.load(Ordering::Relaxed));
                // The writer may be gone, and with it the log.
                let _ = sender.send((filling, result));
            }
        })?;
        let thread = Some(thread);
        Ok(Self { to_fill: Some(to_fill), filled, thread, is_busy: false, found_full: None })
    }

    /// Takes back what is filled, and has filled what is not; after a full disk only now and then.
    pub(crate) fn look(&mut self, writer: &mut Writer) -> Result<(), LogError> {
        if self.is_busy {
            let Ok(filled) = self.filled.try_recv() else { return Ok(()) };
            self.is_busy = false;
            self.give_back(filled, writer)?;
        }
        if self.found_full.is_some_and(|since| since.elapsed() < FULL_RETRY) {
            return Ok(());
        }
        if let Some(filling) = writer.lend_next()? {
            let to_fill = self.to_fill.as_ref().expect("only the end takes it");
            self.is_busy = to_fill.send(filling).is_ok();
        }
        self.found_full = writer.is_full().then(Instant::now);
        Ok(())
    }

    pub(crate) fn is_busy(&self) -> bool {
        self.is_busy
    }

    /// Waits for what is being filled.
    pub(crate) fn take_back(&mut self, writer: &mut Writer) -> Result<(), LogError> {
        self.is_busy = false;
        let filled = self.filled.recv().map_err(|_| LogError::WriterDied)?;
        self.give_back(filled, writer)
    }

    fn give_back(
        &mut self,
        (filling, result): Filled,
        writer: &mut Writer,
    ) -> Result<(), LogError> {
        writer.return_next(filling, result)?;
        self.found_full = writer.is_full().then(Instant::now);
        Ok(())
    }
}

impl Drop for Filler {
    fn drop(&mut self) {
        self.to_fill = None;
        if let Some(thread) = self.thread.take() {
            // It has no more to report: a failure came back with the segment.
            let _ = thread.join();
        }
    }
}

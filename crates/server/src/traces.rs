//! The way of order traces out of the process: the gateway samples orders, a thread exports them.
//!
//! The exporter is an optional part of the build (feature `otlp`), because of its dependencies.

#[cfg(feature = "otlp")]
mod exporter;
#[cfg(feature = "otlp")]
mod spans;

use std::sync::Arc;
use std::sync::mpsc::{Sender, channel};
use std::thread::{self, JoinHandle};

use gateway::Traces;
use venue::Metrics;

#[cfg(feature = "otlp")]
use self::exporter::Exporter;
#[cfg(not(feature = "otlp"))]
use self::without::Exporter;
use crate::error::ServeError;
use crate::settings::trace::Trace;

/// The tracing of a venue that is not open yet.
pub(crate) struct Tracing {
    exporter: Exporter,
    sample_millionths: u32,
}

impl Tracing {
    /// `None` without a collector.
    pub(crate) fn prepare(settings: &Trace) -> Result<Option<Self>, ServeError> {
        let Some(collector) = settings.collector()? else { return Ok(None) };
        let exporter = Exporter::new(&collector)?;
        Ok(Some(Self { exporter, sample_millionths: settings.sample.millionths() }))
    }
}

/// Starts what was prepared: sampling for the gateway, and the thread that exports.
pub(crate) fn start(
    tracing: Option<Tracing>,
    metrics: Arc<Metrics>,
) -> Result<(Option<Arc<Traces>>, Option<ExportThread>), ServeError> {
    let Some(Tracing { exporter, sample_millionths }) = tracing else { return Ok((None, None)) };
    metrics.keep_fan_outs();
    let (traces, queue) = Traces::new(sample_millionths, Arc::clone(&metrics));
    let (stop, stopped) = channel();
    let run = move || exporter.run(&queue, &stopped, &metrics);
    let thread = thread::Builder::new().name("trace-export".into()).spawn(run)?;
    Ok((Some(traces), Some(ExportThread { stop, thread })))
}

/// The thread that sends traces to the collector.
pub(crate) struct ExportThread {
    stop: Sender<()>,
    thread: JoinHandle<()>,
}

/// Sends the traces that are queued, for a few seconds at most.
pub(crate) fn stop(export: Option<ExportThread>) {
    let Some(ExportThread { stop, thread }) = export else { return };
    drop(stop);
    if thread.join().is_err() {
        tracing::error!("the export of traces panicked");
    }
}

#[cfg(not(feature = "otlp"))]
mod without {
    use std::convert::Infallible;
    use std::sync::mpsc::Receiver;

    use gateway::OrderTrace;
    use venue::Metrics;

    use crate::error::ServeError;

    /// This build has none.
    pub(super) struct Exporter(Infallible);

    impl Exporter {
        pub(super) fn new(_: &str) -> Result<Self, ServeError> {
            Err(ServeError::new(
                "this build exports no traces: leave trace_otlp out, or use a build with the \
                 feature otlp",
            ))
        }

        pub(super) fn run(self, _: &Receiver<Box<OrderTrace>>, _: &Receiver<()>, _: &Metrics) {
            match self.0 {}
        }
    }
}

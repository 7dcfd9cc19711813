//! `buttonwood sim`: runs the venue's state machine in simulated worlds, seed after seed.

use std::io::{IsTerminal, Write};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Instant;

use clap::{Args, ValueEnum};
use cli::Failure;
use sim::{Plant, Summary, World};

/// Run the venue in simulated worlds where disks, machines and clocks fail
///
/// The seed decides everything in a run: the clients' requests and their times, losses of power,
/// torn and lost writes, failed syncs, full disks, and which machine takes over. At the end the log
/// is compared with all answers: nothing is lost, nothing is done twice, all replicas are equal. A
/// seed that fails does so on all machines: repeat it with --first SEED --seeds 1.
#[derive(Args, Debug)]
#[command(after_help = "Example: buttonwood sim --seeds 100 --world shared")]
pub(crate) struct Sim {
    /// Number of seeds to run
    #[arg(long, value_name = "N", default_value_t = 1_000)]
    seeds: u64,
    /// First seed; the others follow it
    #[arg(long, value_name = "SEED", default_value_t = 0)]
    first: u64,
    /// One machine with its disk (local), three machines that share a log (shared), or both
    #[arg(long, value_enum, default_value_t = Worlds::Both)]
    world: Worlds,
    /// Plant a bug, to check that the simulation finds it [default: none]
    #[arg(long, value_enum)]
    plant: Option<Planted>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Worlds {
    Local,
    Shared,
    Both,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Planted {
    /// Batches are acknowledged when they are written, not when they are synced
    AckBeforeSync,
    /// Readers accept changed bytes, as if there were no checksum
    SkipChecksum,
    /// A client repeats a request without its retry key
    ForgetRetries,
}

impl Sim {
    pub(crate) fn run(&self) -> Result<(), Failure> {
        let begun = Instant::now();
        let shared = Progress::default();
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        std::thread::scope(|scope| {
            for _ in 0..threads {
                scope.spawn(|| self.work(&shared));
            }
        });
        let total = *shared.total.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        cli::print_line(format_args!(
            "{} seeds in {:.0?}: {total:#?}",
            self.seeds,
            begun.elapsed()
        ))?;
        if shared.failed.load(Ordering::Relaxed) {
            Err(Failure::new("a run has failed; its seed stands above"))
        } else {
            Ok(())
        }
    }

    fn work(&self, shared: &Progress) {
        loop {
            let index = shared.next.fetch_add(1, Ordering::Relaxed);
            if index >= self.seeds || shared.failed.load(Ordering::Relaxed) {
                return;
            }
            for world in self.worlds() {
                match sim::run(self.first + index, *world, self.plant()) {
                    Ok(summary) => {
                        *shared.total.lock().unwrap_or_else(|poisoned| poisoned.into_inner()) +=
                            summary;
                    }
                    Err(failed) => {
                        shared.failed.store(true, Ordering::Relaxed);
                        cli::print_error(failed);
                    }
                }
            }
            if index.is_multiple_of(100) && std::io::stderr().is_terminal() {
                eprint!("\r{index} of {} seeds", self.seeds);
                // A line that is not shown is no harm.
                let _ = std::io::stderr().flush();
            }
        }
    }

    fn worlds(&self) -> &'static [World] {
        match self.world {
            Worlds::Local => &[World::Local],
            Worlds::Shared => &[World::Shared],
            Worlds::Both => &[World::Local, World::Shared],
        }
    }

    fn plant(&self) -> Option<Plant> {
        self.plant.map(|planted| match planted {
            Planted::AckBeforeSync => Plant::AckBeforeSync,
            Planted::SkipChecksum => Plant::SkipChecksum,
            Planted::ForgetRetries => Plant::ForgetRetries,
        })
    }
}

#[derive(Debug, Default)]
struct Progress {
    next: AtomicU64,
    failed: AtomicBool,
    total: Mutex<Summary>,
}

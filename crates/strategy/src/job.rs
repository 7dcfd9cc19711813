//! A back-test as data: mode, rules, strategy by name. Tools, sweeps and programs run it.

use std::sync::atomic::AtomicBool;

use crate::backtest::{
    BarSource, Divergence, Inside, LevelRules, Ran, RunError, Setup, Source, run_bars, run_follow,
    run_impact, run_levels, run_prints,
};
use crate::builtin::{self, WithStrategy};
use crate::journal::Journal;
use crate::param::{ParamError, Values};
use crate::strategy::Strategy;

/// What the data are, and so what decides fills.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Order by order. `impact`: own orders trade in the engine's book beside the record.
    Orders {
        impact: bool,
    },
    Levels,
    Trades,
    Bars,
}

/// A back-test of a built-in strategy.
#[derive(Clone, Debug)]
pub struct Job {
    pub mode: Mode,
    pub setup: Setup,
    pub rules: LevelRules,
    pub inside: Inside,
    pub strategy: String,
    pub values: Values,
}

/// A run with its records.
#[derive(Debug)]
pub struct Done {
    pub ran: Ran,
    pub journal: Journal,
    /// Where own orders were in the engine's book.
    pub divergence: Option<Divergence>,
}

/// Why a job did not run to an end.
#[derive(Debug, thiserror::Error)]
pub enum JobError<E> {
    #[error(transparent)]
    Param(#[from] ParamError),
    #[error(transparent)]
    Run(#[from] RunError<E>),
}

impl Job {
    /// Runs over events, in any mode but bars.
    pub fn run<F: Source>(
        &self,
        source: F,
        journal: Journal,
        stop: &AtomicBool,
    ) -> Result<Done, JobError<F::Error>> {
        let with = OverEvents { job: self, source, journal, stop };
        Ok(builtin::build(&self.strategy, &self.values, with)??)
    }

    pub fn run_bars<B: BarSource>(
        &self,
        source: B,
        journal: Journal,
        stop: &AtomicBool,
    ) -> Result<Done, JobError<B::Error>> {
        let with = OverBars { job: self, source, journal, stop };
        Ok(builtin::build(&self.strategy, &self.values, with)??)
    }
}

struct OverEvents<'a, F> {
    job: &'a Job,
    source: F,
    journal: Journal,
    stop: &'a AtomicBool,
}

impl<F: Source> WithStrategy for OverEvents<'_, F> {
    type Output = Result<Done, RunError<F::Error>>;

    fn run<S: Strategy + Clone + Send>(self, mut strategy: S) -> Self::Output {
        let Self { job, source, mut journal, stop } = self;
        let Job { mode, setup, rules, .. } = job;
        let (strategy, records) = (&mut strategy, &mut journal);
        let mut divergence = None;
        let ran = match mode {
            Mode::Orders { impact: true } => {
                let (ran, found) = run_impact(setup, source, strategy, records, stop)?;
                divergence = Some(found);
                ran
            }
            Mode::Orders { impact: false } => run_follow(setup, source, strategy, records, stop)?,
            Mode::Levels => run_levels(setup, *rules, source, strategy, records, stop)?,
            Mode::Trades => run_prints(setup, source, strategy, records, stop)?,
            Mode::Bars => return Err(RunError::Setup("bars are not run as events")),
        };
        Ok(Done { ran, journal, divergence })
    }
}

struct OverBars<'a, B> {
    job: &'a Job,
    source: B,
    journal: Journal,
    stop: &'a AtomicBool,
}

impl<B: BarSource> WithStrategy for OverBars<'_, B> {
    type Output = Result<Done, RunError<B::Error>>;

    fn run<S: Strategy + Clone + Send>(self, mut strategy: S) -> Self::Output {
        let Self { job, source, mut journal, stop } = self;
        let ran = run_bars(&job.setup, job.inside, source, &mut strategy, &mut journal, stop)?;
        Ok(Done { ran, journal, divergence: None })
    }
}

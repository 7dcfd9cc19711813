//! A back-test as data: mode, rules, accounts with strategies by name. Tools, sweeps and programs
//! run it.

use std::sync::atomic::AtomicBool;

use crate::account::Fees;
use crate::backtest::{
    BarSource, Divergence, Inside, LevelRules, Ran, RunError, Seat, Setup, Source, run_bars,
    run_follow, run_impact, run_levels, run_prints,
};
use crate::builtin::{self, WithStrategy};
use crate::context::Context;
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

/// A back-test of built-in strategies.
#[derive(Clone, Debug)]
pub struct Job {
    pub mode: Mode,
    pub setup: Setup,
    pub rules: LevelRules,
    pub inside: Inside,
    pub accounts: Vec<AccountJob>,
}

/// An account of a back-test, and the strategy that trades in it.
#[derive(Clone, Debug)]
pub struct AccountJob {
    pub name: String,
    pub strategy: String,
    pub values: Values,
    /// In place of the setup's.
    pub fees: Option<Fees>,
}

/// A run with the records of its accounts.
#[derive(Debug)]
pub struct Done {
    pub ran: Ran,
    pub journals: Vec<Journal>,
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

impl AccountJob {
    /// A strategy in an account by its name, with the defaults of its parameters.
    pub fn new(name: &str, strategy: &str) -> Result<Self, ParamError> {
        let Some(found) = builtin::find(strategy) else { return Err(builtin::unknown(strategy)) };
        let values = Values::defaults(found.params);
        Ok(Self { name: name.to_owned(), strategy: strategy.to_owned(), values, fees: None })
    }
}

/// Sets a parameter: `ACCOUNT.KEY` in one account, `KEY` in each whose strategy has it.
pub fn set(accounts: &mut [AccountJob], key: &str, value: &str) -> Result<(), ParamError> {
    let (account, key) = key.split_once('.').map_or((None, key), |(of, key)| (Some(of), key));
    if let Some(name) = account {
        find(accounts, name)?;
    }
    let is_meant = |of: &AccountJob| account.is_none_or(|name| of.name == name);
    let knows = |of: &AccountJob| of.values.list().any(|(name, _)| name == key);
    let is_known = accounts.iter().any(|of| is_meant(of) && knows(of));
    for of in accounts.iter_mut().filter(|of| is_meant(of)) {
        // Where none has it, the error lists what there is.
        if knows(of) || !is_known {
            of.values.set(key, value)?;
        }
    }
    Ok(())
}

/// The account of a name.
pub fn find<'a>(
    accounts: &'a mut [AccountJob],
    name: &str,
) -> Result<&'a mut AccountJob, ParamError> {
    let Some(place) = accounts.iter().position(|of| of.name == name) else {
        let known: Vec<&str> = accounts.iter().map(|of| of.name.as_str()).collect();
        let known = known.join(", ");
        return Err(ParamError::Together(format!(
            "no account is called {name:?}: there are {known}"
        )));
    };
    Ok(&mut accounts[place])
}

impl Done {
    /// Equity and counts of all accounts together.
    pub fn whole(&self) -> &Journal {
        self.ran.whole.as_ref().unwrap_or(&self.journals[0])
    }

    /// Profit and loss of all accounts after fees, in quote units.
    pub fn pnl(&self) -> f64 {
        self.ran.contexts.iter().map(Context::total_pnl).sum()
    }

    /// What each account's strategy knows, and its record.
    pub fn accounts(&self) -> impl ExactSizeIterator<Item = (&Context, &Journal)> {
        self.ran.contexts.iter().zip(&self.journals)
    }
}

impl Job {
    /// Runs over events, in any mode but bars. There is a journal for each account.
    pub fn run<F: Source>(
        &self,
        source: F,
        journals: Vec<Journal>,
        stop: &AtomicBool,
    ) -> Result<Done, JobError<F::Error>> {
        self.with_strategies(OverEvents { job: self, source, journals, stop })
    }

    pub fn run_bars<B: BarSource>(
        &self,
        source: B,
        journals: Vec<Journal>,
        stop: &AtomicBool,
    ) -> Result<Done, JobError<B::Error>> {
        self.with_strategies(OverBars { job: self, source, journals, stop })
    }

    fn with_strategies<R: WithStrategies>(&self, run: R) -> Result<Done, JobError<R::Error>> {
        if let [only] = self.accounts.as_slice() {
            return Ok(builtin::build(&only.strategy, &only.values, Alone(run))??);
        }
        let boxed = |of: &AccountJob| builtin::boxed(&of.strategy, &of.values);
        let strategies = self.accounts.iter().map(boxed).collect::<Result<Vec<_>, _>>()?;
        Ok(run.run(strategies)?)
    }
}

/// Runs strategies of one type, each in its account.
trait WithStrategies {
    type Error;

    fn run<S: Strategy>(self, strategies: Vec<S>) -> Result<Done, RunError<Self::Error>>;
}

/// One strategy keeps its own type, so that its call-backs are dispatched statically.
struct Alone<R>(R);

impl<R: WithStrategies> WithStrategy for Alone<R> {
    type Output = Result<Done, RunError<R::Error>>;

    fn run<S: Strategy + Clone + Send>(self, strategy: S) -> Self::Output {
        self.0.run(vec![strategy])
    }
}

fn seats<'a, S>(
    accounts: &[AccountJob],
    strategies: &'a mut [S],
    journals: &'a mut [Journal],
) -> Vec<Seat<'a, S>> {
    debug_assert_eq!(strategies.len(), journals.len());
    let of_each = accounts.iter().zip(strategies).zip(journals);
    of_each
        .map(|((account, strategy), journal)| Seat { strategy, journal, fees: account.fees })
        .collect()
}

struct OverEvents<'a, F> {
    job: &'a Job,
    source: F,
    journals: Vec<Journal>,
    stop: &'a AtomicBool,
}

impl<F: Source> WithStrategies for OverEvents<'_, F> {
    type Error = F::Error;

    fn run<S: Strategy>(self, mut strategies: Vec<S>) -> Result<Done, RunError<F::Error>> {
        let Self { job, source, mut journals, stop } = self;
        let Job { mode, setup, rules, accounts, .. } = job;
        let seats = seats(accounts, &mut strategies, &mut journals);
        let mut divergence = None;
        let ran = match mode {
            Mode::Orders { impact: true } => {
                let (ran, found) = run_impact(setup, source, seats, stop)?;
                divergence = Some(found);
                ran
            }
            Mode::Orders { impact: false } => run_follow(setup, source, seats, stop)?,
            Mode::Levels => run_levels(setup, *rules, source, seats, stop)?,
            Mode::Trades => run_prints(setup, source, seats, stop)?,
            Mode::Bars => return Err(RunError::Setup("bars are not run as events")),
        };
        Ok(Done { ran, journals, divergence })
    }
}

struct OverBars<'a, B> {
    job: &'a Job,
    source: B,
    journals: Vec<Journal>,
    stop: &'a AtomicBool,
}

impl<B: BarSource> WithStrategies for OverBars<'_, B> {
    type Error = B::Error;

    fn run<S: Strategy>(self, mut strategies: Vec<S>) -> Result<Done, RunError<B::Error>> {
        let Self { job, source, mut journals, stop } = self;
        let seats = seats(&job.accounts, &mut strategies, &mut journals);
        let ran = run_bars(&job.setup, job.inside, source, seats, stop)?;
        Ok(Done { ran, journals, divergence: None })
    }
}

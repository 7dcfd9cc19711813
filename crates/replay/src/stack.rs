//! The parts of the engine as targets, one on top of the other, for the ablation.

use engine::Engine;
use types::Side;

use super::plan::{Plan, Step};
use super::target::{Tally, Target};
use super::watch::Watch;
use super::whole::{ENTRIES_PER_CHUNK, Whole, WholeStep};

/// A whole engine of which only the parts up to a height work. It is announced each command, as the
/// whole engine is.
#[derive(Debug)]
pub(crate) struct Stack<const HEIGHT: u8>(Whole);

impl<const HEIGHT: u8> Stack<HEIGHT> {
    pub(crate) fn new(plan: &Plan, accounts_a_side: u32) -> Self {
        Self(Whole::new(plan, accounts_a_side, 0))
    }

    #[inline]
    fn step(&mut self, ready: &WholeStep, waiting: &[WholeStep]) {
        self.0.engine.announce(waiting.get(Engine::AHEAD - 1).map(|waits| &waits.entry));
        self.0.sequenced_ns += 1;
        self.0.events.clear();
        let (now_ns, events) = (self.0.sequenced_ns, &mut self.0.events);
        let trades = self.0.engine.step_in_stack::<HEIGHT>(now_ns, &ready.entry, events);
        self.0.tally.trades += trades;
    }
}

impl<const HEIGHT: u8> Target for Stack<HEIGHT> {
    fn execute(&mut self, steps: &[Step], watch: &mut Watch) {
        let mut ready = std::mem::take(&mut self.0.ready);
        for steps in steps.chunks(ENTRIES_PER_CHUNK) {
            self.0.decode(steps, &mut ready);
            watch.time(self, &ready, Self::step);
        }
        self.0.ready = ready;
    }

    fn tally(&self) -> &Tally {
        self.0.tally()
    }

    fn levels(&self, instrument: u32, side: Side, depth: usize) -> Vec<(i64, u64)> {
        self.0.levels(instrument, side, depth)
    }

    fn resting_orders(&self) -> usize {
        self.0.resting_orders()
    }
}

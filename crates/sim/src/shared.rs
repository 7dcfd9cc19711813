//! Three machines that write to one log, and take over from each other.

use disk::simulated::Random;
use log::simulated::{Node, SharedLog};
use log::{Log, LoggedBatch};
use venue::{Machine, Output, Role};

use crate::answer::Answer;
use crate::checker::{History, Violation, first_state};
use crate::clients::{Clients, RequestId};
use crate::world::{Plant, Summary};

const MACHINES: usize = 3;
const REQUESTS: u64 = 150;
const STEPS_MAX: u64 = 60_000;
/// The step from which on nothing fails, and all commands must reach their end.
const TROUBLE_STEPS: u64 = 6_000;
const STEP_NS: u64 = 20_000;
/// What the log takes to carry a batch, at most.
const DELAY_MAX_NS: u64 = 400_000;

struct Shared {
    random: Random,
    log: SharedLog,
    clients: Clients,
    machines: Vec<One>,
    now_ns: u64,
    summary: Summary,
}

struct One {
    machine: Machine<Node, RequestId>,
    clock_ahead_ns: i64,
}

pub(super) fn run(seed: u64, plant: Option<Plant>) -> Result<Summary, Violation> {
    let mut random = Random::new(seed);
    let log = SharedLog::new(random.draw(), DELAY_MAX_NS);
    let clients = Clients::new(random.draw(), REQUESTS, plant);
    let machines = (0..MACHINES).map(|_| One::start(&log)).collect();
    let now_ns = 1_700_000_000_000_000_000;
    let mut shared = Shared { random, log, clients, machines, now_ns, summary: Summary::default() };
    for step in 0..STEPS_MAX {
        let is_calm = step >= TROUBLE_STEPS;
        if is_calm && shared.clients.are_done() {
            break;
        }
        shared.step(is_calm)?;
    }
    shared.judge()
}

impl One {
    /// It knows nothing, and reads the log from its beginning.
    fn start(log: &SharedLog) -> Self {
        Self { machine: Machine::new(first_state(), log.join(0)), clock_ahead_ns: 0 }
    }
}

impl Shared {
    fn step(&mut self, is_calm: bool) -> Result<(), Violation> {
        self.now_ns += self.random.below(STEP_NS);
        self.log.advance(self.now_ns);
        let at = self.random.below(MACHINES as u64) as usize;
        if !is_calm && self.random.one_in(60) {
            self.make_trouble(at);
        }
        let nobody_leads = self.machines.iter().all(|one| one.machine.role() == Role::Standby);
        if nobody_leads && self.random.one_in(20) {
            self.take_over(at)?;
        }
        if self.random.one_in(4) {
            self.send(at);
        } else {
            self.poll(at)?;
        }
        Ok(())
    }

    /// Clients do not know the primary: they send to any machine.
    fn send(&mut self, at: usize) {
        let Some((entry, id)) = self.clients.next(self.now_ns) else { return };
        if let Err((_, id)) = self.machines[at].machine.submit(entry, id) {
            self.clients.refused(id, self.now_ns);
        }
    }

    fn poll(&mut self, at: usize) -> Result<(), Violation> {
        let One { machine, clock_ahead_ns } = &mut self.machines[at];
        let mut outputs = Vec::new();
        machine
            .poll(self.now_ns.saturating_add_signed(*clock_ahead_ns), &mut outputs)
            .map_err(|error| Violation::WrongStop(error.to_string()))?;
        for Output { reply, ticket } in outputs {
            if let Some(id) = ticket {
                self.clients.answered(id, Answer::of(&reply));
            }
        }
        Ok(())
    }

    fn make_trouble(&mut self, at: usize) {
        let long_ns = self.random.below(20 * DELAY_MAX_NS);
        match self.random.below(6) {
            0 => {
                self.machines[at] = One::start(&self.log);
                self.summary.restarts += 1;
            }
            // What it has sent arrives when others have long gone on.
            1 => self.log.hold_up(self.machines[at].machine.log_mut(), long_ns),
            2 => self.machines[at].machine.log_mut().cut_off_until(self.now_ns + long_ns),
            3 => {
                self.machines[at].clock_ahead_ns =
                    self.random.below(20_000_000) as i64 - 10_000_000;
            }
            // A hint said that the primary is gone, which it need not be.
            _ => {
                if self.machines[at].machine.role() == Role::Standby {
                    // A log that takes nothing now is asked again another time.
                    let _ = self.take_over(at);
                }
            }
        }
    }

    fn take_over(&mut self, at: usize) -> Result<(), Violation> {
        let primary = self.random.draw();
        let One { machine, clock_ahead_ns } = &mut self.machines[at];
        if !machine.log_mut().ready() {
            return Ok(());
        }
        self.summary.take_overs += 1;
        machine
            .take_over(primary, self.now_ns.saturating_add_signed(*clock_ahead_ns))
            .map_err(|error| Violation::WrongStop(error.to_string()))
    }

    fn judge(mut self) -> Result<Summary, Violation> {
        let mut history = History::new();
        let entries = self.log.entries();
        for entry in &entries {
            history.read(LoggedBatch::from(entry))?;
        }
        history.check_answers(&self.clients)?;
        history.check_all_answered(&self.clients)?;
        let mut outputs = Vec::new();
        for one in &mut self.machines {
            one.machine.log_mut().cut_off_until(0);
            // The primary appends nothing more: no client sends, and nothing is due.
            while one.machine.position().batch_number < entries.len() as u64 {
                one.machine
                    .poll(self.now_ns, &mut outputs)
                    .map_err(|error| Violation::WrongStop(error.to_string()))?;
            }
            history.check_equal(one.machine.engine())?;
        }
        self.summary.commands = history.commands;
        self.summary.repeated = history.repeated;
        self.summary.skipped_batches = history.skipped_batches;
        self.summary.acknowledged =
            self.clients.requests.values().filter(|request| request.answer.is_some()).count()
                as u64;
        Ok(self.summary)
    }
}

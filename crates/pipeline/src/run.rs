//! The runs, and what they measured.

mod bare;
mod clock;
mod cores;
mod feed;
mod inbox;
mod source;
mod trade;

use std::io;
use std::sync::atomic::AtomicU64;

use hdrhistogram::Histogram;
use rtrb::RingBuffer;
use thiserror::Error;

use self::clock::{Clock, Pace};
use self::cores::Cores;
use self::source::{Gate, Memory};
use self::trade::Trade;
use crate::flow::Flow;
use crate::message::Wire;
use crate::strategy::{MarketMaker, Momentum, Strategy, StrategyKind};
use crate::usage::rss_mb;

/// Updates that the queue between the threads holds.
pub const QUEUE_UPDATES: usize = 4_096;
/// The stages of each message whose number is a multiple of this are timed.
pub const SAMPLED_EVERY: u64 = 256;
/// The messages of a run that are not measured: more than a cycle, so that all memory was touched.
const WARM_UP: u64 = 40_000;
/// The second run's part of the first one's rate, unless the plan states another rate.
const PACED_PART: f64 = 0.5;
const SEED: u64 = 7;
const LATENCY_NS_MAX: u64 = 10_000_000_000;

#[derive(Clone, Copy, Debug)]
pub struct Plan {
    pub strategy: StrategyKind,
    pub wire: Wire,
    pub from: MessageSource,
    /// Messages of each run.
    pub messages: u64,
    /// Of the second run; `None` is half the rate of the first.
    pub paced_messages_per_s: Option<f64>,
}

/// Where messages come from.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum MessageSource {
    Memory,
    /// A TCP connection on this machine, which a third thread writes to.
    Socket,
}

impl MessageSource {
    const fn threads(self) -> usize {
        match self {
            Self::Memory => 2,
            Self::Socket => 3,
        }
    }
}

/// A part of a message's way.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Stage {
    Parse,
    Queue,
    Book,
    Strategy,
    /// Risk and execution, of messages with an order.
    Order,
}

impl Stage {
    pub const ALL: [Self; 5] = [Self::Parse, Self::Queue, Self::Book, Self::Strategy, Self::Order];
}

/// What was measured.
#[derive(Debug)]
pub struct Outcome {
    /// At saturation.
    pub elapsed_s: f64,
    pub messages_per_s: f64,
    /// The rate at which the latencies were measured.
    pub paced_messages_per_s: f64,
    /// In nanoseconds, from the time at which a message was due until it was handled.
    pub latency: Histogram<u64>,
    /// The same of messages without work, at the same rate: what of it is the machine's.
    pub bare_latency: Histogram<u64>,
    pub stages: [Histogram<u64>; Stage::ALL.len()],
    /// Of the first run, and so are the fills.
    pub orders: u64,
    pub filled: u64,
    /// Orders that a limit refused.
    pub refused: u64,
    /// Of the first two runs.
    pub page_faults: u64,
    pub context_switches: u64,
    pub allocations: u64,
    pub rss_mb: Option<f64>,
}

#[derive(Debug, Error)]
#[non_exhaustive]
pub enum RunError {
    #[error("a run needs at least one message")]
    NoMessages,
    /// Messages are generated, so that this is a fault of the program.
    #[error("message {number} cannot be read")]
    Message { number: u64 },
    #[error("the connection on this machine: {0}")]
    Socket(#[source] io::Error),
    #[error("the book has refused {count} updates")]
    Book { count: u64 },
}

/// Runs the pipeline twice, and then without its work.
pub fn run(plan: &Plan) -> Result<Outcome, RunError> {
    match plan.strategy {
        StrategyKind::MarketMaker => run_with::<MarketMaker>(plan),
        StrategyKind::Momentum => run_with::<Momentum>(plan),
    }
}

fn run_with<S: Strategy + Default + Send>(plan: &Plan) -> Result<Outcome, RunError> {
    if plan.messages == 0 {
        return Err(RunError::NoMessages);
    }
    let flow = Flow::new(plan.wire, SEED);
    let mut meters = Meters::new();
    let first = pass::<S, false>(plan, &flow, Pace::default(), &mut meters)?;
    let messages_per_s = plan.messages as f64 / first.elapsed_s;
    let paced = plan.paced_messages_per_s.unwrap_or(messages_per_s * PACED_PART);
    let second = pass::<S, true>(plan, &flow, Pace::of_rate(paced), &mut meters)?;
    let Meters { latency, stages } = meters;
    let mut bare_latency = Histogram::new_from(&latency);
    bare::run(plan.messages, Pace::of_rate(paced), &mut bare_latency);
    Ok(Outcome {
        elapsed_s: first.elapsed_s,
        messages_per_s,
        paced_messages_per_s: paced,
        latency,
        bare_latency,
        stages,
        orders: first.orders,
        filled: first.filled,
        refused: first.refused,
        page_faults: first.page_faults + second.page_faults,
        context_switches: first.context_switches + second.context_switches,
        allocations: first.allocations + second.allocations,
        rss_mb: rss_mb(),
    })
}

#[derive(Debug)]
struct Meters {
    latency: Histogram<u64>,
    stages: [Histogram<u64>; Stage::ALL.len()],
}

impl Meters {
    fn new() -> Self {
        let histogram = |digits| {
            Histogram::new_with_bounds(1, LATENCY_NS_MAX, digits).expect("the bounds are sound")
        };
        Self { latency: histogram(3), stages: std::array::from_fn(|_| histogram(2)) }
    }
}

/// What the trading thread has measured.
#[derive(Debug, Default)]
struct Passed {
    elapsed_s: f64,
    orders: u64,
    filled: u64,
    refused: u64,
    page_faults: u64,
    context_switches: u64,
    allocations: u64,
}

fn pass<S: Strategy + Default + Send, const PACED: bool>(
    plan: &Plan,
    flow: &Flow,
    pace: Pace,
    meters: &mut Meters,
) -> Result<Passed, RunError> {
    let (wire, clock) = (plan.wire, Clock::begin());
    let (producer, consumer) = RingBuffer::new(QUEUE_UPDATES);
    let origin_ns = AtomicU64::new(0);
    let total = WARM_UP + plan.messages;
    let gate = Gate::new(clock, PACED.then_some(pace), &origin_ns);
    // The feeder's stage is its own until it ends.
    let mut parse = meters.stages[Stage::Parse as usize].clone();
    let trade = Trade::<S>::new(wire, clock, pace, total);
    let cores = &Cores::for_threads(plan.from.threads());
    let (fed, passed) = std::thread::scope(|threads| {
        let parse = &mut parse;
        let feeder = match plan.from {
            MessageSource::Memory => {
                let memory = Memory::new(flow, gate);
                threads.spawn(move || {
                    cores.keep_this_thread(0);
                    feed::run::<PACED>(memory, wire, total, clock, producer, parse)
                })
            }
            MessageSource::Socket => {
                let (stream, socket) = source::connect(wire).map_err(RunError::Socket)?;
                threads.spawn(move || {
                    cores.keep_this_thread(2);
                    // Where it cannot send, the other end finds the connection closed.
                    source::send::<PACED>(flow, total, gate, stream)
                });
                threads.spawn(move || {
                    cores.keep_this_thread(0);
                    feed::run::<PACED>(socket, wire, total, clock, producer, parse)
                })
            }
        };
        let (origin_ns, meters) = (&origin_ns, &mut *meters);
        let trader = threads.spawn(move || {
            cores.keep_this_thread(1);
            trade.run::<PACED>(consumer, origin_ns, meters)
        });
        let passed = trader.join().expect("it does not panic");
        Ok::<_, RunError>((feeder.join().expect("it does not panic"), passed))
    })?;
    meters.stages[Stage::Parse as usize] = parse;
    fed?;
    passed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_message_is_handled_once_in_each_form() {
        for wire in [Wire::Binary, Wire::Fix] {
            let from = MessageSource::Memory;
            let run = |strategy| {
                run(&Plan { strategy, wire, from, messages: 50_000, paced_messages_per_s: None })
                    .unwrap()
            };
            let maker = run(StrategyKind::MarketMaker);
            assert_eq!(maker.latency.len(), 50_000);
            assert_eq!(maker.bare_latency.len(), 50_000);
            assert!((10..500).contains(&maker.orders), "{}", maker.orders);
            assert!(maker.filled <= maker.orders);
            let momentum = run(StrategyKind::Momentum);
            assert!((35_000..49_000).contains(&momentum.orders), "{}", momentum.orders);
            // The same flow by the same seed: nothing depends on time.
            assert_eq!(run(StrategyKind::Momentum).orders, momentum.orders);
            let sampled = &momentum.stages[Stage::Strategy as usize];
            assert!((190..200).contains(&sampled.len()), "{}", sampled.len());
        }
    }

    #[test]
    fn a_socket_brings_the_same_messages() {
        let (strategy, messages) = (StrategyKind::Momentum, 50_000);
        for wire in [Wire::Binary, Wire::Fix] {
            let run = |from| {
                run(&Plan { strategy, wire, from, messages, paced_messages_per_s: Some(1e6) })
                    .unwrap()
            };
            let (memory, socket) = (run(MessageSource::Memory), run(MessageSource::Socket));
            assert_eq!(memory.orders, socket.orders);
            assert_eq!(socket.latency.len(), messages);
        }
    }

    #[test]
    fn a_run_of_no_messages_is_refused() {
        let (strategy, wire, from) = (StrategyKind::Momentum, Wire::Fix, MessageSource::Memory);
        assert!(
            run(&Plan { strategy, wire, from, messages: 0, paced_messages_per_s: None }).is_err()
        );
    }
}

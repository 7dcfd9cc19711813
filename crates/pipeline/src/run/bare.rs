//! The open-loop run without any work: what of its latency is the machine's. Pauses of either
//! thread, by the system or by the host of a virtual machine, make messages late in both alike.

use std::sync::atomic::{AtomicU64, Ordering};

use hdrhistogram::Histogram;
use rtrb::RingBuffer;
use types::Side;

use super::clock::{Clock, Pace};
use super::cores::Cores;
use super::inbox::Inbox;
use super::source::Gate;
use super::{QUEUE_UPDATES, WARM_UP, feed};
use crate::message::{Kind, Update};

/// Sends empty updates through the queue when they are due, and records when they came out.
pub(super) fn run(messages: u64, pace: Pace, latency: &mut Histogram<u64>) {
    let clock = Clock::begin();
    let (mut producer, consumer) = RingBuffer::new(QUEUE_UPDATES);
    let origin_ns = &AtomicU64::new(0);
    let mut gate = Gate::new(clock, Some(pace), origin_ns);
    let total = WARM_UP + messages;
    let cores = &Cores::for_threads(2);
    std::thread::scope(|threads| {
        threads.spawn(move || {
            cores.keep_this_thread(0);
            let update = Update::new(Kind::Other, Side::Buy, 0, 0, 0);
            for number in 0..total {
                gate.wait(number);
                if !feed::push(&mut producer, update) {
                    return;
                }
            }
        });
        threads.spawn(move || {
            cores.keep_this_thread(1);
            let (mut inbox, mut first_ns) = (Inbox::new(consumer), 0);
            for number in 0..total {
                if inbox.next().is_none() {
                    return;
                }
                if number == WARM_UP {
                    first_ns = origin_ns.load(Ordering::Acquire);
                }
                if number >= WARM_UP {
                    let due_ns = first_ns + pace.due_ns(number - WARM_UP);
                    latency.saturating_record(clock.ns().saturating_sub(due_ns));
                }
            }
        });
    });
}

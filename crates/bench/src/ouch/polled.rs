//! Connections through shared memory on one thread: polled as long as bytes come, then slept for.

use std::time::{Duration, Instant};

use cli::Failure;
use mio::{Events, Poll};
use shm::POLLS_FOR;

use crate::socket::Connection;

/// Waits until bytes have come to one of the connections, or an event. There may be neither after
/// the longest wait, or at the moment at which the next order is due.
pub(super) fn wait(
    poll: &mut Poll,
    events: &mut Events,
    connections: &mut [impl AsMut<Connection>],
    (longest, due): (Option<Duration>, Option<Instant>),
) -> Result<(), Failure> {
    events.clear();
    let begun = Instant::now();
    while begun.elapsed() < POLLS_FOR {
        for connection in &mut *connections {
            if connection.as_mut().has_come()? {
                return Ok(());
            }
        }
        if due.is_some_and(|due| due <= Instant::now()) {
            return Ok(());
        }
        std::hint::spin_loop();
    }
    for connection in connections {
        if !connection.as_mut().sleep()? {
            return Ok(());
        }
    }
    Ok(poll.poll(events, longest)?)
}

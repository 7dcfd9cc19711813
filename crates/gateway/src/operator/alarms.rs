//! Alarms of a running venue, read from its metrics.

use venue::{Metrics, ReplicaStatus};

use crate::clock::now_ns;
use crate::door::operator::{Alarm, OperatorEvent};

/// The alarms that a reader knows to be raised, each with its sentence.
#[derive(Debug, Default)]
pub struct Alarms([Option<&'static str>; 5]);

impl Alarms {
    /// The changes since the last call; the first call returns the raised alarms.
    pub fn changes(&mut self, metrics: &Metrics) -> Vec<OperatorEvent> {
        let figures = metrics.figures();
        let replica = match metrics.replica_status() {
            ReplicaStatus::Off | ReplicaStatus::InStep => None,
            ReplicaStatus::Differs => Some("the replica's state differs from the primary's"),
            ReplicaStatus::Behind => Some("the replica was given up: it was too far behind"),
            ReplicaStatus::Failed => Some("the replica has stopped after an error"),
        };
        let read_model = figures.is_projection_failing;
        let now = [
            (Alarm::Replica, replica),
            (Alarm::ReadModel, read_model.then_some("the read model cannot go on")),
            (Alarm::Disk, figures.is_disk_full.then_some("the disk is full: no new orders")),
            (
                Alarm::Intake,
                figures.is_intake_standing.then_some("orders from Redis are not taken"),
            ),
            (Alarm::Publisher, figures.is_publisher_standing.then_some("a publisher cannot go on")),
        ];
        let changes = now.into_iter().zip(&mut self.0).filter_map(|((alarm, sentence), known)| {
            let before = std::mem::replace(known, sentence);
            (before != sentence).then(|| OperatorEvent::Alarm {
                noticed_ns: now_ns(),
                alarm,
                is_raised: sentence.is_some(),
                sentence: sentence.or(before).unwrap_or_default(),
            })
        });
        changes.collect()
    }
}

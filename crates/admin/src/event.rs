//! Messages of `/admin/v1/events`. `api/asyncapi.yaml` describes them.

use cli::moment::format_time;
use cli::show::Show;
use engine::Engine;
use gateway::OperatorEvent;
use serde::Serialize;
use serde_json::{Value, json};
use types::{Describe, Described, Event};

use super::trail::AuditedShown;
use super::value::to_json;

pub(super) fn messages(engine: &Engine, events: &[OperatorEvent]) -> Vec<String> {
    events.iter().map(|event| message(engine, event).to_string()).collect()
}

fn message(engine: &Engine, event: &OperatorEvent) -> Value {
    match event {
        OperatorEvent::Subscribed { sequence } => {
            json!({ "event": "Subscribed", "sequence": sequence })
        }
        OperatorEvent::Command(audited) => {
            to_json(CommandShown { event: "Command", row: AuditedShown::new(engine, audited) })
        }
        OperatorEvent::Happened { sequence, sequenced_ns, event } => json!({
            "event": event.kind(),
            "sequence": sequence,
            "time": format_time(*sequenced_ns),
            "fields": Show::new(engine).json(&fields(event)),
        }),
        OperatorEvent::Alarm { noticed_ns, alarm, is_raised, sentence } => json!({
            "event": "Alarm",
            "time": format_time(*noticed_ns),
            "alarm": alarm.name(),
            "raised": is_raised,
            "text": sentence,
        }),
    }
}

/// As a row of `GET /audit`.
#[derive(Serialize)]
struct CommandShown {
    event: &'static str,
    #[serde(flatten)]
    row: AuditedShown,
}

fn fields(event: &Event) -> Described {
    match event.describe() {
        Described::Choice(_, record) => *record,
        other => unreachable!("an event is a choice, not {other:?}"),
    }
}

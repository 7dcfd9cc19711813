//! The audit trail: operators' commands, and what each did.

use std::collections::BTreeMap;
use std::fmt;

use serde_json::{Map, Value};
use spool::{Applied, Operated};
use types::{AccountId, Address, Command, Describe, Described, Event, KeyId, Origin, RejectReason};

/// An operator's command.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Audited {
    pub sequence: u64,
    pub sequenced_ns: u64,
    /// Zero through the admin socket.
    pub key: KeyId,
    pub origin: Origin,
    pub address: Option<Address>,
    /// The account that it was for: that of the venue, or of a canceled order.
    pub account: AccountId,
    pub command: Command,
    /// Why the venue refused it.
    pub reason: Option<RejectReason>,
    pub effect: Effect,
}

impl Audited {
    /// `None` for a command that no operator sent. Work that the command left to later steps is not
    /// in its effect.
    pub fn of(applied: &Applied) -> Option<Self> {
        applied.operated.as_deref().map(|operated| Self::new(operated, applied))
    }

    pub(crate) fn new(operated: &Operated, applied: &Applied) -> Self {
        let reason = applied.events.iter().find_map(|event| match event {
            Event::CommandRejected(rejected) => Some(rejected.reason),
            _ => None,
        });
        let mut effect = Effect::default();
        effect.add_events(&applied.events);
        Self {
            sequence: applied.sequence,
            sequenced_ns: applied.sequenced_ns,
            key: operated.key,
            origin: operated.origin,
            address: operated.address,
            account: applied.account,
            command: operated.command.clone(),
            reason,
            effect,
        }
    }
}

/// What a command did: how many events of each kind it led to.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Effect(BTreeMap<&'static str, u64>);

impl Effect {
    /// The kinds of events, each with its number.
    pub fn counts(&self) -> impl Iterator<Item = (&'static str, u64)> {
        self.0.iter().map(|(kind, count)| (*kind, *count))
    }

    pub(crate) fn add_events(&mut self, events: &[Event]) {
        let effects = events.iter().filter(|event| !matches!(event, Event::CommandRejected(_)));
        effects.for_each(|event| *self.0.entry(event.kind()).or_default() += 1);
    }

    /// Adds what further steps of the command did.
    pub fn add(&mut self, later: &Self) {
        later.counts().for_each(|(kind, count)| *self.0.entry(kind).or_default() += count);
    }

    /// Undoes its display.
    pub fn parse(text: &str) -> Option<Self> {
        let parts = text.split(", ").filter(|part| !part.is_empty());
        let part = |part: &str| {
            let (kind, count) = part.split_once(' ')?;
            let kind = Event::KINDS.iter().find(|known| **known == kind)?;
            Some((*kind, count.parse().ok()?))
        };
        parts.map(part).collect::<Option<_>>().map(Self)
    }
}

/// Such as `KillSwitchSet 1, OrderCanceled 12`; empty if it led to nothing.
impl fmt::Display for Effect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, (kind, count)) in self.counts().enumerate() {
            let comma = if at == 0 { "" } else { ", " };
            write!(f, "{comma}{kind} {count}")?;
        }
        Ok(())
    }
}

/// A command's fields for readers in SQL: numbers are those of the read model's other columns.
pub fn fields(command: &Command) -> Value {
    json(command.describe())
}

fn json(value: Described) -> Value {
    match value {
        Described::Nothing => Value::Null,
        Described::Flag(flag) => flag.into(),
        Described::Number(number) => number.into(),
        Described::Wide(number) => wide(number),
        Described::Text(text) => text.into(),
        Described::Word(word) => word.into(),
        Described::Hash(bytes) => {
            bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>().into()
        }
        Described::Secret => "(sealed)".into(),
        Described::Price(price) => price.ticks().into(),
        Described::Qty(qty) => qty.lots().into(),
        Described::Amount(amount) => wide(amount.minor()),
        Described::Increment(increment) => increment.format(1, 0).into(),
        Described::Account(account) => account.0.into(),
        Described::Asset(asset) => asset.0.into(),
        Described::Instrument(instrument) => instrument.0.into(),
        Described::List(list) => list.into_iter().map(json).collect(),
        Described::Record(fields) => {
            let fields = fields.into_iter().map(|(name, value)| (name.to_owned(), json(value)));
            fields.collect::<Map<_, _>>().into()
        }
        Described::Choice(_, record) => json(*record),
    }
}

/// As [`crate::sqlite`] has wide numbers: digits where an integer of 64 bits has no room.
fn wide(number: i128) -> Value {
    i64::try_from(number).map_or_else(|_| number.to_string().into(), Value::from)
}

/// The name of a choice without fields.
pub fn word(choice: &impl Describe) -> &'static str {
    match choice.describe() {
        Described::Word(word) => word,
        other => unreachable!("{other:?} is not a choice by name"),
    }
}

/// The choice of that name.
pub fn of_word<T: Describe + Copy>(all: &[T], named: &str) -> Option<T> {
    all.iter().copied().find(|choice| word(choice) == named)
}

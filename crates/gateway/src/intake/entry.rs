//! Entries of a stream, as Redis sends them.

use protocol::intake::{MESSAGE_FIELD, StreamId};
use redis::Value;

#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) struct StreamEntry {
    pub(super) id: StreamId,
    /// `None` without the field that messages have.
    pub(super) message: Option<Vec<u8>>,
}

/// The entries in an answer to `XREAD` of one stream. Redis answers nil if there are none.
pub(super) fn read_entries(answer: Value) -> Option<Vec<StreamEntry>> {
    match answer {
        Value::Nil => Some(Vec::new()),
        Value::Array(mut streams) => match streams.pop()? {
            Value::Array(mut stream) => entries(stream.pop()?),
            _ => None,
        },
        _ => None,
    }
}

/// The entries in an answer to `XREVRANGE`.
pub(super) fn entries(answer: Value) -> Option<Vec<StreamEntry>> {
    let Value::Array(entries) = answer else { return None };
    entries.into_iter().map(entry).collect()
}

fn entry(value: Value) -> Option<StreamEntry> {
    let Value::Array(mut parts) = value else { return None };
    let (fields, id) = (parts.pop()?, parts.pop()?);
    let Value::BulkString(id) = id else { return None };
    let id = StreamId::parse(str::from_utf8(&id).ok()?)?;
    // An entry that was deleted while it was read has no fields.
    let fields = if let Value::Array(fields) = fields { fields } else { Vec::new() };
    let mut fields = fields.into_iter();
    while let (Some(name), Some(value)) = (fields.next(), fields.next()) {
        if let (Value::BulkString(name), Value::BulkString(value)) = (name, value)
            && name == MESSAGE_FIELD.as_bytes()
        {
            return Some(StreamEntry { id, message: Some(value) });
        }
    }
    Some(StreamEntry { id, message: None })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(text: &str) -> Value {
        Value::BulkString(text.into())
    }

    #[test]
    fn an_entry_has_the_field_of_messages_or_none() {
        let entry = |id: &str, fields: &[&str]| {
            Value::Array(vec![bytes(id), Value::Array(fields.iter().copied().map(bytes).collect())])
        };
        let stream = Value::Array(vec![
            entry("1-0", &["data", "{}"]),
            entry("1-1", &["x", "y", "data", "z"]),
            entry("2-0", &["x", "data"]),
            Value::Array(vec![bytes("2-1"), Value::Nil]),
        ]);
        let read = |answer| {
            let read = read_entries(answer)?.into_iter();
            let shown = read.map(|entry| {
                let message = entry.message.map(|bytes| String::from_utf8(bytes).unwrap());
                format!("{} {}", entry.id, message.as_deref().unwrap_or("-"))
            });
            Some(shown.collect::<Vec<_>>())
        };
        let answer = Value::Array(vec![Value::Array(vec![bytes("orders"), stream])]);
        assert_eq!(read(answer).unwrap(), ["1-0 {}", "1-1 z", "2-0 -", "2-1 -"]);
        assert_eq!(read(Value::Nil).unwrap(), [""; 0]);
        for answer in [Value::Okay, Value::Array(vec![]), Value::Array(vec![Value::Okay])] {
            assert_eq!(read(answer), None);
        }
    }
}

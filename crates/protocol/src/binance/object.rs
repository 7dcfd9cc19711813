//! JSON objects of streams: their fields have one letter, and stand in the order of the
//! documentation.

use serde::Serialize;

/// The text of an object with these [`fields`].
macro_rules! object {
    ($($fields:tt)+) => {{
        let mut object = $crate::binance::object::Object::default();
        $crate::binance::object::fields!(object, $($fields)+);
        object.finish()
    }};
}
pub(crate) use object;

/// Adds fields to an object. With `[some]` a field is left out where its value is `None`; with
/// `[raw]` its value is JSON already.
macro_rules! fields {
    ($object:ident, $($name:literal $([$how:ident])?: $value:expr),+ $(,)?) => {
        $($crate::binance::object::fields!(@one $object, $name, $value $(, $how)?);)+
    };
    (@one $object:ident, $name:literal, $value:expr) => {
        $object.field($name, &$value)
    };
    (@one $object:ident, $name:literal, $value:expr, some) => {
        if let Some(value) = &$value {
            $object.field($name, value);
        }
    };
    (@one $object:ident, $name:literal, $value:expr, raw) => {
        $object.raw($name, &$value)
    };
}
pub(crate) use fields;

pub(crate) struct Object(Vec<u8>);

/// Most objects are not longer.
const ROOM: usize = 512;

impl Default for Object {
    fn default() -> Self {
        Self(Vec::with_capacity(ROOM))
    }
}

impl Object {
    pub(crate) fn field<T: Serialize + ?Sized>(&mut self, name: &str, value: &T) {
        self.name(name);
        serde_json::to_writer(&mut self.0, value)
            .expect("no maps, no floats, and memory to write to");
    }

    pub(crate) fn raw(&mut self, name: &str, json: &str) {
        self.name(name);
        self.0.extend_from_slice(json.as_bytes());
    }

    /// Names are letters, and need no escape.
    fn name(&mut self, name: &str) {
        let begin = if self.0.is_empty() { "{\"" } else { ",\"" };
        for part in [begin, name, "\":"] {
            self.0.extend_from_slice(part.as_bytes());
        }
    }

    pub(crate) fn finish(mut self) -> String {
        self.0.push(b'}');
        String::from_utf8(self.0).expect("JSON of texts")
    }
}

/// A list of objects.
pub(crate) fn list(objects: impl Iterator<Item = String>) -> String {
    format!("[{}]", objects.collect::<Vec<_>>().join(","))
}

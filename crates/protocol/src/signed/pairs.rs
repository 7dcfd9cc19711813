//! The names and values of a request, decoded into one text.

use std::borrow::Cow;
use std::fmt;
use std::mem;
use std::ops::Range;

use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, Error as _, MapAccess, Visitor};
use serde_json::value::RawValue;

use crate::signed::params::PARAMS_MAX;
use crate::spare::Spare;

/// As many pairs as an order has, and more.
const PAIRS_FIRST: usize = 16;

#[derive(Clone, Debug, Default)]
pub(super) struct Pairs {
    text: String,
    pairs: Vec<Pair>,
}

thread_local! {
    static SPARE: Spare<(String, Vec<Pair>)> = const { Spare::new() };
}

impl Drop for Pairs {
    fn drop(&mut self) {
        let (text, pairs) = (mem::take(&mut self.text), mem::take(&mut self.pairs));
        let len = text.capacity() + size_of::<Pair>() * pairs.capacity();
        // A thread that ends keeps nothing more.
        let _ended = SPARE.try_with(|spare| spare.keep((text, pairs), len));
    }
}

/// Where a pair stands in the text.
#[derive(Clone, Copy, Debug)]
struct Pair {
    name: usize,
    name_end: usize,
    value: usize,
    end: usize,
}

impl Pairs {
    /// For a request of this length: the decoded text is hardly ever longer. A message in JSON is
    /// longer by as much as its parameters have when they are sorted once more.
    pub(super) fn with_room(query: &str, body: &[u8]) -> Self {
        let len = query.len() + 2 * body.len();
        if len == 0 {
            return Self::default();
        }
        let spare = SPARE.with(Spare::take);
        let (mut text, mut pairs) =
            spare.unwrap_or_else(|| (String::new(), Vec::with_capacity(PAIRS_FIRST)));
        text.clear();
        text.reserve(len);
        pairs.clear();
        Self { text, pairs }
    }

    fn add(&mut self, name: &str, value: &str) {
        let begin = self.text.len();
        self.text.push_str(name);
        let middle = self.text.len();
        self.text.push_str(value);
        let end = self.text.len();
        self.pairs.push(Pair { name: begin, name_end: middle, value: middle, end });
    }

    /// One pair more than allowed is enough to refuse the form, however long the rest may be.
    pub(super) fn add_form(&mut self, form: &[u8]) {
        match std::str::from_utf8(form) {
            Ok(form) if !form.bytes().any(|byte| matches!(byte, b'%' | b'+')) => {
                self.add_plain(form);
            }
            _ => {
                for (name, value) in form_urlencoded::parse(form).take(PARAMS_MAX + 1) {
                    self.add(&name, &value);
                }
            }
        }
    }

    /// A form without encoded characters, as nearly all are, is a text of its own.
    fn add_plain(&mut self, form: &str) {
        let mut name = self.text.len();
        self.text.push_str(form);
        let pairs_max = self.pairs.len() + PARAMS_MAX + 1;
        for part in form.split('&') {
            let end = name + part.len();
            if self.pairs.len() == pairs_max {
                return;
            }
            if !part.is_empty() {
                let (name_end, value) = match part.find('=') {
                    Some(at) => (name + at, name + at + 1),
                    None => (end, end),
                };
                self.pairs.push(Pair { name, name_end, value, end });
            }
            name = end + 1;
        }
    }

    /// The members of an object.
    pub(super) fn add_json(&mut self, object: &[u8]) -> Result<(), serde_json::Error> {
        let mut json = serde_json::Deserializer::from_slice(object);
        AddObject(self).deserialize(&mut json)?;
        json.end()
    }

    pub(super) fn len(&self) -> usize {
        self.pairs.len()
    }

    fn name(&self, pair: &Pair) -> &str {
        &self.text[pair.name..pair.name_end]
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.pairs.iter().map(|pair| (self.name(pair), &self.text[pair.value..pair.end]))
    }

    pub(super) fn position(&self, name: &str) -> Option<usize> {
        self.pairs.iter().position(|pair| self.name(pair) == name)
    }

    pub(super) fn value(&self, place: usize) -> &str {
        let Pair { value, end, .. } = self.pairs[place];
        &self.text[value..end]
    }

    /// Removes the pair, and returns where its value stands. The order of the others changes.
    pub(super) fn remove(&mut self, place: usize) -> Range<usize> {
        let Pair { value, end, .. } = self.pairs.swap_remove(place);
        value..end
    }

    /// Also of a pair that was removed.
    pub(super) fn text(&self, at: Range<usize>) -> &str {
        &self.text[at]
    }

    /// The first name that is twice in this part.
    pub(super) fn duplicate(&self, part: Range<usize>) -> Option<&str> {
        let pairs = &self.pairs[part];
        let repeated = pairs.iter().enumerate().find(|(place, pair)| {
            pairs[..*place].iter().any(|earlier| self.name(earlier) == self.name(pair))
        });
        repeated.map(|(_, pair)| self.name(pair))
    }

    /// Removes the pairs from this one on whose name is among those before it.
    pub(super) fn remove_repeated(&mut self, from: usize) {
        let mut place = from;
        while place < self.pairs.len() {
            let name = self.name(&self.pairs[place]);
            if self.pairs[..from].iter().any(|earlier| self.name(earlier) == name) {
                self.pairs.remove(place);
            } else {
                place += 1;
            }
        }
    }

    /// Adds `name=value&name=value` to the text, sorted by name, and returns where it stands.
    pub(super) fn add_sorted(&mut self) -> Range<usize> {
        let Self { text, pairs } = &mut *self;
        let key = |pair: &Pair| (&text[pair.name..pair.name_end], &text[pair.value..pair.end]);
        pairs.sort_unstable_by(|one, other| key(one).cmp(&key(other)));
        let begin = text.len();
        for Pair { name, name_end, value, end } in pairs {
            if text.len() > begin {
                text.push('&');
            }
            text.extend_from_within(*name..*name_end);
            text.push('=');
            text.extend_from_within(*value..*end);
        }
        begin..text.len()
    }
}

/// Adds the members of a JSON object in their order: a map would hide duplicates, and parsed
/// numbers would not be what was written.
struct AddObject<'a>(&'a mut Pairs);

impl<'de> DeserializeSeed<'de> for AddObject<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for AddObject<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some((name, value)) = map.next_entry::<Text<'de>, &'de RawValue>()? {
            let value = value.get();
            match value.as_bytes().first() {
                Some(b'"') => {
                    let value: Text<'_> = serde_json::from_str(value).map_err(A::Error::custom)?;
                    self.0.add(&name.0, &value.0);
                }
                Some(b'{') => return Err(A::Error::custom("an object within the object")),
                Some(b'n') => self.0.add(&name.0, ""), // null
                _ => self.0.add(&name.0, value),
            }
        }
        Ok(())
    }
}

/// A text that is copied only if it has escapes.
#[derive(Deserialize)]
struct Text<'a>(#[serde(borrow)] Cow<'a, str>);

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_plain_form_is_read_as_any_other(form in "[ab=&]{0,60}", many in 0..80_usize) {
            let form = form + &"&c".repeat(many);
            let mut plain = Pairs::with_room(&form, b"");
            plain.add_form(form.as_bytes());
            let mut decoded = Pairs::with_room(&form, b"");
            for (name, value) in form_urlencoded::parse(form.as_bytes()).take(PARAMS_MAX + 1) {
                decoded.add(&name, &value);
            }
            prop_assert!(plain.iter().eq(decoded.iter()), "{form}");
        }
    }
}

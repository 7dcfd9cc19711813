//! What a request takes, reported by the code that reads it: the parser is run on nothing but a
//! note of what it asks for. A list beside it could say something else.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use types::{ClOrdId, Market, Markets};

use crate::signed::Params;

/// Gives a name to an order or a cancel whose client gave none.
pub type Generate<'a> = &'a mut dyn FnMut() -> ClOrdId;

#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Parameter {
    pub name: String,
    pub kind: Kind,
    /// Whatever the others say. What one of two, or some types of order, must have is not.
    pub is_required: bool,
}

/// What a parameter's text may be.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Kind {
    Text,
    Integer,
    Flag,
    Words(Vec<String>),
    /// What matches this regular expression.
    Pattern(String),
    /// How many results; more than `max` means `max`.
    Limit {
        default: usize,
        max: usize,
    },
}

/// The parameters that a parser asks for, in its order.
pub fn parameters(parse: impl FnOnce(Params, Markets<'_>, Generate<'_>)) -> Vec<Parameter> {
    let notes = Notes::default();
    let mut generate = || ClOrdId::parse("example").expect("seven letters");
    parse(Params::noting(notes.clone()), &|_| Some(Market::example()), &mut generate);
    let mut noted = notes.lock();
    assert!(noted.is_complete, "a parser stopped before it had asked for everything");
    std::mem::take(&mut noted.parameters)
}

/// What has been asked for. Parameters are taken by value and may be sent to another thread, so
/// the reader of the notes shares them.
#[derive(Clone, Debug, Default)]
pub(super) struct Notes(Arc<Mutex<Noted>>);

#[derive(Debug, Default)]
struct Noted {
    parameters: Vec<Parameter>,
    is_complete: bool,
}

impl Notes {
    /// Getters build on each other: the first to be called knows most.
    pub(super) fn add(&self, name: &str, kind: Kind, is_required: bool) {
        let mut noted = self.lock();
        match noted.parameters.iter_mut().find(|parameter| parameter.name == name) {
            Some(known) => known.is_required |= is_required,
            None => noted.parameters.push(Parameter { name: name.to_owned(), kind, is_required }),
        }
    }

    /// What must be there is, so that the parser goes on.
    pub(super) fn example(&self, name: &str) -> Option<String> {
        let noted = self.lock();
        let parameter = noted.parameters.iter().find(|parameter| parameter.name == name)?;
        parameter.is_required.then(|| match &parameter.kind {
            Kind::Text | Kind::Pattern(_) => "EXAMPLE".to_owned(),
            Kind::Integer | Kind::Limit { .. } => "1".to_owned(),
            Kind::Flag => "true".to_owned(),
            Kind::Words(words) => words[0].clone(),
        })
    }

    pub(super) fn complete(&self) {
        self.lock().is_complete = true;
    }

    fn lock(&self) -> MutexGuard<'_, Noted> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

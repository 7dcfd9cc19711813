//! The answers of a WebSocket, and those that wait until it can be written to.

use std::collections::VecDeque;
use std::sync::Arc;

use axum::extract::ws::Utf8Bytes;

use crate::socket::answers::SMALL;
use crate::socket::connection::ConnectionPermit;
use crate::socket::share::Part;

/// An answer on a WebSocket. If it is large, it is counted until it is dropped.
#[derive(Debug)]
pub(crate) struct SocketAnswer {
    pub(super) text: Utf8Bytes,
    room: Option<Part>,
}

impl SocketAnswer {
    /// `None` if a large answer finds no room.
    pub(crate) fn counted(text: Utf8Bytes, permit: &ConnectionPermit) -> Option<Self> {
        if text.len() <= SMALL {
            return Some(Self { text, room: None });
        }
        let room = permit.answer_room(text.len())?;
        Some(Self { text, room: Some(room) })
    }
}

/// An answer that is never large.
impl From<String> for SocketAnswer {
    fn from(text: String) -> Self {
        Self { text: text.into(), room: None }
    }
}

/// The answers of one WebSocket that became ready while it could not be written to.
pub(crate) struct WaitingAnswers {
    permit: Arc<ConnectionPermit>,
    answers: VecDeque<SocketAnswer>,
    /// Bytes of those that are not counted.
    uncounted: usize,
}

impl WaitingAnswers {
    pub(crate) fn new(permit: Arc<ConnectionPermit>) -> Self {
        Self { permit, answers: VecDeque::new(), uncounted: 0 }
    }

    pub(crate) fn len(&self) -> usize {
        self.answers.len()
    }

    /// Whether there is room for the answer. An answer beyond the uncounted bytes has a part in the
    /// bytes of large answers.
    pub(crate) fn push(&mut self, mut answer: SocketAnswer) -> bool {
        let len = answer.text.len();
        if answer.room.is_none() && self.uncounted + len > SMALL {
            answer.room = self.permit.answer_room(len);
            if answer.room.is_none() {
                return false;
            }
        }
        if answer.room.is_none() {
            self.uncounted += len;
        }
        self.answers.push_back(answer);
        true
    }

    /// The oldest one.
    pub(crate) fn pop(&mut self) -> Option<SocketAnswer> {
        let answer = self.answers.pop_front()?;
        if answer.room.is_none() {
            self.uncounted -= answer.text.len();
        }
        Some(answer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::socket::answers::Answers;
    use crate::socket::share::Shared;

    #[test]
    fn answers_that_wait_are_counted_beyond_the_first() {
        let place = Shared::new(1, None).take(None, 1).unwrap();
        let permit = ConnectionPermit::new(place, Answers::new(3 * SMALL));
        let answer = |len: usize| SocketAnswer::counted("x".repeat(len).into(), &permit);
        let mut waiting = WaitingAnswers::new(Arc::clone(&permit));
        assert!((0..4).all(|_| waiting.push(answer(SMALL / 4).unwrap())), "these are its own");
        assert!((0..4).all(|_| waiting.push(answer(SMALL / 4).unwrap())), "these are counted");
        let large = answer(2 * SMALL).unwrap();
        assert!(answer(2 * SMALL).is_none(), "there is no room for a second one");
        assert!(!waiting.push(answer(1).unwrap()));
        drop(large);
        assert!(waiting.push(answer(2 * SMALL).unwrap()));
        assert!(!waiting.push(answer(1).unwrap()));
        assert_eq!(waiting.pop().unwrap().text.len(), SMALL / 4);
        assert!(waiting.push(answer(1).unwrap()));
        drop(waiting);
        assert!(answer(3 * SMALL).is_some());
    }
}

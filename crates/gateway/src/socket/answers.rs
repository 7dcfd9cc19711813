//! The bytes of large answers, which all clients share until they are written, and the answers of a
//! WebSocket that wait until it can be written to.

use std::collections::VecDeque;
use std::net::IpAddr;
use std::sync::Arc;

use axum::body::{Body, HttpBody};
use axum::response::Response;
use bytes::Bytes;
use futures_util::FutureExt;
use http_body_util::BodyExt;

use crate::socket::connection::ConnectionPermit;
use crate::socket::share::{Network, Part, Shared};

/// Answers up to this length are not counted: each connection writes one at a time. As many bytes
/// may wait on a WebSocket without being counted.
const SMALL: usize = 64 << 10;

/// Large answers that are not written yet. A client that does not read keeps no more of them than
/// its network's part.
#[derive(Clone, Debug)]
pub(crate) struct Answers(Arc<Shared>);

/// An answer that finds no room.
pub(super) struct NoRoom;

impl Answers {
    pub(super) fn new(bytes_max: usize) -> Self {
        Self(Shared::new(bytes_max, None))
    }

    /// Room for an answer to a client of this network.
    pub(super) fn room(&self, network: Option<Network>, len: usize) -> Option<Part> {
        self.0.take(network, len).ok()
    }

    /// The same answer, counted until its last byte is written.
    pub(super) fn count(&self, client: IpAddr, answer: Response) -> Result<Response, NoRoom> {
        let Some(len) = answer.body().size_hint().exact().filter(|len| *len > SMALL as u64) else {
            return Ok(answer);
        };
        let len = usize::try_from(len).map_err(|_| NoRoom)?;
        let part = self.0.take(Some(Network::of(client)), len).map_err(|_| NoRoom)?;
        let (head, body) = answer.into_parts();
        // A body of known length is in memory, and ready.
        let Some(Ok(body)) = body.collect().now_or_never() else { return Err(NoRoom) };
        let counted = Counted { bytes: body.to_bytes(), _part: part };
        Ok(Response::from_parts(head, Body::from(Bytes::from_owner(counted))))
    }
}

struct Counted {
    bytes: Bytes,
    _part: Part,
}

impl AsRef<[u8]> for Counted {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

/// An answer on a WebSocket. If it is large, it is counted until it is dropped.
#[derive(Debug)]
pub(crate) struct SocketAnswer {
    pub(super) text: String,
    room: Option<Part>,
}

impl SocketAnswer {
    /// `None` if a large answer finds no room.
    pub(crate) fn counted(text: String, permit: &ConnectionPermit) -> Option<Self> {
        if text.len() <= SMALL {
            return Some(text.into());
        }
        let room = permit.answer_room(text.len())?;
        Some(Self { text, room: Some(room) })
    }

    pub(super) fn into_parts(self) -> (String, Option<Part>) {
        (self.text, self.room)
    }
}

/// An answer that is never large.
impl From<String> for SocketAnswer {
    fn from(text: String) -> Self {
        Self { text, room: None }
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

    #[test]
    fn answers_that_wait_are_counted_beyond_the_first() {
        let place = Shared::new(1, None).take(None, 1).unwrap();
        let permit = ConnectionPermit::new(place, Answers::new(3 * SMALL));
        let answer = |len: usize| SocketAnswer::counted("x".repeat(len), &permit);
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

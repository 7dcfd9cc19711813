//! The bytes of large answers, which all clients share until they are written.

use std::net::IpAddr;
use std::sync::Arc;

use axum::body::{Body, HttpBody};
use axum::response::Response;
use bytes::Bytes;
use futures_util::FutureExt;
use http_body_util::{BodyExt, Full};

use crate::socket::share::{Network, Part, Shared};

/// Answers up to this length are not counted: each connection writes one at a time. As many bytes
/// may wait on a WebSocket without being counted.
pub(super) const SMALL: usize = 64 << 10;

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

    /// Likewise for a body that is in memory.
    pub(super) fn count_whole(
        &self,
        client: IpAddr,
        body: Full<Bytes>,
    ) -> Result<Full<Bytes>, NoRoom> {
        if body.size_hint().lower() <= SMALL as u64 {
            return Ok(body);
        }
        let (_, body) = self.count(client, Response::new(Body::new(body)))?.into_parts();
        // It is in memory still.
        let Some(Ok(body)) = body.collect().now_or_never() else { return Err(NoRoom) };
        Ok(Full::new(body.to_bytes()))
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

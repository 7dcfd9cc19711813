//! An OUCH session in a call: its bytes in both directions.

use std::sync::Arc;

use futures_util::stream::unfold;
use proto::v1;
use proto::v1::ouch_server::Ouch;
use protocol::signed::ApiError;
use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream, ReadHalf, WriteHalf};
use tonic::codegen::BoxStream;
use tonic::{Request, Response, Status, Streaming};

use crate::grpc::call::Call;
use crate::grpc::shared::{GrpcShared, Tunnel};

const WEIGHT: u32 = 2;
/// Bytes that wait in either direction.
const BUFFER: usize = 64 << 10;

pub(super) struct OuchCalls(pub(super) Arc<GrpcShared>);

#[tonic::async_trait]
impl Ouch for OuchCalls {
    type SessionStream = BoxStream<v1::SessionBytes>;

    async fn session(
        &self,
        request: Request<Streaming<v1::SessionBytes>>,
    ) -> Result<Response<Self::SessionStream>, Status> {
        let call = Call::begin(&self.0, &request, WEIGHT)?;
        let Some(Tunnel(open)) = &self.0.tunnel else {
            return call.end(Err(ApiError::unsupported_operation().into()));
        };
        let (own, other) = tokio::io::duplex(BUFFER);
        open(other, call.peer);
        let (reader, writer) = tokio::io::split(own);
        tokio::spawn(pass(request.into_inner(), writer));
        call.end(Ok(Box::pin(unfold(reader, read))))
    }
}

/// Passes on what the client sends, until it or the session ends.
async fn pass(mut sent: Streaming<v1::SessionBytes>, mut writer: WriteHalf<DuplexStream>) {
    while let Ok(Some(bytes)) = sent.message().await {
        if writer.write_all(&bytes.data).await.is_err() {
            return;
        }
    }
    // The session may have ended before.
    let _ended = writer.shutdown().await;
}

type Read = (Result<v1::SessionBytes, Status>, ReadHalf<DuplexStream>);

/// What the session sends next; `None` once it has ended.
async fn read(mut reader: ReadHalf<DuplexStream>) -> Option<Read> {
    let mut data = Vec::with_capacity(4 << 10);
    match reader.read_buf(&mut data).await {
        Ok(len) if len > 0 => Some((Ok(v1::SessionBytes { data }), reader)),
        _ => None,
    }
}

//! The bytes of an OUCH session in a call.

use futures_util::stream::unfold;
use proto::v1::SessionBytes;
use proto::v1::ouch_client::OuchClient;
use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream, ReadHalf};

use crate::Error;
use crate::grpc::{Channel, error_of};

/// Bytes that wait in either direction.
const BUFFER: usize = 64 << 10;
const READ_SIZE: usize = 16 << 10;

/// Opens a session through the gRPC port at this address.
pub(crate) async fn open(address: &str) -> Result<DuplexStream, Error> {
    let channel = Channel::connect(address).await?;
    let (own, other) = tokio::io::duplex(BUFFER);
    let (reader, mut writer) = tokio::io::split(other);
    let sent = unfold(reader, next);
    let answered = OuchClient::new(channel).session(sent).await;
    let mut received = answered.map_err(|status| error_of(&status))?.into_inner();
    tokio::spawn(async move {
        while let Ok(Some(bytes)) = received.message().await {
            if writer.write_all(&bytes.data).await.is_err() {
                return;
            }
        }
        // The session may have ended before.
        let _ended = writer.shutdown().await;
    });
    Ok(own)
}

async fn next(
    mut reader: ReadHalf<DuplexStream>,
) -> Option<(SessionBytes, ReadHalf<DuplexStream>)> {
    let mut data = Vec::with_capacity(READ_SIZE);
    match reader.read_buf(&mut data).await {
        Ok(len) if len > 0 => Some((SessionBytes { data }, reader)),
        _ => None,
    }
}

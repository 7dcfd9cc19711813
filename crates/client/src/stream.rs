//! Market data over a WebSocket.

use futures_util::StreamExt;
use serde::Deserialize;
use serde_json::Value;
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async};

use crate::Error;

/// Market data as it comes. Pings are answered while [`next`](Self::next) waits, so a stream that
/// is not read is closed by the venue once its queue is full.
#[derive(Debug)]
pub struct Stream {
    socket: WebSocketStream<MaybeTlsStream<TcpStream>>,
}

/// A payload, and the stream that it belongs to.
#[derive(Clone, Debug, Deserialize)]
pub struct StreamMessage {
    pub stream: String,
    pub data: Value,
}

impl Stream {
    /// `ws_url` is such as `ws://127.0.0.1:8080`, the streams such as `btcusdt@depth@100ms`.
    pub async fn connect(ws_url: &str, streams: &[&str]) -> Result<Self, Error> {
        let url = format!("{}/stream?streams={}", ws_url.trim_end_matches('/'), streams.join("/"));
        let (socket, _) = connect_async(url).await.map_err(Error::transport)?;
        Ok(Self { socket })
    }

    /// `None` when the venue has closed the connection.
    pub async fn next(&mut self) -> Option<Result<StreamMessage, Error>> {
        loop {
            let text = match self.socket.next().await? {
                Ok(Message::Text(text)) => text,
                Ok(Message::Close(_)) => return None,
                Ok(_) => continue,
                Err(error) => return Some(Err(Error::transport(error))),
            };
            let message = serde_json::from_str(&text);
            return Some(message.map_err(|error| Error::Shape(format!("{error}: {text}"))));
        }
    }
}

#[cfg(test)]
mod tests {
    use futures_util::SinkExt;
    use tokio::net::TcpListener;

    use super::*;

    #[tokio::test]
    async fn payloads_come_with_the_name_of_their_stream() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("ws://{}/", listener.local_addr().unwrap());
        tokio::spawn(async move {
            let (socket, _) = listener.accept().await.unwrap();
            let mut socket = tokio_tungstenite::accept_async(socket).await.unwrap();
            let payload = r#"{"stream":"btcusdt@trade","data":{"p":"4.00000000"}}"#;
            socket.send(Message::Ping("x".into())).await.unwrap();
            socket.send(Message::text(payload)).await.unwrap();
            socket.send(Message::text("?")).await.unwrap();
            socket.close(None).await.unwrap();
        });
        let mut stream = Stream::connect(&url, &["btcusdt@trade"]).await.unwrap();
        let message = stream.next().await.unwrap().unwrap();
        assert_eq!((&*message.stream, &message.data["p"]), ("btcusdt@trade", &"4.00000000".into()));
        assert!(matches!(stream.next().await, Some(Err(Error::Shape(_)))));
        assert!(stream.next().await.is_none());
    }
}

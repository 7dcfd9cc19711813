//! Market data over a WebSocket.

use std::time::Duration;

use futures_util::{SinkExt, StreamExt};
use serde::Deserialize;
use serde_json::Value;
use tokio::time::{Instant, timeout_at};
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::{WebSocketStream, client_async};

use crate::socket::{Socket, address_of};
use crate::{Error, Tls};

/// After this time without a message the venue is asked for a sign of life.
const QUIET: Duration = Duration::from_secs(5);
/// After this time without one the connection counts as lost.
const SILENT: Duration = Duration::from_secs(10);

/// Market data as it comes. Pings are answered while [`next`](Self::next) waits, so a stream that
/// is not read is closed by the venue once its queue is full. A connection on which nothing comes,
/// not even the answer to a ping, is an error after ten seconds.
#[derive(Debug)]
pub struct Stream {
    socket: WebSocketStream<Socket>,
    heard: Instant,
    is_asked: bool,
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
        Self::open(ws_url, streams, None, "").await
    }

    /// Likewise, of a venue that speaks TLS: `wss://venue.example:8080`.
    pub async fn with_tls(ws_url: &str, streams: &[&str], tls: &Tls) -> Result<Self, Error> {
        Self::open(ws_url, streams, Some(tls), "").await
    }

    /// Likewise, with times in microseconds where the venue has them.
    pub(crate) async fn of_micros(
        ws_url: &str,
        streams: &[&str],
        tls: Option<&Tls>,
    ) -> Result<Self, Error> {
        Self::open(ws_url, streams, tls, "&timeUnit=MICROSECOND").await
    }

    async fn open(
        ws_url: &str,
        streams: &[&str],
        tls: Option<&Tls>,
        more: &str,
    ) -> Result<Self, Error> {
        let (ws_url, streams) = (ws_url.trim_end_matches('/'), streams.join("/"));
        let url = format!("{ws_url}/stream?streams={streams}{more}");
        let address = url.parse().ok().as_ref().and_then(address_of);
        let address = address.ok_or_else(|| Error::Usage(format!("not a URL: {url}")))?;
        let socket = Socket::connect(&address, tls).await.map_err(Error::transport)?;
        let (socket, _) = client_async(url, socket).await.map_err(Error::transport)?;
        Ok(Self { socket, heard: Instant::now(), is_asked: false })
    }

    /// `None` when the venue has closed the connection.
    pub async fn next(&mut self) -> Option<Result<StreamMessage, Error>> {
        loop {
            let until = self.heard + if self.is_asked { SILENT } else { QUIET };
            let Ok(received) = timeout_at(until, self.socket.next()).await else {
                if self.is_asked {
                    return Some(Err(Error::transport("the venue is silent")));
                }
                self.is_asked = true;
                if let Err(error) = self.socket.send(Message::Ping("".into())).await {
                    return Some(Err(Error::transport(error)));
                }
                continue;
            };
            (self.heard, self.is_asked) = (Instant::now(), false);
            let text = match received? {
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

    #[tokio::test]
    async fn a_silent_venue_is_noticed_and_a_quiet_one_is_not() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("ws://{}/", listener.local_addr().unwrap());
        tokio::spawn(async move {
            let (socket, _) = listener.accept().await.unwrap();
            let mut socket = tokio_tungstenite::accept_async(socket).await.unwrap();
            // Reading a ping answers it.
            while socket.next().await.is_some() {}
        });
        let mut stream = Stream::connect(&url, &["btcusdt@trade"]).await.unwrap();
        let ago = |time: Duration| Instant::now().checked_sub(time).unwrap();
        stream.heard = ago(QUIET);
        let asked = timeout_at(Instant::now() + Duration::from_millis(500), stream.next()).await;
        assert!(asked.is_err() && !stream.is_asked && stream.heard.elapsed() < QUIET, "{stream:?}");
        (stream.heard, stream.is_asked) = (ago(SILENT), true);
        let ended = stream.next().await;
        let Some(Err(Error::Transport(error))) = ended else { panic!("{ended:?}") };
        assert_eq!(error.to_string(), "the venue is silent");
    }
}

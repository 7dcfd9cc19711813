//! A WebSocket's client.

use std::time::Duration;

use futures_util::{SinkExt, StreamExt};
use serde_json::Value;
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async};

use crate::support::Site;

pub(crate) type Socket = WebSocketStream<MaybeTlsStream<TcpStream>>;

pub(crate) async fn connect(site: &Site, target: &str) -> Socket {
    connect_async(format!("ws://{}{target}", site.address)).await.unwrap().0
}

pub(crate) async fn next(socket: &mut Socket) -> Value {
    loop {
        let message = timeout(Duration::from_secs(5), socket.next()).await;
        match message.expect("a message in time").expect("an open socket").unwrap() {
            Message::Text(text) => return serde_json::from_str(&text).unwrap(),
            Message::Ping(_) | Message::Pong(_) => {}
            other => panic!("{other:?}"),
        }
    }
}

pub(crate) async fn say(socket: &mut Socket, text: impl ToString) -> Value {
    socket.send(Message::text(text.to_string())).await.unwrap();
    next(socket).await
}

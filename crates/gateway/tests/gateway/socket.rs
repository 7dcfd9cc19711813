//! A WebSocket client.

use std::time::Duration;

use futures_util::{SinkExt, StreamExt};
use protocol::signed::sign::sign;
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async};

use crate::support::{Key, Site, now_ms};

pub(crate) type Socket = WebSocketStream<MaybeTlsStream<TcpStream>>;

pub(crate) async fn connect(site: &Site, target: &str) -> Socket {
    connect_async(format!("ws://{}{target}", site.address)).await.unwrap().0
}

pub(crate) async fn next(socket: &mut Socket) -> Value {
    loop {
        let message = timeout(Duration::from_secs(20), socket.next()).await;
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

/// The parameters with key and signature, as Binance documents them.
pub(crate) fn signed(key: &Key, mut params: Value) -> Value {
    params["apiKey"] = key.api_key.as_str().into();
    params["timestamp"] = now_ms().into();
    let object = params.as_object().unwrap();
    let mut pairs: Vec<String> = object
        .iter()
        .map(|(name, value)| match value {
            Value::String(text) => format!("{name}={text}"),
            other => format!("{name}={other}"),
        })
        .collect();
    pairs.sort();
    let signature = sign(key.secret.as_str().as_bytes(), pairs.join("&").as_bytes());
    params["signature"] = signature.into();
    params
}

pub(crate) async fn ask(socket: &mut Socket, id: u64, method: &str, params: Value) -> Value {
    let answer = say(socket, json!({ "id": id, "method": method, "params": params })).await;
    assert_eq!(answer["id"], id, "{answer}");
    answer
}

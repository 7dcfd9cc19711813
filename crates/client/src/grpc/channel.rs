//! A connection of HTTP/2, over TCP or a Unix socket, for tonic's stubs.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use hyper::body::Incoming;
use hyper::client::conn::http2::{self, SendRequest};
use hyper::http::uri::{Authority, Parts, Scheme};
use hyper::{Request, Response, Uri};
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpStream, UnixStream};
use tokio::time::timeout;
use tonic::body::Body;
use tonic::codegen::Service;

use crate::Error;

const CONNECT_WITHIN: Duration = Duration::from_secs(5);
/// A venue that does not answer a ping for as long again is gone.
const PING_EVERY: Duration = Duration::from_secs(10);
const WINDOW: u32 = 1 << 20;

/// Clones share the connection.
#[derive(Clone)]
pub struct Channel {
    sender: SendRequest<Body>,
    authority: Authority,
}

impl fmt::Debug for Channel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Channel").field(&self.authority).finish()
    }
}

impl Channel {
    /// `host:port`, or `unix:` and the path of a socket. Runs in the present runtime.
    pub async fn connect(address: &str) -> Result<Self, Error> {
        let opened = timeout(CONNECT_WITHIN, async {
            match address.strip_prefix("unix:") {
                Some(path) => {
                    let stream = UnixStream::connect(path).await.map_err(Error::transport)?;
                    Self::open(stream, "localhost").await
                }
                None => {
                    let stream = TcpStream::connect(address).await.map_err(Error::transport)?;
                    stream.set_nodelay(true).map_err(Error::transport)?;
                    Self::open(stream, address).await
                }
            }
        });
        opened.await.map_err(Error::transport)?
    }

    async fn open(
        stream: impl AsyncRead + AsyncWrite + Send + Unpin + 'static,
        authority: &str,
    ) -> Result<Self, Error> {
        let authority =
            authority.parse().map_err(|_| Error::Usage(format!("no host: {authority}")))?;
        let (sender, connection) = http2::Builder::new(TokioExecutor::new())
            .timer(TokioTimer::new())
            .initial_stream_window_size(WINDOW)
            .initial_connection_window_size(WINDOW)
            .keep_alive_interval(PING_EVERY)
            .keep_alive_timeout(PING_EVERY)
            .handshake(TokioIo::new(stream))
            .await
            .map_err(Error::transport)?;
        // Its end is seen by the calls under way.
        tokio::spawn(async move { drop(connection.await) });
        Ok(Self { sender, authority })
    }
}

impl Service<Request<Body>> for Channel {
    type Response = Response<Incoming>;
    type Error = hyper::Error;
    type Future = Pin<Box<dyn Future<Output = Result<Response<Incoming>, hyper::Error>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), hyper::Error>> {
        self.sender.poll_ready(context)
    }

    fn call(&mut self, mut request: Request<Body>) -> Self::Future {
        let mut parts = Parts::default();
        parts.scheme = Some(Scheme::HTTP);
        parts.authority = Some(self.authority.clone());
        parts.path_and_query = request.uri().path_and_query().cloned();
        *request.uri_mut() = Uri::from_parts(parts).expect("a scheme, an authority and a path");
        Box::pin(self.sender.send_request(request))
    }
}

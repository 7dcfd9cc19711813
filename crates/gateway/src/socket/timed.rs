//! The stream of one connection, with the times of its bytes.
//!
//! Two clocks meet here. The kernel stamps each packet on arrival: only this stamp shows how long a
//! request waited in the socket, and that is where requests wait under overload. The process stamps
//! the read of a request and the write of its answer, for the time of each stage of an order.

use std::io::{self, IoSlice, IoSliceMut};
use std::os::fd::AsRawFd;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Instant;

use nix::sys::socket::{ControlMessageOwned, MsgFlags, recvmsg, setsockopt, sockopt};
use nix::sys::time::TimeSpec;
use tokio::io::{AsyncRead, AsyncWrite, Interest, ReadBuf};
use tokio::net::TcpStream;
use types::Origin;
use venue::{Metrics, Stage};

use crate::socket::connection::ConnectionPermit;
use crate::socket::traffic::{Counted, Traffic};

/// A stream that marks on its [`ConnectionPermit`] when the newest bytes arrived and were read, and
/// measures how long answers waited to be written. TLS lies above it.
///
/// The kernel stamps the newest byte of a read, which is right for a request that arrives alone. A
/// read that fills its buffer may leave bytes in the socket. The next read takes the stamp of this
/// one, because its first bytes arrived right after.
pub(crate) struct TimedStream {
    stream: TcpStream,
    permit: Arc<ConnectionPermit>,
    metrics: Arc<Metrics>,
    traffic: Counted,
    /// The stamp of a read that filled its buffer, until the socket is empty.
    rest_since_ns: Option<u64>,
    /// Buffer for the kernel's stamp.
    control: Vec<u8>,
}

impl TimedStream {
    pub(crate) fn new(
        stream: TcpStream,
        permit: Arc<ConnectionPermit>,
        metrics: Arc<Metrics>,
        traffic: Arc<Traffic>,
    ) -> Self {
        if let Err(error) = setsockopt(&stream, sockopt::ReceiveTimestampns, &true) {
            // No request counts as late.
            tracing::debug!(%error, "the kernel does not stamp packets");
        }
        let control = nix::cmsg_space!(TimeSpec);
        let traffic = Counted::new(traffic);
        Self { stream, permit, metrics, traffic, rest_since_ns: None, control }
    }

    fn written(&mut self, bytes: usize) {
        self.traffic.sent(bytes, self.permit.is_web_socket());
        let answered = self.permit.take(&self.permit.answered);
        let trace = self.permit.take_trace();
        if answered.is_none() && trace.is_none() {
            return;
        }
        let now = Instant::now();
        if let Some(answered) = answered {
            self.metrics.passed(Stage::Reply, now.saturating_duration_since(answered), 1);
            if let Some(read) = self.permit.take(&self.permit.order_read) {
                self.metrics.order_answered(Origin::Rest, now.saturating_duration_since(read));
            }
        }
        if let Some(trace) = trace {
            trace.replied(now);
        }
    }
}

impl AsyncRead for TimedStream {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let Self { stream, permit, traffic, rest_since_ns, control, .. } = self.get_mut();
        let room = buf.remaining();
        loop {
            ready!(stream.poll_read_ready(context))?;
            let fd = stream.as_raw_fd();
            let mut received = None;
            let tried = stream.try_io(Interest::READABLE, || {
                let (read, arrived_ns) = receive(fd, buf.initialize_unfilled(), control)?;
                received = Some((read, arrived_ns));
                // A read that leaves room emptied the socket: the runtime need not ask once more.
                if read > 0 && read < room { Err(io::ErrorKind::WouldBlock.into()) } else { Ok(()) }
            });
            if let Some((read, arrived_ns)) = received {
                buf.advance(read);
                permit.set_arrival(rest_since_ns.or(arrived_ns));
                traffic.received(read, permit.is_web_socket());
                if read > 0 {
                    permit.mark(&permit.read, Instant::now());
                }
                *rest_since_ns = arrived_ns.filter(|_| read == room);
                return Poll::Ready(Ok(()));
            }
            match tried {
                // The socket is empty; the runtime wakes this task when it is not.
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => *rest_since_ns = None,
                Err(error) if error.kind() != io::ErrorKind::Interrupted => {
                    return Poll::Ready(Err(error));
                }
                _ => {}
            }
        }
    }
}

/// Reads, and returns the Unix time at which the newest byte arrived. The kernel begins to stamp
/// shortly after the first socket asks for it.
fn receive(
    fd: std::os::fd::RawFd,
    bytes: &mut [u8],
    control: &mut [u8],
) -> io::Result<(usize, Option<u64>)> {
    let mut slices = [IoSliceMut::new(bytes)];
    let message = recvmsg::<()>(fd, &mut slices, Some(control), MsgFlags::empty())?;
    let arrived_ns = message.cmsgs()?.find_map(|part| match part {
        ControlMessageOwned::ScmTimestampns(came) => {
            let (seconds, nanos) = (came.tv_sec().cast_unsigned(), came.tv_nsec().cast_unsigned());
            Some(seconds * 1_000_000_000 + nanos)
        }
        _ => None,
    });
    Ok((message.bytes, arrived_ns))
}

impl AsyncWrite for TimedStream {
    fn poll_write(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        let written = ready!(Pin::new(&mut this.stream).poll_write(context, bytes))?;
        this.written(written);
        Poll::Ready(Ok(written))
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        let written = ready!(Pin::new(&mut this.stream).poll_write_vectored(context, slices))?;
        this.written(written);
        Poll::Ready(Ok(written))
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_flush(context)
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::thread::sleep;
    use std::time::Duration;

    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    use super::*;
    use crate::clock::machine_ns;
    use crate::socket::answers::Answers;
    use crate::socket::share::Shared;

    #[test]
    fn bytes_came_when_they_were_sent_however_late_they_are_read() {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let mut client = std::net::TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let (server, _) = listener.accept().unwrap();
        setsockopt(&server, sockopt::ReceiveTimestampns, &true).unwrap();
        let (mut bytes, mut control) = ([0; 16], nix::cmsg_space!(TimeSpec));
        let mut exchange = || {
            let before_ns = machine_ns();
            client.write_all(b"abc").unwrap();
            sleep(Duration::from_millis(20));
            let (read, arrived_ns) = receive(server.as_raw_fd(), &mut bytes, &mut control).unwrap();
            assert_eq!((read, &bytes[..3]), (3, &b"abc"[..]));
            (before_ns, arrived_ns)
        };
        let stamped = (0..100)
            .map(|_| exchange())
            .find_map(|(before_ns, arrived_ns)| Some((before_ns, arrived_ns?)));
        let (before_ns, arrived_ns) = stamped.expect("the kernel stamps packets after some reads");
        assert!(arrived_ns >= before_ns && arrived_ns <= machine_ns() - 15_000_000, "{arrived_ns}");
        drop(client);
        let (read, _) = receive(server.as_raw_fd(), &mut bytes, &mut control).unwrap();
        assert_eq!(read, 0, "the end");
    }

    #[tokio::test]
    async fn what_waits_behind_a_full_read_came_after_it() {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let mut client = TcpStream::connect(listener.local_addr().unwrap()).await.unwrap();
        let (server, _) = listener.accept().await.unwrap();
        let place = Shared::new(1, None).take(None, 1).unwrap();
        let permit = ConnectionPermit::new(place, Answers::new(0));
        let metrics = Arc::new(Metrics::new(venue::Durability::Memory));
        let mut server = TimedStream::new(server, permit.clone(), metrics, Traffic::new(1));
        let mut bytes = [0; 4];
        let waited = || permit.waited(machine_ns());
        // Until the kernel stamps packets.
        while waited() == Duration::ZERO {
            client.write_all(b"abc").await.unwrap();
            assert_eq!(server.read(&mut bytes).await.unwrap(), 3);
        }
        let before = Instant::now();
        client.write_all(b"abcd").await.unwrap();
        assert_eq!(server.read(&mut bytes).await.unwrap(), 4);
        tokio::time::sleep(Duration::from_millis(50)).await;
        client.write_all(b"abc").await.unwrap();
        assert_eq!(server.read(&mut bytes).await.unwrap(), 3);
        let since_arrival = waited();
        assert!((Duration::from_millis(45)..=before.elapsed()).contains(&since_arrival));
        let before = Instant::now();
        client.write_all(b"abc").await.unwrap();
        assert_eq!(server.read(&mut bytes).await.unwrap(), 3);
        assert!(waited() <= before.elapsed(), "the socket was empty before");
    }
}

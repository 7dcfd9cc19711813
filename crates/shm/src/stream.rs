//! A lane and its socket as a stream of tokio.

use std::io::{self, ErrorKind};
use std::pin::{Pin, pin};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Wake, Waker, ready};
use std::time::{Duration, Instant};

use tokio::io::{AsyncRead, AsyncWrite, Interest, ReadBuf};
use tokio::net::UnixStream;
use tokio::task::yield_now;

use crate::lane::Lane;

/// How long a side polls after bytes have arrived, if they come briskly. Then it sleeps.
pub const POLLS_FOR: Duration = Duration::from_micros(100);
/// Bytes come briskly if they come at most this long after those before: a heartbeat each second
/// does not let a side poll.
const BRISK: Duration = Duration::from_millis(1);
/// Wake-ups that are taken off the socket at once.
const WAKE_UPS: usize = 64;

/// One side of a stream through shared memory.
#[derive(Debug)]
pub struct Stream {
    lane: Lane,
    socket: UnixStream,
    pace: Pace,
    /// The tasks that wait for a byte through the socket.
    tasks: Arc<Tasks>,
    /// The other side's socket has ended. What it wrote before is still read.
    has_ended: bool,
}

impl Stream {
    /// Makes the memory, and passes it to the process at the other end of the socket.
    pub fn offer(socket: UnixStream) -> io::Result<Self> {
        let lane = Lane::offer(&socket)?;
        Ok(Self::new(lane, socket))
    }

    /// Waits for the memory that the other process offers.
    pub async fn join(socket: UnixStream) -> io::Result<Self> {
        let lane = socket.async_io(Interest::READABLE, || Lane::join(&socket)).await?;
        Ok(Self::new(lane, socket))
    }

    fn new(lane: Lane, socket: UnixStream) -> Self {
        let pace = Pace::new(Instant::now());
        Self { lane, socket, pace, tasks: Arc::default(), has_ended: false }
    }

    /// Waits until the other side wakes this one, or ends.
    fn poll_woken(&mut self, cx: &mut Context<'_>, to: To) -> Poll<io::Result<()>> {
        self.tasks.add(to, cx.waker());
        let both = Waker::from(Arc::clone(&self.tasks));
        loop {
            ready!(self.socket.poll_read_ready(&mut Context::from_waker(&both)))?;
            match self.socket.try_read(&mut [0; WAKE_UPS]) {
                Ok(0) => {
                    self.has_ended = true;
                    both.wake_by_ref();
                }
                // It may have been meant for the other direction.
                Ok(_) => both.wake_by_ref(),
                Err(error) if error.kind() == ErrorKind::WouldBlock => continue,
                Err(error) if error.kind() == ErrorKind::ConnectionReset => self.has_ended = true,
                Err(error) => return Poll::Ready(Err(error)),
            }
            return Poll::Ready(Ok(()));
        }
    }
}

impl AsyncRead for Stream {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        loop {
            let had_ended = this.has_ended;
            let before = buf.remaining();
            while buf.remaining() > 0 {
                let arrived = this.lane.arrived()?;
                let len = arrived.len().min(buf.remaining());
                if len == 0 {
                    break;
                }
                buf.put_slice(&arrived[..len]);
                this.lane.consume(len);
            }
            if buf.remaining() < before {
                this.pace.arrived(Instant::now());
                this.lane.wake(&this.socket)?;
                return Poll::Ready(Ok(()));
            }
            if had_ended || before == 0 {
                return Poll::Ready(Ok(()));
            }
            if this.pace.polls(Instant::now()) {
                // Wakes the task again, after what else there is to do.
                let _pending = pin!(yield_now()).poll(cx);
                return Poll::Pending;
            }
            if this.lane.sleep()? {
                ready!(this.poll_woken(cx, To::Read))?;
            }
        }
    }
}

impl AsyncWrite for Stream {
    fn poll_write(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        loop {
            let written = this.lane.write(bytes)?;
            if written > 0 || bytes.is_empty() {
                this.lane.wake(&this.socket)?;
                return Poll::Ready(Ok(written));
            }
            if this.has_ended {
                return Poll::Ready(Err(ErrorKind::BrokenPipe.into()));
            }
            if this.lane.sleep_for_room()? {
                ready!(this.poll_woken(cx, To::Write))?;
            }
        }
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().socket).poll_shutdown(cx)
    }
}

/// What a task waits to do.
#[derive(Clone, Copy, Debug)]
enum To {
    Read,
    Write,
}

/// The tasks of both directions: the socket knows one waker only, and both wait for it.
#[derive(Debug, Default)]
struct Tasks(Mutex<[Option<Waker>; 2]>);

impl Tasks {
    fn add(&self, to: To, waker: &Waker) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)[to as usize] = Some(waker.clone());
    }
}

impl Wake for Tasks {
    fn wake(self: Arc<Self>) {
        let tasks = std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner));
        tasks.into_iter().flatten().for_each(Waker::wake);
    }
}

/// Whether it pays to poll.
#[derive(Debug)]
struct Pace {
    arrived: Instant,
    is_brisk: bool,
}

impl Pace {
    fn new(now: Instant) -> Self {
        Self { arrived: now, is_brisk: false }
    }

    fn arrived(&mut self, now: Instant) {
        self.is_brisk = now - self.arrived <= BRISK;
        self.arrived = now;
    }

    fn polls(&self, now: Instant) -> bool {
        self.is_brisk && now - self.arrived <= POLLS_FOR
    }
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::os::fd::OwnedFd;
    use std::os::unix::fs::FileExt;

    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::time::timeout;

    use super::*;
    use crate::lane::file_of;

    const PATIENCE: Duration = Duration::from_secs(20);

    async fn pair() -> (Stream, Stream) {
        let (one, other) = UnixStream::pair().unwrap();
        let venue = Stream::offer(one).unwrap();
        (venue, Stream::join(other).await.unwrap())
    }

    #[tokio::test]
    async fn messages_go_back_and_forth_with_and_without_rests() {
        let (mut venue, mut client) = pair().await;
        let echo = tokio::spawn(async move {
            let mut bytes = [0; 64];
            loop {
                match venue.read(&mut bytes).await.unwrap() {
                    0 => return,
                    len => venue.write_all(&bytes[..len]).await.unwrap(),
                }
            }
        });
        for number in 0..2_000_u32 {
            client.write_all(&number.to_be_bytes()).await.unwrap();
            assert_eq!(timeout(PATIENCE, client.read_u32()).await.unwrap().unwrap(), number);
            if number % 500 == 0 {
                tokio::time::sleep(3 * BRISK).await;
            }
        }
        drop(client);
        timeout(PATIENCE, echo).await.unwrap().unwrap();
    }

    #[tokio::test]
    async fn more_than_the_rings_hold_waits_and_what_was_written_outlives_its_writer() {
        const LEN: usize = 5 << 20;
        let (mut venue, client) = pair().await;
        let bytes: Vec<u8> = (0..LEN).map(|at| (at % 251) as u8).collect();
        let sent = bytes.clone();
        let (mut reads, mut writes) = tokio::io::split(client);
        let writing = tokio::spawn(async move {
            writes.write_all(&sent).await.unwrap();
            writes
        });
        let echo = tokio::spawn(async move {
            let mut all = vec![0; LEN];
            venue.read_exact(&mut all).await.unwrap();
            venue.write_all(&all).await.unwrap();
            venue.shutdown().await.unwrap();
        });
        let mut back = Vec::new();
        timeout(PATIENCE, reads.read_to_end(&mut back)).await.unwrap().unwrap();
        assert!(back == bytes);
        writing.await.unwrap();
        echo.await.unwrap();
    }

    #[tokio::test]
    async fn what_is_no_offer_is_refused() {
        let (one, other) = UnixStream::pair().unwrap();
        one.try_write(b"not memory").unwrap();
        let error = Stream::join(other).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidData);
        let (one, other) = UnixStream::pair().unwrap();
        drop(one);
        assert!(Stream::join(other).await.is_err());
    }

    /// The memory cannot be cut under the other side, and what is written into it is an error.
    #[tokio::test]
    async fn a_hostile_client_harms_itself_alone() {
        let (one, other) = UnixStream::pair().unwrap();
        let mut venue = Stream::offer(one).unwrap();
        let memory: OwnedFd = other
            .async_io(Interest::READABLE, || file_of(&other))
            .await
            .unwrap()
            .expect("memory is offered");
        let memory = File::from(memory);
        assert!(memory.set_len(0).is_err() && memory.set_len(1 << 30).is_err());
        let len = memory.metadata().unwrap().len() as usize;
        memory.write_all_at(&vec![0x7F; len], 0).unwrap();
        let read = timeout(PATIENCE, venue.read(&mut [0; 16])).await.unwrap();
        assert_eq!(read.unwrap_err().kind(), ErrorKind::InvalidData);
        assert_eq!(venue.write(b"x").await.unwrap_err().kind(), ErrorKind::InvalidData);
    }
}

//! Both rings of one side, and how the memory gets from one process to the other.

use std::io::{self, ErrorKind, IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, OwnedFd};
use std::sync::Arc;

use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags, recvmsg, send, sendmsg,
};

use crate::memory::Memory;
use crate::ring::{Broken, FRAME_MAX, Reader, Ring, Writer};

/// Words of each ring, for its frames: 256 KiB.
const SIZE: usize = 1 << 15;
/// What comes with the memory's file: the layout's name and version.
const HELLO: &[u8; 8] = b"bwshm\0\0\x01";

/// One side of a stream, which does not wait.
#[derive(Debug)]
pub struct Lane {
    reader: Reader,
    writer: Writer,
    /// The frame that was taken last, and the part that is not yet given.
    frame: Box<[u8; FRAME_MAX]>,
    given: usize,
    filled: usize,
}

impl Lane {
    /// Makes the memory, and sends its file to the other side.
    pub fn offer(socket: impl AsFd) -> io::Result<Self> {
        let (memory, file) = Memory::create(2 * Ring::words(SIZE))?;
        let files = [file.as_fd()];
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
        let mut control = SendAncillaryBuffer::new(&mut space);
        let fits = control.push(SendAncillaryMessage::ScmRights(&files));
        debug_assert!(fits, "there is room for one file");
        let flags = SendFlags::DONTWAIT | SendFlags::NOSIGNAL;
        sendmsg(socket, &[IoSlice::new(HELLO)], &mut control, flags)?;
        Ok(Self::new(memory, true))
    }

    /// Takes the memory that the other side offers. An error of the kind `WouldBlock` if it has not
    /// come yet.
    pub fn join(socket: impl AsFd) -> io::Result<Self> {
        let Some(file) = file_of(socket)? else {
            return Err(io::Error::new(ErrorKind::InvalidData, "no memory of a venue was offered"));
        };
        Ok(Self::new(Memory::open(&file, 2 * Ring::words(SIZE))?, false))
    }

    /// The first ring has what the side that offers sends.
    fn new(memory: Memory, offers: bool) -> Self {
        let memory = Arc::new(memory);
        let first = Ring::new(Arc::clone(&memory), 0, SIZE);
        let second = Ring::new(memory, Ring::words(SIZE), SIZE);
        let (out, back) = if offers { (first, second) } else { (second, first) };
        Self {
            reader: Reader::new(back),
            writer: Writer::new(out),
            frame: Box::new([0; FRAME_MAX]),
            given: 0,
            filled: 0,
        }
    }

    /// The next bytes that have come, which stay until they are consumed; none if there are none.
    #[inline]
    pub fn arrived(&mut self) -> io::Result<&[u8]> {
        if self.given == self.filled {
            // Nothing is filled if this fails.
            (self.given, self.filled) = (0, 0);
            self.filled = self.reader.take(&mut self.frame)?;
        }
        Ok(&self.frame[self.given..self.filled])
    }

    pub fn consume(&mut self, len: usize) {
        assert!(len <= self.filled - self.given, "no more than has arrived");
        self.given += len;
    }

    /// Writes as much as there is room for. Returns how many bytes.
    pub fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        Ok(self.writer.write(bytes)?)
    }

    /// Wakes the other side if it sleeps until it gets what was written or what was read.
    pub fn wake(&self, socket: impl AsFd) -> io::Result<()> {
        let (for_frames, for_room) = (self.writer.must_wake(), self.reader.must_wake());
        if !for_frames && !for_room {
            return Ok(());
        }
        match send(socket, &[0], SendFlags::DONTWAIT | SendFlags::NOSIGNAL) {
            // The socket is full of wake-ups.
            Err(error) if error.kind() == ErrorKind::WouldBlock => Ok(()),
            // The other side is gone, which reading finds out.
            Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
            Err(error) if error.kind() == ErrorKind::ConnectionReset => Ok(()),
            sent => Ok(sent.map(drop)?),
        }
    }

    /// Has the other side wake this one by a byte through the socket, when something can be read.
    /// `false` if something can be read already.
    pub fn sleep(&self) -> io::Result<bool> {
        Ok(self.given == self.filled && self.reader.sleep()?)
    }

    /// Likewise, when something can be written.
    pub(crate) fn sleep_for_room(&self) -> io::Result<bool> {
        Ok(self.writer.sleep()?)
    }
}

/// The file that the other side has sent, if it speaks this version of the layout.
pub(crate) fn file_of(socket: impl AsFd) -> io::Result<Option<OwnedFd>> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut control = RecvAncillaryBuffer::new(&mut space);
    let mut hello = [0; HELLO.len()];
    let flags = RecvFlags::CMSG_CLOEXEC;
    let received = recvmsg(socket, &mut [IoSliceMut::new(&mut hello)], &mut control, flags)?;
    let is_known = received.bytes == HELLO.len() && hello == *HELLO;
    let file = control.drain().find_map(|message| match message {
        RecvAncillaryMessage::ScmRights(mut files) => files.next(),
        _ => None,
    });
    Ok(file.filter(|_| is_known))
}

impl From<Broken> for io::Error {
    fn from(_: Broken) -> Self {
        Self::new(ErrorKind::InvalidData, "the other side has broken the ring in shared memory")
    }
}

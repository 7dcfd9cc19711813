//! Lines of a text file, without a copy for each.

use std::io::{self, BufRead};

use crate::fault::{Fault, Place, ReadError};
use crate::lobster::BYTE_ORDER_MARK;

/// No line of a known format is a tenth as long.
const LINE_BYTES_MAX: usize = 4 << 10;
const BUFFER_BYTES: usize = 64 << 10;

/// Reads a source line by line through one buffer of a fixed size.
#[derive(Debug)]
pub(crate) struct Lines<R> {
    source: R,
    buffer: Box<[u8]>,
    begin: usize,
    end: usize,
    /// The number of the last line; counts from 1.
    number: u64,
    has_ended: bool,
}

impl<R: BufRead> Lines<R> {
    pub(crate) fn new(source: R) -> Self {
        let buffer = vec![0; BUFFER_BYTES].into();
        Self { source, buffer, begin: 0, end: 0, number: 0, has_ended: false }
    }

    /// The place of the last line.
    pub(crate) fn place(&self) -> Place {
        Place::Line(self.number)
    }

    /// The next line without its end, `None` after the last. Blank lines are left out.
    #[inline]
    pub(crate) fn next(&mut self) -> Result<Option<&[u8]>, ReadError> {
        loop {
            let Some(range) = self.advance()? else { return Ok(None) };
            if !range.is_empty() {
                return Ok(Some(&self.buffer[range]));
            }
        }
    }

    #[inline]
    fn advance(&mut self) -> Result<Option<std::ops::Range<usize>>, ReadError> {
        self.number += 1;
        loop {
            let rest = &self.buffer[self.begin..self.end];
            if let Some(length) = memchr::memchr(b'\n', rest) {
                let begin = self.begin;
                self.begin += length + 1;
                return self.line(begin, begin + length).map(Some);
            }
            if self.has_ended {
                let begin = std::mem::replace(&mut self.begin, self.end);
                let has_line = begin < self.end;
                return if has_line { self.line(begin, self.end).map(Some) } else { Ok(None) };
            }
            if rest.len() > LINE_BYTES_MAX {
                return Err(self.too_long());
            }
            self.fill().map_err(|error| self.place().fault(error))?;
        }
    }

    fn line(&self, begin: usize, end: usize) -> Result<std::ops::Range<usize>, ReadError> {
        if end - begin > LINE_BYTES_MAX {
            return Err(self.too_long());
        }
        let text = &self.buffer[begin..end];
        let end = end - usize::from(text.ends_with(b"\r"));
        let is_marked = self.number == 1 && text.starts_with(BYTE_ORDER_MARK);
        Ok(begin + if is_marked { BYTE_ORDER_MARK.len() } else { 0 }..end)
    }

    fn too_long(&self) -> ReadError {
        self.place().fault(Fault::Form(format!("longer than {LINE_BYTES_MAX} bytes")))
    }

    /// Moves the begun line to the front of the buffer, and reads on after it.
    fn fill(&mut self) -> io::Result<()> {
        self.buffer.copy_within(self.begin..self.end, 0);
        self.end -= self.begin;
        self.begin = 0;
        loop {
            match self.source.read(&mut self.buffer[self.end..]) {
                Ok(size) => {
                    self.end += size;
                    self.has_ended = size == 0;
                    return Ok(());
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }
}

/// The columns of a line, cut at commas; quotes around a column are removed.
#[derive(Debug)]
pub(crate) struct Columns<'a> {
    rest: Option<&'a [u8]>,
}

impl<'a> Columns<'a> {
    pub(crate) fn new(line: &'a [u8]) -> Self {
        Self { rest: Some(line) }
    }
}

impl<'a> Iterator for Columns<'a> {
    type Item = &'a [u8];

    #[inline]
    fn next(&mut self) -> Option<&'a [u8]> {
        let rest = self.rest?;
        let end = rest.iter().position(|&byte| byte == b',');
        self.rest = end.map(|end| &rest[end + 1..]);
        let column = &rest[..end.unwrap_or(rest.len())];
        Some(match column {
            [b'"', inner @ .., b'"'] => inner,
            _ => column,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &[u8]) -> Vec<(Place, String)> {
        let mut lines = Lines::new(text);
        let mut found = Vec::new();
        while let Some(line) = lines.next().unwrap() {
            let line = String::from_utf8(line.to_vec()).unwrap();
            found.push((lines.place(), line));
        }
        found
    }

    #[test]
    fn lines_are_numbered_and_blank_ones_left_out() {
        let expect = [(Place::Line(1), "a,b".to_owned()), (Place::Line(3), "c".to_owned())];
        assert_eq!(read(b"a,b\n\nc\n"), expect);
        assert_eq!(read(b"\xef\xbb\xbfa,b\r\n\r\nc"), expect);
        assert_eq!(read(b""), []);
    }

    #[test]
    fn lines_cross_the_end_of_the_buffer() {
        let text: String = (0..30_000).map(|number| format!("{number}\n")).collect();
        let found = read(text.as_bytes());
        assert_eq!(found.len(), 30_000);
        assert!(found.iter().enumerate().all(|(at, (_, line))| *line == at.to_string()));
    }

    #[test]
    fn a_line_without_an_end_is_refused() {
        let error = Lines::new(&vec![b'x'; 1 << 20][..]).next().unwrap_err();
        assert_eq!(error.to_string(), "line 1: longer than 4096 bytes");
    }

    #[test]
    fn columns_lose_their_quotes() {
        let columns: Vec<_> = Columns::new(b"a,\"b\",,d").collect();
        assert_eq!(columns, [&b"a"[..], b"b", b"", b"d"]);
    }
}

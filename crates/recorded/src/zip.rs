//! The one file of a zip archive, as a stream.
//!
//! The archive is read from its begin: a local header, the file, and then another local header or
//! the directory. The checksum is compared at the file's end.
//!
//! # Known limits
//! An archive of several files is refused, and so is a stored file whose size follows it.

use std::io::{self, BufRead, BufReader, Read};

use flate2::CrcReader;
use flate2::bufread::DeflateDecoder;

use crate::fill::fill;

pub(crate) const MAGIC: &[u8] = b"PK\x03\x04";
const DESCRIPTOR_MAGIC: [u8; 4] = *b"PK\x07\x08";
const HEADER_BYTES: usize = 30;
const ZIP64_FIELD: u16 = 1;
const SIZE_FOLLOWS: u16 = 1 << 3;
const ENCRYPTED: u16 = 1;

/// The header of a file.
#[derive(Clone, Copy, Debug)]
struct Entry {
    flags: u16,
    method: u16,
    crc: u32,
    /// In the archive.
    size: u64,
    /// Whether sizes of 64 bits are used, also after the file.
    is_zip64: bool,
}

/// See [`open`].
#[derive(Debug)]
pub(crate) struct ZipFile<R> {
    content: Content<R>,
    entry: Entry,
    has_ended: bool,
}

#[derive(Debug)]
enum Content<R> {
    Stored(CrcReader<io::Take<BufReader<R>>>),
    Deflated(CrcReader<DeflateDecoder<BufReader<R>>>),
}

/// Reads the header; the file's content follows.
pub(crate) fn open<R: Read>(source: R) -> io::Result<ZipFile<R>> {
    let mut source = BufReader::with_capacity(64 << 10, source);
    let entry = Entry::read(&mut source)?;
    let content = match entry.method {
        0 if entry.flags & SIZE_FOLLOWS != 0 => {
            return Err(invalid("zip: a stored file without its size cannot be read as a stream"));
        }
        0 => Content::Stored(CrcReader::new(source.take(entry.size))),
        8 => Content::Deflated(CrcReader::new(DeflateDecoder::new(source))),
        method => return Err(invalid(&format!("zip: compression method {method} is unknown"))),
    };
    Ok(ZipFile { content, entry, has_ended: false })
}

impl Entry {
    fn read(source: &mut impl Read) -> io::Result<Self> {
        let mut header = [0; HEADER_BYTES];
        whole(source, &mut header)?;
        if !header.starts_with(MAGIC) {
            return Err(invalid("zip: does not begin with the header of a file"));
        }
        let short = |at: usize| u16::from_le_bytes([header[at], header[at + 1]]);
        let long =
            |at: usize| u32::from_le_bytes(*header[at..].first_chunk().expect("it is longer"));
        let mut name = vec![0; usize::from(short(26))];
        whole(source, &mut name)?;
        let mut extra = vec![0; usize::from(short(28))];
        whole(source, &mut extra)?;
        let mut entry = Self {
            flags: short(6),
            method: short(8),
            crc: long(14),
            size: long(18).into(),
            is_zip64: false,
        };
        if entry.flags & ENCRYPTED != 0 {
            return Err(invalid("zip: the file is encrypted"));
        }
        entry.read_extra(&extra);
        Ok(entry)
    }

    fn read_extra(&mut self, mut extra: &[u8]) {
        while let Some((&[a, b, c, d], rest)) = extra.split_first_chunk() {
            let (kind, size) = (u16::from_le_bytes([a, b]), u16::from_le_bytes([c, d]));
            let Some((field, rest)) = rest.split_at_checked(size.into()) else { return };
            if kind == ZIP64_FIELD {
                self.is_zip64 = true;
                // The size after decompression is first.
                if let Some(size) = field.get(8..).and_then(|rest| rest.first_chunk()) {
                    self.size = u64::from_le_bytes(*size);
                }
            }
            extra = rest;
        }
    }
}

impl<R: Read> Read for ZipFile<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let size = match &mut self.content {
            Content::Stored(content) => content.read(buffer)?,
            Content::Deflated(content) => content.read(buffer)?,
        };
        if size == 0 && !buffer.is_empty() && !self.has_ended {
            self.has_ended = true;
            self.check_end()?;
        }
        Ok(size)
    }
}

impl<R: Read> ZipFile<R> {
    fn check_end(&mut self) -> io::Result<()> {
        let entry = self.entry;
        match &mut self.content {
            Content::Stored(content) => {
                if content.get_ref().limit() > 0 {
                    return Err(cut());
                }
                let found = content.crc().sum();
                check_after(content.get_mut().get_mut(), entry, found)
            }
            Content::Deflated(content) => {
                let found = content.crc().sum();
                check_after(content.get_mut().get_mut(), entry, found)
            }
        }
    }
}

/// Compares the checksum, and refuses a further file.
fn check_after(source: &mut impl BufRead, entry: Entry, found: u32) -> io::Result<()> {
    let mut crc = entry.crc;
    if entry.flags & SIZE_FOLLOWS != 0 {
        let mut first = [0; 4];
        whole(source, &mut first)?;
        if first == DESCRIPTOR_MAGIC {
            whole(source, &mut first)?;
        }
        crc = u32::from_le_bytes(first);
        let mut sizes = [0; 16];
        whole(source, &mut sizes[..if entry.is_zip64 { 16 } else { 8 }])?;
    }
    if crc != found {
        return Err(invalid("zip: the checksum of the file is wrong"));
    }
    let mut next = [0; 4];
    whole(source, &mut next)?;
    if next == MAGIC {
        return Err(invalid("zip: the archive has several files; only one can be read"));
    }
    Ok(())
}

fn whole(source: &mut impl Read, buffer: &mut [u8]) -> io::Result<()> {
    if fill(source, buffer)? < buffer.len() { Err(cut()) } else { Ok(()) }
}

fn cut() -> io::Error {
    io::Error::new(io::ErrorKind::UnexpectedEof, "zip: the archive ends too early")
}

fn invalid(text: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, text)
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::write::DeflateEncoder;
    use flate2::{Compression, Crc};

    use super::*;

    const TEXT: &[u8] = b"14417034,1674200,210,Q,2000,0\n";

    fn crc(bytes: &[u8]) -> u32 {
        let mut crc = Crc::new();
        crc.update(bytes);
        crc.sum()
    }

    /// An archive of one file, its directory cut to the four bytes that are checked.
    fn archive(method: u16, size_follows: bool, is_zip64: bool) -> Vec<u8> {
        let content = if method == 8 {
            let mut encoder = DeflateEncoder::new(Vec::new(), Compression::default());
            encoder.write_all(TEXT).unwrap();
            encoder.finish().unwrap()
        } else {
            TEXT.to_vec()
        };
        let (stated_crc, stated) =
            if size_follows { (0, 0) } else { (crc(TEXT), content.len() as u32) };
        let stated = if is_zip64 { u32::MAX } else { stated };
        let mut bytes = MAGIC.to_vec();
        for short in [45, if size_follows { SIZE_FOLLOWS } else { 0 }, method, 0, 0] {
            bytes.extend(short.to_le_bytes());
        }
        for long in [stated_crc, stated, stated] {
            bytes.extend(long.to_le_bytes());
        }
        bytes.extend(5_u16.to_le_bytes());
        bytes.extend(if is_zip64 { 20_u16 } else { 0 }.to_le_bytes());
        bytes.extend(b"a.csv");
        if is_zip64 {
            bytes.extend([1_u16.to_le_bytes(), 16_u16.to_le_bytes()].concat());
            bytes.extend((TEXT.len() as u64).to_le_bytes());
            bytes.extend((content.len() as u64).to_le_bytes());
        }
        bytes.extend(&content);
        if size_follows {
            bytes.extend(DESCRIPTOR_MAGIC);
            bytes.extend(crc(TEXT).to_le_bytes());
            bytes.extend([0; 8]);
        }
        bytes.extend(b"PK\x01\x02");
        bytes
    }

    fn read(bytes: &[u8]) -> io::Result<Vec<u8>> {
        let mut content = Vec::new();
        open(bytes)?.read_to_end(&mut content)?;
        Ok(content)
    }

    #[test]
    fn the_file_is_read_in_each_form() {
        for (method, size_follows, is_zip64) in
            [(0, false, false), (8, false, false), (8, true, false), (0, false, true)]
        {
            assert_eq!(read(&archive(method, size_follows, is_zip64)).unwrap(), TEXT);
        }
        assert!(read(&archive(0, true, false)).is_err());
        assert!(read(&archive(9, false, false)).is_err());
    }

    #[test]
    fn a_cut_or_damaged_archive_is_an_error() {
        for method in [0, 8] {
            let bytes = archive(method, false, false);
            for cut in 0..bytes.len() {
                assert!(read(&bytes[..cut]).is_err(), "cut at {cut}");
            }
            let mut damaged = bytes.clone();
            damaged[HEADER_BYTES + 7] ^= 1;
            assert!(read(&damaged).is_err());
        }
    }

    #[test]
    fn several_files_are_refused() {
        let bytes = archive(8, false, false);
        let two = [&bytes[..bytes.len() - 4], &bytes].concat();
        let error = read(&two).unwrap_err().to_string();
        assert_eq!(error, "zip: the archive has several files; only one can be read");
    }
}

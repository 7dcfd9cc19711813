//! Bytes of a file, decompressed if necessary.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Cursor, Read, Seek};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use flate2::read::MultiGzDecoder;
use liblzma::read::XzDecoder;
use liblzma::stream::{CONCATENATED, Stream};

use crate::fill::fill;
use crate::{parquet, zip};

/// Memory limit for the decompression of an xz file; `xz -9` needs 65 MiB.
const XZ_MEMORY_BYTES_MAX: u64 = 256 << 20;
/// Limit of a zstd frame's window, as a power of two: 128 MiB, which is `zstd --long`.
const ZSTD_WINDOW_LOG_MAX: u32 = 27;

const GZIP_MAGIC: &[u8] = b"\x1f\x8b";
const ZSTD_MAGIC: &[u8] = b"\x28\xb5\x2f\xfd";
const XZ_MAGIC: &[u8] = b"\xfd7zXZ\0";
const MAGIC_SIZE_MAX: usize = 6;

/// A file's content, after decompression.
pub type Input = Box<dyn BufRead + Send>;

/// Opens a plain, gzip, zstd or xz file, or the one file of a zip archive. A table in Parquet is
/// read as CSV.
///
/// The first bytes decide the compression, not the name: downloads often arrive decompressed under
/// a name that still ends in `.gz`.
pub fn open(path: impl AsRef<Path>) -> io::Result<Input> {
    open_counted(path, Arc::default())
}

/// [`open`] with a count of the bytes of the file that were read. Those of Parquet do not count.
pub(crate) fn open_counted(path: impl AsRef<Path>, read: Arc<AtomicU64>) -> io::Result<Input> {
    let mut file = File::open(path)?;
    let mut head = [0; MAGIC_SIZE_MAX];
    let head_size = fill(&mut file, &mut head)?;
    file.rewind()?;
    if head[..head_size].starts_with(parquet::MAGIC) {
        return Ok(Box::new(BufReader::new(parquet::open(file)?)));
    }
    decompress(Counted { file, read })
}

struct Counted {
    file: File,
    read: Arc<AtomicU64>,
}

impl Read for Counted {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.file.read(buffer)?;
        self.read.fetch_add(count as u64, Ordering::Relaxed);
        Ok(count)
    }
}

/// [`open`] for bytes from another source. Concatenated compressed files are read as one.
pub fn decompress(mut source: impl Read + Send + 'static) -> io::Result<Input> {
    let mut head = [0; MAGIC_SIZE_MAX];
    let head_size = fill(&mut source, &mut head)?;
    let head = head[..head_size].to_vec();
    let is = |magic| head.starts_with(magic);
    let (gzip, zstd, xz, zip) = (is(GZIP_MAGIC), is(ZSTD_MAGIC), is(XZ_MAGIC), is(zip::MAGIC));

    let whole = Cursor::new(head).chain(source);
    Ok(if gzip {
        Box::new(BufReader::new(MultiGzDecoder::new(whole)))
    } else if zstd {
        let mut decoder = zstd::stream::read::Decoder::new(whole)?;
        decoder.window_log_max(ZSTD_WINDOW_LOG_MAX)?;
        Box::new(BufReader::new(decoder))
    } else if xz {
        let stream = Stream::new_stream_decoder(XZ_MEMORY_BYTES_MAX, CONCATENATED)?;
        Box::new(BufReader::new(XzDecoder::new_stream(whole, stream)))
    } else if zip {
        Box::new(BufReader::new(zip::open(whole)?))
    } else {
        Box::new(BufReader::new(whole))
    })
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::write::GzEncoder;
    use liblzma::write::XzEncoder;
    use proptest::prelude::*;

    use super::*;

    const TEXT: &[u8] = b"34200.004241176,1,16113575,18,5853300,1\n";

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), flate2::Compression::default());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    fn zstd(bytes: &[u8]) -> Vec<u8> {
        zstd::stream::encode_all(bytes, 0).unwrap()
    }

    fn xz(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = XzEncoder::new(Vec::new(), 6);
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    fn read(bytes: &[u8]) -> io::Result<Vec<u8>> {
        let mut content = Vec::new();
        decompress(Cursor::new(bytes.to_vec()))?.read_to_end(&mut content)?;
        Ok(content)
    }

    #[test]
    fn compression_is_detected_by_the_first_bytes() {
        for text in [b"" as &[u8], b"a", TEXT, &TEXT.repeat(10_000)] {
            assert_eq!(read(text).unwrap(), text);
            for compress in [gzip, zstd, xz] {
                assert_eq!(read(&compress(text)).unwrap(), text);
            }
        }
    }

    #[test]
    fn joined_files_are_read_as_one() {
        for compress in [gzip, zstd, xz] {
            assert_eq!(read(&compress(TEXT).repeat(3)).unwrap(), TEXT.repeat(3));
        }
    }

    #[test]
    fn compressed_input_cut_anywhere_is_an_error() {
        for (compress, magic) in
            [(gzip as fn(&[u8]) -> _, GZIP_MAGIC), (zstd, ZSTD_MAGIC), (xz, XZ_MAGIC)]
        {
            let bytes = compress(TEXT);
            for cut in magic.len()..bytes.len() {
                assert!(read(&bytes[..cut]).is_err(), "{magic:?} cut at {cut}");
            }
        }
    }

    #[test]
    fn the_name_does_not_decide_the_compression() {
        let folder = tempfile::tempdir().unwrap();
        for (name, bytes) in [
            ("plain.csv.gz", TEXT.to_vec()),
            ("gzip.csv", gzip(TEXT)),
            ("zstd.xz", zstd(TEXT)),
            ("xz.zst", xz(TEXT)),
        ] {
            let path = folder.path().join(name);
            std::fs::write(&path, bytes).unwrap();
            let mut content = Vec::new();
            open(&path).unwrap().read_to_end(&mut content).unwrap();
            assert_eq!(content, TEXT, "{name}");
        }
        let missing = open(folder.path().join("missing")).err().unwrap();
        assert_eq!(missing.kind(), io::ErrorKind::NotFound);
    }

    proptest! {
        #[test]
        fn damaged_input_never_panics(
            kind in 0..4_usize,
            at in any::<prop::sample::Index>(),
            flip in 1..=u8::MAX,
            noise in prop::collection::vec(any::<u8>(), 0..200),
        ) {
            let mut bytes = [gzip(TEXT), zstd(TEXT), xz(TEXT), noise][kind].clone();
            if !bytes.is_empty() {
                let at = at.index(bytes.len());
                bytes[at] ^= flip;
            }
            let mut content = Vec::new();
            // A flipped bit may make a length huge, so the read is bounded, as in a real caller.
            if let Ok(input) = decompress(Cursor::new(bytes)) {
                let _ = input.take(1 << 20).read_to_end(&mut content);
            }
        }
    }
}

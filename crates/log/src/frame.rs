//! One batch as it lies on disk: a fixed header, the payload, zeros up to a multiple of eight.
//!
//! The hash covers the header before it and the payload, and the next frame repeats it: checksum
//! and chain link at once. All numbers are little endian.
//!
//! The layout of the header is for ever, whatever the format version: so a reader distinguishes a
//! frame of a newer version, whose hash holds, from a damaged one.

use std::mem::offset_of;

use crate::batch::{Batch, BatchHeader, LoggedBatch};
use crate::chain::ChainHash;

pub const MAGIC: [u8; 4] = *b"BWL1";
pub const FORMAT_VERSION: u16 = 1;
pub const PAYLOAD_SIZE_MAX: usize = 16 << 20;
/// Frames start at multiples of this many bytes.
pub const ALIGNMENT: usize = 8;

#[repr(C)]
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct FrameHeader {
    pub magic: [u8; 4],
    pub format_version: u16,
    pub rules_version: u16,
    pub payload_size: u32,
    pub command_count: u32,
    pub epoch: u64,
    /// 1 for the first batch of all, and consecutive from there.
    pub batch_number: u64,
    pub sequenced_ns: u64,
    /// The last batch that was known to be on stable storage when this one was written. Batches
    /// that are written together are lost together or in part when the power fails, in any order of
    /// sectors; by this number recovery distinguishes such a loss from that of a batch that had
    /// been acknowledged.
    pub durable_batch: u64,
    pub previous_hash: ChainHash,
    pub hash: ChainHash,
}

const _: () = {
    assert!(size_of::<FrameHeader>() == 80 && FrameHeader::SIZE.is_multiple_of(ALIGNMENT));
    assert!(offset_of!(FrameHeader, magic) == 0);
    assert!(offset_of!(FrameHeader, format_version) == 4);
    assert!(offset_of!(FrameHeader, rules_version) == 6);
    assert!(offset_of!(FrameHeader, payload_size) == 8);
    assert!(offset_of!(FrameHeader, command_count) == 12);
    assert!(offset_of!(FrameHeader, epoch) == 16);
    assert!(offset_of!(FrameHeader, batch_number) == 24);
    assert!(offset_of!(FrameHeader, sequenced_ns) == 32);
    assert!(offset_of!(FrameHeader, durable_batch) == 40);
    assert!(offset_of!(FrameHeader, previous_hash) == 48);
    assert!(offset_of!(FrameHeader, hash) == 64);
};

impl FrameHeader {
    pub const SIZE: usize = size_of::<Self>();

    fn read(bytes: &[u8; Self::SIZE]) -> Self {
        Self {
            magic: field(bytes, offset_of!(Self, magic)),
            format_version: u16::from_le_bytes(field(bytes, offset_of!(Self, format_version))),
            rules_version: u16::from_le_bytes(field(bytes, offset_of!(Self, rules_version))),
            payload_size: u32::from_le_bytes(field(bytes, offset_of!(Self, payload_size))),
            command_count: u32::from_le_bytes(field(bytes, offset_of!(Self, command_count))),
            epoch: u64::from_le_bytes(field(bytes, offset_of!(Self, epoch))),
            batch_number: u64::from_le_bytes(field(bytes, offset_of!(Self, batch_number))),
            sequenced_ns: u64::from_le_bytes(field(bytes, offset_of!(Self, sequenced_ns))),
            durable_batch: u64::from_le_bytes(field(bytes, offset_of!(Self, durable_batch))),
            previous_hash: ChainHash(field(bytes, offset_of!(Self, previous_hash))),
            hash: ChainHash(field(bytes, offset_of!(Self, hash))),
        }
    }

    fn write(&self, out: &mut Vec<u8>) {
        let start = out.len();
        out.extend(self.magic);
        out.extend(self.format_version.to_le_bytes());
        out.extend(self.rules_version.to_le_bytes());
        out.extend(self.payload_size.to_le_bytes());
        out.extend(self.command_count.to_le_bytes());
        out.extend(self.epoch.to_le_bytes());
        out.extend(self.batch_number.to_le_bytes());
        out.extend(self.sequenced_ns.to_le_bytes());
        out.extend(self.durable_batch.to_le_bytes());
        out.extend(self.previous_hash.0);
        out.extend(self.hash.0);
        debug_assert_eq!(out.len() - start, Self::SIZE);
    }
}

/// A frame whose hash holds.
#[derive(Clone, Copy, Debug)]
pub struct Frame<'a> {
    pub header: FrameHeader,
    pub payload: &'a [u8],
}

impl<'a> From<Frame<'a>> for LoggedBatch<'a> {
    fn from(frame: Frame<'a>) -> Self {
        let FrameHeader { batch_number, hash, epoch, sequenced_ns, .. } = frame.header;
        let FrameHeader { rules_version, command_count, .. } = frame.header;
        let header =
            BatchHeader { batch_number, hash, epoch, sequenced_ns, rules_version, command_count };
        Self { header, payload: frame.payload }
    }
}

/// The place of a batch in its log: what the log adds to what the sequencer handed over.
#[derive(Clone, Copy, Debug)]
pub struct Link {
    pub batch_number: u64,
    pub durable_batch: u64,
    pub previous_hash: ChainHash,
}

/// Why bytes are not a frame. Too few of them is a different matter than wrong ones.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
pub enum FrameError {
    /// All bytes there are fit a frame, but it has this many.
    #[error("the frame has {needed} bytes, not all are there")]
    Incomplete { needed: usize },
    /// Something else than a frame begins here.
    #[error("no frame begins here")]
    Magic,
    #[error("a payload of {size} bytes is above the limit of {PAYLOAD_SIZE_MAX}")]
    PayloadTooLarge { size: u32 },
    #[error("the frame's hash does not fit its bytes")]
    Hash,
    #[error("the bytes after the frame are not zero")]
    Padding,
    /// A sound frame of a format that this version does not know.
    #[error("the frame has format {found}, this version reads {FORMAT_VERSION}")]
    Version { found: u16 },
}

/// How many bytes a frame with such a payload takes.
pub const fn size(payload_size: usize) -> usize {
    (FrameHeader::SIZE + payload_size).next_multiple_of(ALIGNMENT)
}

/// Appends the frame of `batch` to `out` and returns its hash.
pub fn encode(out: &mut Vec<u8>, batch: &Batch, link: Link) -> ChainHash {
    assert!(batch.payload.len() <= PAYLOAD_SIZE_MAX, "the appending caller has checked the size");
    let start = out.len();
    FrameHeader {
        magic: MAGIC,
        format_version: FORMAT_VERSION,
        rules_version: batch.rules_version,
        payload_size: batch.payload.len() as u32,
        command_count: batch.command_count,
        epoch: batch.epoch,
        batch_number: link.batch_number,
        sequenced_ns: batch.sequenced_ns,
        durable_batch: link.durable_batch,
        previous_hash: link.previous_hash,
        hash: ChainHash([0; 16]),
    }
    .write(out);
    let hash_start = start + offset_of!(FrameHeader, hash);
    let hash = hash(&out[start..hash_start], &batch.payload);
    out[hash_start..].copy_from_slice(&hash.0);
    out.extend_from_slice(&batch.payload);
    out.resize(start + size(batch.payload.len()), 0);
    hash
}

/// Reads the frame at the beginning of `bytes`; what follows it is not looked at.
pub fn decode(bytes: &[u8]) -> Result<Frame<'_>, FrameError> {
    let size = decode_size(bytes)?;
    let bytes = bytes.get(..size).ok_or(FrameError::Incomplete { needed: size })?;
    let (header_bytes, rest) =
        bytes.split_first_chunk().expect("a frame is never smaller than its header");
    let header = FrameHeader::read(header_bytes);
    let (payload, padding) = rest.split_at(header.payload_size as usize);
    if hash(&header_bytes[..offset_of!(FrameHeader, hash)], payload) != header.hash {
        return Err(FrameError::Hash);
    }
    if padding.iter().any(|&byte| byte != 0) {
        return Err(FrameError::Padding);
    }
    if header.format_version != FORMAT_VERSION {
        return Err(FrameError::Version { found: header.format_version });
    }
    Ok(Frame { header, payload })
}

/// How many bytes the frame has that begins here, by its header alone.
pub fn decode_size(bytes: &[u8]) -> Result<usize, FrameError> {
    let Some(bytes) = bytes.first_chunk::<{ FrameHeader::SIZE }>() else {
        return Err(FrameError::Incomplete { needed: FrameHeader::SIZE });
    };
    let header = FrameHeader::read(bytes);
    if header.magic != MAGIC {
        return Err(FrameError::Magic);
    }
    if header.payload_size as usize > PAYLOAD_SIZE_MAX {
        return Err(FrameError::PayloadTooLarge { size: header.payload_size });
    }
    Ok(size(header.payload_size as usize))
}

/// Gives the frames of a segment, from `start` on, the hashes that their bytes have now. For the
/// simulation: it is as if no reader checked them.
pub(crate) fn reseal(bytes: &mut [u8], start: usize) {
    let (mut at, mut previous) = (start, None);
    while let Some(rest) = bytes.get_mut(at..)
        && let Ok(size) = decode_size(rest)
        && let Some(frame) = rest.get_mut(..size)
    {
        let (previous_hash, hash_at) =
            (offset_of!(FrameHeader, previous_hash), offset_of!(FrameHeader, hash));
        if let Some(ChainHash(previous)) = previous {
            frame[previous_hash..hash_at].copy_from_slice(&previous);
        }
        let payload_size = u32::from_le_bytes(field(frame, offset_of!(FrameHeader, payload_size)));
        let payload_end = FrameHeader::SIZE + payload_size as usize;
        let sealed = hash(&frame[..hash_at], &frame[FrameHeader::SIZE..payload_end]);
        frame[hash_at..FrameHeader::SIZE].copy_from_slice(&sealed.0);
        previous = Some(sealed);
        at += size;
    }
}

/// The `N` bytes at a place that the layout has shown to be inside.
pub(crate) fn field<const N: usize>(bytes: &[u8], offset: usize) -> [u8; N] {
    *bytes[offset..].first_chunk().expect("the layout is asserted beside each type")
}

fn hash(header: &[u8], payload: &[u8]) -> ChainHash {
    let mut hasher = blake3::Hasher::new();
    hasher.update(header).update(payload);
    ChainHash(field(hasher.finalize().as_bytes(), 0))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn batch(payload: &[u8]) -> Batch {
        Batch {
            epoch: 3,
            sequenced_ns: 1_700_000_000_000_000_000,
            rules_version: 7,
            command_count: 2,
            payload: payload.to_vec(),
        }
    }

    const LINK: Link =
        Link { batch_number: 41, durable_batch: 40, previous_hash: ChainHash([9; 16]) };

    fn encoded(payload: &[u8]) -> Vec<u8> {
        let mut out = Vec::new();
        encode(&mut out, &batch(payload), LINK);
        out
    }

    #[test]
    fn decode_gives_back_what_was_encoded() {
        for payload in [&b""[..], b"1", b"12345678", b"123456789"] {
            let mut bytes = vec![0xff; 3];
            let hash = encode(&mut bytes, &batch(payload), LINK);
            bytes.extend(b"whatever follows");
            let frame = decode(&bytes[3..]).unwrap();
            assert_eq!(frame.payload, payload);
            assert_eq!(frame.header.hash, hash);
            assert_eq!(frame.header.previous_hash, LINK.previous_hash);
            assert_eq!(frame.header.batch_number, 41);
            assert_eq!(frame.header.durable_batch, 40);
            assert_eq!(frame.header.epoch, 3);
            assert_eq!(frame.header.rules_version, 7);
            assert_eq!(frame.header.command_count, 2);
            assert_eq!(frame.header.sequenced_ns, 1_700_000_000_000_000_000);
        }
    }

    /// Files of today are read for ever: this test may only ever gain lines.
    #[test]
    fn bytes_on_disk_are_these() {
        let bytes = encoded(b"buy");
        assert_eq!(&bytes[..16], b"BWL1\x01\0\x07\0\x03\0\0\0\x02\0\0\0");
        assert_eq!(&bytes[16..32], b"\x03\0\0\0\0\0\0\0\x29\0\0\0\0\0\0\0");
        assert_eq!(&bytes[40..48], b"\x28\0\0\0\0\0\0\0");
        assert_eq!(&bytes[48..64], &[9; 16]);
        assert_eq!(
            format!("{:?}", decode(&bytes).unwrap().header.hash),
            "af8aa4ec71bbf3ba08e7998df4cc1267"
        );
        assert_eq!(&bytes[80..], b"buy\0\0\0\0\0");
    }

    #[test]
    fn a_frame_cut_anywhere_is_incomplete() {
        let bytes = encoded(b"123456789");
        for cut in 0..bytes.len() {
            assert!(
                matches!(decode(&bytes[..cut]), Err(FrameError::Incomplete { needed }) if needed > cut),
                "cut at {cut}"
            );
        }
    }

    #[test]
    fn any_flipped_bit_is_detected() {
        let bytes = encoded(b"123456789");
        for bit in 0..bytes.len() * 8 {
            let mut bytes = bytes.clone();
            bytes[bit / 8] ^= 1 << (bit % 8);
            assert!(decode(&bytes).is_err(), "bit {bit}");
        }
    }

    #[test]
    fn a_sound_frame_of_another_format_is_not_a_damaged_one() {
        let mut bytes = encoded(b"123");
        bytes[4] = 2;
        assert_eq!(decode(&bytes).unwrap_err(), FrameError::Hash);
        let hash = hash(&bytes[..64], b"123");
        bytes[64..80].copy_from_slice(&hash.0);
        assert_eq!(decode(&bytes).unwrap_err(), FrameError::Version { found: 2 });
    }

    #[test]
    fn errors_are_sentences() {
        let error = |error: FrameError| error.to_string();
        assert!(error(FrameError::Incomplete { needed: 88 }).contains("88 bytes"));
        assert!(error(FrameError::Magic).contains("no frame"));
        assert!(error(FrameError::PayloadTooLarge { size: 1 << 25 }).contains("16777216"));
        assert!(error(FrameError::Hash).contains("hash"));
        assert!(error(FrameError::Padding).contains("zero"));
        assert!(error(FrameError::Version { found: 2 }).contains("format 2"));
    }

    proptest! {
        #[test]
        fn decode_never_panics(mut bytes: Vec<u8>, magic: bool) {
            if magic && bytes.len() >= 4 {
                bytes[..4].copy_from_slice(&MAGIC);
            }
            prop_assert!(decode(&bytes).is_err());
        }

        #[test]
        fn decode_inverts_encode(epoch: u64, sequenced_ns: u64, rules_version: u16,
                                 command_count: u32, payload: Vec<u8>, link: [u64; 2]) {
            let batch = Batch { epoch, sequenced_ns, rules_version, command_count, payload };
            let [batch_number, durable_batch] = link;
            let link = Link { batch_number, durable_batch, previous_hash: ChainHash([1; 16]) };
            let mut bytes = Vec::new();
            encode(&mut bytes, &batch, link);
            prop_assert_eq!(bytes.len(), size(batch.payload.len()));
            let Frame { header, payload } = decode(&bytes).unwrap();
            prop_assert_eq!(header.epoch, epoch);
            prop_assert_eq!(header.sequenced_ns, sequenced_ns);
            prop_assert_eq!(header.batch_number, batch_number);
            prop_assert_eq!(header.durable_batch, durable_batch);
            prop_assert_eq!(payload, &batch.payload[..]);
        }
    }
}

//! The bytes of a snapshot: the fixed header, the table of its sections, their payloads, and a
//! BLAKE3 hash over everything before it. The place of the hash and of the format version is for
//! ever.

use std::io::{self, Read};
use std::mem::offset_of;

use crate::chain::ChainHash;
use crate::frame::field;
use crate::snapshot::error::SnapshotError;
use crate::snapshot::{Section, Snapshot};

pub const FORMAT_VERSION: u16 = 1;
pub const SECTIONS_MAX: usize = 16;
/// In bytes of ASCII.
pub const SECTION_NAME_SIZE_MAX: usize = 24;

pub(super) const MAGIC: [u8; 8] = *b"BWLOGSNP";
pub(super) const CHECKSUM_SIZE: usize = 32;
pub(super) const IO_SIZE: usize = 1 << 20;

#[repr(C)]
pub(super) struct Header {
    magic: [u8; 8],
    format_version: u16,
    rules_version: u16,
    section_count: u32,
    pub(super) batch_number: u64,
    sequence: u64,
    chain_hash: ChainHash,
    state_hash: [u8; 32],
}

#[repr(C)]
struct SectionHeader {
    /// Zeros behind the name.
    name: [u8; SECTION_NAME_SIZE_MAX],
    size: u64,
}

const _: () = {
    assert!(size_of::<Header>() == 80);
    assert!(offset_of!(Header, format_version) == 8);
    assert!(offset_of!(Header, rules_version) == 10);
    assert!(offset_of!(Header, section_count) == 12);
    assert!(offset_of!(Header, batch_number) == 16);
    assert!(offset_of!(Header, sequence) == 24);
    assert!(offset_of!(Header, chain_hash) == 32);
    assert!(offset_of!(Header, state_hash) == 48);
    assert!(size_of::<SectionHeader>() == 32);
    assert!(offset_of!(SectionHeader, size) == 24);
};

pub(super) fn encode_header(snapshot: &Snapshot) -> Vec<u8> {
    let section_count = snapshot.sections.len();
    let size = size_of::<Header>() + section_count * size_of::<SectionHeader>();
    let mut out = Vec::with_capacity(size);
    out.extend(MAGIC);
    out.extend(FORMAT_VERSION.to_le_bytes());
    out.extend(snapshot.rules_version.to_le_bytes());
    out.extend((section_count as u32).to_le_bytes());
    out.extend(snapshot.batch_number.to_le_bytes());
    out.extend(snapshot.sequence.to_le_bytes());
    out.extend(snapshot.chain_hash.0);
    out.extend(snapshot.state_hash);
    for Section { name, payload } in &snapshot.sections {
        out.extend(name.as_bytes());
        out.resize(out.len() + SECTION_NAME_SIZE_MAX - name.len(), 0);
        out.extend((payload.len() as u64).to_le_bytes());
    }
    debug_assert_eq!(out.len(), size);
    out
}

pub(super) enum ReadError {
    Io(io::Error),
    Damaged { offset: u64, damage: &'static str },
    Newer { found: u16 },
}

impl From<io::Error> for ReadError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

/// Nothing is allocated that the size of the file does not account for, and nothing is believed
/// before the checksum has been seen to hold.
pub(super) fn read(mut input: impl Read, file_size: u64) -> Result<Snapshot, ReadError> {
    let damaged = |offset: u64, damage| Err(ReadError::Damaged { offset, damage });
    if file_size < (size_of::<Header>() + CHECKSUM_SIZE) as u64 {
        return damaged(file_size, "it is cut off");
    }
    let mut hasher = blake3::Hasher::new();
    let mut bytes = [0; size_of::<Header>()];
    input.read_exact(&mut bytes)?;
    hasher.update(&bytes);
    if field(&bytes, offset_of!(Header, magic)) != MAGIC {
        return damaged(0, "its first bytes are not those of a snapshot");
    }
    let format_version = u16::from_le_bytes(field(&bytes, offset_of!(Header, format_version)));
    let mut left = file_size - (size_of::<Header>() + CHECKSUM_SIZE) as u64;
    // Ahead of the checksum, which a later version may have elsewhere.
    if format_version > FORMAT_VERSION {
        return Err(ReadError::Newer { found: format_version });
    }
    if format_version != FORMAT_VERSION {
        return damaged(offset_of!(Header, format_version) as u64, "its version never was");
    }
    let section_count = u32::from_le_bytes(field(&bytes, offset_of!(Header, section_count)));
    let table_size = u64::from(section_count) * size_of::<SectionHeader>() as u64;
    if section_count as usize > SECTIONS_MAX || table_size > left {
        return damaged(
            offset_of!(Header, section_count) as u64,
            "its number of sections is wrong",
        );
    }
    left -= table_size;
    let mut table = vec![0; table_size as usize];
    input.read_exact(&mut table)?;
    hasher.update(&table);
    let mut sections = Vec::with_capacity(section_count as usize);
    for (index, entry) in table.chunks_exact(size_of::<SectionHeader>()).enumerate() {
        let offset = (size_of::<Header>() + index * size_of::<SectionHeader>()) as u64;
        let name: [u8; SECTION_NAME_SIZE_MAX] = field(entry, offset_of!(SectionHeader, name));
        let name_size = name.iter().position(|&byte| byte == 0).unwrap_or(name.len());
        let size = u64::from_le_bytes(field(entry, offset_of!(SectionHeader, size)));
        if size > left || !is_section_name(&name[..name_size]) {
            return damaged(offset, "its table of sections is wrong");
        }
        left -= size;
        let mut payload = vec![0; size as usize];
        for piece in payload.chunks_mut(IO_SIZE) {
            input.read_exact(piece)?;
            hasher.update(piece);
        }
        let name = String::from_utf8_lossy(&name[..name_size]).into_owned();
        sections.push(Section { name, payload });
    }
    if left > 0 {
        return damaged(file_size - left, "it is longer than its sections");
    }
    check_checksum(&mut input, &hasher, file_size)?;
    Ok(Snapshot {
        rules_version: u16::from_le_bytes(field(&bytes, offset_of!(Header, rules_version))),
        batch_number: u64::from_le_bytes(field(&bytes, offset_of!(Header, batch_number))),
        sequence: u64::from_le_bytes(field(&bytes, offset_of!(Header, sequence))),
        chain_hash: ChainHash(field(&bytes, offset_of!(Header, chain_hash))),
        state_hash: field(&bytes, offset_of!(Header, state_hash)),
        sections,
    })
}

fn check_checksum(
    input: &mut impl Read,
    hasher: &blake3::Hasher,
    file_size: u64,
) -> Result<(), ReadError> {
    let mut checksum = [0; CHECKSUM_SIZE];
    input.read_exact(&mut checksum)?;
    if hasher.finalize() != checksum {
        let offset = file_size - CHECKSUM_SIZE as u64;
        return Err(ReadError::Damaged { offset, damage: "its checksum does not fit its bytes" });
    }
    Ok(())
}

pub(super) fn check_sections(sections: &[Section]) -> Result<(), SnapshotError> {
    if sections.len() > SECTIONS_MAX {
        return Err(SnapshotError::Section { name: sections[SECTIONS_MAX].name.clone() });
    }
    for (index, Section { name, .. }) in sections.iter().enumerate() {
        let is_repeated = sections[..index].iter().any(|earlier| earlier.name == *name);
        if is_repeated || !is_section_name(name.as_bytes()) {
            return Err(SnapshotError::Section { name: name.clone() });
        }
    }
    Ok(())
}

fn is_section_name(name: &[u8]) -> bool {
    (1..=SECTION_NAME_SIZE_MAX).contains(&name.len()) && name.iter().all(u8::is_ascii_graphic)
}

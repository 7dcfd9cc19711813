//! Rows in the binary form of `COPY`.

use bytes::{BufMut, Bytes, BytesMut};
use types::{AccountId, Amount};

use crate::postgres::number::Wide;

const SIGNATURE: &[u8] = b"PGCOPY\n\xff\r\n\0";
const NULL: i32 = -1;
const END: i16 = -1;

/// Rows for one table, in the order of the columns that its statement names.
#[derive(Debug)]
pub(crate) struct Rows {
    columns: i16,
    /// Of the row that is being written.
    left: i16,
    count: usize,
    bytes: BytesMut,
}

impl Rows {
    pub(crate) fn new(columns: i16) -> Self {
        let mut bytes = BytesMut::new();
        bytes.extend_from_slice(SIGNATURE);
        bytes.put_i32(0); // Flags.
        bytes.put_i32(0); // No extension of the header.
        Self { columns, left: 0, count: 0, bytes }
    }

    pub(crate) fn count(&self) -> usize {
        self.count
    }

    /// Begins a row.
    pub(crate) fn row(&mut self) -> &mut Self {
        debug_assert_eq!(self.left, 0, "the row before has all its columns");
        self.bytes.put_i16(self.columns);
        self.left = self.columns;
        self.count += 1;
        self
    }

    /// An id, a number of lots or a time.
    pub(crate) fn uint(&mut self, value: u64) -> &mut Self {
        self.long(int(value))
    }

    pub(crate) fn long(&mut self, value: i64) -> &mut Self {
        self.field(8).put_i64(value);
        self
    }

    pub(crate) fn account(&mut self, account: AccountId) -> &mut Self {
        self.long(account.0.into())
    }

    /// The number of an instrument or an asset.
    pub(crate) fn small(&mut self, value: impl Into<u32>) -> &mut Self {
        self.field(4).put_i32(number(value));
        self
    }

    pub(crate) fn number(&mut self, value: i32) -> &mut Self {
        self.field(4).put_i32(value);
        self
    }

    /// The number of a type or a state.
    pub(crate) fn kind(&mut self, value: u8) -> &mut Self {
        self.field(2).put_i16(value.into());
        self
    }

    pub(crate) fn flag(&mut self, value: bool) -> &mut Self {
        self.field(1).put_u8(value.into());
        self
    }

    pub(crate) fn text(&mut self, value: &str) -> &mut Self {
        self.bytes(value.as_bytes())
    }

    pub(crate) fn bytes(&mut self, value: &[u8]) -> &mut Self {
        let len = i32::try_from(value.len()).expect("a value is far below 2 GiB");
        self.field(len).extend_from_slice(value);
        self
    }

    /// Its binary form begins with a version.
    pub(crate) fn json(&mut self, value: &str) -> &mut Self {
        let len = i32::try_from(value.len() + 1).expect("a value is far below 2 GiB");
        let bytes = self.field(len);
        bytes.put_u8(1);
        bytes.extend_from_slice(value.as_bytes());
        self
    }

    pub(crate) fn amount(&mut self, value: Amount) -> &mut Self {
        self.wide(value.minor())
    }

    pub(crate) fn wide(&mut self, value: i128) -> &mut Self {
        let bytes = self.field(0);
        let begin = bytes.len();
        Wide(value).write(bytes);
        let len = i32::try_from(bytes.len() - begin).expect("at most 28 bytes");
        bytes[begin - 4..begin].copy_from_slice(&len.to_be_bytes());
        self
    }

    pub(crate) fn null(&mut self) -> &mut Self {
        self.left -= 1;
        self.bytes.put_i32(NULL);
        self
    }

    /// `None` is NULL.
    pub(crate) fn maybe<T>(
        &mut self,
        value: Option<T>,
        put: impl FnOnce(&mut Self, T) -> &mut Self,
    ) -> &mut Self {
        match value {
            Some(value) => put(self, value),
            None => self.null(),
        }
    }

    pub(crate) fn finish(mut self) -> Bytes {
        debug_assert_eq!(self.left, 0, "the last row has all its columns");
        self.bytes.put_i16(END);
        self.bytes.freeze()
    }

    fn field(&mut self, len: i32) -> &mut BytesMut {
        self.left -= 1;
        self.bytes.put_i32(len);
        &mut self.bytes
    }
}

/// An id, a number of lots or a time.
pub(crate) fn int(value: u64) -> i64 {
    i64::try_from(value).expect("ids and lots are below 2^53, and times until the year 2262")
}

/// The number of an instrument or an asset.
pub(crate) fn number(value: impl Into<u32>) -> i32 {
    i32::try_from(value.into()).expect("the venue numbers instruments and assets from 0 on")
}

//! Records that are named by a small number and whose room is used again.

/// Stands for "no record" where a record's number is expected.
pub(crate) const NONE: u32 = u32::MAX;

/// Free places are kept on a stack, so that taking and giving back cost a few
/// instructions and nothing allocates once the slab has grown to its working size.
#[derive(Clone, Debug)]
pub struct Slab<T> {
    records: Vec<T>,
    free: Vec<u32>,
}

impl<T> Default for Slab<T> {
    fn default() -> Self {
        Self { records: Vec::new(), free: Vec::new() }
    }
}

impl<T> Slab<T> {
    #[inline]
    pub fn insert(&mut self, record: T) -> u32 {
        self.insert_made(|| record)
    }

    /// [`Slab::insert`] for the hot path: the record is made where it is going to lie.
    #[inline]
    pub(crate) fn insert_made(&mut self, make: impl FnOnce() -> T) -> u32 {
        match self.free.pop() {
            Some(index) => {
                self.records[index as usize] = make();
                index
            }
            None => self.push(make()),
        }
    }

    /// For records that are left in their first state when they are removed.
    #[inline]
    pub fn insert_with(&mut self, first: impl FnOnce() -> T) -> u32 {
        self.free.pop().unwrap_or_else(|| self.push(first()))
    }

    #[cold]
    fn push(&mut self, record: T) -> u32 {
        let index = u32::try_from(self.records.len()).expect("fewer than 2^32 records");
        assert!(index != NONE, "fewer than 2^32 - 1 records");
        self.records.push(record);
        index
    }

    /// The record stays readable until its place is taken again.
    #[inline]
    pub fn remove(&mut self, index: u32) {
        self.free.push(index);
    }

    pub fn len(&self) -> usize {
        self.records.len() - self.free.len()
    }
}

impl<T> std::ops::Index<u32> for Slab<T> {
    type Output = T;

    #[inline]
    fn index(&self, index: u32) -> &T {
        &self.records[index as usize]
    }
}

impl<T> std::ops::IndexMut<u32> for Slab<T> {
    #[inline]
    fn index_mut(&mut self, index: u32) -> &mut T {
        &mut self.records[index as usize]
    }
}

//! Numbers that begin where a line of the cache begins. Rows of a multiple of sixteen of them then never straddle two lines
//! in a load of 32 bytes, which would take twice as long; what an allocator returns usually does.

use std::ops::{Deref, DerefMut};

/// Bytes of a line of the cache.
const LINE: usize = 64;

/// Some 16-bit numbers, as a slice.
#[derive(Default)]
pub(super) struct Aligned {
    buffer: Vec<u16>,
    start: usize,
    len: usize,
}

impl Aligned {
    /// So many zeros.
    pub(super) fn zeros(len: usize) -> Aligned {
        let buffer = vec![0; len + LINE / size_of::<u16>()];
        // The buffer stays where it is for as long as it lives.
        let start = buffer.as_ptr().align_offset(LINE).min(LINE / size_of::<u16>());
        Aligned { buffer, start, len }
    }
}

impl Deref for Aligned {
    type Target = [u16];
    fn deref(&self) -> &[u16] {
        &self.buffer[self.start..][..self.len]
    }
}

impl DerefMut for Aligned {
    fn deref_mut(&mut self) -> &mut [u16] {
        &mut self.buffer[self.start..][..self.len]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_begin_where_a_line_begins_and_are_as_many_as_asked_for() {
        for len in [0, 1, 16, 1000, 100_000] {
            let mut numbers = Aligned::zeros(len);
            assert_eq!((numbers.len(), numbers.as_ptr().align_offset(LINE)), (len, 0));
            numbers.fill(7);
            assert!(numbers.iter().all(|&number| number == 7));
        }
    }
}

//! A vector of 16-bit numbers aligned to a cache line. In rows of a multiple of sixteen numbers, a 32-byte load then never
//! crosses a cache line, which would take twice as long. Memory from an allocator is usually not aligned like this.

use std::ops::{Deref, DerefMut};

/// Bytes of a cache line.
const LINE: usize = 64;

#[derive(Default)]
pub(super) struct Aligned {
    buffer: Vec<u16>,
    start: usize,
    len: usize,
}

impl Aligned {
    pub(super) fn zeros(len: usize) -> Aligned {
        let buffer = vec![0; len + LINE / size_of::<u16>()];
        // The buffer does not move while it lives.
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
    fn numbers_are_aligned_to_a_cache_line() {
        for len in [0, 1, 16, 1000, 100_000] {
            let mut numbers = Aligned::zeros(len);
            assert_eq!((numbers.len(), numbers.as_ptr().align_offset(LINE)), (len, 0));
            numbers.fill(7);
            assert!(numbers.iter().all(|&number| number == 7));
        }
    }
}

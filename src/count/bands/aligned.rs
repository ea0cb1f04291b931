//! A vector of 16-bit numbers aligned to a cache line. In rows of a multiple of sixteen numbers, a 32-byte load then never
//! crosses a cache line, which would take twice as long. Memory from an allocator is usually not aligned like this.

use std::ops::{Deref, DerefMut};

use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, transmute_mut, transmute_ref};

const NUMBERS: usize = 32;

#[derive(Clone, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C, align(64))]
struct CacheLine([u16; NUMBERS]);

#[derive(Default)]
pub(super) struct Aligned(Vec<CacheLine>);

impl Aligned {
    /// At least so many zeros.
    pub(super) fn zeros(len: usize) -> Aligned {
        Aligned(vec![CacheLine([0; NUMBERS]); len.div_ceil(NUMBERS)])
    }
}

impl Deref for Aligned {
    type Target = [u16];

    fn deref(&self) -> &[u16] {
        transmute_ref!(&self.0[..])
    }
}

impl DerefMut for Aligned {
    fn deref_mut(&mut self) -> &mut [u16] {
        transmute_mut!(&mut self.0[..])
    }
}

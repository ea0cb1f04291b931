//! Items in numbered groups, one group after the other in one vector.

use std::ops::Range;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Groups<T> {
    items: Vec<T>,
    /// Where each group begins, and the end of the last.
    starts: Vec<u32>,
}

impl<T> Groups<T> {
    pub(super) fn new(items: Vec<T>, starts: Vec<u32>) -> Groups<T> {
        Groups { items, starts }
    }

    pub(super) fn all(&self) -> &[T] {
        &self.items
    }

    #[inline(always)]
    pub(super) fn of(&self, group: u16) -> &[T] {
        &self.items[span(&self.starts, group)]
    }

    /// Where the items of so many groups from `first` on begin in all items, and the end of the last.
    #[inline(always)]
    pub(super) fn starts(&self, first: usize, groups: usize) -> &[u32] {
        &self.starts[first..][..groups + 1]
    }

    pub(super) fn map<U>(&self, item: impl Fn(&T) -> U) -> Groups<U> {
        Groups { items: self.items.iter().map(item).collect(), starts: self.starts.clone() }
    }
}

#[inline(always)]
pub(super) fn span(starts: &[u32], group: u16) -> Range<usize> {
    let group = usize::from(group);
    starts[group] as usize..starts[group + 1] as usize
}

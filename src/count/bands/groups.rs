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
    pub(super) fn of(&self, group: usize) -> &[T] {
        self.range(group..group + 1)
    }

    /// The items of some groups.
    #[inline(always)]
    pub(super) fn range(&self, groups: Range<usize>) -> &[T] {
        &self.items[self.starts[groups.start] as usize..self.starts[groups.end] as usize]
    }

    pub(super) fn map<U>(&self, item: impl Fn(&T) -> U) -> Groups<U> {
        Groups { items: self.items.iter().map(item).collect(), starts: self.starts.clone() }
    }
}

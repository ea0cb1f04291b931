//! Items in numbered groups, one group after the other in one vector.

use std::ops::Range;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Groups<T> {
    items: Vec<T>,
    /// Where each group begins, and the end of the last.
    starts: Vec<u32>,
}

impl<T> Groups<T> {
    pub(crate) fn new(items: Vec<T>, starts: Vec<u32>) -> Groups<T> {
        Groups { items, starts }
    }

    pub(crate) fn len(&self) -> usize {
        self.starts.len() - 1
    }

    pub(crate) fn all(&self) -> &[T] {
        &self.items
    }

    #[inline(always)]
    pub(crate) fn of(&self, group: impl Into<u32>) -> &[T] {
        &self.items[span(&self.starts, group)]
    }

    /// Where the items of so many groups from `first` on begin in all items, and the end of the last.
    #[inline(always)]
    pub(crate) fn starts(&self, first: usize, groups: usize) -> &[u32] {
        &self.starts[first..][..groups + 1]
    }

    pub(crate) fn map<U>(&self, item: impl Fn(&T) -> U) -> Groups<U> {
        Groups { items: self.items.iter().map(item).collect(), starts: self.starts.clone() }
    }
}

#[inline(always)]
pub(crate) fn span(starts: &[u32], group: impl Into<u32>) -> Range<usize> {
    let group = group.into() as usize;
    starts[group] as usize..starts[group + 1] as usize
}

impl<T: Clone> From<Vec<Vec<T>>> for Groups<T> {
    fn from(groups: Vec<Vec<T>>) -> Groups<T> {
        let ends = groups.iter().scan(0, |end, group| {
            *end += group.len() as u32;
            Some(*end)
        });
        Groups { starts: std::iter::once(0).chain(ends).collect(), items: groups.concat() }
    }
}

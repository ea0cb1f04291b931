//! A puzzle as an exact cover: a set of options that has every item exactly once.
//!
//! An option is a value in a cell. The items are the cells (each has one value) and the values of each house (each has one
//! cell: a house of any shape has as many cells as there are values). Items that the givens cover are omitted, so that a solver
//! begins with the search.

use census::puzzle::Puzzle;

/// The items and options that a puzzle's givens leave open
pub struct Cover {
    /// The number of items, which are numbered from 0
    pub items: usize,
    /// The items of each option
    pub options: Vec<Vec<usize>>,
}

impl Cover {
    /// The exact covers are the solutions.
    pub fn new(puzzle: &Puzzle) -> Cover {
        let (shape, givens) = (&puzzle.shape, puzzle.givens.values());
        let (order, cells) = (shape.order(), shape.cells());
        let mut houses_of = vec![Vec::new(); cells];
        for (number, house) in shape.houses().iter().enumerate() {
            house.cells.iter().for_each(|&cell| houses_of[cell].push(number));
        }
        let items_of = |cell: usize, value: usize| -> Vec<usize> {
            let in_houses = houses_of[cell].iter().map(|house| cells + house * order + value);
            std::iter::once(cell).chain(in_houses).collect()
        };

        let mut open = vec![true; cells + shape.houses().len() * order];
        for (cell, &value) in givens.iter().enumerate().filter(|&(_, &value)| value != 0) {
            items_of(cell, usize::from(value) - 1).into_iter().for_each(|item| open[item] = false);
        }
        let mut free = 0..open.len();
        let numbers: Vec<Option<usize>> = open.iter().map(|&open| if open { free.next() } else { None }).collect();
        let choices = (0..cells).flat_map(|cell| (0..order).map(move |value| (cell, value)));
        let options =
            choices.filter_map(|(cell, value)| items_of(cell, value).into_iter().map(|item| numbers[item]).collect());
        Cover { items: free.start, options: options.collect() }
    }

    /// The cover with its items in reverse order. Of items with equally few options, solvers choose the first, so the order can
    /// change the time by a factor of two in either direction.
    pub fn reversed(&self) -> Cover {
        let reversed = |option: &Vec<usize>| option.iter().rev().map(|item| self.items - 1 - item).collect();
        Cover { items: self.items, options: self.options.iter().map(reversed).collect() }
    }
}

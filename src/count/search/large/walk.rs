//! Depth-first search below one unit of a large puzzle.
//!
//! It walks the tree of the board, but where the open cells of a node fall into parts, and solutions are only to be
//! counted, it leaves the node to [`Parts`]. What it gives away to others are untouched branches from the bottom of its stack, as
//! in the search of other boards.

use std::ops::ControlFlow;

use crate::count::search::ValueOrder;
use crate::count::search::engine::{Engine, Settled, Tree};
use crate::count::{CacheUse, Control, Counted, Counter, Give, Solutions};

use super::board::{Board, State};
use super::parts::{Parts, next_look};

/// Nodes between two looks at the control.
const NODES_BETWEEN_LOOKS: u64 = 512;
/// Branches on the stack that a walker keeps to itself: what hangs on the last ones is done sooner than given away.
const BRANCHES_TO_KEEP: usize = 4;

/// A guess that is being worked through.
struct Branch {
    cell: usize,
    /// Values still to try, as bits; never none.
    values: u64,
    /// Parts are looked for when so few cells are unsettled.
    look: usize,
}

/// Walks the trees of units, one after the other. Level d of the stack is the state in which branch d is made.
pub(super) struct Walker<'a> {
    board: &'a Board,
    tree: Tree,
    values: ValueOrder,
    levels: Vec<State>,
    branches: Vec<Branch>,
    parts: Parts<'a>,
    grid: Vec<u8>,
    /// Nodes that led nowhere, since there is this walker.
    pub dead_ends: u64,
    /// Where the stack of branches begins: those below have been given away.
    base: usize,
}

/// What is to be done with solutions.
enum Aim<'a, 'b> {
    /// Count them; with somebody to give to, parts of the tree may go there.
    Count(Option<&'a mut Give<'b>>),
    /// Visit each.
    Visit(&'a mut dyn FnMut(&[u8]) -> ControlFlow<()>),
}

/// What has been found, and what of it has been told.
struct Found<'a> {
    control: &'a Control,
    patience: u128,
    solutions: Solutions,
    nodes: u64,
    news: Solutions,
    new_nodes: u64,
}

impl Found<'_> {
    fn add(&mut self, solutions: Solutions) {
        self.solutions = self.solutions.plus(solutions);
        self.news = self.news.plus(solutions);
    }

    fn add_nodes(&mut self, nodes: u64) {
        self.nodes += nodes;
        self.new_nodes += nodes;
    }

    fn is_time_to_tell(&self) -> bool {
        self.new_nodes >= NODES_BETWEEN_LOOKS || self.news.exact().is_none_or(|news| news >= self.patience)
    }

    /// Tells the control; says whether to go on.
    fn tell(&mut self) -> bool {
        // Who watches may be told too few, never too many.
        let solutions = std::mem::replace(&mut self.news, Solutions::ZERO).exact().unwrap_or(u128::MAX);
        self.control.tell(solutions, std::mem::take(&mut self.new_nodes))
    }
}

impl<'a> Walker<'a> {
    pub(super) fn new(board: &'a Board, tree: Tree, values: ValueOrder) -> Self {
        let parts = Parts::new(board, tree.cells);
        let grid = vec![0; board.cells()];
        Walker { board, tree, values, levels: Vec::new(), branches: Vec::new(), parts, grid, dead_ends: 0, base: 0 }
    }

    fn walk(&mut self, unit: &[u8], control: &Control, mut aim: Aim) -> Counted {
        let (board, tree) = (self.board, self.tree);
        let (none, patience) = (Solutions::ZERO, control.patience().into());
        let mut found = Found { control, patience, solutions: none, nodes: 0, news: none, new_nodes: 0 };
        let mut finished = true;
        self.branches.clear();
        self.base = 0;
        self.make_room(0);
        board.load(unit, &mut self.levels[0]);
        let mut settled = board.settle(tree, &mut self.levels[0]);
        let mut look = usize::MAX;
        loop {
            // The state on top of the stack has just been settled.
            match settled {
                Settled::Dead => self.dead_ends += 1,
                Settled::Solved => {
                    found.add(Solutions::new(1));
                    if let Aim::Visit(visit) = &mut aim {
                        board.store(&self.levels[self.branches.len()], &mut self.grid);
                        if visit(&self.grid).is_break() {
                            finished = false;
                            break;
                        }
                    }
                }
                Settled::Branch(cell) => {
                    // A product is known when its last factor is: whoever wants only some solutions would wait too long.
                    let whole = matches!(aim, Aim::Count(_)) && !control.is_limited();
                    let counted = whole.then(|| self.count_parts(&mut look, &mut found));
                    match counted.flatten() {
                        Some(true) => {}
                        Some(false) => {
                            finished = false;
                            break;
                        }
                        None => self.branch(cell, look),
                    }
                }
            }
            if self.branches.len() <= self.base {
                break;
            }
            if found.is_time_to_tell() {
                if !found.tell() {
                    finished = false;
                    break;
                }
                if let Aim::Count(Some(give)) = &mut aim
                    && control.wanted() > 0
                {
                    self.give_away(*give, &mut found);
                }
            }
            let above = self.branches.len() - 1;
            let branch = &mut self.branches[above];
            let value = self.values.take(&mut branch.values);
            let cell = branch.cell;
            look = branch.look;
            found.add_nodes(1);
            // The last value of a cell takes the place of its parent, the others a place one level below.
            settled = if branch.values == 0 {
                self.branches.pop();
                board.guess_in_place(tree, &mut self.levels[above], cell, value)
            } else {
                let (parents, children) = self.levels.split_at_mut(above + 1);
                board.guess(tree, &parents[above], &mut children[0], cell, value)
            };
        }
        found.tell();
        Counted { solutions: found.solutions, nodes: found.nodes, finished, cache: CacheUse::default() }
    }

    fn branch(&mut self, cell: usize, look: usize) {
        let depth = self.branches.len();
        let values = self.board.candidates(&self.levels[depth], cell);
        self.branches.push(Branch { cell, values, look });
        self.make_room(depth + 1);
    }

    /// Counts the parts of the state on top of the stack, if it has become small enough for a look and has several. Says whether
    /// they were counted to the end.
    fn count_parts(&mut self, look: &mut usize, found: &mut Found) -> Option<bool> {
        let state = &self.levels[self.branches.len()];
        if state.unsettled > *look {
            return None;
        }
        *look = next_look(state.unsettled);
        let groups = self.parts.groups.split(self.board, state, 0..self.board.open.len() as u32);
        if groups.len() < 2 {
            return None;
        }
        let mut tell = |nodes| {
            found.add_nodes(nodes);
            found.tell()
        };
        let counted = self.parts.count(state, &groups, &mut tell);
        let finished = counted.is_ok();
        self.dead_ends += std::mem::take(&mut self.parts.dead_ends);
        found.add_nodes(self.parts.untold());
        found.add(counted.unwrap_or(Solutions::ZERO));
        Some(finished)
    }

    /// Gives away branches from the bottom of the stack, as long as parts are wanted and the stack is high enough. Each
    /// is settled first, so that nobody gets one that is a dead end or a solution already.
    #[cold]
    fn give_away(&mut self, give: &mut Give, found: &mut Found) {
        self.make_room(self.branches.len() + 1);
        while found.control.wanted() > 0 && self.branches.len() > self.base + BRANCHES_TO_KEEP {
            let (stack, above) = self.levels.split_at_mut(self.branches.len() + 1);
            let child = &mut above[0];
            let branch = &mut self.branches[self.base];
            let value = self.values.take(&mut branch.values);
            found.add_nodes(1);
            match self.board.guess(self.tree, &stack[self.base], child, branch.cell, value) {
                Settled::Dead => {}
                Settled::Solved => found.add(Solutions::new(1)),
                Settled::Branch(_) => {
                    self.board.store(child, &mut self.grid);
                    give(&self.grid);
                }
            }
            self.base += usize::from(branch.values == 0);
        }
    }

    fn make_room(&mut self, depth: usize) {
        while self.levels.len() <= depth {
            self.levels.push(self.board.blank());
        }
    }
}

impl Counter for Walker<'_> {
    fn count(&mut self, unit: &[u8], control: &Control) -> Counted {
        self.walk(unit, control, Aim::Count(None))
    }

    fn share(&mut self, unit: &[u8], control: &Control, give: &mut Give) -> Counted {
        self.walk(unit, control, Aim::Count(Some(give)))
    }

    fn visit(&mut self, unit: &[u8], control: &Control, visit: &mut dyn FnMut(&[u8]) -> ControlFlow<()>) -> Counted {
        self.walk(unit, control, Aim::Visit(visit))
    }
}

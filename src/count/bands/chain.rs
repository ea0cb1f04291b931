//! Chains: the ways in which the column partitions of a stack, or the row partitions of a band, follow one another in
//! agreement with its clues.

use super::frame::Filter;
use super::partition::{ALL, PARTITIONS, successors};

/// The places of three partitions that follow one another.
pub(super) type Chain = [u16; 3];

/// All chains that three filters accept, in the order of their first partitions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Chains {
    chains: Vec<Chain>,
    /// Where the chains of each first partition begin; one more at the end.
    starts: Vec<u32>,
}

impl Chains {
    pub(super) fn new(filters: &[Filter; 3]) -> Chains {
        let mut chains = Vec::new();
        let mut starts = Vec::with_capacity(PARTITIONS + 1);
        for (first, parts) in ALL.iter() {
            starts.push(chains.len() as u32);
            if !filters[0].accepts(parts) {
                continue;
            }
            for (second, third) in successors(parts) {
                if filters[1].accepts(&second) && filters[2].accepts(&third) {
                    chains.push([first, ALL.place(&second), ALL.place(&third)]);
                }
            }
        }
        starts.push(chains.len() as u32);
        Chains { chains, starts }
    }

    /// All of them.
    pub(super) fn all(&self) -> &[Chain] {
        &self.chains
    }

    /// Those that begin with a partition.
    pub(super) fn after(&self, first: u16) -> &[Chain] {
        let first = usize::from(first);
        &self.chains[self.starts[first] as usize..self.starts[first + 1] as usize]
    }

    /// The different partitions at a position (0 to 2) of the chains, ascending.
    pub(super) fn at(&self, position: usize) -> Vec<u16> {
        let mut seen = vec![false; PARTITIONS];
        for chain in &self.chains {
            seen[usize::from(chain[position])] = true;
        }
        (0..).zip(seen).filter_map(|(place, seen)| seen.then_some(place)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_clues_every_partition_goes_on_in_56_ways() {
        let chains = Chains::new(&[Filter::default(); 3]);
        assert_eq!(chains.all().len(), PARTITIONS * 56);
        assert!((0..PARTITIONS as u16).all(|first| chains.after(first).len() == 56));
        assert!((0..3).all(|position| chains.at(position).len() == PARTITIONS));
    }

    #[test]
    fn a_clue_leaves_a_third_of_the_chains() {
        for owner in 0..3 {
            let mut clues: [&[(u8, usize)]; 3] = [&[]; 3];
            clues[owner] = &[(4, 1)];
            assert_eq!(Chains::new(&Filter::line(clues)).all().len(), PARTITIONS * 56 / 3);
        }
    }

    #[test]
    fn a_digit_given_twice_in_a_line_leaves_none() {
        assert!(Chains::new(&Filter::line([&[(4, 1)], &[(4, 1)], &[]])).all().is_empty());
    }
}

//! Vectors against plain arrays.

use proptest::prelude::*;

use super::*;

/// The results of all operations on lanes, on some numbers.
fn of_lanes<L: Lanes>(proof: L::Proof, masks: &[u32; 16], word: u64) -> Vec<u64> {
    let put = |lanes: L| {
        let mut values = [7; 33];
        lanes.put(&mut values);
        values.map(u64::from)
    };
    let sets = (0..16).map(|bit| L::spread(proof, masks[bit]) & L::all(proof, 1 << bit));
    let sets = sets.reduce(|a, b| a | b).expect("sixteen");
    let less = sets.without_smallest();
    let mut seen = vec![sets.empty().into(), sets.any_empty().into(), less.empty().into(), sets.equal(less).into()];
    seen.push(L::extract(proof, word, word.rotate_left(masks[0] % 64) ^ u64::from(masks[1])));
    for lanes in [sets, less, sets & !less, L::all(proof, 513)] {
        seen.extend(put(lanes));
    }
    seen
}

proptest! {
    #[test]
    #[cfg(target_arch = "x86_64")]
    fn lanes_in_vectors_and_in_plain_arrays_agree(masks: [u32; 16], thin: bool, word: u64) {
        // With few members a set, there are singles and empty sets.
        let masks = if thin { masks.map(|mask| mask & mask.rotate_left(7) & mask.rotate_left(13)) } else { masks };
        if let Some(proof) = Detected::new() {
            prop_assert_eq!(of_lanes::<Avx2Lanes>(proof, &masks, word), of_lanes::<PlainLanes>((), &masks, word));
        }
    }
}

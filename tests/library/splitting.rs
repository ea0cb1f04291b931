//! Counts units while subtasks are split off.

use census_count::{Control, Counter, Method};

/// Counts units and all their subtasks. `requests` returns the number of subtasks to request, given the number split off
/// so far, in all and from the present unit. Returns solutions, nodes and the number of subtasks.
pub fn count_with_splits(
    method: &dyn Method,
    units: &[u8],
    requests: impl FnMut(usize, usize) -> usize,
) -> (u128, u64, usize) {
    count_in_turn(&mut [method.counter()], units, method.unit_bytes(), requests)
}

/// The same with several counters in turn.
pub fn count_in_turn(
    counters: &mut [Box<dyn Counter + '_>],
    units: &[u8],
    unit_bytes: usize,
    mut requests: impl FnMut(usize, usize) -> usize,
) -> (u128, u64, usize) {
    let (mut solutions, mut nodes, mut subtasks, mut turn) = (0, 0, 0, 0);
    let mut waiting: Vec<Vec<u8>> = units.chunks_exact(unit_bytes).map(<[u8]>::to_vec).collect();
    while let Some(unit) = waiting.pop() {
        let control = Control::new(None);
        let mut of_unit = 0;
        control.request_subtasks(requests(subtasks, of_unit));
        turn = (turn + 1) % counters.len();
        let counted = counters[turn].count_splitting(&unit, &control, &mut |subtask| {
            assert_eq!(subtask.len(), unit_bytes);
            waiting.push(subtask.to_vec());
            subtasks += 1;
            of_unit += 1;
            control.request_subtasks(requests(subtasks, of_unit));
        });
        assert!(counted.finished);
        solutions += counted.solutions.exact().expect("no overflow");
        nodes += counted.nodes;
    }
    (solutions, nodes, subtasks)
}

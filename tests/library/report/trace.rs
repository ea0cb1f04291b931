//! Traces: what is written is read back, and what is no trace is an error.

use std::path::Path;

use census::cluster::UnitRecord;
use census::report::trace::{MessageCost, Trace, TraceHead, beside, read, write_to};
use proptest::prelude::*;

/// The head of a trace of so many units, counted by two ranks of three threads.
fn head(units: usize) -> TraceHead {
    let golden = include_str!("../../golden/plan/one-worker.trace.tsv");
    let mut head = TraceHead { ranks: 2, threads: 3, units, ..read("t", golden.as_bytes()).expect("a trace").head };
    head.messages = Some(MessageCost { latency: 0.0005, request: 1e-5 });
    head.puzzle.name = Some("A \"name\"\nof two lines".into());
    head
}

fn text_of(head: &TraceHead, records: &[UnitRecord]) -> Vec<u8> {
    let mut text = Vec::new();
    write_to(&mut text, head, records).expect("memory can be written to");
    text
}

fn record(unit: usize, start: u64, nanoseconds: u64) -> UnitRecord {
    UnitRecord { unit, rank: 1, worker: 2, start, nanoseconds, nodes: 7, solutions: u128::MAX, left: 0 }
}

/// The error of a trace with these lines, without the name of the file.
fn error_of(lines: &str) -> String {
    let mut text = text_of(&head(4), &[]);
    text.extend(lines.as_bytes());
    let error = read("t", text.as_slice()).expect_err("this is no trace").to_string();
    error.strip_prefix("t:").expect("the name comes first").to_owned()
}

fn any_record() -> impl Strategy<Value = UnitRecord> {
    let place = (0usize..50, 0u32..2, 0u32..3);
    (place, any::<u64>(), any::<u64>(), any::<u64>(), any::<u128>()).prop_map(
        |((unit, rank, worker), start, nanoseconds, nodes, solutions)| UnitRecord {
            unit,
            rank,
            worker,
            start,
            nanoseconds,
            nodes,
            solutions,
            left: 0,
        },
    )
}

proptest! {
    #[test]
    fn what_is_written_is_read_back_in_the_order_of_the_pool(mut records in proptest::collection::vec(any_record(), 0..40)) {
        let read = read("t", text_of(&head(50), &records).as_slice()).expect("a trace");
        records.sort_by_key(|record| (record.unit, record.start));
        prop_assert_eq!(read.records, records);
        prop_assert_eq!(read.head.units, 50);
        prop_assert_eq!(read.head.phases, head(50).phases);
        prop_assert_eq!(read.head.messages, head(50).messages);
        prop_assert_eq!(read.head.puzzle.name, head(50).puzzle.name);
    }

    #[test]
    fn any_bytes_are_a_trace_or_an_error_of_one_line(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        let error = read("t", bytes.as_slice()).expect_err("random bytes are no trace").to_string();
        prop_assert!(error.starts_with("t:1:") && !error.contains('\n'), "{error}");
    }

    #[test]
    fn a_trace_with_wrong_bytes_is_a_trace_or_an_error_of_one_line(
        records in proptest::collection::vec(any_record(), 0..9),
        wrong in proptest::collection::vec((any::<proptest::sample::Index>(), any::<u8>()), 1..4),
    ) {
        let mut text = text_of(&head(50), &records);
        for (place, byte) in wrong {
            let at = place.index(text.len());
            text[at] = byte;
        }
        match read("t", text.as_slice()) {
            Ok(trace) => { let _ = trace.unit_costs(); }
            Err(error) => prop_assert!(!error.to_string().contains('\n')),
        }
    }

    #[test]
    fn a_trace_with_a_torn_line_is_an_error_in_this_line(
        records in proptest::collection::vec(any_record(), 1..9),
        place in any::<proptest::sample::Index>(),
    ) {
        let text = text_of(&head(50), &records);
        let torn = &text[..place.index(text.len())];
        let lines = torn.iter().filter(|&&byte| byte == b'\n').count();
        match read("t", torn) {
            Ok(_) => prop_assert!(torn.ends_with(b"\n") && lines >= 2, "no line is torn"),
            Err(error) => prop_assert!(error.to_string().starts_with(&format!("t:{}:", lines + 1)), "{}", error),
        }
    }
}

#[test]
fn the_fields_of_a_record_are_separated_by_tabs() {
    let text = String::from_utf8(text_of(&head(2), &[record(1, 5, 8), record(0, 3, 4)])).expect("text");
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines[0].starts_with("# census-trace/2 {\"program\":{\"name\":\"census\""), "{text}");
    assert_eq!(lines[1], "unit\trank\tworker\tstart_ns\tns\tnodes\tsolutions");
    assert_eq!(lines[2], "0\t1\t2\t3\t4\t7\t340282366920938463463374607431768211455");
    assert_eq!(lines.len(), 4);
}

#[test]
fn errors_have_line_column_and_cause() {
    assert_eq!(error_of("0\t1\t2\n"), "3:6: a record has 7 columns, this line has 3");
    assert_eq!(error_of("0\t0\t0\t0\tmany\t0\t0\n"), "3:9: `many` is not a number for `ns`");
    assert_eq!(error_of("0\t0\t0\t0\t0\t0\t\n"), "3:13: `` is not a number for `solutions`");
    assert_eq!(error_of("4\t0\t0\t0\t0\t0\t0\n"), "3:1: there is no unit 4: the head says 4, counted from 0");
    assert_eq!(error_of("3\t2\t0\t0\t0\t0\t0\n"), "3:3: there is no rank 2: the head says 2, counted from 0");
    assert_eq!(error_of("3\t1\t9\t0\t0\t0\t0\n"), "3:5: there is no worker 9: the head says 3, counted from 0");
    assert_eq!(error_of("0\t0\t0\t0\t0\t0\t0\n1\t0\t0"), "4:6: the file ends within this line");
}

#[test]
fn the_head_must_be_complete_and_of_this_version() {
    let error = |text: &str| read("t", text.as_bytes()).expect_err("this is no trace").to_string();
    let no_trace = "t:1:1: this is not a trace: it does not begin with `# census-trace/2`";
    for text in ["", "\n", "# census-trace/1 {}\n"] {
        assert_eq!(error(text), no_trace);
    }
    let report = "t:1:1: this is not a trace, but perhaps a report: the trace of run.json is run.trace.tsv";
    assert_eq!(error("{\"schema\":\"census-run/2\"}\n"), report);
    assert_eq!(error("# census-trace/2 {}\n"), "t:1:19: the head of the trace: missing field `program`");
    let text = String::from_utf8(text_of(&head(1), &[])).expect("text");
    let (first, _) = text.split_once('\n').expect("lines");
    assert_eq!(error(&format!("{first}\n")), "t:2:1: the trace ends before the names of its columns");
    assert_eq!(error(&format!("{first}\n0\n")), "t:2:1: expected the names of the columns: unit, rank, worker …");
    let negative = text.replace("0.0005", "-1");
    assert_eq!(error(&negative), "t:1:1: the head of the trace: a duration is negative");
}

#[test]
fn the_cost_of_a_unit_includes_its_subtasks() {
    let mut trace = Trace { head: head(2), records: vec![record(0, 0, 2_000_000_000), record(1, 0, 500_000_000)] };
    trace.records.push(record(0, 9, 1_000_000_000));
    assert_eq!(trace.unit_costs(), Ok(vec![3.0, 0.5]));
}

#[test]
fn units_without_a_record_are_missing_even_if_they_do_not_fit_into_memory() {
    let mut trace = Trace { head: head(4), records: vec![record(0, 0, 1), record(2, 0, 1), record(2, 5, 1)] };
    let error = |missing: usize, units: usize| {
        format!("{missing} of the {units} units have no record, but a plan needs the cost of every unit")
    };
    assert_eq!(trace.unit_costs(), Err(error(2, 4)));
    trace.head.units = usize::MAX;
    assert_eq!(trace.unit_costs(), Err(error(usize::MAX - 2, usize::MAX)));
}

#[test]
fn a_trace_is_beside_its_report() {
    assert_eq!(beside(Path::new("results/run.json")), Path::new("results/run.trace.tsv"));
    assert_eq!(beside(Path::new("run")), Path::new("run.trace.tsv"));
}

//! The trace reader and the plan made from a trace: neither panics, and a trace that was read is written and read again unchanged.

use census::report::plan::{Plan, PlanOptions, table};
use census::report::{self, trace};

pub fn check(data: &[u8]) {
    let trace = match trace::read("f", data) {
        Ok(trace) => trace,
        Err(error) => {
            let message = error.to_string();
            assert!(message.starts_with("f:") && !message.contains(char::is_control), "{message:?}");
            return;
        }
    };
    let written = written(&trace);
    let reread = trace::read("f", written.as_bytes()).expect("what was written can be read");
    assert_eq!(reread.records.len(), trace.records.len());
    assert_eq!(written, self::written(&reread));

    for (ranks, threads) in [(vec![1, 2, 5], 1), (vec![3], 2)] {
        let options = PlanOptions { ranks, threads, latency: None, request: None };
        if let Ok(plan) = Plan::new(&[("f".into(), trace.clone())], &options) {
            let _ = (table::text(&plan), report::to_json(&plan));
        }
    }
}

fn written(trace: &trace::Trace) -> String {
    let mut written = Vec::new();
    trace::write_to(&mut written, &trace.head, &trace.records).expect("written to memory");
    String::from_utf8(written).expect("a text")
}

//! The result of a verification in one sentence.

use census::cluster::{Difference, Phases, Schedule, Verified};
use census::count::Solutions;
use census::report::verification::{VerificationReport, VerifiedCount};

use super::fake_run::FAKE_RUN;

/// The sentence for a sample of which these units differ.
fn sentence(item: &'static str, items: usize, verified: usize, different: &[usize]) -> String {
    let differs = |unit: &usize| Difference {
        units: std::iter::once(*unit..*unit + 1).collect(),
        recorded: Solutions::new(5),
        recounted: 4,
    };
    let result = Verified {
        recount: "",
        items,
        sampled: verified,
        verified,
        differences: different.iter().map(differs).collect(),
        stopped: None,
        schedule: Schedule::Static,
        phases: Phases { expand: 0.0, distribute: 0.0, count: 0.0, reduce: 0.0, total: 0.0 },
        ranks: Vec::new(),
        hosts: Vec::new(),
    };
    let count = VerifiedCount { file: "".into(), journal: None, finished: "".into(), solutions: "".into() };
    VerificationReport::new(FAKE_RUN.run().report.provenance, count, item, (0.05, 0), result).sentence
}

#[test]
fn the_sentence_has_the_sample_and_the_bound() {
    assert_eq!(
        sentence("unit", 1024, 52, &[]),
        "verified 52 of 1,024 units (5.1 %), all equal: with 95 % confidence at most 5.4 % of the units can be wrong"
    );
    assert_eq!(
        sentence("unit", 20, 20, &[]),
        "verified 20 of 20 units (100.0 %), all equal: none of the units can be wrong"
    );
    assert_eq!(sentence("unit", 20, 0, &[]), "verified 0 of 20 units (0.0 %): nothing is verified");
    assert_eq!(
        sentence("line", 20, 4, &[3]),
        "verified 4 of 20 lines of the journal (20.0 %), 1 differs: unit 3: recorded 5, recounted 4"
    );
    assert_eq!(
        sentence("unit", 20, 4, &[3, 7, 8, 9]),
        "verified 4 of 20 units (20.0 %), 4 differ: unit 3: recorded 5, recounted 4; unit 7: recorded 5, recounted 4; \
         unit 8: recorded 5, recounted 4; and 1 more"
    );
    assert_eq!(sentence("puzzle", 1, 1, &[]), "verified the complete puzzle, which has no units: equal");
}

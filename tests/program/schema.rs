//! `results/schema.json`, the schema of all reports. `harness/report.rs` validates every report of every test.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use census::cluster::Schedule;
use census::count::MethodName;
use serde_json::{Value, json};

use crate::harness::{
    ALONE, EMPTY4, EVERYWHERE, Folder, ONCE, SCHEMA, census, faults, rank_counts, read_json, read_report, test,
};

/// 534,494 solutions, a fraction of a second
const PUZZLE: &str = "puzzles/goldennugget17.txt";
const EMPTY9: &str = ".................................................................................";
/// 0: without a launcher
const RANKS: &[usize] = &[0, 3];

/// A small report of one run
fn plain() -> Value {
    census(["count", EMPTY4, "--report", "-"]).run().exits(0).json()
}

/// Fields that the committed reports of `results/` do not have, but that this program always writes
const LATER: [&str; 2] = ["/units", "/puzzle/text"];

/// The named subschemas of objects
fn objects() -> impl Iterator<Item = (&'static String, &'static Value)> {
    let parts = SCHEMA["$defs"].as_object().expect("parts");
    parts.iter().filter(|(_, part)| part["type"] == "object")
}

// `harness/schema.rs` panics at a keyword that it does not support.
test!(ONCE, the_schema_names_its_draft, || {
    assert_eq!(SCHEMA["$schema"], "https://json-schema.org/draft/2020-12/schema");
});

test!(ONCE, every_field_is_required_and_has_a_title_and_a_description, || {
    for (name, part) in objects() {
        let fields = part["properties"].as_object().expect("fields");
        assert_eq!(part["additionalProperties"], false, "{name}");
        let required = part["required"].as_array().expect("a list").iter().filter_map(Value::as_str);
        let later = LATER.iter().filter_map(|path| path.rsplit_once('/')).filter(|(of, _)| match *of {
            "" => name == "run",
            of => of[1..] == **name,
        });
        let required = required.chain(later.map(|(_, field)| field));
        assert_eq!(required.collect::<BTreeSet<_>>(), fields.keys().map(String::as_str).collect(), "{name}");
        for (field, about) in fields {
            let reference = about["$ref"].as_str().unwrap_or("").trim_start_matches('#');
            let has =
                |what| about[what].is_string() || SCHEMA.pointer(reference).is_some_and(|to| to[what].is_string());
            assert!(has("title") && has("description"), "{name}.{field}: {about}");
        }
    }
});

test!(ONCE, the_schema_and_the_scripts_list_the_schedules_and_methods_of_the_program, || {
    let schedules: Vec<&str> = Schedule::all().map(Schedule::name).collect();
    let methods: Vec<String> = MethodName::all().map(|method| method.to_string()).collect();
    let methods: Vec<&str> = methods.iter().map(String::as_str).collect();
    let script = fs::read_to_string("scripts/lib.sh").expect("a script");
    for (field, variable, names) in [("schedule", "ALL_SCHEDULES", schedules), ("method", "ALL_METHODS", methods)] {
        assert_eq!(SCHEMA["$defs"][field]["enum"], json!(names), "results/schema.json");
        let and_auto: Vec<&str> = names.iter().copied().chain(["auto"]).collect();
        assert_eq!(SCHEMA["$defs"]["config"]["properties"][field]["enum"], json!(and_auto), "results/schema.json");
        assert!(script.contains(&format!("\n{variable}='{}'\n", names.join(" "))), "{variable} in scripts/lib.sh");
    }
});

test!(ONCE, the_description_of_every_duration_has_its_unit, || {
    for (name, part) in objects() {
        for (field, about) in part["properties"].as_object().expect("fields") {
            let seconds = about.to_string().contains("#/$defs/seconds\"");
            let has_unit = about["description"].as_str().is_some_and(|text| text.to_lowercase().contains("seconds"));
            assert!(!seconds || has_unit, "{name}.{field}: {about}");
        }
    }
});

test!(EVERYWHERE, the_report_of_every_kind_of_count_is_valid, || {
    let bands = [PUZZLE, "--method", "bands"];
    let auto = [PUZZLE, "--method", "auto", "--schedule", "auto"];
    let steal = [PUZZLE, "--schedule", "steal", "--depth", "2", "--threads", "2"];
    let limit = [PUZZLE, "--limit", "7"];
    let cached = [".".repeat(25), "--cache".into(), "1M".into()];
    for ranks in rank_counts(RANKS) {
        let report = |options: &[&str]| census(["count", "--report", "-"]).with(options).ranks(ranks).run().json();
        assert_eq!(report(&[PUZZLE])["config"]["schedule"], "static");
        assert_eq!(report(&bands)["config"]["cells"], Value::Null);
        assert!(report(&auto)["config"]["method_reason"].is_string());
        assert_eq!(report(&limit)["result"]["stopped"], "stopped at the limit");
        assert_eq!(report(&[EMPTY9, "--time-limit", "200ms"])["complete"], false);
        assert!(report(&cached.each_ref().map(String::as_str))["cache"]["lookups"].as_u64() > Some(0));
        assert!(report(&steal)["requests"]["count"].as_u64() > Some(0));
    }
});

test!(ALONE, the_report_of_a_resumed_count_is_valid, || {
    let folder = Folder::new();
    let (journal, report) = (folder.path("journal"), folder.path("run.json"));
    let count = || census(["count", PUZZLE, "--journal", &journal, "--report", &report]);
    count().run().exits(0);
    assert_eq!(read_report(&report)["resumed_from"], Value::Null);
    count().with(["--resume"]).run().exits(0);
    assert_eq!(read_report(&report)["resumed_from"]["runs"], 1);
});

test!(ALONE, the_report_of_a_collection_is_valid, || {
    let folder = Folder::new();
    let file = folder.file("some.sdm", format!("# name: the first\n# expected: 2\n{EMPTY9}\n{EMPTY9}\nbad\n"));
    let report = census(["count", "--keep-going", "--limit", "1", &file, "--report", "-"]).run().exits(2).json();
    assert_eq!(report["schema"], "census-batch/1");
    assert_eq!((&report["result"]["undecided"], &report["result"]["bad"]), (&2.into(), &1.into()));
});

test!(ALONE, the_report_of_a_plan_is_valid, || {
    let folder = Folder::new();
    let report = folder.path("run.json");
    census(["count", PUZZLE, "--trace", "--report", &report]).run().exits(0);
    let trace = folder.path("run.trace.tsv");
    let plan = census(["plan", &trace, "--ranks", "1,16,4096", "--json", "-"]).run().exits(0).json();
    assert_eq!((&plan["schema"], &plan["advice"][2]["ranks"]), (&"census-plan/2".into(), &4096.into()));
});

test!(ONCE, a_report_without_any_one_of_its_fields_is_invalid, || {
    let report = plain();
    let mut fields = 0;
    assert!(LATER.iter().all(|path| report.pointer(path).is_some()), "{report:#}");
    for path in places(&report).filter(|path| !LATER.contains(&path.as_str())) {
        let (parent, field) = path.rsplit_once('/').expect("a path");
        let mut changed = report.clone();
        if let Some(Value::Object(parent)) = changed.pointer_mut(parent) {
            parent.remove(field);
            fields += 1;
            assert_ne!(faults(&changed), [""; 0], "without {path}");
        }
    }
    assert!(fields > 90, "only {fields} fields");
});

test!(ONCE, a_report_with_an_additional_field_is_invalid, || {
    let report = plain();
    for path in places(&report).chain([String::new()]) {
        let mut changed = report.clone();
        if let Some(Value::Object(object)) = changed.pointer_mut(&path) {
            object.insert("surprise".into(), 1.into());
            assert!(faults(&changed).join("\n").contains("surprise"), "a surprise in {path}: {:?}", faults(&changed));
        }
    }
});

test!(ONCE, an_invalid_value_is_reported_with_its_path, || {
    for (path, value) in [
        ("/result/solutions", json!(288)),
        ("/result/solutions", json!("0288")),
        ("/result/solutions", json!("-1")),
        ("/ranks/0/solutions", json!("more")),
        ("/result/nodes", json!("12")),
        ("/result/stopped", json!("stopped for lunch")),
        ("/phases/total", json!("0.1")),
        ("/phases/count", json!(-0.1)),
        ("/efficiency/parallel", json!(1.5)),
        ("/config/schedule", json!("auto")),
        ("/config/schedule", json!("random")),
        ("/config/depth_reached", json!(null)),
        ("/environment/hosts", json!([])),
        ("/environment/launcher", json!("somebody")),
        ("/puzzle/order", json!(65)),
        ("/puzzle/sha256", json!("")),
        ("/started", json!("yesterday")),
        ("/complete", json!("true")),
    ] {
        let mut report = plain_once();
        *report.pointer_mut(path).expect("a field") = value.clone();
        let faults = faults(&report);
        assert!(faults.iter().any(|fault| fault.starts_with(&format!("{path}: "))), "{path} = {value}: {faults:?}");
    }
    let other = json!({ "schema": "census-run/2" });
    assert_ne!(faults(&other), [""; 0], "a report without fields");
});

fn plain_once() -> Value {
    static PLAIN: std::sync::LazyLock<Value> = std::sync::LazyLock::new(plain);
    PLAIN.clone()
}

/// The JSON pointers of all values inside of a value.
fn places(value: &Value) -> Box<dyn Iterator<Item = String> + '_> {
    let below = |(name, inner): (String, _)| {
        let all = std::iter::once(String::new()).chain(places(inner));
        all.map(move |rest| format!("/{name}{rest}"))
    };
    match value {
        Value::Object(fields) => Box::new(fields.iter().map(|(name, inner)| (name.clone(), inner)).flat_map(below)),
        Value::Array(items) => {
            Box::new(items.iter().enumerate().map(|(at, inner)| (at.to_string(), inner)).flat_map(below))
        }
        _ => Box::new(std::iter::empty()),
    }
}

test!(ONCE, all_committed_reports_are_valid, || {
    let mut checked = 0;
    let results = Path::new(env!("CARGO_MANIFEST_DIR")).join("results");
    // Other files are the user's, and may be of another version.
    let is_committed = |path: &PathBuf| {
        path.starts_with(results.join("reference"))
            || path.starts_with(results.clone()) && path.display().to_string().contains("/bench-")
    };
    for path in files_below(&results, "json").into_iter().filter(is_committed) {
        let path = path.to_str().expect("a printable path");
        let schema = read_json(path)["schema"].as_str().unwrap_or("").to_owned();
        // The header of a journal is no report.
        if schema.starts_with("census-") && !schema.starts_with("census-journal/") {
            read_report(path);
            checked += 1;
        }
    }
    assert!(checked >= 3, "{checked} files");
});

test!(ONCE, no_test_reads_json_without_validating_it, || {
    for path in files_below(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/program"), "rs") {
        let own = ["harness/report.rs", "program/schema.rs", "page/devtools.rs"].iter().any(|own| path.ends_with(own));
        let text = fs::read_to_string(&path).expect("a test");
        assert!(
            own || !text.contains("serde_json::from_"),
            "{} has to use crate::harness::read_report",
            path.display()
        );
    }
});

/// All files with this extension, recursively.
fn files_below(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    let (folders, files): (Vec<_>, Vec<_>) = entries.partition(|path| path.is_dir());
    let files = files.into_iter().filter(|path| path.extension().is_some_and(|end| end == ending));
    files.chain(folders.iter().flat_map(|folder| files_below(folder, ending))).collect()
}

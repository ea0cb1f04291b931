//! `docs/report-fields.md`, from `results/schema.json`.

use std::fmt::Write;

use serde_json::Value;

use crate::harness::SCHEMA;

const HEAD: &str = "\
# Report fields

After reading this page, you can find the meaning, the unit and the type of every field of a JSON report. It is made from
[results/schema.json](../results/schema.json), which is the contract: a field that changes its meaning gets another version of the schema.
How to judge the efficiencies is in [html-report.md](html-report.md#load-balance-communication-parallel-efficiency).

";

pub fn page() -> String {
    let mut page = HEAD.to_owned();
    let _ = writeln!(page, "{}\n", text(&SCHEMA["description"]));
    let parts = SCHEMA["$defs"].as_object().expect("parts");
    let reports: Vec<&str> = references(&SCHEMA["oneOf"]);
    let others = parts.keys().map(String::as_str).filter(|name| !reports.contains(name));
    for name in reports.iter().copied().chain(others) {
        section(&mut page, name, &parts[name]);
    }
    page.truncate(page.trim_end().len());
    page + "\n"
}

fn section(page: &mut String, name: &str, part: &Value) {
    let Some(properties) = part["properties"].as_object() else { return simple(page, name, part) };
    let _ = writeln!(
        page,
        "## {name}\n\n{}: {}\n\n| field | type | meaning |\n|---|---|---|",
        text(&part["title"]),
        text(&part["description"])
    );
    for (field, value) in properties {
        let _ = writeln!(page, "| `{field}` | {} | {} |", kind(value), meaning(value));
    }
    page.push('\n');
}

fn simple(page: &mut String, name: &str, part: &Value) {
    let _ =
        writeln!(page, "## {name}\n\n{}: {} Type: {}.\n", text(&part["title"]), text(&part["description"]), kind(part));
}

/// The description, or that of the part to which a field refers.
fn meaning(field: &Value) -> &str {
    match (&field["description"], references(field).first()) {
        (Value::Null, Some(name)) => text(&SCHEMA["$defs"][name]["description"]),
        (description, _) => text(description),
    }
}

fn kind(value: &Value) -> String {
    if let Some(constant) = value["const"].as_str() {
        return format!("`\"{constant}\"`");
    }
    if let Some(name) = references(value).first().filter(|_| value["oneOf"].is_null()) {
        return format!("[{name}](#{name})");
    }
    if let Some(choices) = value["enum"].as_array() {
        return choices.iter().map(|choice| format!("`{choice}`")).collect::<Vec<_>>().join(", ");
    }
    for several in ["oneOf", "anyOf"] {
        if let Some(kinds) = value[several].as_array() {
            return kinds.iter().map(kind).collect::<Vec<_>>().join(" or ");
        }
    }
    match &value["type"] {
        Value::String(kind) if kind == "array" => format!("array of {}", self::kind(&value["items"])),
        Value::String(kind) => kind.clone(),
        Value::Array(kinds) => kinds.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" or "),
        _ => "any".into(),
    }
}

/// The names of the parts to which a schema, or a list of them, refers.
fn references(value: &Value) -> Vec<&str> {
    let list = value.as_array().or(value["oneOf"].as_array());
    let single = value["$ref"].as_str().into_iter();
    let several = list.into_iter().flatten().filter_map(|value| value["$ref"].as_str());
    single.chain(several).filter_map(|path| path.strip_prefix("#/$defs/")).collect()
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

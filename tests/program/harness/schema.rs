//! Validates JSON values by a JSON Schema with the keywords of `results/schema.json`. Any other keyword panics, because it would
//! not be checked.
//!
//! A crate for all of JSON Schema took longer to compile than all other dependencies of the tests.

use regex_lite::Regex;
use serde_json::{Map, Value};

/// A subschema of a document
#[derive(Clone, Copy)]
pub struct Schema<'a> {
    document: &'a Value,
    part: &'a Value,
}

impl<'a> Schema<'a> {
    pub fn new(document: &'a Value) -> Schema<'a> {
        Schema { document, part: document }
    }

    fn part(self, part: &'a Value) -> Schema<'a> {
        Schema { part, ..self }
    }

    /// The violations by the value at this place, one a line.
    pub fn faults(self, value: &Value, place: &str) -> Vec<String> {
        let keywords = self.part.as_object().unwrap_or_else(|| panic!("no schema: {}", self.part));
        keywords.iter().flat_map(|(keyword, rule)| self.faults_of(keyword, rule, value, place)).collect()
    }

    fn faults_of(self, keyword: &str, rule: &'a Value, value: &Value, place: &str) -> Vec<String> {
        let unless = |good: bool| if good { vec![] } else { vec![format!("{place}: {value} breaks {keyword} {rule}")] };
        let number = || rule.as_f64().expect("a number");
        match (keyword, value) {
            ("$schema" | "$defs" | "title" | "description", _) => vec![],
            ("$ref", _) => self.part(self.target(rule)).faults(value, place),
            ("type", _) => unless(list(rule).iter().any(|kind| is_a(value, kind.as_str().expect("a type")))),
            ("const", _) => unless(value == rule),
            ("enum", _) => unless(list(rule).contains(value)),
            ("allOf", _) => list(rule).iter().flat_map(|part| self.part(part).faults(value, place)).collect(),
            ("anyOf" | "oneOf", _) => self.faults_of_choice(keyword == "oneOf", list(rule), value, place),
            ("minimum", Value::Number(given)) => unless(given.as_f64() >= Some(number())),
            ("maximum", Value::Number(given)) => unless(given.as_f64() <= Some(number())),
            ("pattern", Value::String(text)) => {
                unless(Regex::new(rule.as_str().expect("a pattern")).expect("a pattern").is_match(text))
            }
            ("minItems", Value::Array(items)) => unless(items.len() as f64 >= number()),
            ("uniqueItems", Value::Array(items)) => {
                unless(items.iter().enumerate().all(|(at, item)| !items[..at].contains(item)))
            }
            ("items", Value::Array(items)) => {
                let faults = |(at, item)| self.part(rule).faults(item, &format!("{place}/{at}"));
                items.iter().enumerate().flat_map(faults).collect()
            }
            ("properties", Value::Object(fields)) => {
                let described = object(rule).iter().filter_map(|(name, part)| Some((name, part, fields.get(name)?)));
                described
                    .flat_map(|(name, part, field)| self.part(part).faults(field, &format!("{place}/{name}")))
                    .collect()
            }
            ("required", Value::Object(fields)) => {
                let names = list(rule).iter().map(|name| name.as_str().expect("a name"));
                names
                    .filter(|name| !fields.contains_key(*name))
                    .map(|name| format!("{place}: {name} is missing"))
                    .collect()
            }
            ("additionalProperties", Value::Object(fields)) => {
                assert_eq!(rule, &Value::Bool(false), "additionalProperties");
                let known = object(&self.part["properties"]);
                fields
                    .keys()
                    .filter(|name| !known.contains_key(*name))
                    .map(|name| format!("{place}: {name} is unknown"))
                    .collect()
            }
            ("minimum" | "maximum" | "pattern" | "minItems" | "uniqueItems" | "items", _) => vec![],
            ("properties" | "required" | "additionalProperties", _) => vec![],
            _ => panic!("harness/schema.rs does not support the keyword {keyword}"),
        }
    }

    /// If the value matches none of the choices, the violations of the choice that its field `schema` names are more helpful.
    fn faults_of_choice(self, only_one: bool, choices: &'a [Value], value: &Value, place: &str) -> Vec<String> {
        let faults: Vec<Vec<String>> = choices.iter().map(|part| self.part(part).faults(value, place)).collect();
        match faults.iter().filter(|faults| faults.is_empty()).count() {
            0 => {
                let by_name = faults.into_iter().find(|faults| {
                    !faults.iter().any(|fault| {
                        fault.starts_with(&format!("{place}/schema: ")) || fault.starts_with(&format!("{place}: "))
                    })
                });
                by_name.unwrap_or_else(|| vec![format!("{place}: {value} is none of {choices:?}")])
            }
            fitting if fitting > 1 && only_one => vec![format!("{place}: {value} is {fitting} of {choices:?}")],
            _ => vec![],
        }
    }

    fn target(self, reference: &Value) -> &'a Value {
        let pointer = reference.as_str().and_then(|text| text.strip_prefix('#')).expect("a reference into this schema");
        self.document.pointer(pointer).unwrap_or_else(|| panic!("{reference}: no such subschema"))
    }
}

/// The items of an array; another value is a list of one.
fn list(rule: &Value) -> &[Value] {
    rule.as_array().map_or(std::slice::from_ref(rule), Vec::as_slice)
}

fn object(rule: &Value) -> &Map<String, Value> {
    rule.as_object().unwrap_or_else(|| panic!("no object: {rule}"))
}

fn is_a(value: &Value, kind: &str) -> bool {
    match kind {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "string" => value.is_string(),
        "number" => value.is_number(),
        "integer" => value.is_u64() || value.is_i64(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        other => panic!("harness/schema.rs does not support the type {other}"),
    }
}

//! Tables in Markdown, and the format of their numbers.

/// Texts are aligned to the left, numbers to the right.
pub fn head(texts: usize, columns: &[&str]) -> String {
    let rulers = columns.iter().enumerate().map(|(at, _)| if at < texts { "---" } else { "---:" });
    format!("| {} |\n|{}|", columns.join(" | "), rulers.collect::<Vec<_>>().join("|"))
}

pub fn row(cells: &[String]) -> String {
    format!("| {} |", cells.join(" | "))
}

/// Three significant digits, from 100 on all digits of the integer, fewer far below 1.
pub fn number(number: f64) -> String {
    match number {
        100.0.. => grouped(number.round() as u128),
        10.0.. => format!("{number:.1}"),
        1.0.. => format!("{number:.2}"),
        0.01.. => format!("{number:.3}"),
        _ => format!("{number:.5}"),
    }
}

/// An integer in groups of three digits.
pub fn grouped(number: u128) -> String {
    let digits = number.to_string();
    let mut grouped = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

pub fn seconds(seconds: f64) -> String {
    match seconds {
        0.1.. => format!("{} s", number(seconds)),
        1e-4.. => format!("{} ms", number(seconds * 1e3)),
        _ => format!("{} µs", number(seconds * 1e6)),
    }
}

//! Numbers and durations as text.

/// A duration with three digits: `12 µs`, `3.4 ms`, `0.250 s`, `2.35 s`, `42.0 s`, `12 min`.
pub fn duration(seconds: f64) -> String {
    match seconds {
        0.0 => "0 s".into(),
        s if s < 0.000_999_5 => format!("{:.0} µs", s * 1e6),
        s if s < 0.099_95 => format!("{:.1} ms", s * 1e3),
        s if s < 0.999_5 => format!("{s:.3} s"),
        s if s < 9.995 => format!("{s:.2} s"),
        s if s < 600.0 => format!("{s:.1} s"),
        s => rough_duration(s),
    }
}

/// A duration that is only an estimate: `40 s`, `12 min`, `3.5 h`, `9 days`.
pub fn rough_duration(seconds: f64) -> String {
    match seconds {
        s if s < 90.0 => format!("{s:.0} s"),
        s if s < 5400.0 => format!("{:.0} min", s / 60.0),
        s if s < 48.0 * 3600.0 => format!("{:.1} h", s / 3600.0),
        s => format!("{:.0} days", s / 86_400.0),
    }
}

/// A duration at a tick of an axis: `2 ms`, `0.5 s`, `30 s`.
pub fn tick_duration(seconds: f64) -> String {
    match seconds {
        0.0 => "0".into(),
        s if s < 0.000_995 => format!("{} µs", tick(s * 1e6)),
        s if s < 0.0995 => format!("{} ms", tick(s * 1e3)),
        s => format!("{} s", tick(s)),
    }
}

/// A number at a tick of an axis.
pub fn tick(number: f64) -> String {
    trimmed(number, 2)
}

/// A share at a tick of an axis, in per cent.
pub fn tick_percent(share: f64) -> String {
    format!("{} %", tick(share * 100.0))
}

/// A number in a column whose heading has the unit seconds.
pub fn column_seconds(seconds: f64) -> String {
    match seconds {
        s if s < 10.0 => format!("{s:.3}"),
        s if s < 100.0 => format!("{s:.2}"),
        s => format!("{s:.1}"),
    }
}

/// At most so many decimals, without zeros at the end.
pub fn trimmed(number: f64, decimals: usize) -> String {
    let text = format!("{number:.decimals$}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".into() } else { text.into() }
}

/// A share in per cent: `31 %`, `2.5 %`, `0.04 %`, `−2.0 %`.
pub fn percent(share: f64) -> String {
    let percent = (share * 100.0).abs();
    let sign = if share < 0.0 { "−" } else { "" };
    let decimals = match percent {
        percent if percent == 0.0 || percent >= 9.95 => 0,
        percent if percent >= 0.95 => 1,
        _ => 2,
    };
    format!("{sign}{percent:.decimals$} %")
}

/// A rate: `830`, `41k`, `3.2M`, `6.7e21`.
pub fn rate(rate: f64) -> String {
    match rate {
        r if r < 1e3 => format!("{r:.0}"),
        r if r < 1e6 => format!("{:.0}k", r / 1e3),
        r if r < 1e9 => format!("{:.1}M", r / 1e6),
        r => format!("{r:.1e}"),
    }
}

/// A factor: `1.4`, `32`, `4,200`.
pub fn factor(factor: f64) -> String {
    if factor < 9.95 { format!("{factor:.1}") } else { grouped(format!("{factor:.0}")) }
}

/// Decimal digits with a comma between groups of three. Any other text stays as it is.
pub fn grouped(number: impl ToString) -> String {
    let digits = number.to_string();
    if !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return digits;
    }
    let groups = digits.as_bytes().rchunks(3).rev();
    groups.map(String::from_utf8_lossy).collect::<Vec<_>>().join(",")
}

/// `1 run`, `2 runs`.
pub fn plural(number: usize, one: &str, several: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { several })
}

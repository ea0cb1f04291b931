//! Hexadecimal digits.

use std::fmt::Write as _;

pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(2 * bytes.len()), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

pub(crate) fn unhex(text: &str) -> Option<Vec<u8>> {
    let byte = |digits: &[u8]| u8::from_str_radix(str::from_utf8(digits).ok()?, 16).ok();
    text.len().is_multiple_of(2).then(|| text.as_bytes().chunks(2).map(byte).collect())?
}

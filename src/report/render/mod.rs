//! Numbers, tables and markup as text. Everything that formats is here.

pub mod csv;
pub mod html;
pub mod markdown;
pub mod number;
pub mod progress;
pub mod terminal;

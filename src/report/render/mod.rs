//! Numbers, tables and markup as text. Everything that formats is here.

pub mod html;
pub mod number;
pub mod progress;
pub mod table;
pub mod terminal;

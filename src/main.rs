//! The program `census`.

fn main() {}

//! Compiles the target and the compiler's flags, which the results report, into the benchmark. Census and its peers have the same.

use std::env;

fn main() {
    let read = |name| env::var(name).unwrap_or_default();
    println!("cargo::rustc-env=BENCH_TARGET={}", read("TARGET"));
    println!("cargo::rustc-env=BENCH_FEATURES={}", read("CARGO_CFG_TARGET_FEATURE"));
    println!("cargo::rustc-env=BENCH_FLAGS={}", read("CARGO_ENCODED_RUSTFLAGS").replace('\u{1f}', " "));
    println!("cargo::rerun-if-changed=build.rs");
}

//! TEMPORARY skeleton.
fn main() {}

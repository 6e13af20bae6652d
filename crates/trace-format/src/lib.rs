//! TEMPORARY skeleton.
#![forbid(unsafe_code)]

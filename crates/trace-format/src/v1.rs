//! Format version 1: what version 2 has, without the words from 0xE0000000 on.

/// The number in the file header.
pub const VERSION: u16 = 1;

//! Format version 1: version 2 without the words from 0xE0000000 on.

/// The number in the file header.
pub const VERSION: u16 = 1;

//! Format version 2: version 3 without the extended operations 0x0E00 to 0x0FFF.
//!
//! Changes since version 1: words from 0xE0000000 on are clock words and operations with a length (in version 1 such a word would have been
//! a site's, but no agent used such high numbers); the header of an event block, a record, and blocks of kinds 32 to 63 may grow.

/// The number in the file header.
pub const VERSION: u16 = 2;

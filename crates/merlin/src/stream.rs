//! The neutral stream, which a front end writes and the back end reads. `STREAM.md` beside this crate is its page.
//!
//! ```text
//! Record ─ StreamWriter ─> bytes ─ BlockReader ─> Block ─ Block::decode() ─> Record
//! ```
//!
//! Bytes are untrusted: nothing here panics on them, and nothing is allocated because a length claims it.

pub(crate) mod block;
pub(crate) mod block_reader;
pub(crate) mod decoder;
pub(crate) mod encoder;
pub(crate) mod error;
pub(crate) mod record;
pub(crate) mod tag;
pub(crate) mod varint;
pub(crate) mod writer;

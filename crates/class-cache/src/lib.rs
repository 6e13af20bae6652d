//! Keeps what was worked out about class files on disk, for the next JVM: contents by the 128 bits that identify a class file.
//!
//! ```text
//! DIRECTORY/                           of its owner only
//!   0f3a...e2.classes                  one file for each build of the agent, release of the JDK and choice of probes
//!   lock                               held while a file is replaced
//! ```
//!
//! A file is never changed: it is replaced as a whole by another one, under the lock. So a JVM
//! that has opened it reads what it has opened, and a JVM that is killed leaves the file of
//! before. What two JVMs save at once is added up, since each reads the file again under the lock.
//!
//! | file | bytes |
//! |---|---|
//! | `DTCLASS1` | 8 |
//! | number of rows; CRC-32 of the rows | 4, 4 |
//! | rows: key, offset, length, CRC-32 of the content, day of the last use | 16, 4, 4, 4, 4 each |
//! | contents | |
//!
//! All numbers are little-endian. Nothing is believed: a row must lie within the file, and a content must have its checksum.
//! Contents are read by `pread`, not mapped: a file that somebody cuts off costs the saving, never a signal in the JVM.
#![forbid(unsafe_code)]

mod class_key;
mod directory;
mod error;
mod file_layout;
mod kept_classes;
mod merge;

pub use class_key::ClassKey;
pub use directory::{Place, default_place};
pub use error::CacheError;
pub use kept_classes::KeptClasses;

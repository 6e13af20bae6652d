//! The first byte of each record. Tags from [`FIRST_SKIPPABLE`] on are followed by the length of what comes after, so
//! that a reader steps over records that it does not know.

pub(crate) const ALLOCATION: u8 = 0x01;
pub(crate) const UPDATE: u8 = 0x02;
pub(crate) const STORE: u8 = 0x03;
pub(crate) const USE: u8 = 0x04;
pub(crate) const ROOT: u8 = 0x05;
pub(crate) const ENTRY: u8 = 0x06;
pub(crate) const EXIT: u8 = 0x07;
pub(crate) const EXCEPTIONAL_EXIT: u8 = 0x08;
pub(crate) const THREAD: u8 = 0x09;
pub(crate) const TICK: u8 = 0x0a;
pub(crate) const COLLECTION: u8 = 0x0b;
pub(crate) const DEAD: u8 = 0x0c;
pub(crate) const KEPT: u8 = 0x0d;
pub(crate) const STAMP: u8 = 0x0e;
pub(crate) const REFERENCE: u8 = 0x0f;
pub(crate) const COLLECTION_END: u8 = 0x10;

pub(crate) const FIRST_SKIPPABLE: u8 = 0x80;
pub(crate) const FACT: u8 = 0x80;
pub(crate) const TYPE: u8 = 0x81;
pub(crate) const METHOD: u8 = 0x82;
pub(crate) const SITE: u8 = 0x83;
pub(crate) const THREAD_NAME: u8 = 0x84;

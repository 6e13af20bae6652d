//! What the running VM did not tell, as values that name the place.

use crate::address::Address;

/// Something about the VM that could not be found out. None of these is a reason to stop the program: the feature that needs it is
/// left out, and the reason is recorded.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// No library named `libjvm.so` is loaded in this process.
    #[error("libjvm.so is not loaded")]
    LibjvmNotLoaded,
    /// libjvm does not export this symbol: not HotSpot, or stripped of its tables.
    #[error("libjvm does not export {name}")]
    MissingSymbol {
        /// The symbol.
        name: &'static str,
    },
    /// A table entry has a value that cannot be right.
    #[error("{what} is {value}, which cannot be right")]
    Implausible {
        /// Which value.
        what: &'static str,
        /// The value.
        value: u64,
    },
    /// The VM's table has no such field.
    #[error("the VM's tables have no field {type_name}::{field_name}")]
    MissingField {
        /// The class of HotSpot.
        type_name: &'static str,
        /// The field.
        field_name: &'static str,
    },
    /// The VM's table has no such type.
    #[error("the VM's tables have no type {type_name}")]
    MissingType {
        /// The class of HotSpot.
        type_name: &'static str,
    },
    /// The VM's table has no such constant.
    #[error("the VM's tables have no constant {name}")]
    MissingConstant {
        /// The constant.
        name: &'static str,
    },
    /// Memory that should hold something of the VM cannot be read.
    #[error("{length} bytes at {address:?} cannot be read (errno {errno})")]
    Unreadable {
        /// Where.
        address: Address,
        /// How many bytes.
        length: usize,
        /// The error of the operating system, 0 for a short read.
        errno: i32,
    },
    /// Memory could not be reserved.
    #[error("{length} bytes of address space could not be reserved (errno {errno})")]
    Reserve {
        /// How many bytes.
        length: usize,
        /// The error of the operating system.
        errno: i32,
    },
    /// The collector in use is not one whose spaces this crate can list.
    #[error("the heap of this collector cannot be walked")]
    UnsupportedCollector,
    /// libjvm does not call this function of another library.
    #[error("libjvm does not import {function}")]
    NotImported {
        /// The function.
        function: &'static str,
    },
    /// Something of the VM was looked for by its content, and there is none or more than one that fits.
    #[error("{what} could not be told apart")]
    Ambiguous {
        /// What was looked for.
        what: &'static str,
    },
    /// A page of libjvm could not be made writable.
    #[error("the page of {address:?} cannot be made writable (errno {errno})")]
    Protected {
        /// The word to be written.
        address: Address,
        /// The error of the operating system.
        errno: i32,
    },
    /// The system does not tell which memory was written.
    #[error("the system does not tell which memory was written (errno {errno})")]
    NoWriteWatch {
        /// The error of the operating system.
        errno: i32,
    },
    /// A chain of the VM is longer than any real one: torn or not what it was taken for.
    #[error("the chain {what} does not end")]
    EndlessChain {
        /// Which chain.
        what: &'static str,
    },
}

/// The last error number of the operating system.
pub(crate) fn last_errno() -> i32 {
    std::io::Error::last_os_error().raw_os_error().unwrap_or(0)
}

//! What could not be read from the running VM, as error values with a location.

use crate::address::Address;

/// A fact about the VM that could not be determined. None of these stops the program: the feature that needs the fact is disabled, and the
/// reason is recorded.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// No library named `libjvm.so` is loaded in this process.
    #[error("libjvm.so is not loaded")]
    LibjvmNotLoaded,
    /// libjvm does not export this symbol: it is not HotSpot, or its tables were stripped.
    #[error("libjvm does not export {name}")]
    MissingSymbol {
        /// The symbol.
        name: &'static str,
    },
    /// A table entry has a value that cannot be right.
    #[error("{what} is {value}, which cannot be right")]
    Implausible {
        /// The name of the value.
        what: &'static str,
        /// The value.
        value: u64,
    },
    /// The VM's table does not have this field.
    #[error("the VM's tables have no field {type_name}::{field_name}")]
    MissingField {
        /// The class of HotSpot.
        type_name: &'static str,
        /// The field.
        field_name: &'static str,
    },
    /// The VM's table does not have this type.
    #[error("the VM's tables have no type {type_name}")]
    MissingType {
        /// The class of HotSpot.
        type_name: &'static str,
    },
    /// The VM's table does not have this constant.
    #[error("the VM's tables have no constant {name}")]
    MissingConstant {
        /// The constant.
        name: &'static str,
    },
    /// Memory of the VM cannot be read.
    #[error("{length} bytes at {address:?} cannot be read (errno {errno})")]
    Unreadable {
        /// The address.
        address: Address,
        /// The number of bytes.
        length: usize,
        /// The error of the operating system, 0 for a short read.
        errno: i32,
    },
    /// Memory could not be reserved.
    #[error("{length} bytes of address space could not be reserved (errno {errno})")]
    Reserve {
        /// The number of bytes.
        length: usize,
        /// The error of the operating system.
        errno: i32,
    },
    /// Structures of the VM are known of other releases only.
    #[error("{what} are not known of JDK {release}")]
    UnknownRelease {
        /// The structures.
        what: &'static str,
        /// The release.
        release: u64,
    },
    /// This crate cannot list the spaces of the collector in use.
    #[error("the heap of this collector cannot be walked")]
    UnsupportedCollector,
    /// libjvm does not import this function.
    #[error("libjvm does not import {function}")]
    NotImported {
        /// The function.
        function: &'static str,
    },
    /// A search by content found nothing, or more than one match.
    #[error("{what} could not be identified")]
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
    /// The kernel cannot report which memory was written.
    #[error("the kernel cannot report which memory was written (errno {errno})")]
    NoWriteWatch {
        /// The error of the operating system.
        errno: i32,
    },
    /// A chain of the VM is longer than any real one: it is corrupt, or was misidentified.
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

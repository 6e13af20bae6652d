//! The methods of the helper classes, as probes call them.
//!
//! ```text
//!   11 01 2c      sipush 300
//!   b8 00 57      invokestatic java/lang/DuckTrack.count(I)V
//! ```

use ducktrack_code_edit::ProbeMethod;
use ducktrack_probe_vocabulary::HelperMethod;
use ducktrack_probe_vocabulary::helper::{own_method, stack};

/// Claims stack for all probes of a method.
pub(crate) const CLAIM: ProbeMethod = calling(stack::CLAIM);

/// The method that a probe calls.
pub(crate) const fn calling(method: HelperMethod) -> ProbeMethod {
    ProbeMethod {
        class: method.class,
        name: method.name,
        descriptor: method.descriptor,
    }
}

/// The method that application code calls where other code calls this.
pub(crate) fn own(method: ProbeMethod) -> ProbeMethod {
    let own = own_method(HelperMethod {
        class: method.class,
        name: method.name,
        descriptor: method.descriptor,
    });
    own.map_or(method, calling)
}

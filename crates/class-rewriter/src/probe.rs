//! The helper classes whose methods probes call.
//!
//! ```text
//!   11 01 2c      sipush 300
//!   b8 00 57      invokestatic java/lang/DuckTrack.c(I)V
//! ```

use ducktrack_code_edit::ProbeMethod;

/// What the simple names of all helper classes begin with.
pub const HELPER_NAMES: &[u8] = b"DuckTrack";

/// The internal name of the class that counts. In `java.lang`, so that every loader sees it.
pub(crate) const COUNTING_CLASS: &str = "java/lang/DuckTrack";

/// The internal name of the class beside it whose methods write allocation events.
const EVENT_HELPER_CLASS: &str = "java/lang/DuckTrackEvents";

/// The internal name of the class beside it whose methods stamp objects that are used.
const USE_HELPER_CLASS: &str = "java/lang/DuckTrackUses";

/// The internal name of the class whose methods stamp them with the thread's position.
const WITNESS_HELPER_CLASS: &str = "java/lang/DuckTrackWitness";

/// The internal name of the class whose methods record updates of references, and calls.
const RECORD_HELPER_CLASS: &str = "java/lang/DuckTrackRecords";

/// The internal name of the class beside it that asks what calls bring.
const CALL_HELPER_CLASS: &str = "java/lang/DuckTrackCalls";

/// Claims stack for all probes of a method.
pub(crate) const CLAIM: ProbeMethod = counting("e", "(I)V");

/// A method of the class that stamps objects.
pub(crate) const fn using(name: &'static str) -> ProbeMethod {
    ProbeMethod {
        class: USE_HELPER_CLASS,
        name,
        descriptor: "(Ljava/lang/Object;)V",
    }
}

/// A method of the class that stamps positions.
pub(crate) const fn witnessing(name: &'static str, descriptor: &'static str) -> ProbeMethod {
    ProbeMethod {
        class: WITNESS_HELPER_CLASS,
        name,
        descriptor,
    }
}

/// A method of the class that writes records of updates and calls.
pub(crate) const fn recording(name: &'static str, descriptor: &'static str) -> ProbeMethod {
    ProbeMethod {
        class: RECORD_HELPER_CLASS,
        name,
        descriptor,
    }
}

/// A method of the class that counts.
pub(crate) const fn counting(name: &'static str, descriptor: &'static str) -> ProbeMethod {
    ProbeMethod {
        class: COUNTING_CLASS,
        name,
        descriptor,
    }
}

/// A method of the class that asks what calls bring.
pub(crate) const fn calling(name: &'static str, descriptor: &'static str) -> ProbeMethod {
    ProbeMethod {
        class: CALL_HELPER_CLASS,
        name,
        descriptor,
    }
}

/// A method of the class that writes events.
pub(crate) const fn event(name: &'static str, descriptor: &'static str) -> ProbeMethod {
    ProbeMethod {
        class: EVENT_HELPER_CLASS,
        name,
        descriptor,
    }
}

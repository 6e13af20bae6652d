//! The error codes of JVMTI functions.
//!
//! A transparent number and not a Rust `enum`: a newer VM may return a code that this list does not have (72 and 73 came after JVMTI 1.2),
//! and that must be a value, not undefined behaviour.

use crate::enumerations::enumeration;

enumeration! {
    /// The result of a JVMTI function. Zero is success.
    ErrorCode "JVMTI_ERROR_" {
        NONE = 0
        INVALID_THREAD = 10
        INVALID_THREAD_GROUP = 11
        INVALID_PRIORITY = 12
        THREAD_NOT_SUSPENDED = 13
        THREAD_SUSPENDED = 14
        THREAD_NOT_ALIVE = 15
        INVALID_OBJECT = 20
        INVALID_CLASS = 21
        CLASS_NOT_PREPARED = 22
        INVALID_METHODID = 23
        INVALID_LOCATION = 24
        INVALID_FIELDID = 25
        INVALID_MODULE = 26
        NO_MORE_FRAMES = 31
        OPAQUE_FRAME = 32
        TYPE_MISMATCH = 34
        INVALID_SLOT = 35
        DUPLICATE = 40
        NOT_FOUND = 41
        INVALID_MONITOR = 50
        NOT_MONITOR_OWNER = 51
        INTERRUPT = 52
        INVALID_CLASS_FORMAT = 60
        CIRCULAR_CLASS_DEFINITION = 61
        FAILS_VERIFICATION = 62
        UNSUPPORTED_REDEFINITION_METHOD_ADDED = 63
        UNSUPPORTED_REDEFINITION_SCHEMA_CHANGED = 64
        INVALID_TYPESTATE = 65
        UNSUPPORTED_REDEFINITION_HIERARCHY_CHANGED = 66
        UNSUPPORTED_REDEFINITION_METHOD_DELETED = 67
        UNSUPPORTED_VERSION = 68
        NAMES_DONT_MATCH = 69
        UNSUPPORTED_REDEFINITION_CLASS_MODIFIERS_CHANGED = 70
        UNSUPPORTED_REDEFINITION_METHOD_MODIFIERS_CHANGED = 71
        UNSUPPORTED_REDEFINITION_CLASS_ATTRIBUTE_CHANGED = 72
        UNSUPPORTED_OPERATION = 73
        UNMODIFIABLE_CLASS = 79
        UNMODIFIABLE_MODULE = 80
        NOT_AVAILABLE = 98
        MUST_POSSESS_CAPABILITY = 99
        NULL_POINTER = 100
        ABSENT_INFORMATION = 101
        INVALID_EVENT_TYPE = 102
        ILLEGAL_ARGUMENT = 103
        NATIVE_METHOD = 104
        CLASS_LOADER_UNSUPPORTED = 106
        OUT_OF_MEMORY = 110
        ACCESS_DENIED = 111
        WRONG_PHASE = 112
        INTERNAL = 113
        UNATTACHED_THREAD = 115
        INVALID_ENVIRONMENT = 116
    }
}

impl ErrorCode {
    /// `Ok` for success, else this code.
    pub fn ok(self) -> Result<(), ErrorCode> {
        if self == Self::NONE {
            Ok(())
        } else {
            Err(self)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::ErrorCode;

    #[test]
    fn unknown_codes_stay_values() {
        assert_eq!(ErrorCode(12345).name(), None);
        assert_eq!(format!("{:?}", ErrorCode(12345)), "ErrorCode(12345)");
        assert_eq!(
            format!("{:?}", ErrorCode(72)),
            "JVMTI_ERROR_UNSUPPORTED_REDEFINITION_CLASS_ATTRIBUTE_CHANGED"
        );
        assert_eq!(ErrorCode::NONE.ok(), Ok(()));
        assert_eq!(ErrorCode(99).ok(), Err(ErrorCode::MUST_POSSESS_CAPABILITY));
    }
}

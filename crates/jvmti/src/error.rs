//! Failed requests to the VM, as values that name the function called.

use crate::error_code::ErrorCode;

/// A request to the VM that failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// `GetEnv` refused every version asked for.
    #[error(
        "the VM offers no environment of the versions asked for (last answer {code}; -2: it is still starting, or ends)"
    )]
    NoEnvironment {
        /// The result of the last `GetEnv`.
        code: i32,
    },
    /// The VM is older than this function, whose slot is empty.
    #[error("{function}: this VM does not have the function")]
    MissingFunction {
        /// The name in the specification.
        function: &'static str,
    },
    /// A JVMTI function returned an error.
    #[error("{function}: {code:?}")]
    Jvmti {
        /// The name in the specification.
        function: &'static str,
        /// The code it returned.
        code: ErrorCode,
    },
    /// A JNI function returned a negative status.
    #[error("{function}: JNI status {code}")]
    Jni {
        /// The name in the specification.
        function: &'static str,
        /// The status it returned.
        code: i32,
    },
    /// A JNI function left a Java exception pending. The exception has been cleared.
    #[error("{function}: a Java exception was thrown")]
    JavaException {
        /// The name in the specification.
        function: &'static str,
    },
    /// A function of the JDK has thrown an exception with this message. The exception has been cleared.
    #[error("{function}: {message}")]
    Thrown {
        /// The name in the JDK.
        function: &'static str,
        /// The message of the exception.
        message: String,
    },
    /// A function returned null where the specification requires a result, and no exception was pending.
    #[error("{function}: null result")]
    NullResult {
        /// The name in the specification.
        function: &'static str,
    },
    /// A name passed to the VM contains a zero byte.
    #[error("{function}: a string holds a zero byte")]
    ZeroByte {
        /// The name in the specification.
        function: &'static str,
    },
    /// A length does not fit the interface's 32-bit number, or the VM returned a negative one.
    #[error("{function}: length {length} is out of range")]
    LengthOutOfRange {
        /// The name in the specification.
        function: &'static str,
        /// The length.
        length: i64,
    },
}

impl Error {
    /// The JVMTI error code, if a JVMTI function returned one.
    #[must_use]
    pub fn code(&self) -> Option<ErrorCode> {
        match self {
            Self::Jvmti { code, .. } => Some(*code),
            _ => None,
        }
    }
}

/// A length for the VM: `jint` or an error.
pub(crate) fn length_for_vm(function: &'static str, length: usize) -> Result<i32, Error> {
    i32::try_from(length).map_err(|_| Error::LengthOutOfRange {
        function,
        length: i64::try_from(length).unwrap_or(i64::MAX),
    })
}

/// A length from the VM: never negative.
pub(crate) fn length_from_vm(function: &'static str, length: i32) -> Result<usize, Error> {
    usize::try_from(length).map_err(|_| Error::LengthOutOfRange {
        function,
        length: i64::from(length),
    })
}

/// A name for the VM, with a final zero.
pub(crate) fn c_string(
    function: &'static str,
    text: impl Into<Vec<u8>>,
) -> Result<std::ffi::CString, Error> {
    std::ffi::CString::new(text).map_err(|_| Error::ZeroByte { function })
}

//! Stops panics between our code and the VM.
//!
//! A panic must not unwind into the VM's frames: that is undefined behaviour, and in `extern "system"` functions it aborts the program's
//! process. Each function that the VM calls wraps its body in [`guard`]. A panic ends the body and is reported, and the callback returns
//! its fallback, which must leave the program as if the agent were absent.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Runs `body` and returns its value. If it panics, passes the panic message to `on_panic` and returns `fallback`.
///
/// Nothing unwinds out of this function, not even a panic of `on_panic` or of dropping the panic's payload.
pub fn guard<T>(fallback: T, on_panic: impl FnOnce(&str), body: impl FnOnce() -> T) -> T {
    match catch_unwind(AssertUnwindSafe(body)) {
        Ok(value) => value,
        Err(payload) => {
            // A panic of the report itself is ignored, because there is no caller left to report it to.
            let report = catch_unwind(AssertUnwindSafe(|| {
                on_panic(panic_message(payload.as_ref()))
            }));
            if let Err(second) = report {
                std::mem::forget(second);
            }
            // The payload can be any value, whose destructor may panic as well. It is leaked; panics are rare.
            std::mem::forget(payload);
            fallback
        }
    }
}

/// The text of a panic, if it has one.
fn panic_message(payload: &(dyn Any + Send)) -> &str {
    if let Some(text) = payload.downcast_ref::<&'static str>() {
        text
    } else if let Some(text) = payload.downcast_ref::<String>() {
        text
    } else {
        "panic without a message"
    }
}

#[cfg(test)]
mod tests {
    use super::guard;

    #[test]
    fn value_passes_through() {
        assert_eq!(guard(0, |_| unreachable!(), || 7), 7);
    }

    #[test]
    fn panic_becomes_fallback_and_message() {
        let mut seen = String::new();
        let value = guard(
            -1,
            |message| seen = message.to_owned(),
            || panic!("broken {}", 3),
        );
        assert_eq!((value, seen.as_str()), (-1, "broken 3"));
    }

    #[test]
    fn panicking_report_and_payload_stay_inside() {
        struct Bomb;
        impl Drop for Bomb {
            fn drop(&mut self) {
                panic!("second");
            }
        }
        let value = guard(5, |_| panic!("report"), || std::panic::panic_any(Bomb));
        assert_eq!(value, 5);
    }
}

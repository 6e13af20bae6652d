//! A profile in the formats of other tools.
//!
//! ```text
//! Export (profile, live rows, run) ─┬─ pprof()       gzipped protocol buffers: go tool pprof, Pyroscope, Parca
//!                                   ├─ speedscope()  JSON: speedscope.app
//!                                   ├─ firefox()     JSON: profiler.firefox.com
//!                                   ├─ jfr()         JDK Flight Recorder: jfr, JDK Mission Control, IntelliJ
//!                                   └─ otlp()        OpenTelemetry profiles
//! ```
//!
//! Stacks begin with the first frame of a thread and end with the type of the objects. Each format has
//! objects and bytes, and live objects and live bytes where a trace knows them; the sums are those of
//! the report. All but `jfr` have the live memory outside of the heap, too, by the stack that made it.
#![forbid(unsafe_code)]

mod error;
mod export;
mod firefox;
mod jfr;
mod otlp;
mod pprof;
mod pprof_messages;
mod speedscope;

pub use error::ExportError;
pub use export::{Export, Measure};
pub use firefox::firefox;
pub use jfr::{Pause, jfr};
pub use otlp::otlp;
pub use pprof::pprof;
pub use speedscope::speedscope;

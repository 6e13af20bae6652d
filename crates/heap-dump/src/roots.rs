//! GC roots of a dump, with names.

use rustc_hash::FxHashMap;

use crate::class_table::ClassTable;
use crate::record_walk::{FrameRecord, Identifier, RootRecord};

/// A root of the dump.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Root {
    /// The static fields of a class that is never unloaded.
    Statics,
    /// A local variable of a running method.
    Frame {
        /// The thread's object; 0 if unknown.
        thread: Identifier,
        /// `Class.method(File.java:12)`; empty if unknown.
        at: String,
    },
    /// A running thread.
    Thread,
    /// A global reference of native code.
    JniGlobal,
    /// A local reference of native code.
    JniLocal {
        /// The thread's object; 0 if unknown.
        thread: Identifier,
    },
    /// A monitor that is held or waited for.
    Monitor,
    /// The class object of a class that the JVM never unloads.
    StickyClass,
    /// The JVM itself; the dump does not say how.
    Vm,
    /// An instance field of a class object: no dump has these fields, and so not the class either.
    ClassField(&'static str),
}

/// The stacks and threads of the dump.
#[derive(Clone, Debug, Default)]
pub(crate) struct Stacks {
    frames: FxHashMap<Identifier, FrameRecord>,
    /// Frames by serial number of the trace, innermost first.
    traces: FxHashMap<u32, Vec<Identifier>>,
    /// Each thread's object and stack trace, by serial number of the thread.
    threads: FxHashMap<u32, (Identifier, u32)>,
}

impl Stacks {
    pub(crate) fn add_frame(&mut self, frame: FrameRecord) {
        self.frames.insert(frame.id, frame);
    }

    pub(crate) fn add_trace(&mut self, serial: u32, frames: &[Identifier]) {
        self.traces.insert(serial, frames.to_vec());
    }

    pub(crate) fn add_thread(&mut self, serial: u32, thread: Identifier, trace: u32) {
        self.threads.insert(serial, (thread, trace));
    }

    /// The root with its names resolved.
    pub(crate) fn named(&self, root: RootRecord, classes: &ClassTable) -> Root {
        let thread = |serial| self.threads.get(&serial).copied().unwrap_or_default();
        match root {
            RootRecord::JniGlobal => Root::JniGlobal,
            RootRecord::JniLocal { thread: serial } => Root::JniLocal {
                thread: thread(serial).0,
            },
            RootRecord::Frame {
                thread: serial,
                depth,
            } => {
                let (thread, trace) = thread(serial);
                Root::Frame {
                    thread,
                    at: self.place(trace, depth, classes).unwrap_or_default(),
                }
            }
            RootRecord::StickyClass => Root::StickyClass,
            RootRecord::Monitor => Root::Monitor,
            RootRecord::Thread { .. } => Root::Thread,
            RootRecord::Other => Root::Vm,
        }
    }

    /// The thread objects, and the method that each is in: `java/lang/Thread.sleep`.
    pub(crate) fn innermost(&self, classes: &ClassTable) -> Vec<(Identifier, String)> {
        let method = |trace: u32| {
            let frame = self.frames.get(self.traces.get(&trace)?.first()?)?;
            let class = classes.by_serial(frame.class_serial)?;
            Some(format!(
                "{}.{}",
                classes.name(class),
                classes.string(frame.method)
            ))
        };
        let threads = self.threads.values();
        threads
            .filter_map(|(thread, trace)| Some((*thread, method(*trace)?)))
            .collect()
    }

    fn place(&self, trace: u32, depth: u32, classes: &ClassTable) -> Option<String> {
        let id = self.traces.get(&trace)?.get(depth as usize)?;
        let frame = self.frames.get(id)?;
        let class = classes.by_serial(frame.class_serial)?;
        let class = classes.name(class).replace('/', ".");
        let method = classes.string(frame.method);
        let source = match (classes.string(frame.source), frame.line) {
            ("", _) => "Unknown Source".to_owned(),
            (file, line) if line > 0 => format!("{file}:{line}"),
            (file, _) => file.to_owned(),
        };
        Some(format!("{class}.{method}({source})"))
    }
}

impl Root {
    /// If an object has several roots, the one of lowest rank is shown: the ranks prefer roots that a user can act
    /// on.
    pub(crate) fn rank(&self) -> u8 {
        match self {
            Self::Statics => 0,
            Self::Thread => 1,
            Self::Frame { .. } => 2,
            Self::JniGlobal => 3,
            Self::JniLocal { .. } => 4,
            Self::Monitor => 5,
            Self::StickyClass => 6,
            Self::Vm => 7,
            Self::ClassField(_) => 8,
        }
    }
}

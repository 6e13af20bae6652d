//! Holders of objects at a moment of a trace of `mode=deaths`, as records
//! of the neutral stream: each object that is held was reachable then.
//!
//! ```text
//! block ROOTS: moment, (held by, address)*   ── objects that are alive, by address ──>   Root*
//! ```

use ducktrack_merlin::{Record, RootKind};
use ducktrack_trace_format::HeldBy;

use crate::deaths::bridge::TraceBridge;
use crate::deaths::bridge::output::BridgeOutput;
use crate::deaths::bridge::roots::HeldRoot;

impl TraceBridge {
    /// The next roots come before everything else that has not been written.
    pub(crate) fn say_roots(&mut self, out: &mut BridgeOutput<'_>) {
        if self.roots.waiting.is_empty() {
            return;
        }
        let snapshot = self.roots.waiting.remove(0);
        let mut last = Vec::new();
        for root in snapshot.roots {
            let Some(object) = self.object_at(root.address, snapshot.epoch, out) else {
                continue;
            };
            let kind = stream_kind(root.by);
            self.say(Record::Root { kind, object }, out);
            last.push(HeldRoot {
                by: word(root.by),
                field: self.field_name(root.by),
                object,
            });
        }
        self.roots.last = last;
    }

    fn field_name(&self, by: HeldBy) -> Option<String> {
        let HeldBy::StaticField(number) = by else {
            return None;
        };
        self.names.trace.static_field_name(number)
    }
}

fn stream_kind(by: HeldBy) -> RootKind {
    match by {
        HeldBy::StackLocal => RootKind::Stack,
        HeldBy::StaticField(_) => RootKind::Global,
        HeldBy::JniGlobal | HeldBy::JniLocal => RootKind::Native,
        HeldBy::SystemClass | HeldBy::Monitor | HeldBy::Thread | HeldBy::Other => RootKind::Runtime,
    }
}

fn word(by: HeldBy) -> &'static str {
    match by {
        HeldBy::StackLocal => "frame",
        HeldBy::StaticField(_) => "static",
        HeldBy::JniGlobal => "jni-global",
        HeldBy::JniLocal => "jni-local",
        HeldBy::SystemClass => "class",
        HeldBy::Monitor => "monitor",
        HeldBy::Thread => "thread",
        HeldBy::Other => "vm",
    }
}

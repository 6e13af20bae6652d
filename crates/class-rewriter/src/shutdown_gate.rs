//! The start of the VM's shutdown: `java.lang.Shutdown.runHooks`, which both ways to the end go through (`System.exit` or a signal, and
//! the end of the last thread), before any hook runs; and `Shutdown.halt`, with which `System.exit` ends and `Runtime.halt` begins.

use ducktrack_code_edit::{Place, ProbeMethod};
use ducktrack_probe_vocabulary::helper::counting;

use crate::part::{Part, PartBuilder};
use crate::planner::Planner;
use crate::probe::calling;
use crate::refusal::Reason;

const BEGINS: ProbeMethod = calling(counting::SHUTDOWN);

/// The class whose methods are asked for the start.
pub(crate) const CLASS: &[u8] = b"java/lang/Shutdown";

/// Says that the shutdown begins.
pub(crate) struct ShutdownGate;

impl Planner for ShutdownGate {
    fn is_interested_in_method(&self, is_static: bool) -> bool {
        is_static
    }

    fn plan(&self, mut builder: PartBuilder<'_>) -> Result<Part, Reason> {
        let view = builder.view;
        let begins = [(&b"runHooks"[..], &b"()V"[..]), (b"halt", b"(I)V")];
        if begins.contains(&(view.method.name(), view.descriptor)) {
            let probe = builder.probes.build().invoke(BEGINS).finish()?;
            builder.insert(Place::Entry, probe);
        }
        Ok(builder.part)
    }
}

//! Which judgement a gate gets.

use super::gate::{Gate, Scope};
use super::verdict::{self, Verdict};
use super::{ComparedRun, context_gate};

/// Judges one gate.
pub(super) fn judge(gate: &Gate, before: &ComparedRun<'_>, after: &ComparedRun<'_>) -> Verdict {
    match &gate.scope {
        Some(Scope::Context(pattern)) => context_gate::judge(gate, pattern, before, after),
        _ => verdict::judge(gate, before, after),
    }
}

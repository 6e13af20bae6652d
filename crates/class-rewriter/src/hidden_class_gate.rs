//! The gate that hidden classes go through on their way into the VM.
//!
//! The class file load hook never sees them (proxies of lambdas and method references, compiled method handles, string
//! concatenations of JDK 23 and later). They all pass one method of a class in `java.lang`, the JDK's back door to
//! `ClassLoader.defineClass0`:
//!
//! ```text
//! defineClass(ClassLoader, Class lookup, String name, byte[] bytes, ProtectionDomain, boolean initialize, int flags, Object data)
//!   aload 4; iload 7; invokestatic DuckTrack.hidden([BI)[B; astore 4     on entry
//!   ...
//!   invokestatic ClassLoader.defineClass0
//! ```

use ducktrack_classfile::{Instruction, PoolIndex};
use ducktrack_code_edit::{Place, ProbeMethod};
use ducktrack_probe_vocabulary::helper::counting;

use crate::part::{Part, PartBuilder};
use crate::planner::Planner;
use crate::pool_rules::PoolRules;
use crate::probe::calling;
use crate::refusal::Reason;

const REWRITE: ProbeMethod = calling(counting::HIDDEN);

/// The descriptor of the gate in the JDKs that have hidden classes (15 and later).
const GATE: &[u8] = b"(Ljava/lang/ClassLoader;Ljava/lang/Class;Ljava/lang/String;[BLjava/security/ProtectionDomain;\
    ZILjava/lang/Object;)Ljava/lang/Class;";

/// Its local variables that hold the bytes and the flags.
const BYTES: u16 = 4;
const FLAGS: u16 = 7;

/// Opens the gate of hidden classes.
pub(crate) struct HiddenClassGate<'r> {
    pub(crate) rules: &'r PoolRules,
}

impl Planner for HiddenClassGate<'_> {
    fn is_interested_in(&self, instruction: &Instruction<'_>) -> bool {
        instruction.opcode.is_invoke()
            && instruction.pool_index() == self.rules.hidden_class_entrance()
    }

    fn plan(&self, mut builder: PartBuilder<'_>) -> Result<Part, Reason> {
        open_gate(&mut builder)?;
        Ok(builder.part)
    }
}

/// If the method is the gate, the bytes that come in are rewritten first.
fn open_gate(builder: &mut PartBuilder<'_>) -> Result<(), Reason> {
    let Some(entrance) = builder.view.rules.hidden_class_entrance() else {
        return Ok(());
    };
    if builder.view.is_static || builder.view.descriptor != GATE || !calls(builder, entrance) {
        return Ok(());
    }
    let probe = builder
        .probes
        .build()
        .load_reference(BYTES)
        .load_int(FLAGS)
        .invoke(REWRITE)
        .store_reference(BYTES)
        .finish()?;
    builder.insert(Place::Entry, probe);
    builder.part.is_hidden_class_gate = true;
    Ok(())
}

fn calls(builder: &PartBuilder<'_>, method: PoolIndex) -> bool {
    let mut instructions = builder.view.instructions.iter();
    instructions.any(|instruction| instruction.pool_index() == Some(method))
}

//! The gate that modules pass on their way to read the unnamed modules.
//!
//! When an agent has changed a class of a module, the VM calls a method that lets
//! the module read the unnamed modules of the boot loader and of the application's:
//!
//! ```text
//! jdk.internal.module.Modules.transformedByAgent(Module)
//!   aload 0; invokestatic DuckTrackModules.reader(Module)Module; astore 0     on entry
//!   ...
//! ```

use ducktrack_classfile::{ClassFile, Method, PoolAppender};
use ducktrack_code_edit::{CodeEdit, Place, Probes, edit_code, rewrite_class_methods};
use ducktrack_probe_vocabulary::helper::modules;

use crate::probe::calling;
use crate::refusal::Reason;

/// The internal name of the class with the gate.
pub const MODULES: &str = "jdk/internal/module/Modules";

const NAME: &[u8] = b"transformedByAgent";
const DESCRIPTOR: &[u8] = b"(Ljava/lang/Module;)V";
/// Its parameter.
const MODULE: u16 = 0;

/// The bytes of the class `Modules` with the gate; `None` if it has no such method.
///
/// # Errors
/// The reason why the class must be left as it is.
pub fn with_reads_gate(bytes: &[u8]) -> Result<Option<Vec<u8>>, Reason> {
    let class = ClassFile::parse(bytes)?;
    let Some((index, method)) = class
        .methods()
        .enumerate()
        .find(|(_, method)| is_gate(method))
    else {
        return Ok(None);
    };
    let mut probes = Probes::new(PoolAppender::new(class.pool()));
    let probe = probes
        .build()
        .load_reference(MODULE)
        .invoke(calling(modules::READER))
        .store_reference(MODULE)
        .finish()?;
    let edit = CodeEdit {
        insertions: vec![probe.at(Place::Entry)],
        ..CodeEdit::default()
    };
    let edited = edit_code(&method, &edit, probes.pool())?;
    let edits = [(index, edited.attribute.as_slice())];
    Ok(Some(rewrite_class_methods(&class, edits, probes.pool())?))
}

fn is_gate(method: &Method<'_>) -> bool {
    method.is_static() && method.name() == NAME && method.descriptor() == DESCRIPTOR
}

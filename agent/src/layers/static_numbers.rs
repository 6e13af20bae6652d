//! Numbers of static fields that no rewritten code names: of those that
//! native code sets, and of those that hold objects when roots are recorded.

use ducktrack_classfile::decode_modified_utf8;
use ducktrack_jvmti::Jni;
use ducktrack_jvmti::sys::{jclass, jfieldID};
use ducktrack_trace_format::{Record, StaticField};
use parking_lot::Mutex;
use rustc_hash::FxHashMap;

use crate::core::Core;

/// Numbers of rewritten code are below.
const FIRST: u32 = 1 << 30;

/// Numbers by the VM's id of the field, which it never gives twice while the class is there.
#[derive(Default)]
pub(crate) struct StaticNumbers(Mutex<FxHashMap<usize, u32>>);

impl StaticNumbers {
    /// The number of a static field that native code sets, given a class that has it.
    pub(crate) fn of_field(
        &self,
        core: &Core,
        jni: Jni,
        class: jclass,
        field: jfieldID,
    ) -> Option<u32> {
        let declaring = core.env.field_declaring_class(class, field).ok()?;
        let number = self.of(core, declaring, field);
        jni.delete_local_ref(declaring);
        number
    }

    /// The number of a field that this class declares; the trace gets its name. `None`: the VM does not give its name.
    pub(crate) fn of(&self, core: &Core, class: jclass, field: jfieldID) -> Option<u32> {
        if let Some(known) = self.0.lock().get(&field.addr()) {
            return Some(*known);
        }
        let name = core.env.field_name(class, field).ok()?;
        let signature = core.env.class_signature(class).ok()?;
        let class = signature.strip_prefix(b"L")?.strip_suffix(b";")?;
        let mut numbers = self.0.lock();
        let number = FIRST + u32::try_from(numbers.len()).ok()?;
        let text = |bytes: &[u8]| decode_modified_utf8(bytes).into_owned();
        if numbers.insert(field.addr(), number).is_none() {
            core.registry.note(Record::StaticField(StaticField {
                number,
                class: text(class),
                name: text(&name.name),
                descriptor: text(&name.descriptor),
            }));
        }
        Some(number)
    }
}

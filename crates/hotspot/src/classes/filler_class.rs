//! Classes of the objects with which the VM fills gaps.
//!
//! | JDK | fillers |
//! |---|---|
//! | up to 18 | `java.lang.Object`, `int[]`: the program also has instances of these classes |
//! | from 19 on | `jdk.internal.vm.FillerObject`, `FillerArray` or `FillerElement[]` as well |

use crate::classes::class_table::{ClassId, ClassTable};

/// Whether the VM may use objects of this class as fillers.
pub(crate) fn may_fill(classes: &ClassTable, class: ClassId) -> bool {
    has_name(classes, class, |name| {
        is_fillers_own(name) || matches!(name, b"java/lang/Object" | b"[I")
    })
}

/// Whether all objects of this class are fillers.
pub(crate) fn only_fills(classes: &ClassTable, class: ClassId) -> bool {
    has_name(classes, class, is_fillers_own)
}

fn has_name(classes: &ClassTable, class: ClassId, is_it: impl Fn(&[u8]) -> bool) -> bool {
    classes
        .class(class)
        .is_some_and(|class| is_it(class.name.as_slice()))
}

fn is_fillers_own(name: &[u8]) -> bool {
    matches!(
        name,
        b"jdk/internal/vm/FillerObject"
            | b"jdk/internal/vm/FillerArray"
            | b"[Ljdk/internal/vm/FillerElement;"
    )
}

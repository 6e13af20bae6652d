//! Names of parameters that the VM leaves out of the class file of a class that is retransformed, put back from what it keeps.
//!
//! HotSpot before JDK 20 does so for every class that no agent changed as it was loaded (JDK-8240908),
//! whatever the agent then returns. Such a class has lost what `-parameters` of javac put there, and
//! Spring MVC answers 500. The pool still names the attribute then, and no method has it.
//!
//! ```text
//! class loaded              MethodParameters in the VM
//! retransformed: attach     bytes without ── read from the VM, put back ── rewritten
//! retransformed: stop       bytes without (the VM keeps those of the attach) ── the same
//! ```

use ducktrack_classfile::{ClassFile, NamedParameter};
use ducktrack_hotspot::{Address, MethodParameterFacts};
use ducktrack_jvmti::Jni;
use ducktrack_jvmti::sys::jclass;

use crate::core::Core;
use crate::helper_classes::helper_class::HelperClass;

/// Why a class is not exchanged.
const UNREADABLE: &str = "parameter-names-unreadable";

/// The bytes of a loaded class with the parameters that its methods have in the VM; `None` if the VM has left none out.
///
/// # Errors
/// If they cannot be read.
pub(super) fn with_lost_parameters(
    core: &Core,
    jni: Jni,
    loaded: jclass,
    class: &ClassFile<'_>,
) -> Result<Option<Box<[u8]>>, &'static str> {
    let facts = core.facts().and_then(|facts| facts.method_parameters);
    let (Some(layout), true) = (facts, class.has_lost_method_parameters()) else {
        return Ok(None);
    };
    let helper = HelperClass::get().ok_or(UNREADABLE)?;
    let klass = helper.klass_of(jni, loaded).map_err(|_| UNREADABLE)?;
    let methods = layout.of(Address(klass)).map_err(|_| UNREADABLE)?;
    let of_method = |name: &[u8], descriptor: &[u8]| parameters(&methods, name, descriptor);
    let bytes = class.with_method_parameters(of_method);
    bytes
        .map(|bytes| Some(bytes.into()))
        .map_err(|_| UNREADABLE)
}

fn parameters<'f>(
    methods: &'f [MethodParameterFacts],
    name: &[u8],
    descriptor: &[u8],
) -> Option<Vec<NamedParameter<'f>>> {
    let mut methods = methods.iter();
    let method = methods.find(|method| method.method == name && method.descriptor == descriptor)?;
    let parameters = method.parameters.iter();
    Some(
        parameters
            .map(|parameter| NamedParameter {
                name: parameter.name.as_deref(),
                flags: parameter.flags,
            })
            .collect(),
    )
}

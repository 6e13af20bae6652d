//! The sites of a method, as the rewriter finds them.

use ducktrack_class_rewriter::{
    Allocation, AllocationKind, PoolRules, TrackedMethods, allocations,
};
use ducktrack_classfile::{ClassFile, Code, Error, decode_modified_utf8};
use ducktrack_printable::printable;

use crate::java_type::java_type;
use crate::site::Site;

/// The meaning of a class's constants, computed once per class.
pub(crate) fn rules(class: &ClassFile<'_>) -> Result<PoolRules, Error> {
    PoolRules::of(class, &TrackedMethods::built_in())
}

/// All allocating instructions of the code.
pub(crate) fn sites(
    class: &ClassFile<'_>,
    code: &Code<'_>,
    rules: &PoolRules,
) -> Result<Vec<Site>, Error> {
    let instructions = code.instructions().collect::<Result<Vec<_>, _>>()?;
    let found = allocations(class, code, &instructions, rules)?;
    Ok(found
        .iter()
        .map(|allocation| Site {
            offset: allocation.offset,
            what: describe(allocation),
        })
        .collect())
}

fn describe(allocation: &Allocation) -> String {
    let made = allocation.types.first().and_then(Option::as_deref);
    let made = made.map(|descriptor| printable(&java_type(&decode_modified_utf8(descriptor))));
    let verb = verb(allocation.kind);
    match made {
        Some(made) => format!("{verb} {made}"),
        None => verb.to_owned(),
    }
}

fn verb(kind: AllocationKind) -> &'static str {
    match kind {
        AllocationKind::New | AllocationKind::NewArray | AllocationKind::MultiNewArray => "new",
        AllocationKind::Lambda => "lambda",
        AllocationKind::MethodReference => "method reference",
        AllocationKind::Boxing => "box",
        AllocationKind::Varargs => "varargs",
        AllocationKind::Clone => "clone",
        AllocationKind::ArrayReflection => "array by reflection",
        AllocationKind::Reflection => "by reflection",
        AllocationKind::MethodHandle => "by method handle",
        AllocationKind::UnsafeAllocate => "by Unsafe",
        AllocationKind::Intrinsic => "made inside an intrinsic",
        AllocationKind::Vm => "made by the VM",
        _ => "makes",
    }
}

//! Converts the rewriter's terms to those of the trace format.

use ducktrack_class_rewriter as rewriter;
use ducktrack_trace_format as format;

pub(crate) fn kind(kind: rewriter::AllocationKind) -> format::AllocationKind {
    use rewriter::AllocationKind as From;
    match kind {
        From::New => format::AllocationKind::New,
        From::NewArray => format::AllocationKind::NewArray,
        From::MultiNewArray => format::AllocationKind::MultiNewArray,
        From::Lambda => format::AllocationKind::Lambda,
        From::MethodReference => format::AllocationKind::MethodReference,
        From::StringConcat => format::AllocationKind::StringConcat,
        From::Deserialization => format::AllocationKind::Deserialization,
        From::Boxing => format::AllocationKind::Boxing,
        From::Varargs => format::AllocationKind::Varargs,
        From::Clone => format::AllocationKind::Clone,
        From::ArrayReflection => format::AllocationKind::ArrayReflection,
        From::Reflection => format::AllocationKind::Reflection,
        From::MethodHandle => format::AllocationKind::MethodHandle,
        From::UnsafeAllocate => format::AllocationKind::UnsafeAllocate,
        From::Intrinsic => format::AllocationKind::Intrinsic,
        From::Vm => format::AllocationKind::Vm,
    }
}

pub(crate) fn unit(unit: rewriter::Unit) -> format::Unit {
    match unit {
        rewriter::Unit::Count => format::Unit::Count,
        rewriter::Unit::Bytes => format::Unit::Bytes,
        rewriter::Unit::MaterializedCount => format::Unit::MaterializedCount,
        rewriter::Unit::MaterializedBytes => format::Unit::MaterializedBytes,
        rewriter::Unit::LengthBucket(bits) => format::Unit::LengthBucket(bits),
    }
}

pub(crate) fn role(role: rewriter::Role) -> format::CounterRole {
    match role {
        rewriter::Role::Increment => format::CounterRole::Increment,
        rewriter::Role::Amount => format::CounterRole::Amount,
    }
}

//! Methods that open or close a context by the API or by OpenTelemetry's, in the middle of
//! their code: their objects count at their sites, because a path counts where it ends.

use ducktrack_classfile::MemberRef;

use crate::method_view::MethodView;

/// OpenTelemetry's types that have `makeCurrent`.
const SPANS: [&[u8]; 3] = [
    b"io/opentelemetry/context/Context",
    b"io/opentelemetry/context/ImplicitContextKeyed",
    b"io/opentelemetry/api/trace/Span",
];
/// The package of the API.
const PACKAGE: &[u8] = b"io/ducktrack/allocations/";

/// Whether the method calls one of them.
pub(crate) fn switches_contexts(view: &MethodView<'_>) -> bool {
    let pool = view.code.pool();
    let calls = view
        .instructions
        .iter()
        .filter(|instruction| instruction.opcode.is_invoke());
    calls
        .filter_map(|call| pool.member_ref(call.pool_index()?).ok())
        .any(|member| is_switch(&member))
}

fn is_switch(member: &MemberRef<'_>) -> bool {
    let is_of = |class: &[u8]| member.class.ends_with(class);
    let by_api = matches!(
        (member.class.strip_prefix(PACKAGE), member.name),
        (Some(b"Allocations"), b"context") | (Some(b"Context"), b"close")
    );
    let by_otel = match member.name {
        b"makeCurrent" => SPANS.iter().any(|class| is_of(class)),
        b"close" => is_of(b"io/opentelemetry/context/Scope"),
        _ => false,
    };
    by_api || by_otel
}

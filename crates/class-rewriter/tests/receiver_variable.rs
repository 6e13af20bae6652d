//! The old target of a field of `this` is read by the code itself only where variable 0 is still `this`, which is never null.

use ducktrack_class_rewriter::{
    AllocationProbes, ClassRewriter, ConsecutiveNumbers, RewriteOptions, Stamps, ThreadTotals,
    TrackedMethods,
};
use ducktrack_classfile::{ClassBuilder, ClassFile, CodeBuilder, Opcode, access};

/// Before frames were needed.
const VERSION: u16 = 49;
const OPTIONS: RewriteOptions = RewriteOptions {
    allocations: AllocationProbes::None,
    histogram: false,
    materialized: false,
    totals: ThreadTotals::None,
    calls: true,
    off_heap: true,
    joined_chains: false,
    profile: false,
    redundant_stamps: false,
};

/// The names of the stamping methods that an instance method calls, in order. Its variables 1 and 2 are objects, and 3 is a number.
fn stamps(write: impl FnOnce(&mut CodeBuilder)) -> Vec<String> {
    let mut code = CodeBuilder::new(8, 6);
    write(&mut code);
    code.op(Opcode::RETURN);
    let mut class = ClassBuilder::new(VERSION, access::PUBLIC | access::SUPER, b"A", b"B");
    class
        .method(access::PUBLIC, b"test", b"(LA;LA;I)V")
        .code(code)
        .expect("code");
    let bytes = class.finish().expect("a class");
    let rewriter = ClassRewriter {
        options: &OPTIONS,
        tracked: &TrackedMethods::built_in(),
        application: None,
        contexts: None,
        hidden: false,
        stamps: Stamps::Witness,
    };
    let rewritten = rewriter.rewrite(&bytes, &[], &mut ConsecutiveNumbers::default());
    let bytes = rewritten.expect("a class").bytes.expect("probes");
    let class = ClassFile::parse(&bytes).expect("a class");
    let method = class.methods().next().expect("a method");
    let code = method.code().expect("code");
    let mut names = Vec::new();
    for instruction in code.instructions() {
        let instruction = instruction.expect("an instruction");
        let Some(index) = instruction.pool_index() else {
            continue;
        };
        if instruction.opcode != Opcode::INVOKESTATIC {
            continue;
        }
        let called = code.pool().member_ref(index).expect("a method");
        if [
            &b"java/lang/DuckTrackUses"[..],
            b"java/lang/DuckTrackWitness",
        ]
        .contains(&called.class)
        {
            names.push(String::from_utf8_lossy(called.name).into_owned());
        }
    }
    names
}

/// Sets a field of the object in variable 0, in a loop; `after` stands between that and the backward branch.
fn loop_with(after: impl FnOnce(&mut CodeBuilder)) -> Vec<String> {
    let mut names = stamps(|code| {
        let head = code.here();
        code.local(Opcode::ALOAD, 0).op(Opcode::ACONST_NULL).field(
            Opcode::PUTFIELD,
            b"A",
            b"next",
            b"LA;",
        );
        after(code);
        code.local(Opcode::ILOAD, 3).branch(Opcode::IFEQ, head);
    });
    names.retain(|name| name != "instance");
    names
}

#[test]
fn a_variable_that_is_written_later_may_be_null_at_the_head_of_a_loop() {
    assert_eq!(loop_with(|_| {}), ["lost"]);
    let written = loop_with(|code| {
        code.op(Opcode::ACONST_NULL).local(Opcode::ASTORE, 0);
    });
    assert_eq!(written, ["field"]);
}

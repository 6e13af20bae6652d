//! Damaged class files: an error or a value, never a panic.

use ducktrack_classfile::{
    BuiltFrame, ClassBuilder, ClassFile, Code, CodeBuilder, FrameState, FrameType,
    LocalVariableTable, Method, MethodDescriptor, Opcode, StackMapTable, TypeAnnotations, access,
};
use proptest::prelude::*;

/// A class with something of everything.
fn class() -> Vec<u8> {
    let mut builder = ClassBuilder::new(
        65,
        access::PUBLIC | access::SUPER,
        b"Fixture",
        b"java/lang/Object",
    );
    builder
        .interface(b"java/lang/Runnable")
        .annotation(b"LMarker;");
    builder
        .source_file(b"Fixture.java")
        .expect("the pool is small");
    builder
        .field(access::STATIC, b"count", b"J")
        .annotation(b"LMarker;");
    builder
        .method(access::PUBLIC | access::NATIVE, b"away", b"()V")
        .annotation(b"LMarker;");
    let code = code();
    builder
        .method(access::STATIC, b"m", b"(J[I)V")
        .code(code)
        .expect("code is complete");
    builder.attribute(b"BootstrapMethods", &[0, 1, 0, 1, 0, 1, 0, 2]);
    builder.finish().expect("the pool is small")
}

fn code() -> CodeBuilder {
    let mut code = CodeBuilder::new(4, 400);
    let (end, other, caught) = (code.label(), code.label(), code.label());
    let start = code.here();
    code.line(1)
        .push_int(70_000)
        .push_int(7)
        .branch(Opcode::IF_ICMPEQ, other)
        .iinc(300, 1);
    code.push_long(5)
        .op(Opcode::POP2)
        .push_string(b"text")
        .op(Opcode::POP);
    code.push_int(3).table_switch(2, end, &[other, end]);
    code.place(other).frame(&BuiltFrame::Append(&[
        FrameType::Integer,
        FrameType::Double,
    ]));
    code.push_int(3).lookup_switch(end, &[(1, other), (9, end)]);
    let new = code.here();
    code.frame(&BuiltFrame::Chop(1)).class(Opcode::NEW, b"A");
    code.frame(&BuiltFrame::Full(
        &[FrameType::Null],
        &[FrameType::Uninitialized(new)],
    ))
    .op(Opcode::POP);
    code.interface_method(Opcode::INVOKEINTERFACE, b"I", b"i", b"()V")
        .multi_array(b"[[I", 2)
        .op(Opcode::POP);
    code.invoke_dynamic(0, b"d", b"()V")
        .field(Opcode::GETSTATIC, b"Fixture", b"count", b"J")
        .op(Opcode::POP2);
    code.place(end)
        .frame(&BuiltFrame::Same)
        .line(2)
        .op(Opcode::RETURN);
    code.place(caught)
        .frame(&BuiltFrame::SameLocals1(FrameType::Object(
            b"java/lang/Throwable",
        )));
    code.op(Opcode::ATHROW)
        .exception(start, end, caught, None)
        .variable(start, end, b"v", b"J", 0);
    code.attribute(
        b"RuntimeVisibleTypeAnnotations",
        &[
            0, 1, 0x44, 0, 0, 0, 0, 1, 0, 1, 0, 1, b'[', 0, 1, b's', 0, 1,
        ],
    );
    code
}

/// Looks at everything that can be read.
fn read(bytes: &[u8]) {
    let Ok(class) = ClassFile::parse(bytes) else {
        return;
    };
    let pool = class.pool();
    for (index, constant) in pool.iter() {
        let _ = (
            format!("{constant:?}"),
            pool.member_ref(index),
            pool.dynamic(index),
            pool.method_handle(index),
        );
        let _ = (
            pool.string(index),
            pool.integer(index),
            pool.long(index),
            pool.name_and_type(index),
        );
    }
    let _ = (
        class.interfaces().count(),
        class.source_file(),
        pool.find_class(b"A"),
        pool.find_utf8(b"Code"),
    );
    if let Ok(methods) = class.bootstrap_methods() {
        let _ = methods.get(0).map(|method| method.arguments().count());
    }
    for field in class.fields() {
        let _ = field.attributes().count();
    }
    for method in class.methods() {
        let _ = MethodDescriptor::parse(method.descriptor())
            .map(|descriptor| descriptor.parameter_slots());
        if let Some(code) = method.code() {
            read_code(&method, &code);
        }
    }
}

fn read_code(method: &Method<'_>, code: &Code<'_>) {
    for instruction in code.instructions().map_while(Result::ok) {
        assert!(
            instruction.end() <= code.end(),
            "an instruction ends in the code"
        );
        assert!(
            instruction.targets().all(|target| target < code.end()),
            "a target lies in the code"
        );
        let _ = (
            instruction.can_throw_given(code.pool()),
            instruction.local(),
            code.line_numbers().line_at(instruction.offset),
        );
    }
    let _ = code.exception_table().iter().count();
    for attribute in code.attributes() {
        let _ = LocalVariableTable::parse(&attribute)
            .map(|table| table.iter().map(|row| row.end()).max());
        let _ =
            TypeAnnotations::parse(&attribute).map(|annotations| annotations.annotations().len());
        let (Ok(table), Ok(mut state)) = (
            StackMapTable::parse(&attribute),
            FrameState::initial(method),
        ) else {
            continue;
        };
        let _ = table
            .frames()
            .iter()
            .try_for_each(|frame| state.advance(frame));
    }
}

#[test]
fn the_undamaged_class_is_read_whole() {
    let bytes = class();
    let class = ClassFile::parse(&bytes).expect("a sound class");
    let code = class
        .methods()
        .nth(1)
        .and_then(|method| method.code())
        .expect("code");
    assert_eq!(
        code.instructions()
            .filter(|instruction| instruction.is_ok())
            .count(),
        22
    );
    for name in [
        &b"StackMapTable"[..],
        b"LineNumberTable",
        b"LocalVariableTable",
        b"RuntimeVisibleTypeAnnotations",
    ] {
        let attribute = code.attributes().find(name).expect("a table");
        match name {
            b"StackMapTable" => assert!(StackMapTable::parse(&attribute).is_ok()),
            b"LocalVariableTable" => assert!(LocalVariableTable::parse(&attribute).is_ok()),
            b"LineNumberTable" => assert_eq!(code.line_numbers().iter().count(), 2),
            _ => assert!(TypeAnnotations::parse(&attribute).is_ok()),
        }
    }
}

#[test]
fn every_cut_is_an_error() {
    let bytes = class();
    for length in 0..bytes.len() {
        assert!(
            ClassFile::parse(&bytes[..length]).is_err(),
            "cut at {length}"
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4_000))]

    #[test]
    fn damaged_classes_never_panic(damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..8)) {
        let mut bytes = class();
        for (place, value) in damage {
            let place = place.index(bytes.len());
            bytes[place] = value;
        }
        read(&bytes);
    }
}

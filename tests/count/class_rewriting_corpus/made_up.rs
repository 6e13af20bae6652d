//! Classes that no compiler of ours writes: constructors whose code is not in the order in which it runs, and classes that the JVM rejects.
//!
//! Each is there in versions without frames, with frames that may be wrong, and with frames that must be right.

use std::path::Path;

use anyhow::{Context, Result};
use ducktrack_classfile::{
    BuiltFrame, ClassBuilder, ClassFile, CodeBuilder, FrameType, Label, Opcode, access,
};
use ducktrack_tests::Jdk;

use crate::corpus::Corpus;

const VERSIONS: [u16; 4] = [49, 50, 51, 55];
const OBJECT: &[u8] = b"java/lang/Object";
const SUPER: &[u8] = b"java/lang/Exception";

type Body = fn(&mut Constructor);

/// Constructors with one `int`; the superclass is `Exception`.
const CONSTRUCTORS: &[(&str, Body)] = &[
    ("Straight", |c| c.call_super().make().leave().end()),
    ("SuperComesLast", |c| {
        let (body, last) = (c.code.label(), c.code.label());
        c.code.branch(Opcode::GOTO, last).place(body);
        c.whole().make().leave().end();
        c.code.place(last);
        c.fresh().call_super();
        c.code.branch(Opcode::GOTO, body);
    }),
    ("BranchThrows", |c| {
        let other = c.branch();
        c.call_super().make().end();
        c.code.place(other);
        c.fresh().throw();
    }),
    ("NoSuper", |c| {
        c.leave().throw();
    }),
    ("EndlessBeforeSuper", |c| {
        let again = c.code.here();
        c.fresh().make();
        c.code.branch(Opcode::GOTO, again);
    }),
    // As Groovy compiles each constructor that calls `super`.
    ("SwitchOverSupers", |c| {
        let [one, two, none, body] = [(); 4].map(|()| c.code.label());
        c.code.local(Opcode::ILOAD, 1);
        c.code.lookup_switch(none, &[(1, one), (2, two)]).place(one);
        c.fresh().call_super();
        c.code.branch(Opcode::GOTO, body).place(two);
        c.fresh().set_field().call_super();
        c.code.branch(Opcode::GOTO, body).place(none);
        c.fresh().throw();
        c.code.place(body);
        c.whole().set_field().make().leave().end();
    }),
    ("ConditionalArgument", |c| {
        c.code.local(Opcode::ALOAD, 0);
        let (other, call) = (c.branch(), c.code.label());
        c.code.op(Opcode::ACONST_NULL).branch(Opcode::GOTO, call);
        let this = FrameType::UninitializedThis;
        let locals = [this, FrameType::Integer];
        c.code
            .place(other)
            .frame(&BuiltFrame::Full(&locals, &[this]));
        c.code.push_string(b"text").place(call);
        let text = FrameType::Object(b"java/lang/String");
        c.code.frame(&BuiltFrame::Full(&locals, &[this, text]));
        c.construct(SUPER, b"(Ljava/lang/String;)V")
            .make()
            .leave()
            .end();
    }),
    ("ArgumentOfSuperclass", |c| {
        c.code
            .local(Opcode::ALOAD, 0)
            .class(Opcode::NEW, SUPER)
            .op(Opcode::DUP);
        c.construct(SUPER, b"()V");
        c.construct(SUPER, b"(Ljava/lang/Throwable;)V")
            .make()
            .leave()
            .end();
    }),
    ("SuperclassMadeLater", |c| {
        c.call_super().leave();
        c.code.class(Opcode::NEW, SUPER).op(Opcode::DUP);
        c.construct(SUPER, b"()V");
        c.code.op(Opcode::POP);
        c.leave().end();
    }),
    ("MadeAndDropped", |c| {
        c.code.class(Opcode::NEW, SUPER).op(Opcode::POP);
        c.call_super().set_field().leave().end();
    }),
    ("FieldsFirst", |c| {
        c.set_field().call_super().set_field().end()
    }),
    ("TryBeforeSuper", |c| {
        let start = c.code.here();
        c.leave();
        let (end, caught, go_on) = (c.code.here(), c.code.label(), c.code.label());
        c.code.branch(Opcode::GOTO, go_on).place(caught);
        c.caught(FrameType::UninitializedThis);
        c.code.op(Opcode::POP).place(go_on);
        c.fresh();
        c.code.exception(start, end, caught, None);
        c.call_super().make().end();
    }),
    ("TryAfterSuper", |c| {
        c.call_super();
        let start = c.code.here();
        c.leave().make();
        let (end, caught, go_on) = (c.code.here(), c.code.label(), c.code.label());
        c.code.branch(Opcode::GOTO, go_on).place(caught);
        c.caught(FrameType::Object(c.name));
        c.code.op(Opcode::POP).place(go_on);
        c.whole();
        c.code.exception(start, end, caught, Some(SUPER));
        c.make().end();
    }),
    ("ThisInAnotherVariable", |c| {
        c.code
            .local(Opcode::ALOAD, 0)
            .local(Opcode::ASTORE, 2)
            .local(Opcode::ALOAD, 2);
        c.construct(SUPER, b"()V").set_field().leave().end();
    }),
    ("LoopBeforeSuper", |c| {
        let again = c.code.here();
        c.fresh().make().leave();
        c.code
            .iinc(1, -1)
            .local(Opcode::ILOAD, 1)
            .branch(Opcode::IFGT, again);
        c.call_super().make().end();
    }),
    ("ComparedBeforeSuper", |c| {
        let equal = c.code.label();
        c.code.local(Opcode::ALOAD, 0).local(Opcode::ALOAD, 0);
        c.code.branch(Opcode::IF_ACMPEQ, equal).place(equal);
        c.fresh().call_super().end();
    }),
    ("LockedBeforeSuper", |c| {
        c.code.local(Opcode::ALOAD, 0).op(Opcode::MONITORENTER);
        c.call_super();
        c.code.local(Opcode::ALOAD, 0).op(Opcode::MONITOREXIT);
        c.end();
    }),
    ("SuperOrThis", |c| {
        let (other, body) = (c.branch(), c.code.label());
        c.set_field().call_super();
        c.code.branch(Opcode::GOTO, body).place(other);
        c.fresh();
        c.code.local(Opcode::ALOAD, 0).push_int(1);
        c.construct(c.name, b"(I)V");
        c.code.place(body);
        c.whole().make().leave().end();
    }),
    ("ConstructorsShareNew", |c| {
        let made = c.code.here();
        c.code.class(Opcode::NEW, OBJECT).op(Opcode::DUP);
        let (other, both) = (c.branch(), c.code.label());
        c.construct(OBJECT, b"()V");
        c.code.branch(Opcode::GOTO, both).place(other);
        let new = FrameType::Uninitialized(made);
        let locals = [FrameType::UninitializedThis, FrameType::Integer];
        c.code.frame(&BuiltFrame::Full(&locals, &[new, new]));
        c.construct(OBJECT, b"()V");
        c.code.place(both);
        c.code
            .frame(&BuiltFrame::Full(&locals, &[FrameType::Object(OBJECT)]));
        c.code.op(Opcode::POP);
        c.call_super().leave().end();
    }),
    ("DeadCode", |c| {
        c.call_super().end();
        c.whole().make().leave().end();
    }),
    ("ThisIsOverwritten", |c| {
        c.set_field().call_super();
        c.code.op(Opcode::ACONST_NULL).local(Opcode::ASTORE, 0);
        c.make().leave().end();
    }),
    ("FrameWithoutThis", |c| {
        c.call_super();
        let other = c.branch();
        c.make().place_dropped(other);
        c.make().leave().end();
    }),
    ("VariablesOfTwoSlots", |c| {
        c.code.push_long(3).local(Opcode::LSTORE, 2);
        let other = c.branch();
        c.call_super().make().end();
        c.code.place(other);
        let this = FrameType::UninitializedThis;
        c.code.frame(&BuiltFrame::Full(
            &[this, FrameType::Integer, FrameType::Long],
            &[],
        ));
        c.call_super().leave().end();
    }),
];

/// Methods that the JVM rejects, and that an edit would repair.
const REJECTED: &[(&str, Body)] = &[
    ("SmallStack", |c| {
        c.code = CodeBuilder::new(1, 2);
        c.call_super().make().leave().end();
    }),
    ("SmallLocals", |c| {
        c.code = CodeBuilder::new(4, 2);
        c.call_super().make();
        c.code.push_int(1).local(Opcode::ISTORE, 2);
        c.leave().end();
    }),
    ("LineBeyond", |c| {
        c.call_super().make().end();
        c.code.attribute(b"LineNumberTable", &[0, 1, 0x10, 0, 0, 1]);
    }),
    ("LineAtTheEnd", |c| {
        c.call_super().make().end();
        let end = u16::try_from(c.code.position())
            .expect("short")
            .to_be_bytes();
        c.code
            .attribute(b"LineNumberTable", &[0, 1, end[0], end[1], 0, 1]);
    }),
    ("LinesTooLong", |c| {
        c.call_super().make().end();
        c.code.attribute(b"LineNumberTable", &[0, 1, 0, 0, 0, 1, 7]);
    }),
    ("SecondFrames", |c| {
        let other = c.branch();
        c.call_super().make().end();
        c.code.place(other);
        c.fresh().throw();
        c.code.attribute(b"StackMapTable", &[0, 0]);
    }),
    (NAMELESS, |c| {
        c.call_super().make().end();
        c.code.attribute(NAMELESS.as_bytes(), &[1]);
    }),
];

/// The shape whose attribute has a name that is no text.
const NAMELESS: &str = "NamelessAttribute";

/// Writes these classes into `folder`.
pub(crate) fn corpus(jdk: &Jdk, folder: &Path) -> Result<Corpus> {
    for (shape, body) in CONSTRUCTORS.iter().chain(REJECTED) {
        for version in VERSIONS {
            let name = format!("{shape}{version}");
            let bytes = class(&name, version, *body).context(name.clone())?;
            std::fs::write(folder.join(format!("{name}.class")), bytes)?;
        }
    }
    Corpus::of_folder(jdk, "made up", folder)
}

fn class(name: &str, version: u16, body: Body) -> Result<Vec<u8>> {
    let flags = access::PUBLIC | access::SUPER;
    let mut class = ClassBuilder::new(version, flags, name.as_bytes(), SUPER);
    class.field(access::PUBLIC, b"f", b"Ljava/lang/Object;");
    let mut constructor = Constructor {
        code: CodeBuilder::new(6, 4),
        name: name.as_bytes(),
    };
    body(&mut constructor);
    class
        .method(access::PUBLIC, b"<init>", b"(I)V")
        .code(constructor.code)?;
    let bytes = class.finish()?;
    match name.starts_with(NAMELESS) {
        true => without_name(bytes),
        false => Ok(bytes),
    }
}

/// Lets the attribute of [`NAMELESS`] be named by a class.
fn without_name(mut bytes: Vec<u8>) -> Result<Vec<u8>> {
    let (name, other) = {
        let class = ClassFile::parse(&bytes)?;
        let name = class.pool().find_utf8(NAMELESS.as_bytes());
        (name.context("the name")?, class.this_class())
    };
    let [high, low] = name.0.to_be_bytes();
    let attribute = [high, low, 0, 0, 0, 1, 1];
    let mut places = bytes.windows(attribute.len());
    let place = places
        .position(|bytes| bytes == attribute)
        .context("the attribute")?;
    bytes[place..place + 2].copy_from_slice(&other.0.to_be_bytes());
    Ok(bytes)
}

/// A constructor with one `int`, being written.
struct Constructor<'n> {
    code: CodeBuilder,
    name: &'n [u8],
}

impl Constructor<'_> {
    /// A branch that depends on the parameter.
    fn branch(&mut self) -> Label {
        let label = self.code.label();
        self.code
            .local(Opcode::ILOAD, 1)
            .branch(Opcode::IFEQ, label);
        label
    }

    fn construct(&mut self, class: &[u8], descriptor: &[u8]) -> &mut Self {
        self.code
            .method(Opcode::INVOKESPECIAL, class, b"<init>", descriptor);
        self
    }

    fn call_super(&mut self) -> &mut Self {
        self.code.local(Opcode::ALOAD, 0);
        self.construct(SUPER, b"()V")
    }

    /// An allocation.
    fn make(&mut self) -> &mut Self {
        self.code.class(Opcode::NEW, OBJECT).op(Opcode::DUP);
        self.construct(OBJECT, b"()V");
        self.code.op(Opcode::POP);
        self
    }

    /// A call that leaves the application and makes something.
    fn leave(&mut self) -> &mut Self {
        let descriptor = b"(I)Ljava/lang/String;";
        self.code.local(Opcode::ILOAD, 1);
        self.code.method(
            Opcode::INVOKESTATIC,
            b"java/lang/Integer",
            b"toString",
            descriptor,
        );
        self.code.op(Opcode::POP);
        self
    }

    fn set_field(&mut self) -> &mut Self {
        self.code.local(Opcode::ALOAD, 0).op(Opcode::ACONST_NULL);
        self.code
            .field(Opcode::PUTFIELD, self.name, b"f", b"Ljava/lang/Object;");
        self
    }

    fn throw(&mut self) -> &mut Self {
        self.code.class(Opcode::NEW, SUPER).op(Opcode::DUP);
        self.construct(SUPER, b"()V");
        self.code.op(Opcode::ATHROW);
        self
    }

    fn end(&mut self) {
        self.code.op(Opcode::RETURN);
    }

    /// A frame where `this` is not initialized.
    fn fresh(&mut self) -> &mut Self {
        let locals = [FrameType::UninitializedThis, FrameType::Integer];
        self.code.frame(&BuiltFrame::Full(&locals, &[]));
        self
    }

    /// A frame where it is.
    fn whole(&mut self) -> &mut Self {
        let locals = [FrameType::Object(self.name), FrameType::Integer];
        self.code.frame(&BuiltFrame::Full(&locals, &[]));
        self
    }

    /// The frame of a handler.
    fn caught(&mut self, this: FrameType<'_>) {
        let thrown = FrameType::Object(b"java/lang/Throwable");
        let exception = FrameType::Object(SUPER);
        let caught = match this {
            FrameType::UninitializedThis => thrown,
            _ => exception,
        };
        self.code
            .frame(&BuiltFrame::Full(&[this, FrameType::Integer], &[caught]));
    }

    /// A label with a frame that does not have `this`.
    fn place_dropped(&mut self, label: Label) {
        let locals = [FrameType::Top, FrameType::Integer];
        self.code
            .place(label)
            .frame(&BuiltFrame::Full(&locals, &[]));
    }
}

//! A class with generated methods, and one with a constructor for each of them that is a constructor.

use anyhow::Result;
use ducktrack_classfile::{BuiltFrame, ClassBuilder, CodeBuilder, FrameType, Label, Opcode};

use crate::body::{Body, DRIVER, Local, NODE, PARAMETERS, Style, This};
use crate::ledger::{Ledger, SiteName};
use crate::random::Random;
use crate::{structured, unstructured};

const GROUP: &[u8] = b"RandomMethods$Group";
const PUBLIC: u16 = 1;
const STATIC: u16 = 8;
const PUBLIC_STATIC: u16 = 1 | 8;
const SYNCHRONIZED: u16 = 0x20;
/// `ACC_SUPER | ACC_PUBLIC`
const CLASS: u16 = 0x21;

/// A class file.
pub(crate) struct ClassBytes {
    pub(crate) name: String,
    pub(crate) bytes: Vec<u8>,
}

/// How a generated method is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Static,
    Instance,
    Constructor,
}

/// The group of methods of a number; its classes, the group itself first.
pub(crate) fn generate(
    number: usize,
    methods: usize,
    seed: u64,
    ledger: &mut Ledger,
) -> Result<Vec<ClassBytes>> {
    let mut random = Random::new(seed ^ (number as u64) << 32);
    // 49 has no frames, 50 may have them.
    let version = random.choose(&[49, 49, 50, 52, 55]);
    let mut group = Group {
        name: format!("Random{number}"),
        version,
        kinds: Vec::new(),
    };
    let mut class = ClassBuilder::new(version, CLASS, group.name.as_bytes(), GROUP);
    let mut others = Vec::new();
    for method in 0..methods {
        let kind = random.choose(&[
            Kind::Static,
            Kind::Static,
            Kind::Instance,
            Kind::Constructor,
        ]);
        group.kinds.push(kind);
        let random = Random::new(seed ^ (number as u64) << 32 ^ (method as u64 + 1) << 16);
        if kind == Kind::Constructor {
            others.push(group.constructor(method, random, ledger)?);
        } else {
            let code = group.method(method, kind, random, ledger);
            let flags = if kind == Kind::Static {
                PUBLIC_STATIC
            } else {
                PUBLIC
            };
            let flags = flags | if method % 7 == 6 { SYNCHRONIZED } else { 0 };
            class
                .method(
                    flags,
                    format!("m{method}").as_bytes(),
                    group.descriptor(kind).as_bytes(),
                )
                .code(code)?;
        }
    }
    let dispatch = group.dispatch(ledger);
    class.method(PUBLIC, b"call", b"(III)I").code(dispatch)?;
    class
        .method(STATIC, b"<clinit>", b"()V")
        .code(class_initializer(&group.name, ledger))?;
    class
        .method(PUBLIC, b"<init>", b"()V")
        .code(plain_constructor(GROUP))?;
    let mut classes = vec![ClassBytes {
        name: group.name,
        bytes: class.finish()?,
    }];
    classes.append(&mut others);
    Ok(classes)
}

/// The settings that all methods of a group share.
struct Group {
    name: String,
    version: u16,
    kinds: Vec<Kind>,
}

impl Group {
    fn descriptor(&self, kind: Kind) -> String {
        format!(
            "{PARAMETERS}{}",
            if kind == Kind::Constructor { "V" } else { "I" }
        )
    }

    fn style(&self, random: &mut Random, class: &str, method: &str, kind: Kind) -> Style {
        Style {
            frames: self.version > 49,
            counts: !random.once_in(3),
            class: class.to_owned(),
            method: method.to_owned(),
            descriptor: self.descriptor(kind),
        }
    }

    fn method(
        &self,
        method: usize,
        kind: Kind,
        mut random: Random,
        ledger: &mut Ledger,
    ) -> CodeBuilder {
        let this = if kind == Kind::Static {
            This::None
        } else {
            This::Object(self.name.clone().into_bytes())
        };
        let style = self.style(&mut random, &self.name, &format!("m{method}"), kind);
        let mut body = Body::new(style, this, random, ledger);
        write_any(&mut body, self.version);
        body.finish()
    }

    fn constructor(
        &self,
        method: usize,
        mut random: Random,
        ledger: &mut Ledger,
    ) -> Result<ClassBytes> {
        let name = self.made_class(method);
        let mut class = ClassBuilder::new(self.version, CLASS, name.as_bytes(), NODE);
        let style = self.style(&mut random, &name, "<init>", Kind::Constructor);
        let mut body = Body::new(style, This::Uninitialized, random, ledger);
        head(&mut body);
        body.this = This::Object(name.clone().into_bytes());
        write_any(&mut body, self.version);
        class
            .method(
                PUBLIC,
                b"<init>",
                self.descriptor(Kind::Constructor).as_bytes(),
            )
            .code(body.finish())?;
        class
            .method(STATIC, b"<clinit>", b"()V")
            .code(class_initializer(&name, ledger))?;
        Ok(ClassBytes {
            name,
            bytes: class.finish()?,
        })
    }

    /// The class whose constructor is method number `method`.
    fn made_class(&self, method: usize) -> String {
        format!("{}C{method}", self.name)
    }

    /// `int call(int method, int argument, int fuel)`
    fn dispatch(&self, ledger: &mut Ledger) -> CodeBuilder {
        let mut code = CodeBuilder::new(14, 4);
        let cases: Vec<Label> = self.kinds.iter().map(|_| code.label()).collect();
        code.local(Opcode::ILOAD, 1)
            .table_switch(0, cases[0], &cases);
        for (method, (kind, case)) in self.kinds.iter().zip(&cases).enumerate() {
            code.place(*case);
            if self.version > 49 {
                let this = FrameType::Object(self.name.as_bytes());
                let int = FrameType::Integer;
                code.frame(&BuiltFrame::Full(&[this, int, int, int], &[]));
            }
            self.dispatch_to(&mut code, method, *kind, ledger);
        }
        code
    }

    fn dispatch_to(&self, code: &mut CodeBuilder, method: usize, kind: Kind, ledger: &mut Ledger) {
        let (name, descriptor, made) = (
            format!("m{method}"),
            self.descriptor(kind),
            self.made_class(method),
        );
        match kind {
            Kind::Static => {}
            Kind::Instance => {
                code.local(Opcode::ALOAD, 0);
            }
            Kind::Constructor => {
                let site = SiteName {
                    class: self.name.clone(),
                    method: "call".to_owned(),
                    descriptor: "(III)I".to_owned(),
                    bci: code.position().into(),
                    ty: made.clone(),
                };
                ledger.sites.insert(site, None);
                code.class(Opcode::NEW, made.as_bytes()).op(Opcode::DUP);
            }
        }
        code.local(Opcode::ILOAD, 2)
            .local(Opcode::ILOAD, 3)
            .push_int(0);
        code.op(Opcode::ACONST_NULL).op(Opcode::ACONST_NULL);
        code.field(Opcode::GETSTATIC, DRIVER, b"LOCK", b"Ljava/lang/Object;")
            .push_int(0)
            .push_int(0);
        let (opcode, class, name) = match kind {
            Kind::Static => (Opcode::INVOKESTATIC, self.name.as_bytes(), name.as_bytes()),
            Kind::Instance => (Opcode::INVOKEVIRTUAL, self.name.as_bytes(), name.as_bytes()),
            Kind::Constructor => (Opcode::INVOKESPECIAL, made.as_bytes(), b"<init>".as_slice()),
        };
        code.method(opcode, class, name, descriptor.as_bytes());
        if kind == Kind::Constructor {
            code.field(Opcode::GETFIELD, NODE, b"value", b"I");
        }
        code.op(Opcode::IRETURN);
    }
}

fn write_any(body: &mut Body<'_>, version: u16) {
    match body.random.below(2) {
        0 => structured::write(body),
        _ => {
            let subroutines = version == 49 && body.random.once_in(4);
            unstructured::write(body, subroutines);
        }
    }
}

/// The steps of a constructor before it has called another one.
fn head(body: &mut Body<'_>) {
    for _ in 0..body.random.below(3) {
        body.allocate();
        body.op(Opcode::POP);
    }
    if body.random.once_in(4) {
        let join = body.code.label();
        body.branch_sometimes(join);
        body.allocate();
        body.op(Opcode::POP);
        body.land_empty(join);
    }
    body.code.local(Opcode::ALOAD, 0);
    body.load(Local::A);
    if body.random.once_in(3) {
        body.allocate();
        body.op(Opcode::POP);
    }
    body.code
        .method(Opcode::INVOKESPECIAL, NODE, b"<init>", b"(I)V");
}

fn class_initializer(class: &str, ledger: &mut Ledger) -> CodeBuilder {
    let style = Style {
        frames: false,
        counts: false,
        class: class.to_owned(),
        method: "<clinit>".to_owned(),
        descriptor: "()V".to_owned(),
    };
    let mut body = Body::new(style, This::None, Random::new(0), ledger);
    body.find_classes();
    body.op(Opcode::RETURN);
    body.code
}

fn plain_constructor(super_class: &[u8]) -> CodeBuilder {
    let mut code = CodeBuilder::new(1, 1);
    code.local(Opcode::ALOAD, 0)
        .method(Opcode::INVOKESPECIAL, super_class, b"<init>", b"()V")
        .op(Opcode::RETURN);
    code
}

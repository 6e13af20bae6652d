//! The code of one generated method while it grows.
//!
//! All variables are parameters, so every frame has the same locals and code may jump anywhere, to offset 0 too:
//!
//! ```text
//! [this]  int a      decisions: a = a * 1103515245 + 12345
//!         int fuel   ends loops
//!         int sum    of what was executed: the result
//!         Object r   Throwable x   Object lock
//!         int d0     int d1        lengths
//! ```

use ducktrack_classfile::{BuiltFrame, CodeBuilder, FrameType, Label, Opcode};

use crate::ledger::{Ledger, SiteName};
use crate::random::Random;

pub(crate) const DRIVER: &[u8] = b"RandomMethods";
/// The super class of classes with generated constructors.
pub(crate) const NODE: &[u8] = b"RandomMethods$Node";
pub(crate) const PARAMETERS: &str =
    "(IIILjava/lang/Object;Ljava/lang/Throwable;Ljava/lang/Object;II)";
pub(crate) const THROWABLE: &[u8] = b"java/lang/Throwable";
const OBJECT: &[u8] = b"java/lang/Object";
const MAX_STACK: u16 = 14;

/// The kind of local variable 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum This {
    /// The method is static.
    None,
    /// The constructor of the super class was not called yet.
    Uninitialized,
    /// An object of this class.
    Object(Vec<u8>),
}

/// Local variables by name.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Local {
    A,
    Fuel,
    Sum,
    R,
    X,
    Lock,
    D0,
    D1,
    /// Of a subroutine; in no frame.
    ReturnAddress,
}

/// How code is generated.
#[derive(Clone, Debug)]
pub(crate) struct Style {
    /// The class file has frames.
    pub(crate) frames: bool,
    /// The program counts its allocations itself, right after each.
    pub(crate) counts: bool,
    pub(crate) class: String,
    pub(crate) method: String,
    pub(crate) descriptor: String,
}

/// Code, with what is needed to go on with it.
pub(crate) struct Body<'l> {
    pub(crate) code: CodeBuilder,
    pub(crate) random: Random,
    pub(crate) this: This,
    pub(crate) style: Style,
    ledger: &'l mut Ledger,
    last_frame: Option<u32>,
    /// Where the method returns for want of fuel.
    pub(crate) exit: Label,
}

impl<'l> Body<'l> {
    pub(crate) fn new(style: Style, this: This, random: Random, ledger: &'l mut Ledger) -> Self {
        let locals = if this == This::None { 9 } else { 10 };
        let mut code = CodeBuilder::new(MAX_STACK, locals);
        let exit = code.label();
        Self {
            code,
            random,
            this,
            style,
            ledger,
            last_frame: None,
            exit,
        }
    }

    pub(crate) fn op(&mut self, opcode: Opcode) {
        self.code.op(opcode);
    }

    pub(crate) fn load(&mut self, local: Local) {
        let opcode = if local.is_reference() {
            Opcode::ALOAD
        } else {
            Opcode::ILOAD
        };
        let index = self.index(local);
        self.code.local(opcode, index);
    }

    pub(crate) fn store(&mut self, local: Local) {
        let opcode = if local.is_reference() {
            Opcode::ASTORE
        } else {
            Opcode::ISTORE
        };
        let index = self.index(local);
        self.code.local(opcode, index);
    }

    pub(crate) fn index(&self, local: Local) -> u16 {
        u16::from(self.this != This::None) + local as u16
    }

    /// Calls a method of the driver.
    pub(crate) fn call(&mut self, name: &str, descriptor: &str) {
        self.code.method(
            Opcode::INVOKESTATIC,
            DRIVER,
            name.as_bytes(),
            descriptor.as_bytes(),
        );
    }

    /// Places a label where control may come from elsewhere, with this on the stack.
    pub(crate) fn land(&mut self, label: Label, stack: &[FrameType<'_>]) {
        self.code.place(label);
        if !self.style.frames
            || self.last_frame.replace(self.code.position()) == Some(self.code.position())
        {
            return;
        }
        let mut locals = Vec::with_capacity(9);
        match &self.this {
            This::None => {}
            This::Uninitialized => locals.push(FrameType::UninitializedThis),
            This::Object(class) => locals.push(FrameType::Object(class)),
        }
        locals.extend([FrameType::Integer; 3]);
        locals.extend([
            FrameType::Object(OBJECT),
            FrameType::Object(THROWABLE),
            FrameType::Object(OBJECT),
        ]);
        locals.extend([FrameType::Integer; 2]);
        self.code.frame(&BuiltFrame::Full(&locals, stack));
    }

    /// The same with an empty stack.
    pub(crate) fn land_empty(&mut self, label: Label) {
        self.land(label, &[]);
    }

    /// The same with an object.
    pub(crate) fn land_with_object(&mut self, label: Label) {
        self.land(label, &[FrameType::Object(OBJECT)]);
    }

    /// The same as the entry of a handler that catches `class`.
    pub(crate) fn land_as_handler(&mut self, label: Label, class: Option<&[u8]>) {
        self.land(label, &[FrameType::Object(class.unwrap_or(THROWABLE))]);
    }

    /// A new cell, if this method counts by itself.
    pub(crate) fn cell(&mut self) -> Option<usize> {
        self.style.counts.then(|| self.ledger.cell())
    }

    /// A site at the next instruction, counted in a cell.
    pub(crate) fn name_site(&mut self, ty: &str, cell: Option<usize>) {
        let site = SiteName {
            class: self.style.class.clone(),
            method: self.style.method.clone(),
            descriptor: self.style.descriptor.clone(),
            bci: self.code.position().into(),
            ty: ty.to_owned(),
        };
        self.ledger.sites.insert(site, cell);
    }

    /// The same with a new cell.
    pub(crate) fn site(&mut self, ty: &str) -> Option<usize> {
        let cell = self.cell();
        self.name_site(ty, cell);
        cell
    }

    /// Adds what `amount` pushes (an int) to a cell.
    pub(crate) fn count(&mut self, cell: Option<usize>, amount: impl FnOnce(&mut Self)) {
        let Some(cell) = cell else { return };
        self.code.field(Opcode::GETSTATIC, DRIVER, b"cells", b"[J");
        self.code
            .push_int(i32::try_from(cell).expect("a small number"));
        self.op(Opcode::DUP2);
        self.op(Opcode::LALOAD);
        amount(self);
        self.op(Opcode::I2L);
        self.op(Opcode::LADD);
        self.op(Opcode::LASTORE);
    }

    /// Adds one to a cell.
    pub(crate) fn count_one(&mut self, cell: Option<usize>) {
        self.count(cell, |body| body.op(Opcode::ICONST_1));
    }

    /// Pushes some bits of the next decision: 0 to `mask`, without anything that can throw.
    pub(crate) fn push_bits(&mut self, mask: i32) {
        self.load(Local::A);
        self.code.push_int(1_103_515_245);
        self.op(Opcode::IMUL);
        self.code.push_int(12_345);
        self.op(Opcode::IADD);
        self.op(Opcode::DUP);
        self.store(Local::A);
        self.code.push_int(16);
        self.op(Opcode::IUSHR);
        self.code.push_int(mask);
        self.op(Opcode::IAND);
    }

    /// Branches to `to` in one of several cases of all, or in all but one.
    pub(crate) fn branch_sometimes(&mut self, to: Label) {
        let mask = self.random.choose(&[1, 1, 3, 7, 31]);
        if self.random.once_in(4) {
            self.call("next", "()I");
            self.code.push_int(mask);
            self.op(Opcode::IAND);
        } else {
            self.push_bits(mask);
        }
        let opcode = self
            .random
            .choose(&[Opcode::IFEQ, Opcode::IFNE, Opcode::IFGT, Opcode::IFLE]);
        self.code.branch(opcode, to);
    }

    /// Goes to `to` when the fuel is used up.
    pub(crate) fn burn(&mut self, to: Label) {
        let fuel = self.index(Local::Fuel);
        self.code.iinc(fuel, -1);
        self.load(Local::Fuel);
        self.code.branch(Opcode::IFLE, to);
    }

    /// Adds to the result that control came by.
    pub(crate) fn note(&mut self) {
        let number = self.random.number(1, 30_000);
        self.load(Local::Sum);
        self.code.push_int(31);
        self.op(Opcode::IMUL);
        self.code.push_int(number);
        self.op(Opcode::IADD);
        self.store(Local::Sum);
    }

    pub(crate) fn is_constructor(&self) -> bool {
        self.style.method == "<init>"
    }

    pub(crate) fn give_back(&mut self) {
        if self.is_constructor() {
            self.code.local(Opcode::ALOAD, 0);
            self.load(Local::Sum);
            self.code.field(Opcode::PUTFIELD, NODE, b"value", b"I");
            self.op(Opcode::RETURN);
        } else {
            self.load(Local::Sum);
            self.op(Opcode::IRETURN);
        }
    }

    /// The end of the method, where it returns for want of fuel.
    pub(crate) fn finish(mut self) -> CodeBuilder {
        self.land_empty(self.exit);
        self.give_back();
        self.code
    }
}

impl Local {
    fn is_reference(self) -> bool {
        matches!(self, Self::R | Self::X | Self::Lock)
    }
}

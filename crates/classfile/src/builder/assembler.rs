//! Bytecode from mnemonics, labels and constants by value.

use super::fields::BuiltAttribute;
use super::frame::{BuiltFrame, PendingFrame};
use super::label::{Label, PlacedLabels};
use super::symbol::{MemberName, Symbol};
use crate::descriptor::MethodDescriptor;
use crate::opcode::Opcode;

/// A gap that is filled in when all offsets are known.
#[derive(Debug, Clone)]
pub(super) enum Fixup {
    /// Two bytes: an index of this constant.
    Constant(Symbol),
    /// Two bytes: the distance from an opcode to a label.
    Branch { from: u32, to: Label },
    /// Four bytes: the same.
    WideBranch { from: u32, to: Label },
}

/// A row of the LocalVariableTable.
#[derive(Debug, Clone)]
pub(super) struct Variable {
    pub(super) start: Label,
    pub(super) end: Label,
    pub(super) name: Vec<u8>,
    pub(super) descriptor: Vec<u8>,
    pub(super) local: u16,
}

/// Builds the code of one method. Nothing is inferred: sizes and frames are given.
#[derive(Debug, Clone)]
pub struct CodeBuilder {
    pub(super) max_stack: u16,
    pub(super) max_locals: u16,
    pub(super) bytes: Vec<u8>,
    pub(super) placed: PlacedLabels,
    pub(super) fixups: Vec<(usize, Fixup)>,
    pub(super) exceptions: Vec<(Label, Label, Label, Option<Symbol>)>,
    pub(super) frames: Vec<PendingFrame>,
    pub(super) lines: Vec<(u32, u16)>,
    pub(super) variables: Vec<Variable>,
    pub(super) attributes: Vec<BuiltAttribute>,
}

impl CodeBuilder {
    /// Empty code with room for this many stack slots and local variables.
    #[must_use]
    pub fn new(max_stack: u16, max_locals: u16) -> Self {
        Self {
            max_stack,
            max_locals,
            bytes: Vec::new(),
            placed: PlacedLabels::default(),
            fixups: Vec::new(),
            exceptions: Vec::new(),
            frames: Vec::new(),
            lines: Vec::new(),
            variables: Vec::new(),
            attributes: Vec::new(),
        }
    }

    /// Number of bytes so far: the offset of the next instruction.
    #[must_use]
    pub fn position(&self) -> u32 {
        u32::try_from(self.bytes.len()).unwrap_or(u32::MAX)
    }

    /// An instruction without operands.
    pub fn op(&mut self, opcode: Opcode) -> &mut Self {
        self.bytes(&[opcode.0])
    }

    /// Bytes as they are.
    pub fn bytes(&mut self, bytes: &[u8]) -> &mut Self {
        self.bytes.extend_from_slice(bytes);
        self
    }

    fn fixup(&mut self, fixup: Fixup) -> &mut Self {
        let width = if matches!(fixup, Fixup::WideBranch { .. }) {
            4
        } else {
            2
        };
        self.fixups.push((self.bytes.len(), fixup));
        self.bytes(&[0_u8; 4][..width])
    }

    fn constant(&mut self, opcode: Opcode, symbol: Symbol) -> &mut Self {
        self.op(opcode).fixup(Fixup::Constant(symbol))
    }

    /// Pushes an `int` with the shortest instruction (`ldc_w` if none is short).
    pub fn push_int(&mut self, value: i32) -> &mut Self {
        match (i8::try_from(value), i16::try_from(value)) {
            (Ok(small @ -1..=5), _) => {
                self.op(Opcode(Opcode::ICONST_0.0.wrapping_add_signed(small)))
            }
            (Ok(byte), _) => self.op(Opcode::BIPUSH).bytes(&byte.to_be_bytes()),
            (_, Ok(short)) => self.op(Opcode::SIPUSH).bytes(&short.to_be_bytes()),
            _ => self.constant(Opcode::LDC_W, Symbol::Integer(value)),
        }
    }

    /// Pushes a `long`.
    pub fn push_long(&mut self, value: i64) -> &mut Self {
        match value {
            0 => self.op(Opcode::LCONST_0),
            1 => self.op(Opcode::LCONST_1),
            _ => self.constant(Opcode::LDC2_W, Symbol::Long(value)),
        }
    }

    /// Pushes a string, given in modified UTF-8.
    pub fn push_string(&mut self, text: &[u8]) -> &mut Self {
        self.constant(Opcode::LDC_W, Symbol::Text(text.into()))
    }

    /// An instruction on a local variable (`iload`, `astore`, `ret`, ...), with `wide` if needed.
    pub fn local(&mut self, opcode: Opcode, local: u16) -> &mut Self {
        match u8::try_from(local) {
            Ok(local) => self.bytes(&[opcode.0, local]),
            Err(_) => self
                .bytes(&[Opcode::WIDE.0, opcode.0])
                .bytes(&local.to_be_bytes()),
        }
    }

    /// `iinc`, with `wide` if needed.
    pub fn iinc(&mut self, local: u16, amount: i16) -> &mut Self {
        match (u8::try_from(local), i8::try_from(amount)) {
            (Ok(local), Ok(amount)) => self
                .bytes(&[Opcode::IINC.0, local])
                .bytes(&amount.to_be_bytes()),
            _ => self
                .bytes(&[Opcode::WIDE.0, Opcode::IINC.0])
                .bytes(&local.to_be_bytes())
                .bytes(&amount.to_be_bytes()),
        }
    }

    /// An instruction on a field (`getstatic`, `putfield`, ...).
    pub fn field(
        &mut self,
        opcode: Opcode,
        class: &[u8],
        name: &[u8],
        descriptor: &[u8],
    ) -> &mut Self {
        self.constant(
            opcode,
            Symbol::Field(MemberName::new(class, name, descriptor)),
        )
    }

    /// A call of a class's method (`invokestatic`, `invokevirtual`, `invokespecial`).
    pub fn method(
        &mut self,
        opcode: Opcode,
        class: &[u8],
        name: &[u8],
        descriptor: &[u8],
    ) -> &mut Self {
        self.constant(
            opcode,
            Symbol::Method(MemberName::new(class, name, descriptor)),
        )
    }

    /// A call of an interface's method (`invokeinterface`, or `invokestatic`, `invokespecial`).
    pub fn interface_method(
        &mut self,
        opcode: Opcode,
        class: &[u8],
        name: &[u8],
        descriptor: &[u8],
    ) -> &mut Self {
        self.constant(
            opcode,
            Symbol::InterfaceMethod(MemberName::new(class, name, descriptor)),
        );
        if opcode != Opcode::INVOKEINTERFACE {
            return self;
        }
        let slots = MethodDescriptor::parse(descriptor).map_or(0, |d| d.parameter_slots());
        self.bytes(&[u8::try_from(slots.saturating_add(1)).unwrap_or(u8::MAX), 0])
    }

    /// `invokedynamic` with a row of BootstrapMethods.
    pub fn invoke_dynamic(&mut self, bootstrap: u16, name: &[u8], descriptor: &[u8]) -> &mut Self {
        let symbol = Symbol::InvokeDynamic(bootstrap, name.into(), descriptor.into());
        self.constant(Opcode::INVOKEDYNAMIC, symbol).bytes(&[0, 0])
    }

    /// An instruction that names a class (`new`, `anewarray`, `checkcast`, `instanceof`).
    pub fn class(&mut self, opcode: Opcode, name: &[u8]) -> &mut Self {
        self.constant(opcode, Symbol::Class(name.into()))
    }

    /// `newarray` of a primitive type (4 `boolean` ... 11 `long`).
    pub fn new_array(&mut self, primitive: u8) -> &mut Self {
        self.bytes(&[Opcode::NEWARRAY.0, primitive])
    }

    /// `multianewarray`.
    pub fn multi_array(&mut self, array: &[u8], dimensions: u8) -> &mut Self {
        self.constant(Opcode::MULTIANEWARRAY, Symbol::Class(array.into()))
            .bytes(&[dimensions])
    }

    /// A new label, not placed yet.
    pub fn label(&mut self) -> Label {
        let label = Label(u32::try_from(self.placed.offsets.len()).unwrap_or(u32::MAX));
        self.placed.offsets.push(None);
        label
    }

    /// Places a label before the next instruction.
    pub fn place(&mut self, label: Label) -> &mut Self {
        let position = self.position();
        if let Some(offset) = self.placed.offsets.get_mut(label.0 as usize) {
            *offset = Some(position);
        }
        self
    }

    /// A new label before the next instruction.
    pub fn here(&mut self) -> Label {
        let label = self.label();
        self.place(label);
        label
    }

    /// A branch: `if...`, `goto`, `jsr`, or their wide forms.
    pub fn branch(&mut self, opcode: Opcode, to: Label) -> &mut Self {
        let from = self.position();
        match opcode {
            Opcode::GOTO_W | Opcode::JSR_W => self.op(opcode).fixup(Fixup::WideBranch { from, to }),
            _ => self.op(opcode).fixup(Fixup::Branch { from, to }),
        }
    }

    fn switch_head(&mut self, opcode: Opcode, default: Label) -> u32 {
        let from = self.position();
        self.op(opcode);
        while !self.bytes.len().is_multiple_of(4) {
            self.bytes.push(0);
        }
        self.fixup(Fixup::WideBranch { from, to: default });
        from
    }

    /// `tableswitch` with cases `low`, `low + 1`, ...
    pub fn table_switch(&mut self, low: i32, default: Label, cases: &[Label]) -> &mut Self {
        let from = self.switch_head(Opcode::TABLESWITCH, default);
        let last = i32::try_from(cases.len())
            .unwrap_or(i32::MAX)
            .wrapping_sub(1);
        self.bytes(&low.to_be_bytes())
            .bytes(&low.wrapping_add(last).to_be_bytes());
        for to in cases {
            self.fixup(Fixup::WideBranch { from, to: *to });
        }
        self
    }

    /// `lookupswitch`; values must ascend.
    pub fn lookup_switch(&mut self, default: Label, cases: &[(i32, Label)]) -> &mut Self {
        let from = self.switch_head(Opcode::LOOKUPSWITCH, default);
        self.bytes(&i32::try_from(cases.len()).unwrap_or(i32::MAX).to_be_bytes());
        for (value, to) in cases {
            self.bytes(&value.to_be_bytes())
                .fixup(Fixup::WideBranch { from, to: *to });
        }
        self
    }

    /// A row of the exception table; `class` is what it catches, `None` for anything.
    pub fn exception(
        &mut self,
        start: Label,
        end: Label,
        handler: Label,
        class: Option<&[u8]>,
    ) -> &mut Self {
        self.exceptions.push((
            start,
            end,
            handler,
            class.map(|name| Symbol::Class(name.into())),
        ));
        self
    }

    /// A frame at the next instruction. Frames are given in ascending order.
    pub fn frame(&mut self, frame: &BuiltFrame<'_>) -> &mut Self {
        self.frames.push(PendingFrame::new(self.position(), frame));
        self
    }

    /// A source line that starts at the next instruction.
    pub fn line(&mut self, line: u16) -> &mut Self {
        self.lines.push((self.position(), line));
        self
    }

    /// A row of the LocalVariableTable.
    pub fn variable(
        &mut self,
        start: Label,
        end: Label,
        name: &[u8],
        descriptor: &[u8],
        local: u16,
    ) -> &mut Self {
        self.variables.push(Variable {
            start,
            end,
            name: name.into(),
            descriptor: descriptor.into(),
            local,
        });
        self
    }

    /// Another attribute of the code, as bytes.
    pub fn attribute(&mut self, name: &[u8], data: &[u8]) -> &mut Self {
        self.attributes.push((name.into(), data.into()));
        self
    }
}

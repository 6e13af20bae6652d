//! Straight pieces of code: allocations of every counted kind and what may throw.

use ducktrack_classfile::Opcode;

use crate::body::{Body, DRIVER, Local, Style, This};

/// The objects of boxing.
pub(crate) const INTEGER: &str = "java.lang.Integer";
const OBJECT: &str = "java/lang/Object";
const LEAF: &str = "RandomMethods$Leaf";
const NODE: &str = "RandomMethods$Node";
const OOPS: &str = "RandomMethods$Oops";

/// Primitive element types: code of `newarray` and name.
const PRIMITIVES: [(u8, &str); 8] = [
    (4, "boolean"),
    (5, "char"),
    (6, "float"),
    (7, "double"),
    (8, "byte"),
    (9, "short"),
    (10, "int"),
    (11, "long"),
];

impl Body<'_> {
    /// A few pieces.
    pub(crate) fn pieces(&mut self) {
        for _ in 0..self.random.number(1, 3) {
            self.piece();
        }
    }

    /// One piece; the stack is empty before and after.
    pub(crate) fn piece(&mut self) {
        match self.random.below(18) {
            0..8 => {
                self.allocate();
                self.drop_object();
            }
            8..10 => self.note(),
            10 => self.call("mayThrow", "()V"),
            11 => self.divide(),
            12 => self.cast(),
            13 => self.measure_null(),
            14 => self.two_ways_to_an_object(),
            15 | 16 => self.recurse(),
            _ => self.allocate_in_a_row(),
        }
    }

    /// Leaves a new object on the stack.
    pub(crate) fn allocate(&mut self) {
        match self.random.below(12) {
            0..3 => self.new_object(LEAF, false),
            3 => self.new_object(NODE, true),
            4 => self.new_object(OOPS, false),
            5..7 => self.primitive_array(),
            7 => self.object_array(),
            8 => self.computed_levels(),
            9 => self.constant_levels(),
            10 => self.boxed(),
            _ => self.cloned(),
        }
    }

    fn new_object(&mut self, class: &str, argument: bool) {
        self.count_around(class, true, |body| {
            body.code.class(Opcode::NEW, class.as_bytes());
        });
        self.op(Opcode::DUP);
        if argument {
            self.call("next", "()I");
        }
        let descriptor: &[u8] = if argument { b"(I)V" } else { b"()V" };
        self.code.method(
            Opcode::INVOKESPECIAL,
            class.as_bytes(),
            b"<init>",
            descriptor,
        );
    }

    /// Allocates, and counts that after or, if the instruction is `certain` to complete, perhaps before it.
    fn count_around(&mut self, ty: &str, certain: bool, allocate: impl FnOnce(&mut Self)) {
        let cell = self.cell();
        let first = certain && self.random.once_in(2);
        if first {
            self.count_one(cell);
        }
        self.name_site(ty, cell);
        allocate(self);
        if !first {
            self.count_one(cell);
        }
    }

    /// Finds the classes of which objects are made, so that later nothing has to be loaded for it.
    pub(crate) fn find_classes(&mut self) {
        for class in [LEAF, NODE, OOPS] {
            let cell = self.cell();
            self.name_site(class, cell);
            self.code.class(Opcode::NEW, class.as_bytes());
            self.op(Opcode::POP);
        }
        self.code.push_int(0);
        let cell = self.cell();
        self.name_site("java.lang.Object[]", cell);
        self.code.class(Opcode::ANEWARRAY, OBJECT.as_bytes());
        self.op(Opcode::POP);
    }

    /// Constant, or computed and now and then negative; true if an array of this length is certain to be made.
    fn push_length(&mut self) -> bool {
        let kind = self.random.below(4);
        match kind {
            0 | 1 => {
                let length = self.random.number(0, 40);
                self.code.push_int(length);
            }
            2 => self.push_bits(7),
            _ => {
                self.push_bits(15);
                self.op(Opcode::ICONST_1);
                self.op(Opcode::ISUB);
            }
        }
        kind < 3
    }

    fn primitive_array(&mut self) {
        let (code, name) = self.random.choose(&PRIMITIVES);
        let certain = self.push_length();
        self.count_around(&format!("{name}[]"), certain, |body| {
            body.code.new_array(code);
        });
    }

    fn object_array(&mut self) {
        let (class, name) =
            self.random
                .choose(&[(OBJECT, "java.lang.Object"), (LEAF, LEAF), ("[I", "int[]")]);
        let certain = self.push_length();
        self.count_around(&format!("{name}[]"), certain, |body| {
            body.code.class(Opcode::ANEWARRAY, class.as_bytes());
        });
    }

    fn constant_levels(&mut self) {
        let (first, second) = (self.random.number(0, 3), self.random.number(0, 3));
        self.code.push_int(first);
        self.code.push_int(second);
        let (outer, inner) = (self.cell(), self.cell());
        self.count_one(outer);
        self.count(inner, |body| {
            body.code.push_int(first);
        });
        self.name_site("long[][]", outer);
        self.name_site("long[]", inner);
        self.code.multi_array(b"[[J", 2);
    }

    /// Three levels, the last one not made here.
    fn computed_levels(&mut self) {
        for local in [Local::D0, Local::D1] {
            self.push_bits(3);
            self.store(local);
        }
        self.load(Local::D0);
        self.load(Local::D1);
        let (outer, inner) = (self.cell(), self.cell());
        self.count_one(outer);
        self.count(inner, |body| body.load(Local::D0));
        self.name_site("int[][][]", outer);
        self.name_site("int[][]", inner);
        self.code.multi_array(b"[[[I", 2);
    }

    fn boxed(&mut self) {
        self.push_bits(1023);
        self.code.push_int(512);
        self.op(Opcode::ISUB);
        self.op(Opcode::DUP);
        self.call("outsideOfCache", "(I)I");
        self.store(Local::D0);
        let cell = self.site(INTEGER);
        self.code.method(
            Opcode::INVOKESTATIC,
            b"java/lang/Integer",
            b"valueOf",
            b"(I)Ljava/lang/Integer;",
        );
        self.count(cell, |body| body.load(Local::D0));
    }

    fn cloned(&mut self) {
        self.push_bits(7);
        self.count_around("int[]", true, |body| {
            body.code.new_array(10);
        });
        let copied = self.site("int[]");
        self.code.method(
            Opcode::INVOKEVIRTUAL,
            b"[I",
            b"clone",
            b"()Ljava/lang/Object;",
        );
        self.count_one(copied);
    }

    /// Forgets the object on the stack, keeps it in a variable or lets it escape.
    fn drop_object(&mut self) {
        match self.random.below(4) {
            0 => self.store(Local::R),
            1 => {
                self.code
                    .field(Opcode::PUTSTATIC, DRIVER, b"sink", b"Ljava/lang/Object;");
            }
            _ => self.op(Opcode::POP),
        }
    }

    fn divide(&mut self) {
        self.code.push_int(100);
        self.push_bits(15);
        self.op(Opcode::IDIV);
        self.op(Opcode::POP);
    }

    /// Works for null and leaves.
    fn cast(&mut self) {
        self.load(Local::R);
        self.code.class(Opcode::CHECKCAST, LEAF.as_bytes());
        self.op(Opcode::POP);
    }

    /// Throws if nothing was caught so far.
    fn measure_null(&mut self) {
        if !self.random.once_in(3) {
            return self.note();
        }
        self.load(Local::X);
        self.code.method(
            Opcode::INVOKEVIRTUAL,
            b"java/lang/Object",
            b"getClass",
            b"()Ljava/lang/Class;",
        );
        self.op(Opcode::POP);
    }

    /// An object on the stack across a branch.
    fn two_ways_to_an_object(&mut self) {
        self.allocate();
        let join = self.code.label();
        self.branch_sometimes(join);
        self.op(Opcode::POP);
        self.allocate();
        self.land_with_object(join);
        self.drop_object();
    }

    /// The method calls itself when the driver asks for it.
    fn recurse(&mut self) {
        if self.is_constructor() {
            return self.note();
        }
        let stay = self.code.label();
        self.call("goDeeper", "()Z");
        self.code.branch(Opcode::IFEQ, stay);
        let opcode = if self.this == This::None {
            Opcode::INVOKESTATIC
        } else {
            Opcode::INVOKEVIRTUAL
        };
        if self.this != This::None {
            self.code.local(Opcode::ALOAD, 0);
        }
        for local in [
            Local::A,
            Local::Fuel,
            Local::Sum,
            Local::R,
            Local::X,
            Local::Lock,
            Local::D0,
            Local::D1,
        ] {
            self.load(local);
        }
        let Style {
            class,
            method,
            descriptor,
            ..
        } = &self.style;
        self.code.method(
            opcode,
            class.as_bytes(),
            method.as_bytes(),
            descriptor.as_bytes(),
        );
        self.op(Opcode::POP);
        self.land_empty(stay);
    }

    /// Objects of one kind without anything between them.
    fn allocate_in_a_row(&mut self) {
        let count = self.random.number(2, 4);
        for _ in 0..count {
            self.new_object(LEAF, false);
        }
        for _ in 0..count {
            self.op(Opcode::POP);
        }
    }

    /// Throws: a new exception, an old one, or the one that was caught last.
    pub(crate) fn throw(&mut self) {
        match self.random.below(3) {
            0 => self.new_object(OOPS, false),
            1 => {
                self.code.field(
                    Opcode::GETSTATIC,
                    DRIVER,
                    b"MADE_BEFORE",
                    b"LRandomMethods$Oops;",
                );
            }
            _ => self.load(Local::X),
        }
        self.op(Opcode::ATHROW);
    }
}

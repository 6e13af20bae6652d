//! A class with a static method `int m(int)`, an edit of it, and what calls of it must give.

use anyhow::{Context, Result};
use ducktrack_classfile::{
    ClassBuilder, ClassFile, CodeBuilder, CodeOffset, Opcode, PoolAppender, access,
};
use ducktrack_code_edit::{CodeEdit, Insertion, Place, edit_code, rewrite_class_methods};

/// An edited class and what to expect of it.
pub(crate) struct Fixture {
    pub(crate) name: String,
    pub(crate) edited: Vec<u8>,
    cases: Vec<(i32, &'static str)>,
}

impl Fixture {
    /// Class and argument of each call.
    pub(crate) fn calls(&self) -> Vec<String> {
        self.cases
            .iter()
            .map(|(argument, _)| format!("{} {argument}", self.name))
            .collect()
    }

    /// The line that the driver must print for each call.
    pub(crate) fn expected(&self) -> Vec<String> {
        self.cases
            .iter()
            .map(|(argument, expected)| format!("{} {argument} -> {expected}", self.name))
            .collect()
    }
}

/// A class in the making: its method `m` and, if it is about one, its constructor.
pub(crate) struct Draft {
    pub(crate) name: String,
    pub(crate) major_version: u16,
    pub(crate) method: CodeBuilder,
    pub(crate) constructor: Option<CodeBuilder>,
}

/// The counters of a class, in its pool: they are inserted.
pub(crate) struct Counters<'p> {
    class: Vec<u8>,
    pool: &'p mut PoolAppender,
}

impl Counters<'_> {
    /// The code that adds 1 to a counter; needs two stack slots.
    pub(crate) fn code(&mut self, counter: usize) -> Result<Vec<u8>> {
        let field = self
            .pool
            .field_ref(&self.class, format!("c{counter}").as_bytes(), b"I")?
            .0
            .to_be_bytes();
        let [high, low] = field;
        let add = [Opcode::ICONST_1.0, Opcode::IADD.0];
        Ok([
            &[Opcode::GETSTATIC.0, high, low][..],
            &add,
            &[Opcode::PUTSTATIC.0, high, low],
        ]
        .concat())
    }

    /// One counter per place, in order.
    pub(crate) fn at(&mut self, places: &[Place]) -> Result<Vec<Insertion>> {
        let insertion = |(counter, place): (usize, &Place)| {
            Ok(Insertion {
                place: *place,
                code: self.code(counter)?,
                stack: 2,
            })
        };
        places.iter().enumerate().map(insertion).collect()
    }
}

impl Draft {
    /// Applies an edit to the method (or, if there is one, to the constructor).
    pub(crate) fn edit(
        self,
        counters: usize,
        cases: &[(i32, &'static str)],
        edit: impl FnOnce(&mut Counters<'_>) -> Result<CodeEdit>,
    ) -> Result<Fixture> {
        let target = usize::from(self.constructor.is_some());
        let name = self.name.clone();
        let bytes = self.build(counters)?;
        let class = ClassFile::parse(&bytes)?;
        let mut pool = PoolAppender::new(class.pool());
        let edit = edit(&mut Counters {
            class: name.clone().into_bytes(),
            pool: &mut pool,
        })?;
        let method = class.methods().nth(target).context("the method")?;
        let edited = edit_code(&method, &edit, &mut pool).with_context(|| name.clone())?;
        let edited = rewrite_class_methods(&class, [(target, edited.attribute.as_slice())], &pool)?;
        Ok(Fixture {
            name,
            edited,
            cases: cases.to_vec(),
        })
    }

    fn build(self, counters: usize) -> Result<Vec<u8>> {
        let flags = access::PUBLIC | access::SUPER;
        let mut class = ClassBuilder::new(
            self.major_version,
            flags,
            self.name.as_bytes(),
            b"java/lang/Object",
        );
        for counter in 0..counters {
            class.field(
                access::PUBLIC | access::STATIC,
                format!("c{counter}").as_bytes(),
                b"I",
            );
        }
        class
            .method(access::PUBLIC | access::STATIC, b"m", b"(I)I")
            .code(self.method)?;
        if let Some(code) = self.constructor {
            class
                .method(access::PUBLIC, b"<init>", b"(I)V")
                .code(code)?;
        }
        Ok(class.finish()?)
    }
}

/// A place in old bytecode.
pub(crate) const fn at(offset: u32) -> CodeOffset {
    CodeOffset(offset)
}

//! Probes between whose pair a context is in effect: at the entry of a method and on all its ways out.
//!
//! ```text
//!   iconst_0; invokestatic DuckTrackStack.claim(I)V          ahead of everything: the pair must not be torn by the end of the stack
//!   sipush 7; invokestatic DuckTrackContexts.enter(I)V       or aload 1; sipush 3; invokestatic DuckTrackContexts.enterNamed(...)V
//!   ...
//!   invokestatic DuckTrackContexts.leave()V; areturn         after the counters of the path that ends here
//!
//!   stub: count what is owed; invokestatic DuckTrackContexts.leave()V; athrow
//! ```
//!
//! Counters of paths need no care: a path begins after the entry and ends before the exit. Stubs that
//! settle the debts of a path and throw on also leave, and one more stub serves all other places.

use std::fmt;

use ducktrack_classfile::{ClassFile, MemberRef, Method, MethodDescriptor, Opcode, ParameterType};
use ducktrack_code_edit::{Catch, HandlerExit, Place, ProbeMethod, ProtectedPlace, Rank};
use ducktrack_probe_vocabulary::helper::{contexts, spans};

use crate::part::{Part, PartBuilder};
use crate::planner::Planner;
use crate::probe::calling;
use crate::refusal::Reason;
use crate::stack_claim::claim_stack;

const ENTER: ProbeMethod = calling(contexts::ENTER);
const ENTER_NAMED: ProbeMethod = calling(contexts::ENTER_NAMED);
const ENTER_KNOWN: ProbeMethod = calling(contexts::ENTER_KNOWN);
const ENTER_PREPARED: ProbeMethod = calling(contexts::ENTER_PREPARED);
const PREPARING: ProbeMethod = calling(contexts::PREPARING);
const PREPARED: ProbeMethod = calling(contexts::PREPARED);
const ATTACHED: ProbeMethod = calling(spans::ATTACHED);
const CLOSING: ProbeMethod = calling(spans::CLOSING);
const LEAVE: ProbeMethod = calling(contexts::LEAVE);

/// The context that a method opens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContextEntry {
    /// Always this one.
    Numbered(u32),
    /// The one that the text of an argument names.
    Argument {
        /// The number of the pattern that asks for it.
        pattern: u32,
        /// The local variable that holds the argument.
        variable: u16,
    },
    /// The one that the text in a field of the receiver names; none where that is null.
    Field {
        /// The number of the pattern that asks for it.
        pattern: u32,
        /// The field of the method's class.
        name: &'static str,
    },
    /// The one that the text names with which the receiver was prepared.
    Prepared {
        /// The number of the pattern that asks for it.
        pattern: u32,
    },
    /// The one of a span that becomes current by an argument, until the scope that the method returns is closed.
    Attaches {
        /// The number of the pattern that asks for it.
        pattern: u32,
        /// The local variable that holds the argument.
        variable: u16,
    },
    /// None: the method closes such a scope, its receiver.
    Closes,
    /// None: the method returns an object that it prepares with a text.
    Prepares {
        /// The local variable that holds the text.
        variable: u16,
    },
}

/// The methods that open contexts.
pub trait ContextMethods: fmt::Debug + Sync {
    /// Whether any method of the class may; a quick look.
    fn may_concern(&self, class: &ClassFile<'_>) -> bool;

    /// The context that the method opens, which has code and is neither a constructor nor a class initializer.
    fn entry(&self, class: &ClassFile<'_>, method: &Method<'_>) -> Option<ContextEntry>;
}

/// The local variable of an argument, counted from 1, that is a reference.
pub fn argument_variable(method: &Method<'_>, argument: u8) -> Option<u16> {
    let descriptor = MethodDescriptor::parse(method.descriptor()).ok()?;
    let before = usize::from(argument).checked_sub(1)?;
    let mut variable = u16::from(!method.is_static());
    for (index, parameter) in descriptor.parameters().enumerate() {
        if index == before {
            return matches!(parameter, ParameterType::Reference(_)).then_some(variable);
        }
        variable += parameter.slots();
    }
    None
}

/// The entries of a class's methods, by index.
#[derive(Clone, Debug, Default)]
pub(crate) struct ContextEntries(Vec<(u16, ContextEntry)>);

impl ContextEntries {
    pub(crate) fn of(class: &ClassFile<'_>, methods: Option<&dyn ContextMethods>) -> Self {
        let Some(methods) = methods.filter(|methods| methods.may_concern(class)) else {
            return Self::default();
        };
        let entries = (0..)
            .zip(class.methods())
            .filter(|(_, method)| method.code().is_some() && !method.name().starts_with(b"<"));
        Self(
            entries
                .filter_map(|(index, method)| Some((index, methods.entry(class, &method)?)))
                .collect(),
        )
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn of_method(&self, index: u16) -> Option<ContextEntry> {
        let found = self.0.iter().find(|(method, _)| *method == index);
        found.map(|(_, entry)| *entry)
    }
}

/// The probes at entries; ahead of all other planners.
pub(crate) struct Entries<'e>(pub(crate) &'e ContextEntries);

/// The probes on the ways out; after all planners that count.
pub(crate) struct Exits<'e>(pub(crate) &'e ContextEntries);

impl Planner for Entries<'_> {
    fn is_interested_in_method(&self, _: bool) -> bool {
        true
    }

    fn plan(&self, mut builder: PartBuilder<'_>) -> Result<Part, Reason> {
        match self.0.of_method(builder.view.index) {
            None | Some(ContextEntry::Attaches { .. }) => {}
            Some(ContextEntry::Prepares { variable }) => note_text(&mut builder, variable)?,
            Some(ContextEntry::Closes) => note_closing(&mut builder)?,
            Some(entry) => enter_context(&mut builder, entry)?,
        }
        Ok(builder.part)
    }
}

impl Planner for Exits<'_> {
    fn plan(&self, mut builder: PartBuilder<'_>) -> Result<Part, Reason> {
        match self.0.of_method(builder.view.index) {
            None | Some(ContextEntry::Closes) => {}
            Some(ContextEntry::Prepares { .. }) => note_prepared(&mut builder)?,
            Some(ContextEntry::Attaches { pattern, variable }) => {
                note_attached(&mut builder, pattern, variable)?;
            }
            Some(_) => leave_context(&mut builder)?,
        }
        Ok(builder.part)
    }
}

fn enter_context(builder: &mut PartBuilder<'_>, entry: ContextEntry) -> Result<(), Reason> {
    claim_stack(builder)?;
    let probe = builder.probes.build();
    let probe = match entry {
        ContextEntry::Numbered(number) => probe.push(number).invoke(ENTER).finish()?,
        ContextEntry::Argument { pattern, variable } => probe
            .load_reference(variable)
            .push(pattern)
            .invoke(ENTER_NAMED)
            .finish()?,
        ContextEntry::Field { pattern, name } => probe
            .load_reference(0)
            .field(MemberRef {
                class: builder.view.class.name(),
                name: name.as_bytes(),
                descriptor: b"Ljava/lang/String;",
                interface: false,
            })
            .push(pattern)
            .invoke(ENTER_KNOWN)
            .finish()?,
        ContextEntry::Prepared { pattern } => probe
            .load_reference(0)
            .push(pattern)
            .invoke(ENTER_PREPARED)
            .finish()?,
        ContextEntry::Prepares { .. } | ContextEntry::Attaches { .. } | ContextEntry::Closes => {
            return Ok(());
        }
    };
    builder.insert(Place::Entry, probe);
    Ok(())
}

/// The text with which the method prepares what it returns. Its variable may
/// be stored to, so it is noted at the entry, and found again at the exits.
fn note_text(builder: &mut PartBuilder<'_>, variable: u16) -> Result<(), Reason> {
    let probe = builder.probes.build().load_reference(variable);
    let probe = probe.invoke(PREPARING).finish()?;
    builder.insert(Place::Entry, probe);
    Ok(())
}

fn note_closing(builder: &mut PartBuilder<'_>) -> Result<(), Reason> {
    let probe = builder.probes.build().load_reference(0);
    let probe = probe.invoke(CLOSING).finish()?;
    builder.insert(Place::Entry, probe);
    Ok(())
}

/// The argument is still in its variable: the method of the library does not store to it.
fn note_attached(builder: &mut PartBuilder<'_>, pattern: u32, variable: u16) -> Result<(), Reason> {
    for instruction in builder.view.instructions {
        if instruction.opcode == Opcode::ARETURN {
            let probe = builder.probes.build().dup().load_reference(variable);
            let probe = probe.push(pattern).invoke(ATTACHED).finish()?;
            builder.insert(Place::Before(instruction.offset), probe);
        }
    }
    Ok(())
}

fn note_prepared(builder: &mut PartBuilder<'_>) -> Result<(), Reason> {
    for instruction in builder.view.instructions {
        if instruction.opcode == Opcode::ARETURN {
            let probe = builder.probes.build().dup().invoke(PREPARED).finish()?;
            builder.insert(Place::Before(instruction.offset), probe);
        }
    }
    Ok(())
}

fn leave_context(builder: &mut PartBuilder<'_>) -> Result<(), Reason> {
    let leave = builder.probes.build().invoke(LEAVE).finish()?;
    builder.part.before_rethrow = Some(leave.clone());
    let protects = places_inside(builder);
    let last = (HandlerExit::Rethrow, Rank::Last);
    builder.add_handler((protects, Catch::Any), leave.clone(), last);
    for instruction in builder.view.instructions {
        if instruction.opcode.is_return() {
            builder.insert(Place::Before(instruction.offset), leave.clone());
        }
    }
    Ok(())
}

/// Everything between entry and exit. Once a context has been left, nothing may leave it again: a return and its probe are outside.
fn places_inside(builder: &PartBuilder<'_>) -> Vec<ProtectedPlace> {
    let instructions = builder.view.instructions.iter();
    let inside = instructions.filter(|instruction| !instruction.opcode.is_return());
    let mut places: Vec<ProtectedPlace> = inside
        .map(|instruction| ProtectedPlace::Instruction(instruction.offset))
        .collect();
    // The claim and the entry come first.
    let added = builder.insertions().count();
    places.extend((2..added).map(ProtectedPlace::Insertion));
    places
}

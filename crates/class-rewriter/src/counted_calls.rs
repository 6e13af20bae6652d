//! Calls of JDK methods that make objects for their caller (`List.iterator`,
//! `Optional.map`), in code that is not the JDK's: how often each is executed.
//!
//! The objects are counted at sites of the JDK, which do not know who asked. Where the JIT removes
//! them no stack is sampled there either. The number of executed calls then says who asked, and how
//! often. A call is counted as an allocation is: by paths, mostly by a counter that is there already.

use ducktrack_classfile::{ClassFile, Constant, Instruction, MemberRef, PoolIndex};

use ducktrack_probe_vocabulary::Unit;

use crate::part::{CountedLevel, Part, PartBuilder};
use crate::planned::{PlannedCall, SiteKey};
use crate::planner::Planner;
use crate::refusal::Reason;
use crate::site_facts::{CalledMethodName, Surroundings};
use crate::stack_claim::claim_stack;

/// Beginnings of classes, all methods of which make objects.
const WHOLE: &[&[u8]] = &[
    b"java/util/Optional",
    b"java/util/stream/",
    b"java/util/regex/",
];

/// Methods that make objects, in all classes of `java/util/` and in `java/lang/Iterable`.
const COLLECTIONS: &[&[u8]] = &[
    b"asList",
    b"copyOf",
    b"copyOfRange",
    b"descendingIterator",
    b"elements",
    b"entry",
    b"entrySet",
    b"iterator",
    b"keySet",
    b"keys",
    b"listIterator",
    b"of",
    b"parallelStream",
    b"spliterator",
    b"stream",
    b"subList",
    b"toArray",
    b"values",
];

/// Methods that make objects, by class.
const OTHERS: &[(&[u8], &[&[u8]])] = &[
    (
        b"java/lang/String",
        &[
            b"format",
            b"matches",
            b"replaceAll",
            b"replaceFirst",
            b"split",
        ],
    ),
    (
        b"java/lang/Class",
        &[
            b"getConstructors",
            b"getDeclaredConstructors",
            b"getDeclaredFields",
            b"getDeclaredMethods",
            b"getFields",
            b"getInterfaces",
            b"getMethods",
        ],
    ),
    (
        b"java/lang/reflect/Method",
        &[b"getExceptionTypes", b"getParameterTypes", b"getParameters"],
    ),
    (
        b"java/lang/reflect/Constructor",
        &[b"getExceptionTypes", b"getParameterTypes", b"getParameters"],
    ),
];

/// The level of a call's number: no array has so many.
const OF_CALL: u8 = u8::MAX;

/// Beginnings of the JDK's classes.
const JDK: [&[u8]; 5] = [b"java/", b"javax/", b"jdk/", b"sun/", b"com/sun/"];

/// Whether a class is the JDK's.
pub(crate) fn is_of_jdk(class: &[u8]) -> bool {
    JDK.iter().any(|start| class.starts_with(start))
}

/// The calls of a class that are counted, by their constants.
pub(crate) struct CountedCalls {
    calls: Vec<PoolIndex>,
}

impl CountedCalls {
    /// Those of a class; `None` where there are none.
    pub(crate) fn of(class: &ClassFile<'_>) -> Option<Self> {
        if is_of_jdk(class.name()) {
            return None;
        }
        let pool = class.pool();
        let members = pool.calls().filter(|(index, constant)| {
            !matches!(constant, Constant::InvokeDynamic(..))
                && pool
                    .member_ref(*index)
                    .is_ok_and(|member| makes_objects(&member))
        });
        let calls: Vec<PoolIndex> = members.map(|(index, _)| index).collect();
        (!calls.is_empty()).then_some(Self { calls })
    }

    fn counts(&self, instruction: &Instruction<'_>) -> Option<PoolIndex> {
        let index = instruction.pool_index()?;
        (instruction.opcode.is_invoke() && self.calls.contains(&index)).then_some(index)
    }
}

impl Planner for CountedCalls {
    fn is_interested_in(&self, instruction: &Instruction<'_>) -> bool {
        self.counts(instruction).is_some()
    }

    fn plan(&self, mut builder: PartBuilder<'_>) -> Result<Part, Reason> {
        count_calls(&mut builder, self)?;
        Ok(builder.part)
    }
}

fn count_calls(builder: &mut PartBuilder<'_>, calls: &CountedCalls) -> Result<(), Reason> {
    let view = builder.view;
    let surroundings = Surroundings::of(&view.code, view.instructions, view.is_static);
    let mut found = Vec::new();
    for instruction in view.instructions {
        let Some(index) = calls.counts(instruction) else {
            continue;
        };
        let member = view.code.pool().member_ref(index)?;
        let key = SiteKey {
            method: view.index,
            offset: instruction.offset,
            level: OF_CALL,
        };
        let id = builder.numbers.site(key).ok_or(Reason::SitesExhausted)?;
        builder.part.counted_calls.push(PlannedCall {
            id,
            key,
            line: view.lines.line_at(instruction.offset),
            target: CalledMethodName::from(&member),
            loops: surroundings.depth(instruction.offset),
            has_constant_argument: surroundings.has_constant_argument(instruction.offset),
        });
        found.push(CountedLevel::once(instruction.offset, id, Unit::Calls));
    }
    if found.is_empty() {
        return Ok(());
    }
    if builder.before.counted.is_empty() && view.allocations.is_empty() {
        claim_stack(builder)?;
    }
    builder.part.counted = found;
    Ok(())
}

fn makes_objects(member: &MemberRef<'_>) -> bool {
    let (class, name) = (member.class, member.name);
    if name.starts_with(b"<") {
        return false;
    }
    // Those of an enum.
    let is_values = || member.descriptor == [b"()[L", class, b";"].concat();
    name == b"iterator" && member.descriptor == b"()Ljava/util/Iterator;"
        || name == b"values" && is_values()
        || WHOLE.iter().any(|start| class.starts_with(start))
        || (class.starts_with(b"java/util/") || class == b"java/lang/Iterable")
            && COLLECTIONS.contains(&name)
        || OTHERS
            .iter()
            .any(|(owner, names)| *owner == class && names.contains(&name))
}

//! Rules for the constants of one class, found once per class: which calls allocate by themselves, which
//! call tracked methods, which `invokedynamic` make lambdas or concatenate strings.

use ducktrack_classfile::{
    ClassFile, Constant, ConstantPool, Error, Instruction, MemberRef, Method, MethodDescriptor,
    Opcode, PoolIndex, access,
};
use rustc_hash::FxHashMap;

use crate::call_rules::{self, CallRule};
use crate::replaced_methods::ReplacedMethods;
use crate::tracked_methods::TrackedMethods;
use ducktrack_probe_vocabulary::AllocationKind;

/// The rules that apply in one class.
#[derive(Debug, Default)]
pub struct PoolRules {
    calls: Vec<PoolIndex>,
    tracked: Vec<PoolIndex>,
    dynamics: FxHashMap<PoolIndex, DynamicRule>,
    hidden_class_entrance: Option<PoolIndex>,
    /// The class itself as a descriptor, if arrays of it are never arrays of a subclass.
    own_leaf: Option<Box<[u8]>>,
    replaced: ReplacedMethods,
}

/// How a call allocates, its kind, and the static type of the new object as a descriptor, if there is one.
pub(crate) type AllocatingCall = (CallRule, AllocationKind, Option<Box<[u8]>>);

/// The effect of an `invokedynamic`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DynamicRule {
    /// Makes an object that holds the captured values.
    Captures {
        /// Lambda or method reference.
        kind: AllocationKind,
        /// Its parameters are the captured values.
        descriptor: Box<[u8]>,
    },
    /// Concatenates strings by tracked methods.
    Concatenates,
}

impl PoolRules {
    /// Reads every method reference and `invokedynamic` of the pool.
    ///
    /// # Errors
    /// Of the class file reader.
    pub fn of(class: &ClassFile<'_>, tracked: &TrackedMethods) -> Result<Self, Error> {
        let mut rules = Self {
            own_leaf: own_leaf(class),
            replaced: ReplacedMethods::of(class)?,
            ..Self::default()
        };
        let pool = class.pool();
        for (index, constant) in pool.calls() {
            match constant {
                Constant::MethodRef(..) | Constant::InterfaceMethodRef(..) => {
                    rules.add_call(class, index, tracked)?
                }
                Constant::InvokeDynamic(..) => rules.add_dynamic(class, index, tracked)?,
                _ => {}
            }
        }
        Ok(rules)
    }

    /// Whether a rule may apply to an instruction with this constant.
    fn concerns(&self, index: PoolIndex) -> bool {
        self.calls.binary_search(&index).is_ok()
            || self.tracked.binary_search(&index).is_ok()
            || self.dynamics.contains_key(&index)
            || self.hidden_class_entrance == Some(index)
    }

    /// Whether a rule may apply to an instruction.
    pub(crate) fn may_apply_to(&self, instruction: &Instruction<'_>) -> bool {
        let concerns = |index| self.concerns(index);
        instruction.opcode.is_invoke() && instruction.pool_index().is_some_and(concerns)
    }

    fn add_call(
        &mut self,
        class: &ClassFile<'_>,
        index: PoolIndex,
        tracked: &TrackedMethods,
    ) -> Result<(), Error> {
        let member = class.pool().member_ref(index)?;
        let may_allocate = [
            Opcode::INVOKEVIRTUAL,
            Opcode::INVOKESPECIAL,
            Opcode::INVOKESTATIC,
        ]
        .iter()
        .any(|opcode| self.rule(*opcode, class.name(), &member).is_some());
        if may_allocate {
            self.calls.push(index);
        }
        if tracked.contains(member.class, member.name) {
            self.tracked.push(index);
        }
        if is_entrance(class.name(), member.class, member.name) {
            self.hidden_class_entrance = Some(index);
        }
        Ok(())
    }

    fn add_dynamic(
        &mut self,
        class: &ClassFile<'_>,
        index: PoolIndex,
        tracked: &TrackedMethods,
    ) -> Result<(), Error> {
        let pool = class.pool();
        let dynamic = pool.dynamic(index)?;
        let Some(bootstrap) = class.bootstrap_methods()?.get(dynamic.bootstrap) else {
            return Ok(());
        };
        match pool.method_handle(bootstrap.method)?.member.class {
            // Without captured values the one object is made when the call site is linked.
            b"java/lang/invoke/LambdaMetafactory"
                if MethodDescriptor::parse(dynamic.descriptor)?
                    .parameters()
                    .next()
                    .is_some() =>
            {
                let body = bootstrap
                    .arguments()
                    .nth(1)
                    .and_then(|argument| pool.method_handle(argument).ok());
                let lambda = body.is_some_and(|handle| is_body_of_lambda(handle.member.name));
                let kind = if lambda {
                    AllocationKind::Lambda
                } else {
                    AllocationKind::MethodReference
                };
                self.dynamics.insert(
                    index,
                    DynamicRule::Captures {
                        kind,
                        descriptor: dynamic.descriptor.into(),
                    },
                );
            }
            b"java/lang/invoke/StringConcatFactory" | b"java/lang/runtime/ObjectMethods"
                if tracked.contains(b"java/lang/StringConcatHelper", b"newString") =>
            {
                self.dynamics.insert(index, DynamicRule::Concatenates);
            }
            _ => {}
        }
        Ok(())
    }

    /// Where hidden classes enter the VM, if the class refers to it.
    pub(crate) fn hidden_class_entrance(&self) -> Option<PoolIndex> {
        self.hidden_class_entrance
    }

    /// The rule for an `invokedynamic` of this constant.
    pub(crate) fn dynamic(&self, index: PoolIndex) -> Option<&DynamicRule> {
        self.dynamics.get(&index)
    }

    /// Whether a call by this constant is a call of a tracked method (or concatenates strings by one).
    pub(crate) fn is_tracked(&self, index: PoolIndex) -> bool {
        self.tracked.binary_search(&index).is_ok()
            || self.dynamics.get(&index) == Some(&DynamicRule::Concatenates)
    }

    /// Whether any call of this class may be of a tracked method.
    pub(crate) fn has_tracked(&self) -> bool {
        !self.tracked.is_empty()
            || self
                .dynamics
                .values()
                .any(|rule| *rule == DynamicRule::Concatenates)
    }

    /// The rule for a call, with the static type of the new object if there is one.
    pub(crate) fn call(
        &self,
        opcode: Opcode,
        caller: &[u8],
        pool: &ConstantPool<'_>,
        index: PoolIndex,
    ) -> Result<Option<AllocatingCall>, Error> {
        if self.calls.binary_search(&index).is_err() {
            return Ok(None);
        }
        let member = pool.member_ref(index)?;
        Ok(self.rule(opcode, caller, &member).map(|(rule, kind)| {
            let rule = self.with_own_leaf(rule, &member);
            (rule, kind, static_type(rule, &member))
        }))
    }

    fn rule(
        &self,
        opcode: Opcode,
        caller: &[u8],
        member: &MemberRef<'_>,
    ) -> Option<(CallRule, AllocationKind)> {
        let (name, descriptor) = (member.name, member.descriptor);
        let replaced = || match member.class == caller {
            true => self.replaced.rule(name, descriptor),
            false => None,
        };
        call_rules::rule(opcode.0, caller, member.class, name, descriptor)
            .or_else(|| Some((replaced()?, AllocationKind::Intrinsic)))
    }

    /// Whether what a method of this class allocates is counted by those who call it.
    pub(crate) fn body_is_counted_by_callers(&self, class: &[u8], method: &Method<'_>) -> bool {
        let (name, descriptor) = (method.name(), method.descriptor());
        call_rules::body_is_counted_by_callers(class, name, descriptor)
            || self.replaced.rule(name, descriptor).is_some()
    }

    /// The rule for `clone` of an array of the class itself (`values()` of an enum).
    fn with_own_leaf(&self, rule: CallRule, member: &MemberRef<'_>) -> CallRule {
        match member.class {
            [b'[', element @ ..] if self.own_leaf.as_deref() == Some(element) => CallRule::Array,
            _ => rule,
        }
    }
}

/// Whether a method reference is the VM's entrance for hidden classes, called from a class that may have the gate.
fn is_entrance(caller: &[u8], class: &[u8], name: &[u8]) -> bool {
    caller.starts_with(b"java/lang/")
        && class == b"java/lang/ClassLoader"
        && name == b"defineClass0"
}

/// Constants with a body of their own are of subclasses of their enum; arrays of these cannot be named.
fn own_leaf(class: &ClassFile<'_>) -> Option<Box<[u8]>> {
    let is_enum = class.super_class() == Some(b"java/lang/Enum");
    let is_leaf = is_enum || class.access_flags() & access::FINAL != 0;
    is_leaf.then(|| [b"L".as_slice(), class.name(), b";"].concat().into())
}

fn static_type(rule: CallRule, member: &MemberRef<'_>) -> Option<Box<[u8]>> {
    match rule {
        CallRule::Boxing(_) => Some([b"L".as_slice(), member.class, b";"].concat().into()),
        CallRule::Array if member.class.first() == Some(&b'[') => Some(member.class.into()),
        CallRule::Array => member
            .descriptor
            .iter()
            .rposition(|byte| *byte == b')')
            .and_then(|end| member.descriptor.get(end + 1..).map(Box::from)),
        _ => None,
    }
}

/// Whether a compiler has made a method of this name for the code of a closure:
/// `lambda$main$0` (Java), `$anonfun$main$1` (Scala), `main$lambda$0` (Kotlin).
fn is_body_of_lambda(name: &[u8]) -> bool {
    let has = |part: &[u8]| name.windows(part.len()).any(|window| window == part);
    name.starts_with(b"lambda$") || has(b"$lambda$") || has(b"$anonfun$")
}

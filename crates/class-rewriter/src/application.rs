//! Which code is the application's, and which calls leave it.
//!
//! ```text
//! com.acme.Shop.sell        application
//!   java.util.HashMap.put   other code: the allocations of the call are asked for
//!   com.acme.Cart.add       application: no call that leaves it
//!   java.util.Map.get       other code, but it makes nothing
//! ```

use std::fmt;

use ducktrack_classfile::{ClassFile, Constant, Error, PoolIndex};
use rustc_hash::FxHashMap;

use crate::planned::CallTarget;
use ducktrack_probe_vocabulary::helper::HELPER_NAMES;

/// The classes of the application.
pub trait ApplicationClasses: fmt::Debug + Sync {
    /// Whether the class of this name (internal form) is one of them.
    fn contains(&self, class: &[u8]) -> bool;
}

/// Quiet methods of `Integer` and of `Long`; see [`QUIET`].
const OF_INTEGRALS: &[&[u8]] = &[
    b"intValue",
    b"longValue",
    b"compare",
    b"hashCode",
    b"bitCount",
    b"numberOfLeadingZeros",
    b"numberOfTrailingZeros",
    b"max",
    b"min",
    b"sum",
    b"signum",
    b"rotateLeft",
    b"rotateRight",
    b"reverse",
    b"highestOneBit",
];

/// Methods that make nothing unless they throw, class by class: a call of one is not worth a question.
const QUIET: &[(&[u8], &[&[u8]])] = &[
    (
        b"java/lang/Object",
        &[b"<init>", b"getClass", b"hashCode", b"notify", b"notifyAll"],
    ),
    (
        b"java/lang/String",
        &[
            b"length",
            b"charAt",
            b"isEmpty",
            b"hashCode",
            b"codePointAt",
        ],
    ),
    (b"java/lang/CharSequence", &[b"length", b"charAt"]),
    (
        b"java/lang/StringBuilder",
        &[b"length", b"charAt", b"setLength"],
    ),
    (b"java/lang/Math", &[]),
    (b"java/lang/StrictMath", &[]),
    (b"java/lang/Integer", OF_INTEGRALS),
    (b"java/lang/Long", OF_INTEGRALS),
    (
        b"java/lang/Double",
        &[
            b"doubleValue",
            b"isNaN",
            b"isInfinite",
            b"compare",
            b"doubleToLongBits",
            b"doubleToRawLongBits",
            b"longBitsToDouble",
            b"max",
            b"min",
            b"sum",
        ],
    ),
    (
        b"java/lang/Float",
        &[
            b"floatValue",
            b"isNaN",
            b"isInfinite",
            b"compare",
            b"floatToIntBits",
            b"floatToRawIntBits",
            b"intBitsToFloat",
            b"max",
            b"min",
            b"sum",
        ],
    ),
    (b"java/lang/Boolean", &[b"booleanValue", b"valueOf"]),
    (b"java/lang/Byte", &[b"byteValue"]),
    (b"java/lang/Short", &[b"shortValue"]),
    (
        b"java/lang/Character",
        &[
            b"charValue",
            b"isDigit",
            b"isLetter",
            b"isLetterOrDigit",
            b"isWhitespace",
            b"isUpperCase",
            b"isLowerCase",
            b"toUpperCase",
            b"toLowerCase",
            b"isHighSurrogate",
            b"isLowSurrogate",
        ],
    ),
    (b"java/lang/Enum", &[b"ordinal", b"name", b"hashCode"]),
    (
        b"java/lang/System",
        &[
            b"nanoTime",
            b"currentTimeMillis",
            b"arraycopy",
            b"identityHashCode",
        ],
    ),
    (b"java/lang/Thread", &[b"currentThread", b"onSpinWait"]),
    (b"java/util/Objects", &[b"requireNonNull", b"checkIndex"]),
    (
        b"java/util/ArrayList",
        &[b"get", b"size", b"isEmpty", b"set"],
    ),
    (b"java/util/concurrent/atomic/AtomicInteger", &[]),
    (b"java/util/concurrent/atomic/AtomicLong", &[]),
    (b"java/util/concurrent/atomic/AtomicBoolean", &[]),
    (
        b"java/util/concurrent/atomic/AtomicReference",
        &[b"get", b"set", b"compareAndSet", b"lazySet"],
    ),
];

/// Class and name of the method that a call names; of an `invokedynamic`, of its bootstrap method.
pub(crate) type Target<'a> = (&'a [u8], &'a [u8]);

/// The calls of a class that leave the application, by their constants.
#[derive(Debug, Default)]
pub(crate) struct LeavingCalls {
    targets: FxHashMap<PoolIndex, CallTarget>,
}

impl LeavingCalls {
    /// Those of a class; none where it is not the application's.
    pub(crate) fn of(
        class: &ClassFile<'_>,
        application: Option<&dyn ApplicationClasses>,
    ) -> Result<Self, Error> {
        let mut calls = Self::default();
        let Some(application) = application.filter(|all| all.contains(class.name())) else {
            return Ok(calls);
        };
        for (index, constant) in class.pool().iter() {
            let target = match constant {
                Constant::MethodRef(..) | Constant::InterfaceMethodRef(..) => {
                    let member = class.pool().member_ref(index)?;
                    leaves(class, application, (member.class, member.name))
                        .then_some((member.class, member.name))
                }
                Constant::InvokeDynamic(..) => bootstrap(class, index)?,
                _ => None,
            };
            if let Some((owner, name)) = target {
                calls.targets.insert(index, (owner.into(), name.into()));
            }
        }
        Ok(calls)
    }

    /// Whether there are none.
    pub(crate) fn is_empty(&self) -> bool {
        self.targets.is_empty()
    }

    /// Where a call with this constant goes, if it leaves the application.
    pub(crate) fn target(&self, index: PoolIndex) -> Option<&CallTarget> {
        self.targets.get(&index)
    }
}

/// Whether a call leaves the application. A method that the class names as its own may be one that it inherits from other code.
fn leaves(
    class: &ClassFile<'_>,
    application: &dyn ApplicationClasses,
    (owner, name): Target<'_>,
) -> bool {
    let is_helper = owner
        .strip_prefix(b"java/lang/")
        .is_some_and(|simple| simple.starts_with(HELPER_NAMES));
    if owner.starts_with(b"[") || is_helper || is_quiet(owner, name) {
        return false;
    }
    if !application.contains(owner) {
        return true;
    }
    owner == class.name()
        && class
            .super_class()
            .is_some_and(|parent| !application.contains(parent) && !is_quiet(parent, name))
        && class.methods().all(|method| method.name() != name)
}

fn is_quiet(owner: &[u8], name: &[u8]) -> bool {
    // Methods that every class inherits from Object.
    let of_object = [b"getClass".as_slice(), b"notify", b"notifyAll"];
    let of_class = QUIET.iter().find(|(class, _)| *class == owner);
    of_object.contains(&name)
        || of_class.is_some_and(|(_, names)| names.is_empty() || names.contains(&name))
}

/// The bootstrap method of an `invokedynamic`. Lambdas and method references are made where they are written.
fn bootstrap<'c>(class: &ClassFile<'c>, index: PoolIndex) -> Result<Option<Target<'c>>, Error> {
    let pool = class.pool();
    let dynamic = pool.dynamic(index)?;
    let Some(bootstrap) = class.bootstrap_methods()?.get(dynamic.bootstrap) else {
        return Ok(None);
    };
    let member = pool.method_handle(bootstrap.method)?.member;
    let is_lambda = member.class == b"java/lang/invoke/LambdaMetafactory";
    Ok((!is_lambda).then_some((member.class, member.name)))
}

#[cfg(test)]
mod tests {
    use super::is_quiet;

    #[test]
    fn only_what_makes_nothing_is_quiet() {
        assert!(is_quiet(b"java/lang/Math", b"sqrt"));
        assert!(is_quiet(b"java/lang/String", b"charAt"));
        assert!(!is_quiet(b"java/lang/String", b"substring"));
        assert!(!is_quiet(b"java/util/Map", b"get"));
        assert!(is_quiet(b"com/acme/Cart", b"getClass"));
    }
}

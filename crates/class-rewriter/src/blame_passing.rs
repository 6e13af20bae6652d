//! Finds the methods of tracked classes that allocate for their caller: only calls of these are noted.
//!
//! A method does if it may reach, through calls of tracked methods only, an allocation that is filed under the current call site. Code
//! that always throws does not count: code without branches that ends with `athrow`.
//!
//! ```text
//! substring   -> StringLatin1.newString -> new String, Arrays.copyOfRange     allocates for its caller
//! charAt      -> StringLatin1.charAt -> (new StringIndexOutOfBounds…; athrow)   does not
//! ```
//!
//! Methods are taken by name, all overloads together. Calls are taken by the class that the constant names, its superclasses among
//! the classes at hand included; what overrides a method elsewhere is not known, and is a method of a class that is not tracked.

use std::collections::BTreeSet;

use ducktrack_classfile::{ClassFile, Code, Error, Instruction, Opcode};

use crate::allocation_site::allocations;
use crate::pool_rules::PoolRules;
use crate::tracked_methods::TrackedMethods;

/// A class and one of its method names, in internal form.
pub type MethodName = (Box<[u8]>, Box<[u8]>);

/// The tracked methods of some classes, those that allocate for their caller and the others.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct BlamePassing {
    /// They pass the blame on: each may reach an allocation.
    pub passing: BTreeSet<MethodName>,
    /// They allocate nothing for their caller.
    pub idle: BTreeSet<MethodName>,
}

/// The calls and allocations in the bodies of all overloads of one name.
#[derive(Default)]
struct Body {
    name: MethodName,
    allocates: bool,
    calls: Vec<MethodName>,
}

impl BlamePassing {
    /// Of the tracked methods of `classes`, those included that were taken out. Methods
    /// that they call in tracked classes which are not at hand count as allocating.
    ///
    /// # Errors
    /// Those of the class file reader.
    pub fn of(classes: &[ClassFile<'_>], tracked: &TrackedMethods) -> Result<Self, Error> {
        let mut bodies = Vec::new();
        for class in classes {
            bodies.extend(bodies_of(class, tracked)?);
        }
        let at_hand: BTreeSet<MethodName> = bodies.iter().map(|body| body.name.clone()).collect();
        let mut result = Self::default();
        let mut before = usize::MAX;
        while before != result.passing.len() {
            before = result.passing.len();
            for body in &bodies {
                let passes = |call: &MethodName| match find(classes, call, &at_hand) {
                    Some(found) => result.passing.contains(&found),
                    None => tracked.contains(&call.0, &call.1),
                };
                if body.allocates || body.calls.iter().any(passes) {
                    result.passing.insert(body.name.clone());
                }
            }
        }
        result.idle = at_hand.difference(&result.passing).cloned().collect();
        Ok(result)
    }
}

/// The names of the methods of a class and its superclasses from which, by calls among these classes, one of the targets may
/// be reached: the targets included. Any of them may override what another one calls, so a name stands for the methods of all.
///
/// # Errors
/// Those of the class file reader.
pub fn methods_reaching(
    classes: &[ClassFile<'_>],
    targets: &[Box<[u8]>],
) -> Result<BTreeSet<Box<[u8]>>, Error> {
    let mut all = TrackedMethods::none();
    let mut bodies = Vec::new();
    for class in classes {
        all.add(&String::from_utf8_lossy(class.name()), "*");
        bodies.extend(bodies_of(class, &all)?);
    }
    let is_at_hand = |owner: &[u8]| classes.iter().any(|class| class.name() == owner);
    let mut reaching: BTreeSet<Box<[u8]>> = targets.iter().cloned().collect();
    let mut before = 0;
    while before != reaching.len() {
        before = reaching.len();
        for body in &bodies {
            let reaches = |(owner, name): &MethodName| reaching.contains(name) && is_at_hand(owner);
            if body.calls.iter().any(reaches) {
                reaching.insert(body.name.1.clone());
            }
        }
    }
    Ok(reaching)
}

/// The method that a call means, among those at hand.
fn find(
    classes: &[ClassFile<'_>],
    call: &MethodName,
    at_hand: &BTreeSet<MethodName>,
) -> Option<MethodName> {
    let mut name = call.clone();
    while !at_hand.contains(&name) {
        let class = classes.iter().find(|class| class.name() == &*name.0)?;
        name.0 = class.super_class()?.into();
    }
    Some(name)
}

fn bodies_of(class: &ClassFile<'_>, tracked: &TrackedMethods) -> Result<Vec<Body>, Error> {
    let rules = PoolRules::of(class, tracked)?;
    let mut bodies: Vec<Body> = Vec::new();
    for method in class.methods() {
        if !tracked.is_listed(class.name(), method.name()) {
            continue;
        }
        let name = (class.name().into(), method.name().into());
        let index = match bodies.iter().position(|body| body.name == name) {
            Some(index) => index,
            None => {
                bodies.push(Body {
                    name,
                    ..Body::default()
                });
                bodies.len() - 1
            }
        };
        let Some(body) = bodies.get_mut(index) else {
            continue;
        };
        // Native code and unknown subclasses are not seen.
        let Some(code) = method.code() else {
            body.allocates = true;
            continue;
        };
        if rules.body_is_counted_by_callers(class.name(), &method) {
            body.allocates = true;
        }
        body.add(class, &code, &rules)?;
    }
    Ok(bodies)
}

impl Body {
    fn add(
        &mut self,
        class: &ClassFile<'_>,
        code: &Code<'_>,
        rules: &PoolRules,
    ) -> Result<(), Error> {
        let instructions = code.instructions().collect::<Result<Vec<_>, _>>()?;
        let sites = allocations(class, code, &instructions, rules)?;
        let is_site = |at| sites.binary_search_by_key(&at, |site| site.offset).is_ok();
        let mut stretch = Vec::new();
        for instruction in &instructions {
            stretch.push(instruction);
            if !ends_stretch(instruction) {
                continue;
            }
            if instruction.opcode != Opcode::ATHROW {
                for instruction in &stretch {
                    self.allocates |=
                        is_site(instruction.offset) || concatenates(rules, instruction);
                    self.calls.extend(called(code, instruction)?);
                }
            }
            stretch.clear();
        }
        Ok(())
    }
}

/// Does control go elsewhere after this instruction, or may it?
fn ends_stretch(instruction: &Instruction<'_>) -> bool {
    instruction.is_unconditional_end()
        || instruction.opcode.is_conditional_branch()
        || instruction.opcode.is_switch()
        || instruction.opcode.is_jsr()
}

fn concatenates(rules: &PoolRules, instruction: &Instruction<'_>) -> bool {
    instruction.opcode == Opcode::INVOKEDYNAMIC
        && instruction
            .pool_index()
            .is_some_and(|index| rules.is_tracked(index))
}

fn called(code: &Code<'_>, instruction: &Instruction<'_>) -> Result<Option<MethodName>, Error> {
    let is_call = instruction.opcode.is_invoke() && instruction.opcode != Opcode::INVOKEDYNAMIC;
    let Some(index) = instruction.pool_index().filter(|_| is_call) else {
        return Ok(None);
    };
    let member = code.pool().member_ref(index)?;
    Ok(Some((member.class.into(), member.name.into())))
}

#[cfg(test)]
mod tests {
    use ducktrack_classfile::{ClassBuilder, CodeBuilder, access};

    use super::*;

    const CLASS: &[u8] = b"com/acme/Pool";

    fn add(class: &mut ClassBuilder, name: &[u8], build: impl FnOnce(&mut CodeBuilder)) {
        let mut code = CodeBuilder::new(3, 1);
        build(&mut code);
        code.op(Opcode::RETURN);
        let method = class.method(access::STATIC, name, b"()V");
        method.code(code).expect("code is complete");
    }

    fn call(code: &mut CodeBuilder, name: &[u8]) {
        code.method(Opcode::INVOKESTATIC, CLASS, name, b"()V");
    }

    /// `if (false) throw new Error();` or the same with the object thrown away.
    fn make_error(code: &mut CodeBuilder, end: Opcode) {
        let over = code.label();
        code.push_int(0).branch(Opcode::IFEQ, over);
        code.class(Opcode::NEW, b"java/lang/Error").op(end);
        code.place(over)
            .frame(&ducktrack_classfile::BuiltFrame::Same);
    }

    #[test]
    fn what_reaches_an_allocation_passes_the_blame() {
        let mut class = ClassBuilder::new(52, access::SUPER, CLASS, b"java/lang/Object");
        add(&mut class, b"allocates", |code| {
            code.push_int(3).new_array(10).op(Opcode::POP);
        });
        add(&mut class, b"reaches", |code| call(code, b"calls"));
        add(&mut class, b"calls", |code| call(code, b"allocates"));
        add(&mut class, b"inherits", |code| call(code, b"ofSuperclass"));
        add(&mut class, b"throws", |code| {
            make_error(code, Opcode::ATHROW)
        });
        add(&mut class, b"wastes", |code| make_error(code, Opcode::POP));
        add(&mut class, b"idle", |code| call(code, b"throws"));
        let bytes = class.finish().expect("the pool is small");
        let class = ClassFile::parse(&bytes).expect("a class");
        let mut tracked = TrackedMethods::none();
        tracked.add("com.acme.Pool", "*");
        tracked.take_out(CLASS, b"idle");
        let found = BlamePassing::of(&[class], &tracked).expect("a class");
        let names = |methods: &BTreeSet<MethodName>| -> Vec<String> {
            let names = methods
                .iter()
                .map(|(_, name)| String::from_utf8_lossy(name));
            names.map(String::from).collect()
        };
        let passing = ["allocates", "calls", "inherits", "reaches", "wastes"];
        assert_eq!(names(&found.passing), passing);
        assert_eq!(names(&found.idle), ["idle", "throws"]);

        let mut class = ClassBuilder::new(52, access::SUPER, b"com/acme/Large", CLASS);
        add(&mut class, b"allocates", |code| {
            code.push_int(3).new_array(10).op(Opcode::POP);
        });
        add(&mut class, b"own", |code| call(code, b"calls"));
        let subclass = class.finish().expect("the pool is small");
        let chain = [&subclass, &bytes].map(|bytes| ClassFile::parse(bytes).expect("a class"));
        let reaching = |target: &[u8]| -> Vec<String> {
            let found = methods_reaching(&chain, &[target.into()]).expect("classes");
            let names = found.iter().map(|name| String::from_utf8_lossy(name));
            names.map(String::from).collect()
        };
        let all = ["allocates", "calls", "own", "reaches"];
        assert_eq!(reaching(b"allocates"), all);
        assert_eq!(reaching(b"throws"), ["idle", "throws"]);
    }
}

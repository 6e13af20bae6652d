//! Private methods that the JIT may replace by code of its own, and that
//! return what they make: what they allocate is counted where they are called.
//!
//! The JDK marks each method that a JIT knows by heart (`IntrinsicCandidate`; HotSpot checks the marks against its own table). A probe in
//! such a body counts in the interpreter and in C1, and is lost in C2. So the class file itself says which methods these are, on each JDK:
//!
//! ```text
//! @IntrinsicCandidate
//! private static int[] implMultiplyToLen(int[] x, int xlen, int[] y, int ylen, int[] z) {
//!     if (z == null || z.length < (xlen + ylen)) z = new int[xlen + ylen];      JDK 11 to 21
//! ```
//!
//! A method that others may call has a rule by name ([`call_rules`](crate::call_rules)), because their class files do not say what it is.

use ducktrack_classfile::{ClassFile, Error, Method, access, annotations};

use crate::call_rules::CallRule;
use crate::new_type::new_type;

/// The names of the mark: until JDK 15, and since.
const MARKS: [&[u8]; 2] = [
    b"Ljdk/internal/HotSpotIntrinsicCandidate;",
    b"Ljdk/internal/vm/annotation/IntrinsicCandidate;",
];

/// The methods of one class.
#[derive(Debug, Default)]
pub(crate) struct ReplacedMethods {
    found: Vec<ReplacedMethod>,
}

#[derive(Debug)]
struct ReplacedMethod {
    name: Box<[u8]>,
    descriptor: Box<[u8]>,
    rule: CallRule,
}

impl ReplacedMethods {
    /// Looks at the methods of a class.
    ///
    /// # Errors
    /// Of the class file reader.
    pub(crate) fn of(class: &ClassFile<'_>) -> Result<Self, Error> {
        let mut found = Vec::new();
        let pool = class.pool();
        if MARKS.iter().all(|mark| pool.find_utf8(mark).is_none()) {
            return Ok(Self { found });
        }
        for method in class.methods().filter(is_marked) {
            let is_private = method.access_flags() & access::PRIVATE != 0;
            let returned = returned(method.descriptor());
            if is_private && makes(&method, returned)? {
                found.push(ReplacedMethod {
                    name: method.name().into(),
                    descriptor: method.descriptor().into(),
                    rule: rule(method.descriptor(), returned),
                });
            }
        }
        Ok(Self { found })
    }

    /// How a call of the method allocates, if it is one of these.
    pub(crate) fn rule(&self, name: &[u8], descriptor: &[u8]) -> Option<CallRule> {
        let is_it = |one: &&ReplacedMethod| *one.name == *name && *one.descriptor == *descriptor;
        self.found.iter().find(is_it).map(|one| one.rule)
    }
}

fn is_marked(method: &Method<'_>) -> bool {
    let marks = annotations(method.attributes(), method.class().pool());
    let is_mark = |ty: &str| {
        MARKS
            .iter()
            .any(|mark| mark.get(1..mark.len() - 1) == Some(ty.as_bytes()))
    };
    marks.iter().any(|mark| is_mark(&mark.ty))
}

fn returned(descriptor: &[u8]) -> &[u8] {
    let end = descriptor.iter().rposition(|byte| *byte == b')');
    end.and_then(|end| descriptor.get(end + 1..))
        .unwrap_or_default()
}

/// Whether the body allocates objects of this type.
fn makes(method: &Method<'_>, ty: &[u8]) -> Result<bool, Error> {
    let Some(code) = method.code() else {
        return Ok(false);
    };
    for instruction in code.instructions() {
        if new_type(&instruction?, code.pool())?.as_deref() == Some(ty) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The caller may pass an array or object to be used; then nothing is made.
fn rule(descriptor: &[u8], returned: &[u8]) -> CallRule {
    let parameters = descriptor
        .iter()
        .rposition(|byte| *byte == b')')
        .and_then(|end| descriptor.get(..end))
        .unwrap_or_default();
    match parameters.ends_with(returned) {
        true => CallRule::ObjectUnlessPassed,
        false => CallRule::Object,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_argument_may_be_what_is_returned() {
        let rule = |descriptor: &[u8]| rule(descriptor, returned(descriptor));
        assert_eq!(rule(b"([II[II[I)[I"), CallRule::ObjectUnlessPassed);
        assert_eq!(rule(b"([II)[I"), CallRule::Object);
        assert_eq!(rule(b"()[I"), CallRule::Object);
    }
}

//! Method descriptors (JVM specification 4.3.3).
//!
//! ```text
//! ( parameter* ) return        parameter = [* (B C D F I J S Z | L name ;)
//! ```
//!
//! Example: `(J[Ljava/lang/String;)V` takes a `long` and an array, three slots
//! in all, and returns nothing.

use crate::error::{Error, Part, Rule};

/// The type of one parameter or of a returned value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ParameterType<'a> {
    /// `boolean`, `byte`, `char`, `short` or `int`: one slot, an `int` to the verifier.
    Int,
    /// `float`.
    Float,
    /// `long`: two slots.
    Long,
    /// `double`: two slots.
    Double,
    /// A class or interface by its internal name, or an array by its descriptor:
    /// as in a Class constant.
    Reference(&'a [u8]),
}

impl ParameterType<'_> {
    /// Slots that it takes on the stack or in local variables.
    #[must_use]
    pub fn slots(&self) -> u16 {
        match self {
            Self::Long | Self::Double => 2,
            Self::Int | Self::Float | Self::Reference(_) => 1,
        }
    }
}

/// The internal name in the descriptor of a class: `Ljava/net/URL;` is `java/net/URL`; others stay as they are.
#[must_use]
pub fn class_of(descriptor: &str) -> &str {
    let name = descriptor.strip_prefix('L');
    let name = name.and_then(|name| name.strip_suffix(';'));
    name.unwrap_or(descriptor)
}

/// A method descriptor, checked against the grammar.
#[derive(Debug, Clone, Copy)]
pub struct MethodDescriptor<'a> {
    parameters: &'a [u8],
    returns: Option<ParameterType<'a>>,
}

impl<'a> MethodDescriptor<'a> {
    /// Checks a descriptor.
    ///
    /// # Errors
    /// If it does not follow the grammar.
    pub fn parse(descriptor: &'a [u8]) -> Result<Self, Error> {
        let bad = || Error::new(Rule::BadDescriptor, 0, Part::Descriptor);
        let body = descriptor.strip_prefix(b"(").ok_or_else(bad)?;
        let mut rest = body;
        while rest.first().is_some_and(|first| *first != b')') {
            rest = split_type(rest).ok_or_else(bad)?.1;
        }
        let parameters = body.get(..body.len() - rest.len()).ok_or_else(bad)?;
        let returns = match rest {
            b")V" => None,
            _ => {
                let (returns, left) = rest
                    .strip_prefix(b")")
                    .and_then(split_type)
                    .ok_or_else(bad)?;
                Some(returns)
                    .filter(|_| left.is_empty())
                    .ok_or_else(bad)?
                    .into()
            }
        };
        Ok(Self {
            parameters,
            returns,
        })
    }

    /// The parameters, in order, without `this`.
    #[must_use]
    pub fn parameters(&self) -> Parameters<'a> {
        Parameters {
            rest: self.parameters,
        }
    }

    /// The returned type; `None` for `void`.
    #[must_use]
    pub fn returns(&self) -> Option<ParameterType<'a>> {
        self.returns
    }

    /// Slots of all parameters, without `this`.
    #[must_use]
    pub fn parameter_slots(&self) -> u16 {
        self.parameters().fold(0, |slots, parameter| {
            slots.saturating_add(parameter.slots())
        })
    }
}

/// The parameters of a method.
#[derive(Debug, Clone)]
pub struct Parameters<'a> {
    rest: &'a [u8],
}

impl<'a> Iterator for Parameters<'a> {
    type Item = ParameterType<'a>;

    fn next(&mut self) -> Option<ParameterType<'a>> {
        let (parameter, rest) = split_type(self.rest)?;
        self.rest = rest;
        Some(parameter)
    }
}

/// The first type of a descriptor, and what follows it.
fn split_type(descriptor: &[u8]) -> Option<(ParameterType<'_>, &[u8])> {
    let dimensions = descriptor.iter().take_while(|byte| **byte == b'[').count();
    let element = descriptor.get(dimensions..)?;
    let length = match element.first()? {
        b'B' | b'C' | b'D' | b'F' | b'I' | b'J' | b'S' | b'Z' => 1,
        b'L' => {
            element
                .iter()
                .position(|byte| *byte == b';')
                .filter(|end| *end > 1)?
                + 1
        }
        _ => return None,
    };
    let (whole, rest) = descriptor.split_at_checked(dimensions + length)?;
    let parameter = match *whole {
        [b'B' | b'C' | b'I' | b'S' | b'Z'] => ParameterType::Int,
        [b'F'] => ParameterType::Float,
        [b'J'] => ParameterType::Long,
        [b'D'] => ParameterType::Double,
        [b'L', ref name @ .., b';'] => ParameterType::Reference(name),
        _ => ParameterType::Reference(whole),
    };
    Some((parameter, rest))
}

#[cfg(test)]
mod tests {
    use super::{MethodDescriptor, ParameterType};

    #[test]
    fn a_name_keeps_its_own_letters() {
        for (descriptor, name) in [
            ("Ljava/net/URL;", "java/net/URL"),
            ("LLine;", "Line"),
            ("[I", "[I"),
            ("", ""),
        ] {
            assert_eq!(super::class_of(descriptor), name);
        }
    }

    #[test]
    fn parameters_slots_and_result() -> Result<(), crate::Error> {
        let descriptor = MethodDescriptor::parse(b"(J[Ljava/lang/String;ZLA;[[D)[I")?;
        let parameters: Vec<_> = descriptor.parameters().collect();
        assert_eq!(
            parameters,
            [
                ParameterType::Long,
                ParameterType::Reference(b"[Ljava/lang/String;"),
                ParameterType::Int,
                ParameterType::Reference(b"A"),
                ParameterType::Reference(b"[[D"),
            ]
        );
        assert_eq!(descriptor.parameter_slots(), 6);
        assert_eq!(descriptor.returns(), Some(ParameterType::Reference(b"[I")));
        assert_eq!(MethodDescriptor::parse(b"()V")?.returns(), None);
        Ok(())
    }

    #[test]
    fn broken_descriptors_are_refused() {
        for bad in [
            &b""[..],
            b"I",
            b"(",
            b"()",
            b"(L;)V",
            b"(LA)V",
            b"([)V",
            b"()VV",
            b"(V)V",
            b"()II",
        ] {
            assert!(
                MethodDescriptor::parse(bad).is_err(),
                "{:?}",
                String::from_utf8_lossy(bad)
            );
        }
    }
}

//! Facts about sites and calls that only their bytecode has.

use serde::{Deserialize, Serialize};

use ducktrack_probe_vocabulary::Captures;

use crate::ids::{CounterId, MethodId, SiteId};

/// Facts about a site, where there is one to state. The record follows that of the site.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BytecodeFacts {
    /// The site.
    pub site: SiteId,
    /// Loops of its method around it.
    pub loops: u8,
    /// Of a closure: the values that it captures.
    pub captures: Captures,
    /// Of an array: the method that takes it as its last argument.
    pub passed_to: Option<MethodName>,
}

/// A method as bytecode names it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct MethodName {
    /// Internal name of the class.
    pub class: String,
    /// Its name.
    pub name: String,
    /// Its descriptor.
    pub descriptor: String,
}

/// A call of a JDK method that makes objects, in code that is not the JDK's. [`CallTerms`] name it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CountedCall {
    /// Its number, which no site has.
    pub id: SiteId,
    /// The method that calls.
    pub method: MethodId,
    /// Bytecode index of the call in the class file as loaded without the agent.
    pub bci: u16,
    /// Source line of the call.
    pub line: Option<u16>,
    /// The called method.
    pub target: MethodName,
    /// Loops of the method around the call.
    pub loops: u8,
    /// The last argument is a constant of the code.
    pub has_constant_argument: bool,
}

/// A method with the flag `ACC_VARARGS`: a compiler makes the array for its last parameter.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct VarargsMethod {
    /// The method.
    pub method: MethodName,
}

/// The executed calls that one increment of a counter stands for, beside
/// the terms of the counter's own record. The record follows that one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallTerms {
    /// The counter.
    pub counter: CounterId,
    /// Calls, each with a factor; negative where a path corrects another.
    pub terms: Vec<(SiteId, i32)>,
}

//! Classes, methods, sites and calls of the program, and the code that was not instrumented.

use serde::{Deserialize, Serialize};

use ducktrack_probe_vocabulary::AllocationKind;

use crate::ids::{CallSiteId, ClassId, MethodId, SiteId};

/// A class as loaded by one class loader.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Class {
    /// Its id.
    pub id: ClassId,
    /// Internal name, `java/util/HashMap$Node`. Hidden classes keep the VM's own name (`Main$$Lambda+0x...`).
    pub name: String,
    /// `boot`, `platform`, `app`, or the loader's class name and a number.
    pub loader: String,
    /// True for hidden (on old VMs: anonymous) classes.
    pub hidden: bool,
    /// The `SourceFile` attribute.
    pub source_file: Option<String>,
}

/// A method of a class.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Method {
    /// Its id.
    pub id: MethodId,
    /// The class that declares it.
    pub class: ClassId,
    /// Its name, `<init>` for a constructor.
    pub name: String,
    /// Its descriptor, `(I)V`.
    pub descriptor: String,
}

/// An allocation site.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Site {
    /// Its id.
    pub id: SiteId,
    /// The method it is in.
    pub method: MethodId,
    /// Bytecode index in the class file as loaded without the agent.
    pub bci: u16,
    /// Source line.
    pub line: Option<u16>,
    /// How it allocates.
    pub kind: AllocationKind,
    /// The allocated type as a descriptor (`Ljava/lang/String;`, `[I`, `[[J`); each level of a `multianewarray` is a
    /// separate site. `None` if it is only known at run time (see [`KeyedCount::ty`](crate::KeyedCount::ty)).
    pub ty: Option<String>,
}

/// A call of a tracked method.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CallSite {
    /// Its id.
    pub id: CallSiteId,
    /// The calling method.
    pub method: MethodId,
    /// Bytecode index of the call in the class file as loaded without the agent.
    pub bci: u16,
    /// Source line of the call.
    pub line: Option<u16>,
    /// The called method, `java/util/Arrays.copyOf`.
    pub target: String,
}

/// A site together with the call of a tracked method that is to blame. Events use this number instead of the site's and need not state the
/// caller. The record precedes the first event that uses it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CalledSite {
    /// The number for both, [`FIRST_CALLED_SITE`](crate::FIRST_CALLED_SITE) or more; no site has it.
    pub id: SiteId,
    /// The site.
    pub site: SiteId,
    /// The caller.
    pub caller: CallSiteId,
}

/// The number of a method in records of calls. A method may have several: a class that is loaded again gets new ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CalledMethod {
    /// Number in the records.
    pub number: u32,
    /// The method.
    pub method: MethodId,
}

/// The number of a static field, as the code of one class refers to it. A field may have several.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StaticField {
    /// Number in the records.
    pub number: u32,
    /// The class named in the code (internal name); the field may be inherited.
    pub class: String,
    /// Name of the field.
    pub name: String,
    /// Type of the field as a descriptor.
    pub descriptor: String,
}

/// A class or method that was not instrumented.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refusal {
    /// Class name in internal form.
    pub class: String,
    /// Name and descriptor; `None` if the whole class was not instrumented.
    pub method: Option<String>,
    /// A stable name, such as `method-too-large`.
    pub reason: String,
    /// Allocation sites that are therefore not counted.
    pub sites: u32,
}

/// A method that got a new version.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Reinstrumented {
    /// The method.
    pub method: MethodId,
    /// The new version.
    pub version: u16,
    /// Number of calls of the method so far.
    pub entries: u64,
    /// Increments per call before.
    pub before: f32,
    /// Predicted increments per call of the new version.
    pub after: f32,
}

//! The names that a stream gives to its numbers.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use crate::stream::record::{Definition, MethodId, SiteId, ThreadId, TypeId};

/// A method.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MethodName {
    /// The class or module around it; may be empty.
    pub class: String,
    /// Its name.
    pub name: String,
    /// The source file; may be empty.
    pub file: String,
}

/// A site.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SiteName {
    /// The method that it lies in.
    pub method: MethodId,
    /// The line; 0: not known.
    pub line: u32,
    /// Where that method was called from; 0: not known.
    pub caller: SiteId,
}

/// All names; the last definition of a number holds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Names {
    /// Facts about the whole stream.
    pub facts: BTreeMap<String, String>,
    types: FxHashMap<TypeId, String>,
    methods: FxHashMap<MethodId, MethodName>,
    sites: FxHashMap<SiteId, SiteName>,
    threads: FxHashMap<ThreadId, String>,
}

impl Names {
    /// Takes a definition.
    pub fn define(&mut self, definition: &Definition) {
        match definition {
            Definition::Fact { key, value } => {
                self.facts.insert(key.clone(), value.clone());
            }
            Definition::Type { ty, name } => {
                self.types.insert(*ty, name.clone());
            }
            Definition::Method {
                method,
                class,
                name,
                file,
            } => {
                let name = MethodName {
                    class: class.clone(),
                    name: name.clone(),
                    file: file.clone(),
                };
                self.methods.insert(*method, name);
            }
            Definition::Site {
                site,
                method,
                line,
                caller,
            } => {
                let name = SiteName {
                    method: *method,
                    line: *line,
                    caller: *caller,
                };
                self.sites.insert(*site, name);
            }
            Definition::Thread { thread, name } => {
                self.threads.insert(*thread, name.clone());
            }
        }
    }

    /// The type's name.
    #[must_use]
    pub fn ty(&self, ty: TypeId) -> Option<&str> {
        self.types.get(&ty).map(String::as_str)
    }

    /// The method.
    #[must_use]
    pub fn method(&self, method: MethodId) -> Option<&MethodName> {
        self.methods.get(&method)
    }

    /// The site.
    #[must_use]
    pub fn site(&self, site: SiteId) -> Option<SiteName> {
        self.sites.get(&site).copied()
    }

    /// The thread's name.
    #[must_use]
    pub fn thread(&self, thread: ThreadId) -> Option<&str> {
        self.threads.get(&thread).map(String::as_str)
    }
}

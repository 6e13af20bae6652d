//! The contexts that methods of well-known libraries open, and how such methods are recognized.

use ducktrack_classfile::{ClassFile, Method};

/// The context that a method of a library opens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum BuiltInEntry {
    /// A context of this name.
    Named(String),
    /// The statement that is its first argument.
    Statement,
    /// The statement that the receiver was prepared with.
    PreparedStatement,
    /// A context of this name, where this argument is the enum constant with that name.
    NamedIf {
        argument: u8,
        is: &'static str,
        name: &'static str,
    },
    /// The text in this field of the receiver; none where that is null.
    Field(&'static str),
    /// The span of the context that is its first argument, until the scope that it returns is closed.
    Attaches,
    /// None: it closes such a scope.
    Closes,
    /// None: it prepares the statement that is its first argument.
    Prepares,
}

/// Class and method, with dots.
pub(super) fn method_name(class: &ClassFile<'_>, method: &Method<'_>) -> String {
    let class = String::from_utf8_lossy(class.name()).replace('/', ".");
    format!("{class}.{}", String::from_utf8_lossy(method.name()))
}

/// Whether a class names one of these interfaces itself.
pub(super) fn implements(class: &ClassFile<'_>, interfaces: &[&[u8]]) -> bool {
    class.interfaces().any(|name| interfaces.contains(&name))
}

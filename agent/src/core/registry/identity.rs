//! Identities of classes, and of methods without bytecode.

/// A class loader; 0 is the boot loader.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct LoaderId(pub(crate) u32);

/// The identity of a class.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct ClassKey {
    pub(crate) loader: LoaderId,
    pub(crate) name: Box<[u8]>,
}

/// The origin of a class.
pub(crate) struct Origin<'a> {
    pub(crate) key: &'a ClassKey,
    pub(crate) loader_name: &'a str,
    pub(crate) hidden: bool,
}

/// A method without bytecode in which objects are allocated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NativeMethod {
    pub(crate) class: String,
    pub(crate) loader: String,
    pub(crate) method: String,
    pub(crate) descriptor: String,
}

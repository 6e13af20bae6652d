//! Access flags of classes, fields and methods (JVM specification 4.1, 4.5, 4.6).
//!
//! Flags are plain `u16` values, so that bits without a name survive.

/// Visible to everyone.
pub const PUBLIC: u16 = 0x0001;
/// Visible in its class and nest only.
pub const PRIVATE: u16 = 0x0002;
/// Not bound to an instance.
pub const STATIC: u16 = 0x0008;
/// Not overridden, extended or assigned again.
pub const FINAL: u16 = 0x0010;
/// On a method: holds a monitor while it runs.
pub const SYNCHRONIZED: u16 = 0x0020;
/// On a class: `invokespecial` finds superclass methods the modern way.
pub const SUPER: u16 = 0x0020;
/// On a method: a compiler makes an array of its last arguments.
pub const VARARGS: u16 = 0x0080;
/// On a method: implemented outside the class file.
pub const NATIVE: u16 = 0x0100;
/// On a class: an interface.
pub const INTERFACE: u16 = 0x0200;
/// On a class: a module description.
pub const MODULE: u16 = 0x8000;

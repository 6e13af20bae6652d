//! Reads Klass, HotSpot's own representation of a class.
//!
//! The fields read here (`src/hotspot/share/oops/klass.hpp`, `symbol.hpp`) are `_layout_helper` (size rule), `_name` (a `Symbol`: 16-bit
//! length, then the bytes in modified UTF-8, `java/lang/String` or `[I`), `_next_link` and `_class_loader_data`.
//!
//! A `java.lang.Class` object points to its Klass through a field that the VM adds, at `java_lang_Class::_klass_offset`. The only way to
//! read it safely at any time is from Java code, with `Unsafe.getLong(theClass, klassOffset)`, because only Java code can hold the object
//! in place under every collector.
//!
//! Klass pointers may be stale (the class was unloaded), so everything is read through [`crate::read_value`], and an invalid pointer gives
//! an error instead of a crash.

use crate::address::Address;
use crate::classes::layout_helper::LayoutHelper;
use crate::error::Error;
use crate::process::careful_read::{read_bytes, read_value};
use crate::vm::vm_structs::VmStructs;

/// Offsets for reading classes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KlassLayout {
    /// `Klass::_layout_helper`, 4 bytes.
    pub layout_helper: usize,
    /// `Klass::_name`, a pointer to a `Symbol`.
    pub name: usize,
    /// `Klass::_next_link`, the next class of the same loader.
    pub next_link: usize,
    /// `Symbol::_length`, 2 bytes.
    pub symbol_length: usize,
    /// `Symbol::_body`.
    pub symbol_body: usize,
    /// Offset of the Klass pointer in a `java.lang.Class` object, 8 bytes. 0 until the VM has set up that class: call [`KlassLayout::load`]
    /// in or after `VMInit`.
    pub class_klass: usize,
    /// Offset of the size of a `java.lang.Class` object, 4 bytes, in heap words (its static fields are part of it).
    pub class_oop_size: usize,
}

impl KlassLayout {
    /// Reads the offsets from the VM's tables. Call in or after `VMInit`, because the VM sets two of them only then.
    pub fn load(vm: &VmStructs) -> Result<Self, Error> {
        let injected = |field| {
            let value: i32 = read_value(vm.address(&[("java_lang_Class", field)])?)?;
            usize::try_from(value).map_err(|_| Error::Implausible {
                what: "an offset in java.lang.Class",
                value: u64::MAX,
            })
        };
        Ok(Self {
            layout_helper: vm.offset(&[("Klass", "_layout_helper")])?,
            name: vm.offset(&[("Klass", "_name")])?,
            next_link: vm.offset(&[("Klass", "_next_link")])?,
            symbol_length: vm.offset(&[("Symbol", "_length")])?,
            symbol_body: vm.offset(&[("Symbol", "_body"), ("Symbol", "_body[0]")])?,
            class_klass: injected("_klass_offset")?,
            class_oop_size: injected("_oop_size_offset")?,
        })
    }

    /// The size rule of a class.
    pub fn layout_helper_of(&self, klass: Address) -> Result<LayoutHelper, Error> {
        read_value(klass.plus(self.layout_helper)).map(LayoutHelper)
    }

    /// The internal name, e.g. `java/lang/String` or `[I`, in modified UTF-8. Hidden classes have a `+0x...` suffix.
    pub fn name_of(&self, klass: Address) -> Result<Vec<u8>, Error> {
        let symbol: Address = read_value(klass.plus(self.name))?;
        self.symbol_bytes(symbol)
    }

    /// The text of a `Symbol`.
    pub fn symbol_bytes(&self, symbol: Address) -> Result<Vec<u8>, Error> {
        let length: u16 = read_value(symbol.plus(self.symbol_length))?;
        let mut bytes = vec![0_u8; usize::from(length)];
        read_bytes(symbol.plus(self.symbol_body), &mut bytes)?;
        Ok(bytes)
    }

    /// Whether this is a hidden class. The tables do not give the VM's own flag in all releases, but the name tells: only the name of a
    /// hidden class has a `+` followed by `0x` and an address after its last slash.
    pub fn is_hidden(&self, klass: Address) -> Result<bool, Error> {
        Ok(is_hidden_name(&self.name_of(klass)?))
    }
}

/// Whether this internal name has the suffix of hidden classes (`.../Lambda+0x00007f0a1c000a18`).
fn is_hidden_name(name: &[u8]) -> bool {
    name.iter()
        .rposition(|&byte| byte == b'+')
        .is_some_and(|plus| {
            let suffix = name.get(plus + 1..).unwrap_or_default();
            suffix.strip_prefix(b"0x").is_some_and(|digits| {
                !digits.is_empty() && digits.iter().all(u8::is_ascii_hexdigit)
            })
        })
}

#[cfg(test)]
mod tests {
    use super::{KlassLayout, is_hidden_name};
    use crate::address::Address;
    use crate::classes::layout_helper::LayoutHelper;

    #[repr(C)]
    struct FakeKlass {
        vtable: u64,
        layout_helper: i32,
        padding: u32,
        name: *const u8,
    }

    #[test]
    fn reads_name_and_size() {
        let symbol: [u8; 11] = [9, 9, 5, 0, 1, 1, b'A', b'b', b'/', b'C', b'd'];
        let klass = FakeKlass {
            vtable: 1,
            layout_helper: 24,
            padding: 7,
            name: symbol.as_ptr(),
        };
        let layout = KlassLayout {
            layout_helper: 8,
            name: 16,
            next_link: 0,
            symbol_length: 2,
            symbol_body: 6,
            class_klass: 0,
            class_oop_size: 0,
        };
        let address = Address::of(&raw const klass);
        assert_eq!(layout.layout_helper_of(address), Ok(LayoutHelper(24)));
        assert_eq!(layout.name_of(address).as_deref(), Ok(&b"Ab/Cd"[..]));
        assert_eq!(layout.is_hidden(address), Ok(false));
        assert!(layout.name_of(Address(8)).is_err());
    }

    #[test]
    fn hidden_names() {
        assert!(is_hidden_name(b"Main$$Lambda+0x00007f0a1c000a18"));
        assert!(!is_hidden_name(b"Main$$Lambda"));
        assert!(!is_hidden_name(b"odd+0x"));
        assert!(!is_hidden_name(b"a+b"));
    }
}

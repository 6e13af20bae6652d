//! Reads the names and flags of methods' parameters (attribute `MethodParameters`) that the VM keeps with a loaded class.
//!
//! HotSpot before JDK 20 leaves this attribute out of the class file that it hands to agents when
//! a class is retransformed (JDK-8240908), and a class that is retransformed loses it. Later
//! releases write it, and have other tables: there, [`MethodParameterLayout::load`] is an error.
//!
//! From `src/hotspot/share/oops/constMethod.hpp`: what only some methods have lies at the end of a `ConstMethod`, and is found from there
//! backwards. Flags say what there is.
//!
//! ```text
//! ... | parameters: u2 name, u2 flags, each | u2 number of parameters | u2 generic signature | pointers to annotations, up to 4 |
//!                                                                                                                        end -^
//! ```
//!
//! Names are indices into the pool of the method's class. Everything is read through [`crate::read_value`]:
//! a class that another thread redefines at this moment gives an error, or parameters of its older version.

use crate::address::Address;
use crate::classes::klass::KlassLayout;
use crate::error::Error;
use crate::process::careful_read::{read_bytes, read_value};
use crate::vm::vm_structs::VmStructs;

/// A class file has at most so many methods; the VM adds some to classes with default methods.
const MOST_METHODS: i32 = 1 << 17;
/// The largest `ConstMethod`: 64 KB of code, and tables.
const LARGEST: usize = 1 << 22;

/// One parameter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParameterFacts {
    /// Its name in modified UTF-8; `None` if it has none.
    pub name: Option<Vec<u8>>,
    /// `final`, synthetic, mandated.
    pub flags: u16,
}

/// The parameters of one method.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MethodParameterFacts {
    /// Name of the method.
    pub method: Vec<u8>,
    /// Its descriptor.
    pub descriptor: Vec<u8>,
    /// Its parameters as the class file gave them; none if the attribute was empty.
    pub parameters: Vec<ParameterFacts>,
}

/// Where the VM has them.
#[derive(Debug, Clone, Copy)]
pub struct MethodParameterLayout {
    klass: KlassLayout,
    /// `InstanceKlass::_methods`, and the elements of that array.
    methods: usize,
    elements: usize,
    /// `Method::_constMethod`
    const_method: usize,
    fields: Fields,
    flags: Flags,
    /// Size of the header of a constant pool.
    pool_header: usize,
}

/// Of a `ConstMethod`.
#[derive(Debug, Clone, Copy)]
struct Fields {
    constants: usize,
    /// In words.
    size: usize,
    flags: usize,
    name: usize,
    descriptor: usize,
    header: usize,
}

/// Bits of `ConstMethod::_flags`.
#[derive(Debug, Clone, Copy)]
struct Flags {
    parameters: u16,
    generic_signature: u16,
    /// One word each at the end of the `ConstMethod`.
    annotations: [u16; 4],
}

impl MethodParameterLayout {
    /// Finds the places in the VM's tables.
    ///
    /// # Errors
    /// The entry that this VM does not have.
    pub fn load(vm: &VmStructs, klass: KlassLayout) -> Result<Self, Error> {
        let size_of = |type_name| {
            vm.type_size(type_name)
                .ok_or(Error::MissingType { type_name })
        };
        let field = |name| vm.offset(&[("ConstMethod", name)]);
        Ok(Self {
            klass,
            methods: vm.offset(&[("InstanceKlass", "_methods")])?,
            elements: vm.offset(&[("Array<Method*>", "_data")]).unwrap_or(8),
            const_method: vm.offset(&[("Method", "_constMethod")])?,
            fields: Fields {
                constants: field("_constants")?,
                size: field("_constMethod_size")?,
                flags: field("_flags")?,
                name: field("_name_index")?,
                descriptor: field("_signature_index")?,
                header: size_of("ConstMethod")?,
            },
            flags: Flags::load(vm)?,
            pool_header: size_of("ConstantPool")?,
        })
    }

    /// The methods of a class that have parameters with names or flags, in the VM's order.
    ///
    /// # Errors
    /// If something cannot be read, or is not as expected.
    pub fn of(&self, klass: Address) -> Result<Vec<MethodParameterFacts>, Error> {
        let array: Address = read_value(klass.plus(self.methods))?;
        let length: i32 = read_value(array)?;
        let plausible = (0..=MOST_METHODS).contains(&length);
        let count = usize::try_from(length).ok().filter(|_| plausible);
        let count = count.ok_or(implausible(
            "the number of methods of a class",
            length.into(),
        ))?;
        let mut methods = vec![0_u8; count * 8];
        read_bytes(array.plus(self.elements), &mut methods)?;
        let mut found = Vec::new();
        for method in methods.as_chunks().0 {
            let method = Address(usize::from_ne_bytes(*method));
            found.extend(self.of_method(method)?);
        }
        Ok(found)
    }

    fn of_method(&self, method: Address) -> Result<Option<MethodParameterFacts>, Error> {
        let const_method: Address = read_value(method.plus(self.const_method))?;
        let flags: u16 = read_value(const_method.plus(self.fields.flags))?;
        if flags & self.flags.parameters == 0 {
            return Ok(None);
        }
        let words: i32 = read_value(const_method.plus(self.fields.size))?;
        let size = usize::try_from(words).unwrap_or(0) * 8;
        if !(self.fields.header..LARGEST).contains(&size) {
            return Err(implausible("the size of a method", words.into()));
        }
        let mut bytes = vec![0_u8; size];
        read_bytes(const_method, &mut bytes)?;
        let pool: Address = read_value(const_method.plus(self.fields.constants))?;
        let text = |index: u16| self.symbol(pool, index);
        let number = |place| {
            u16_at(&bytes, place).ok_or(implausible("a table of a method", i64::from(words)))
        };
        let parameters = self.table(&bytes, flags)?;
        let parameters = parameters.into_iter().map(|(name, flags)| {
            let name = (name != 0).then(|| text(name)).transpose()?;
            Ok(ParameterFacts { name, flags })
        });
        Ok(Some(MethodParameterFacts {
            method: text(number(self.fields.name)?)?,
            descriptor: text(number(self.fields.descriptor)?)?,
            parameters: parameters.collect::<Result<_, Error>>()?,
        }))
    }

    /// Name and flags of each parameter, from the end of a `ConstMethod`.
    fn table(&self, bytes: &[u8], flags: u16) -> Result<Vec<(u16, u16)>, Error> {
        let outside = || {
            implausible(
                "the parameters of a method",
                bytes.len().try_into().unwrap_or(0),
            )
        };
        let annotations = self.flags.annotations.iter();
        let pointers = annotations.filter(|flag| flags & **flag != 0).count();
        let signature = usize::from(flags & self.flags.generic_signature != 0);
        let after = pointers * 8 + (signature + 1) * 2;
        let length = bytes.len().checked_sub(after).ok_or_else(outside)?;
        let count = usize::from(u16_at(bytes, length).ok_or_else(outside)?);
        let start = length.checked_sub(count * 4);
        // A method has at most 255 parameters.
        let start = start.filter(|start| *start >= self.fields.header && count <= 255);
        let table = bytes.get(start.ok_or_else(outside)?..length);
        let elements = table.unwrap_or_default().as_chunks::<4>().0.iter();
        let element = |bytes: &[u8; 4]| {
            let [n0, n1, f0, f1] = *bytes;
            (u16::from_ne_bytes([n0, n1]), u16::from_ne_bytes([f0, f1]))
        };
        Ok(elements.map(element).collect())
    }

    fn symbol(&self, pool: Address, index: u16) -> Result<Vec<u8>, Error> {
        let entry = pool.plus(self.pool_header + usize::from(index) * 8);
        self.klass.symbol_bytes(read_value(entry)?)
    }
}

impl Flags {
    fn load(vm: &VmStructs) -> Result<Self, Error> {
        let flag = |name: &'static str| {
            let value = vm.constant(name).and_then(|bit| u16::try_from(bit).ok());
            value.ok_or(Error::MissingField {
                type_name: "ConstMethod",
                field_name: name,
            })
        };
        Ok(Self {
            parameters: flag("ConstMethod::_has_method_parameters")?,
            generic_signature: flag("ConstMethod::_has_generic_signature")?,
            annotations: [
                flag("ConstMethod::_has_method_annotations")?,
                flag("ConstMethod::_has_parameter_annotations")?,
                flag("ConstMethod::_has_type_annotations")?,
                flag("ConstMethod::_has_default_annotations")?,
            ],
        })
    }
}

fn u16_at(bytes: &[u8], place: usize) -> Option<u16> {
    let pair = bytes.get(place..place + 2)?.try_into().ok()?;
    Some(u16::from_ne_bytes(pair))
}

fn implausible(what: &'static str, value: i64) -> Error {
    Error::Implausible {
        what,
        value: value.cast_unsigned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KLASS: KlassLayout = KlassLayout {
        layout_helper: 0,
        name: 0,
        next_link: 0,
        symbol_length: 0,
        symbol_body: 2,
        class_klass: 0,
        class_oop_size: 0,
    };

    /// Places in [`made_up`]'s words: a class points to its methods, these to theirs, and so on.
    const LAYOUT: MethodParameterLayout = MethodParameterLayout {
        klass: KLASS,
        methods: 0,
        elements: 8,
        const_method: 0,
        fields: Fields {
            constants: 0,
            size: 8,
            flags: 12,
            name: 14,
            descriptor: 16,
            header: 24,
        },
        flags: Flags {
            parameters: 0x20,
            generic_signature: 0x10,
            annotations: [0x80, 0x100, 0x200, 0x400],
        },
        pool_header: 8,
    };

    fn words(bytes: &[u8]) -> Vec<u64> {
        let chunks = bytes.chunks(8).map(|chunk| {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            u64::from_ne_bytes(word)
        });
        chunks.collect()
    }

    fn symbol(text: &str) -> Vec<u64> {
        let length = u16::try_from(text.len()).expect("short").to_ne_bytes();
        words(&[&length, text.as_bytes()].concat())
    }

    fn address(words: &[u64]) -> u64 {
        Address::of(words.as_ptr()).0 as u64
    }

    /// A method with these flags and this end, and one without parameters.
    fn found(flags: u16, end: &[u16]) -> Result<Vec<MethodParameterFacts>, Error> {
        let symbols = ["search", "(Ljava/lang/String;I)V", "category"].map(symbol);
        let mut pool = vec![0, 0];
        pool.extend(symbols.iter().map(|symbol| address(symbol)));
        let size = 3 + end.len().div_ceil(4);
        let mut method = address(&pool).to_ne_bytes().to_vec();
        method.extend((u64::from(flags) << 32 | 1 << 48 | size as u64).to_ne_bytes());
        method.extend([2, 0, 0, 0, 0, 0, 0, 0]);
        // The tables end with the method.
        method.resize(size * 8 - end.len() * 2, 0xee);
        method.extend(end.iter().flat_map(|number| number.to_ne_bytes()));
        let (method, plain) = (words(&method), vec![0, 3]);
        let methods = [[address(&plain)], [address(&method)]];
        let array = [2, address(&methods[0]), address(&methods[1])];
        let klass = [address(&array)];
        LAYOUT.of(Address::of(klass.as_ptr()))
    }

    #[test]
    fn parameters_are_found_from_the_end() {
        let expected = vec![MethodParameterFacts {
            method: b"search".to_vec(),
            descriptor: b"(Ljava/lang/String;I)V".to_vec(),
            parameters: vec![
                ParameterFacts {
                    name: Some(b"category".to_vec()),
                    flags: 0x10,
                },
                ParameterFacts {
                    name: None,
                    flags: 0x1000,
                },
            ],
        }];
        let table = [3, 0x10, 0, 0x1000, 2];
        assert_eq!(found(0x20, &table).as_ref(), Ok(&expected));
        // A generic signature and two pointers lie behind them.
        let more = [table.as_slice(), &[9], &[7; 8]].concat();
        assert_eq!(
            found(0x20 | 0x10 | 0x80 | 0x400, &more).as_ref(),
            Ok(&expected)
        );
        assert_eq!(found(0, &table), Ok(Vec::new()));
        assert_eq!(
            found(0x20, &[0]).map(|found| found[0].parameters.len()),
            Ok(0)
        );
    }

    #[test]
    fn a_table_that_does_not_fit_is_an_error() {
        assert!(found(0x20, &[3, 0x10, 200]).is_err());
        assert!(found(0x20, &[3, 0x10, 60_000]).is_err());
        assert!(LAYOUT.of(Address(8)).is_err());
    }
}

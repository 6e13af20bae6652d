//! Hand-made tables with a layout different from HotSpot's, to show that the exported layout is used.

use std::ffi::{CStr, c_char};

use super::{FieldPlace, VmStructs};
use crate::address::Address;
use crate::error::Error;
use crate::vm::libjvm::Libjvm;

/// A field entry with its members in another order and with padding.
#[repr(C)]
struct StructEntry {
    offset: u64,
    address: usize,
    is_static: i32,
    unused: [u32; 5],
    field_name: *const c_char,
    type_string: *const c_char,
    type_name: *const c_char,
}

#[repr(C)]
struct TypeEntry {
    size: u64,
    type_name: *const c_char,
}

#[repr(C)]
struct ConstantEntry {
    value: i64,
    name: *const c_char,
}

fn text(name: Option<&'static CStr>) -> *const c_char {
    name.map_or(std::ptr::null(), CStr::as_ptr)
}

fn field(
    owner: Option<&'static CStr>,
    name: Option<&'static CStr>,
    is_static: i32,
    offset: u64,
) -> StructEntry {
    StructEntry {
        offset,
        address: 0x5000,
        is_static,
        unused: [0; 5],
        field_name: text(name),
        type_string: text(name.map(|_| c"int")),
        type_name: text(owner),
    }
}

/// Leaks a value so that tables can point at it.
fn place<T>(value: T) -> Address {
    Address(std::ptr::from_ref(Box::leak(Box::new(value))).expose_provenance())
}

fn number(value: usize) -> Address {
    place(value as u64)
}

/// The symbols of a synthetic VM with the given field entries.
fn read_tables(fields: Vec<StructEntry>) -> Result<VmStructs, Error> {
    let fields = place(Address::of(fields.leak().as_ptr()));
    let types = vec![
        TypeEntry {
            size: 1784,
            type_name: text(Some(c"JavaThread")),
        },
        TypeEntry {
            size: 0,
            type_name: text(None),
        },
    ];
    let types = place(Address::of(types.leak().as_ptr()));
    let constants = |name: &'static CStr, value| {
        let entries = vec![
            ConstantEntry {
                value,
                name: text(Some(name)),
            },
            ConstantEntry {
                value: 0,
                name: text(None),
            },
        ];
        place(Address::of(entries.leak().as_ptr()))
    };
    let (ints, longs) = (
        constants(c"an_int", 0x7_ffff_ffff),
        constants(c"a_long", -5),
    );
    VmStructs::read(Libjvm::default(), &|name| {
        Ok(match name.to_str().unwrap_or_default() {
            "gHotSpotVMStructs" => fields,
            "gHotSpotVMStructEntryArrayStride" => number(size_of::<StructEntry>()),
            "gHotSpotVMStructEntryTypeNameOffset" => {
                number(std::mem::offset_of!(StructEntry, type_name))
            }
            "gHotSpotVMStructEntryFieldNameOffset" => {
                number(std::mem::offset_of!(StructEntry, field_name))
            }
            "gHotSpotVMStructEntryTypeStringOffset" => {
                number(std::mem::offset_of!(StructEntry, type_string))
            }
            "gHotSpotVMStructEntryIsStaticOffset" => {
                number(std::mem::offset_of!(StructEntry, is_static))
            }
            "gHotSpotVMStructEntryOffsetOffset" => number(0),
            "gHotSpotVMStructEntryAddressOffset" => {
                number(std::mem::offset_of!(StructEntry, address))
            }
            "gHotSpotVMTypes" => types,
            "gHotSpotVMTypeEntryArrayStride" => number(size_of::<TypeEntry>()),
            "gHotSpotVMTypeEntryTypeNameOffset" => number(8),
            "gHotSpotVMTypeEntrySizeOffset" => number(0),
            "gHotSpotVMIntConstants" => ints,
            "gHotSpotVMLongConstants" => longs,
            "gHotSpotVMIntConstantEntryArrayStride" | "gHotSpotVMLongConstantEntryArrayStride" => {
                number(16)
            }
            "gHotSpotVMIntConstantEntryNameOffset" | "gHotSpotVMLongConstantEntryNameOffset" => {
                number(8)
            }
            "gHotSpotVMIntConstantEntryValueOffset" | "gHotSpotVMLongConstantEntryValueOffset" => {
                number(0)
            }
            _ => return Err(Error::MissingSymbol { name: "other" }),
        })
    })
}

#[test]
fn reads_by_the_exported_layout() {
    let tables = read_tables(vec![
        field(Some(c"Thread"), Some(c"_tlab"), 0, 448),
        field(Some(c"Universe"), Some(c"_collectedHeap"), 1, 0),
        field(Some(c"Thread"), None, 0, 3),
        field(None, None, 0, 0),
    ])
    .expect("tables");
    assert_eq!(tables.field_offset("Thread", "_tlab"), Some(448));
    assert_eq!(tables.static_address("Thread", "_tlab"), None);
    assert_eq!(
        tables.static_address("Universe", "_collectedHeap"),
        Some(Address(0x5000))
    );
    assert_eq!(tables.field_offset("Universe", "_collectedHeap"), None);
    assert_eq!(
        tables
            .field("Thread", "_tlab")
            .map(|field| field.type_string.as_str()),
        Some("int")
    );
    assert_eq!(tables.type_size("JavaThread"), Some(1784));
    assert_eq!(tables.type_size("Nothing"), None);
    // An int constant is 32 bits wide; the upper half of the word is ignored.
    assert_eq!(tables.constant("an_int"), Some(-1));
    assert_eq!(tables.constant("a_long"), Some(-5));
    assert_eq!(tables.counts(), (2, 1, 2));
}

#[test]
fn first_known_name_wins_and_misses_are_named() {
    let tables = read_tables(vec![
        field(Some(c"SerialHeap"), Some(c"_young_gen"), 0, 112),
        field(None, None, 0, 0),
    ])
    .expect("tables");
    let names = [
        ("GenCollectedHeap", "_young_gen"),
        ("SerialHeap", "_young_gen"),
    ];
    assert_eq!(tables.offset(&names), Ok(112));
    assert_eq!(
        tables.address(&names),
        Err(Error::MissingField {
            type_name: "GenCollectedHeap",
            field_name: "_young_gen"
        })
    );
}

#[test]
fn torn_tables_are_errors() {
    let absurd = vec![
        field(Some(c"Thread"), Some(c"_tlab"), 0, u64::MAX),
        field(None, None, 0, 0),
    ];
    assert_eq!(
        read_tables(absurd).err(),
        Some(Error::Implausible {
            what: "a field offset",
            value: u64::MAX
        })
    );
    let mut wild = field(Some(c"Thread"), Some(c"_tlab"), 0, 1);
    wild.field_name = std::ptr::without_provenance(16);
    assert!(matches!(
        read_tables(vec![wild]).err(),
        Some(Error::Unreadable { .. })
    ));
    assert!(matches!(
        VmStructs::read(Libjvm::default(), &|_| Err(Error::MissingSymbol {
            name: "none"
        }))
        .err(),
        Some(Error::MissingSymbol { .. })
    ));
    // The location of a field is either an offset or an address.
    assert_ne!(FieldPlace::Offset(0), FieldPlace::Static(Address(0)));
}

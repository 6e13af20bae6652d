//! A synthetic VM: loaders, classes and names linked in our own memory.

use std::collections::HashMap;

use super::{Chain, ClassTable, SizeRule};
use crate::address::Address;
use crate::classes::klass::KlassLayout;
use crate::classes::layout_helper::LayoutHelper;
use crate::error::Error;

#[repr(C)]
struct Klass {
    next: Address,
    name: Address,
    helper: i32,
}

#[repr(C)]
struct Loader {
    next: Address,
    classes: Address,
}

fn place<T>(value: T) -> Address {
    Address(std::ptr::from_mut(Box::leak(Box::new(value))).expose_provenance())
}

/// A `Symbol`: two bytes of length, then the text.
fn symbol(name: &str) -> Address {
    let mut bytes = u16::try_from(name.len())
        .expect("short")
        .to_ne_bytes()
        .to_vec();
    bytes.extend_from_slice(name.as_bytes());
    Address(bytes.leak().as_ptr().expose_provenance())
}

fn klass(next: Address, name: &str, helper: i32) -> Address {
    place(Klass {
        next,
        name: symbol(name),
        helper,
    })
}

/// A table over one chain of loaders.
fn table(head: Address) -> ClassTable {
    let layout = KlassLayout {
        layout_helper: std::mem::offset_of!(Klass, helper),
        name: std::mem::offset_of!(Klass, name),
        next_link: 0,
        symbol_length: 0,
        symbol_body: 2,
        class_klass: 0,
        class_oop_size: 0,
    };
    let chain = Chain {
        head: place(head),
        next_loader: 0,
        classes: 8,
    };
    ClassTable {
        layout,
        chain,
        classes: Vec::new(),
        slots: vec![0; 4],
        fronts: HashMap::new(),
        unnamed: false,
        fields: Err(Error::EndlessChain { what: "not read" }),
        new_fields: Vec::new(),
        ahead: None,
        read_ahead: HashMap::new(),
        layouts: Vec::new(),
        references: None,
        confirmed: Vec::new(),
    }
}

/// A table with these classes (name, layout helper), and their addresses.
pub(crate) fn loaded(classes: &[(&str, i32)]) -> (ClassTable, Vec<Address>) {
    let mut chain = Address::NULL;
    let places: Vec<Address> = classes
        .iter()
        .map(|&(name, helper)| {
            chain = klass(chain, name, helper);
            chain
        })
        .collect();
    let mut table = table(place(Loader {
        next: Address::NULL,
        classes: chain,
    }));
    table.refresh().expect("readable");
    (table, places)
}

const INT_ARRAY: i32 = 0xC010_0A02_u32.cast_signed();

#[test]
fn all_classes_of_all_loaders_are_found() {
    let ints = klass(Address::NULL, "[I", INT_ARRAY);
    let mirror = klass(ints, "java/lang/Class", 121);
    let mut first = Address::NULL;
    let many: Vec<Address> = (0..1000)
        .map(|number| {
            first = klass(first, &format!("C{number}"), 16 + 8 * number);
            first
        })
        .collect();
    let second_loader = place(Loader {
        next: Address::NULL,
        classes: mirror,
    });
    let mut table = table(place(Loader {
        next: second_loader,
        classes: first,
    }));
    assert_eq!(table.refresh(), Ok(1002));
    assert_eq!(table.refresh(), Ok(1002));
    assert_eq!(table.classes().count(), 1002);
    for (number, &address) in many.iter().enumerate() {
        let id = table.find(address).expect("known");
        assert_eq!(table.rule(id), SizeRule::Fixed(16 + 8 * number));
        assert_eq!(
            table.class(id).map(|class| class.name.clone()),
            Some(format!("C{number}").into_bytes())
        );
    }
    assert_eq!(
        table.find(ints).map(|id| table.rule(id)),
        Some(SizeRule::Array(LayoutHelper(INT_ARRAY)))
    );
    assert_eq!(
        table.find(mirror).map(|id| table.rule(id)),
        Some(SizeRule::Mirror(120))
    );
    assert_eq!(table.find(ints.plus(8)), None);
}

#[test]
fn reused_address_is_a_new_row() {
    let reused = klass(Address::NULL, "Old", 24);
    let mut table = table(place(Loader {
        next: Address::NULL,
        classes: reused,
    }));
    assert_eq!(table.refresh(), Ok(1));
    // SAFETY: leaked by `place`, and used by this thread only.
    unsafe {
        reused.pointer::<Klass>().cast_mut().write(Klass {
            next: Address::NULL,
            name: symbol("New"),
            helper: 40,
        })
    };
    let old = table.find(reused).expect("known");
    assert_eq!(table.refresh(), Ok(1));
    let new = table.find(reused).expect("known");
    assert_eq!(table.rule(new), SizeRule::Fixed(40));
    // The row of the former class is unchanged.
    assert_ne!(old, new);
    assert_eq!(table.rule(old), SizeRule::Fixed(24));
    assert_eq!(table.former(new).collect::<Vec<_>>(), [old]);
    assert_eq!(table.former(old).count(), 0);
    assert_eq!(table.refresh(), Ok(1));
    assert_eq!(table.find(reused), Some(new));
}

#[test]
fn only_the_front_of_a_chain_is_followed_again() {
    let old = klass(Address::NULL, "Old", 24);
    let loader = place(Loader {
        next: Address::NULL,
        classes: old,
    });
    let mut table = table(loader);
    assert_eq!(table.refresh_fronts(), Ok(1));
    assert_eq!(table.refresh_fronts(), Ok(0));
    let unnamed = place(Klass {
        next: old,
        name: Address::NULL,
        helper: 32,
    });
    let new = klass(unnamed, "New", 40);
    // SAFETY: leaked by `place`, and used by this thread only.
    unsafe {
        loader.pointer::<Loader>().cast_mut().write(Loader {
            next: Address::NULL,
            classes: new,
        })
    };
    assert_eq!(table.refresh_fronts(), Ok(2));
    assert!(table.find(new).is_some() && table.find(unnamed).is_none());
    // SAFETY: the class is leaked by `place`, and used by this thread only.
    unsafe {
        unnamed.pointer::<Klass>().cast_mut().write(Klass {
            next: old,
            name: symbol("Late"),
            helper: 32,
        })
    };
    assert_eq!(table.refresh_fronts(), Ok(3));
    assert!(table.find(unnamed).is_some());
    assert_eq!(table.refresh_fronts(), Ok(0));
}

#[test]
fn torn_chains_are_errors() {
    let mut wild = table(place(Loader {
        next: Address(16),
        classes: Address::NULL,
    }));
    assert!(matches!(wild.refresh(), Err(Error::Unreadable { .. })));
}

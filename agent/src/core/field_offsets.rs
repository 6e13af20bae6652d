//! Fields of references that code overwrites, by number: where they are in objects is found when the code runs first.
//!
//! When a class is rewritten it is not known yet where fields will be. So the probe of a `putfield` has a
//! number, and a table of offsets by number is read by the helper class (`DuckTrackWitness.field`); a
//! field that has no offset yet is looked for by name, once. No object of the program's is made for that.

use std::sync::OnceLock;

use ducktrack_hotspot::{Address, Reservation};
use ducktrack_jvmti::sys::{jclass, jfieldID, jobject};
use ducktrack_jvmti::{Env, Jni};
use parking_lot::Mutex;

use crate::core::vm_facts::VmFacts;

/// Numbers that there are.
const MOST: usize = 1 << 20;
/// Instead of an offset: the field cannot be found.
pub(crate) const NOWHERE: i64 = -1;

/// A field as code names it, modified UTF-8.
struct FieldName {
    class: Box<[u8]>,
    name: Box<[u8]>,
    descriptor: Box<[u8]>,
}

static NAMES: Mutex<Vec<FieldName>> = Mutex::new(Vec::new());
static OFFSETS: OnceLock<Address> = OnceLock::new();

/// The table of offsets, a word for each number.
///
/// # Errors
/// If there is no room for it.
pub(crate) fn offsets() -> Result<Address, String> {
    if let Some(table) = OFFSETS.get() {
        return Ok(*table);
    }
    let table = Reservation::anywhere(MOST * 8)
        .map_err(|error| format!("there is no room for the offsets of fields: {error}"))?;
    let address = table.address();
    let _ = table.keep();
    Ok(*OFFSETS.get_or_init(|| address))
}

/// A number for a field that code of one class names so; `None`: there are no more.
pub(crate) fn number(class: &[u8], name: &[u8], descriptor: &[u8]) -> Option<u32> {
    let mut names = NAMES.lock();
    names.push(FieldName {
        class: class.into(),
        name: name.into(),
        descriptor: descriptor.into(),
    });
    // The first is 1: 0 is no number.
    u32::try_from(names.len())
        .ok()
        .filter(|number| (*number as usize) < MOST)
}

/// Whether offsets follow from JNI field ids, checked with a field whose offset is known.
pub(crate) fn can_be_found(facts: &VmFacts) -> bool {
    offset_of(facts.eetop_field()) == facts.eetop as i64
}

/// Where a field is in its objects, of what JNI calls it; `None`: that is not known.
pub(crate) fn offset_in(facts: &VmFacts, field: jfieldID) -> Option<i64> {
    can_be_found(facts).then(|| offset_of(field))
}

/// Looks for a field of an object, and keeps where it is.
pub(crate) fn find(env: Env, jni: Jni, facts: &VmFacts, holder: jobject, number: i32) -> i64 {
    let place = usize::try_from(number).ok().filter(|number| *number > 0);
    let (Some(number), false) = (place, holder.is_null()) else {
        return NOWHERE;
    };
    let found = search(env, jni, facts, holder, number).unwrap_or(NOWHERE);
    if let Some(table) = OFFSETS.get().filter(|_| number < MOST) {
        let word = table.plus(number * 8).pointer::<i64>().cast_mut();
        // SAFETY: the table has a word for each number, for good. Threads that look for the same field write the same.
        unsafe { word.write_volatile(found) };
    }
    found
}

fn search(env: Env, jni: Jni, facts: &VmFacts, holder: jobject, number: usize) -> Option<i64> {
    if !can_be_found(facts) {
        return None;
    }
    let (signature, name, descriptor) = {
        let names = NAMES.lock();
        let field = names.get(number - 1)?;
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).ok();
        let signature = [b"L", &*field.class, b";"].concat();
        (signature, text(&field.name)?, text(&field.descriptor)?)
    };
    let mut class: jclass = jni.object_class(holder).ok()?;
    while env.class_signature(class).ok()? != signature {
        let superclass = jni.superclass(class)?;
        jni.delete_local_ref(class);
        class = superclass;
    }
    let field = jni.field_id(class, &name, &descriptor);
    jni.delete_local_ref(class);
    field.ok().map(offset_of)
}

/// HotSpot's `jfieldIDWorkaround`: the offset stands from bit 2 on; with bit
/// 0 set only 7 bits are the offset, and above it is a hash of the class.
fn offset_of(field: jfieldID) -> i64 {
    let id = field.addr();
    let offset = match id & 1 {
        0 => id >> 2,
        _ => id >> 2 & 0x7F,
    };
    offset as i64
}

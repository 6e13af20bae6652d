//! The helper classes in the VM that record updates and calls: defined, given their natives, tried.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use ducktrack_hotspot::{
    Address, Collector, JvmFlags, ReferenceForm, ReferenceMapLayout, VmStructs,
};
use ducktrack_jvmti::sys::{jint, jlong, jobject, jvalue};
use ducktrack_jvmti::{Error, Jni};
use ducktrack_probe_vocabulary::fact::RecordFact;
use ducktrack_probe_vocabulary::helper::{copies, holders, methods, records, unsafe_updates};

use crate::helper_classes::definition::{self, HelperFile, helper_file, method};
use crate::layers::records::store_records;
use crate::trace::buffers::record_clock;

const HOLDERS_FILE: HelperFile = helper_file!("DuckTrackHolders", holders::IDENTITY_OF);
const RECORDS: HelperFile = helper_file!("DuckTrackRecords", records::FIELD);
const COPIES: HelperFile = helper_file!("DuckTrackCopies", copies::COPIED);
const UNSAFE: HelperFile = helper_file!("DuckTrackUnsafe", unsafe_updates::PUT);
const METHODS: HelperFile = helper_file!("DuckTrackMethods", methods::EXIT);

/// How often an identity is tried that is not the object's address: a collection may have moved the object in between.
const TRIES: u32 = 5;

/// Threads that can have a holder at a time. Records of further threads are missing, and a note says so.
pub(crate) const MOST_HOLDERS: usize = 1 << 14;

/// Updates of which no record could be made.
static UNSEEN: AtomicU64 = AtomicU64::new(0);
/// Records that could not be made because the stack ended.
static WITHOUT_STACK: AtomicU64 = AtomicU64::new(0);
static HOLDERS: OnceLock<Result<usize, String>> = OnceLock::new();
static FORM: OnceLock<ReferenceForm> = OnceLock::new();

/// Counts an update that cannot be recorded.
pub(crate) fn note_unseen() {
    UNSEEN.fetch_add(1, Ordering::Relaxed);
}

/// Updates of which no record could be made, since the last call.
pub(crate) fn take_unseen() -> u64 {
    UNSEEN.swap(0, Ordering::Relaxed)
}

/// Records that could not be made because the stack ended, since the last call.
pub(crate) fn take_without_stack() -> u64 {
    WITHOUT_STACK.swap(0, Ordering::Relaxed)
}

/// The answer of `DuckTrackHolders.constant`.
pub(crate) fn constant(which: jint) -> jlong {
    let address = |word: &AtomicU64| std::ptr::from_ref(word).expose_provenance() as i64;
    let of_maps = |offset: fn(ReferenceMapLayout) -> usize| maps().map_or(0, offset) as i64;
    match RecordFact::of(which) {
        Some(RecordFact::Narrow) => FORM.get().map_or(0, |form| form.is_narrow().into()),
        Some(RecordFact::Clock) => address(record_clock::clock_word()),
        Some(RecordFact::Unseen) => address(&UNSEEN),
        Some(RecordFact::MostHolders) => MOST_HOLDERS as i64,
        Some(RecordFact::WithoutStack) => address(&WITHOUT_STACK),
        Some(RecordFact::Inlined) => is_inlined().into(),
        Some(RecordFact::Maps) => of_maps(|maps| maps.map_words),
        Some(RecordFact::VtableLength) => of_maps(|maps| maps.vtable_length),
        Some(RecordFact::ItableLength) => of_maps(|maps| maps.itable_length),
        Some(RecordFact::Tables) => of_maps(|maps| maps.klass_bytes),
        Some(RecordFact::LastWriter) => address(record_clock::last_writer_word()),
        None => 0,
    }
}

/// Whether storing a reference is little code.
fn is_inlined() -> bool {
    let collector = JvmFlags::of_process()
        .ok()
        .and_then(|flags| Collector::of(&flags));
    matches!(collector, Some(Collector::Serial | Collector::Parallel))
}

/// Where classes keep their oop maps; `None`: the VM's tables do not say.
fn maps() -> Option<ReferenceMapLayout> {
    static MAPS: OnceLock<Option<ReferenceMapLayout>> = OnceLock::new();
    *MAPS.get_or_init(|| {
        let vm = VmStructs::load().ok()?;
        ReferenceMapLayout::load(&vm).ok()
    })
}

/// Defines the class and asks it for the identity of an object, once. The array of holders, as a global reference.
///
/// # Errors
/// Why there can be no records: one sentence.
pub(crate) fn define_once(
    jni: Jni,
    form: ReferenceForm,
    address: impl Fn(jobject) -> Option<Address>,
) -> Result<usize, String> {
    let define = || define_and_try(jni, form, address).map(|holders| holders.addr());
    HOLDERS.get_or_init(define).clone()
}

fn define_and_try(
    jni: Jni,
    form: ReferenceForm,
    address: impl Fn(jobject) -> Option<Address>,
) -> Result<jobject, String> {
    let form = FORM.get_or_init(|| form);
    let words = |error: Error| format!("the helper class does not work: {error}");
    let files = [HOLDERS_FILE, RECORDS, COPIES, UNSAFE, METHODS];
    let [class, records, copies, unsafe_updates, _] =
        definition::define(jni, files).map_err(words)?;
    let identity = method(jni, class, holders::IDENTITY_OF).map_err(words)?;
    let object = jni.new_byte_array(&[0; 16]).map_err(words)?;
    let mut is_found = false;
    for _ in 0..TRIES {
        let said = jni
            .call_static_long(class, identity, &[jvalue { l: object }])
            .map_err(words)?;
        let said = form.of_number(said.cast_unsigned());
        is_found |= address(object).is_some_and(|object| object == said);
    }
    jni.delete_local_ref(object);
    if !is_found {
        return Err("the identity of an object is not its address".to_owned());
    }
    let all = method(jni, class, holders::ALL_HOLDERS).map_err(words)?;
    let holders = jni.call_static_object(class, all, &[]).map_err(words)?;
    let holders = jni.new_global_ref(holders).map_err(words)?;
    // Without them, stores of native code are not recorded, and counted.
    let _ = store_records::prepare(jni, records, copies, unsafe_updates);
    Ok(holders)
}

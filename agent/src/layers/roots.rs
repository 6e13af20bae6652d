//! The roots that hold objects directly, recorded at the end of a run or after its collections (`roots=`).
//!
//! The VM tells its roots at a safepoint of their own (`FollowReferences`, nothing is followed): global and
//! local references of JNI, classes of the VM's own loader, monitors, variables of frames, threads, and the
//! rest. Static fields are read one by one after that. In a pause of a collection this would not be allowed.
//!
//! ```text
//! safepoint:  each root's object gets a tag, a bit for each kind of root
//! after it:   objects with tags ── addresses of the epoch ──> block ROOTS
//! ```
//!
//! Objects are held while their addresses are read. If a collection comes in between, all are read again.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, OnceLock};

use ducktrack_hotspot::Address;
use ducktrack_jvmti::sys::{jclass, jlong, jobject};
use ducktrack_jvmti::{
    Capabilities, Capability, Env, Error, HeapReferenceKind, Jni, RootVisitor, class_status,
};
use ducktrack_trace_format::{HeldBy, HeldObject, encode_roots};

use crate::core::Core;
use crate::helper_classes::event_helper::EventHelper;
use crate::layers::static_numbers::StaticNumbers;
use crate::options;
use crate::process::clock::unix_micros;
use crate::trace::buffers::ThreadBuffers;
use crate::trace::layer::{Layer, LayerStart};

/// Local references that a frame has room for at first.
const LOCAL_REFERENCES: usize = 64;
/// How often addresses are read that a collection may have changed.
const TRIES: u32 = 4;
/// `ACC_STATIC`
const STATIC: i32 = 8;
/// Classes of the agent in the VM.
const OWN: &[u8] = b"Ljava/lang/DuckTrack";

const KINDS: [(HeapReferenceKind, HeldBy); 7] = [
    (HeapReferenceKind::JNI_GLOBAL, HeldBy::JniGlobal),
    (HeapReferenceKind::SYSTEM_CLASS, HeldBy::SystemClass),
    (HeapReferenceKind::MONITOR, HeldBy::Monitor),
    (HeapReferenceKind::STACK_LOCAL, HeldBy::StackLocal),
    (HeapReferenceKind::JNI_LOCAL, HeldBy::JniLocal),
    (HeapReferenceKind::THREAD, HeldBy::Thread),
    (HeapReferenceKind::OTHER, HeldBy::Other),
];

/// The layer.
pub(crate) struct Roots {
    /// Tags of its own.
    env: OnceLock<Option<Env>>,
    numbers: Arc<StaticNumbers>,
    /// The epoch of the last ones.
    last: AtomicU32,
}

/// Tags each root's object with a bit for each kind.
#[derive(Default)]
struct Tagging(BTreeSet<jlong>);

impl RootVisitor for Tagging {
    fn visit(&mut self, kind: HeapReferenceKind, tag: &mut jlong) {
        if let Some(at) = KINDS.iter().position(|known| known.0 == kind) {
            *tag |= 1 << at;
            self.0.insert(*tag);
        }
    }
}

impl Layer for Roots {
    fn mode(&self) -> options::Mode {
        options::Mode::Deaths
    }

    fn begin(&'static self, _: &LayerStart<'_>) -> bool {
        true
    }

    fn tick(&self, core: &Core, buffers: &ThreadBuffers) {
        let is_wanted = core.options.roots == Some(options::Roots::Collections);
        if is_wanted
            && self.are_due(buffers.epoch())
            && let Err(error) = core.in_vm(|jni| self.record_or_say(core, jni, buffers))
        {
            core.add_note(format!("What holds objects is not recorded: {error}."));
        }
    }

    fn program_ended(&self, core: &Core, jni: Jni, buffers: &ThreadBuffers) {
        if let Err(error) = core.env.force_garbage_collection() {
            core.add_note(format!("There is no last collection: {error}."));
        }
        self.record_or_say(core, jni, buffers);
    }
}

impl Roots {
    /// `numbers`: of static fields.
    pub(crate) fn new(numbers: Arc<StaticNumbers>) -> Self {
        Self {
            env: OnceLock::new(),
            numbers,
            last: AtomicU32::new(0),
        }
    }

    /// Whether there was a collection since the last time.
    fn are_due(&self, epoch: u32) -> bool {
        self.last.swap(epoch, Ordering::Relaxed) != epoch
    }

    /// Records what holds objects now, or says why that is not recorded.
    fn record_or_say(&self, core: &Core, jni: Jni, buffers: &ThreadBuffers) {
        let Some(helper) = EventHelper::get() else {
            return;
        };
        let address = |object| helper.address_of(jni, object);
        if let Err(why) = self.record(core, jni, buffers, address) {
            core.add_note(format!("What holds objects is not recorded: {why}."));
        }
    }

    /// Records what holds objects now.
    ///
    /// # Errors
    /// Why the VM does not tell it.
    fn record(
        &self,
        core: &Core,
        jni: Jni,
        buffers: &ThreadBuffers,
        address: impl Fn(jobject) -> Option<Address>,
    ) -> Result<(), String> {
        let env = self.env.get_or_init(|| tagging_environment(jni).ok());
        let env = env.ok_or("the VM gives no tags")?;
        let taken = jni.with_local_frame(LOCAL_REFERENCES, || {
            let mut held = self.objects(env)?;
            self.static_fields(core, jni, &mut held);
            Ok(placed(&held, buffers, address))
        });
        let taken: Result<_, Error> = taken.unwrap_or_else(Err);
        let (epoch, roots) = taken
            .map_err(|error| error.to_string())?
            .ok_or("collections came too fast")?;
        core.secure_definitions();
        let content = encode_roots(epoch, unix_micros(), &roots);
        buffers.log().roots(content);
        Ok(())
    }

    /// The objects of the VM's roots.
    fn objects(&self, env: Env) -> Result<Vec<(HeldBy, jobject)>, Error> {
        let mut tags = Tagging::default();
        env.heap_roots(&mut tags)?;
        let mut held = Vec::new();
        for tag in &tags.0 {
            for object in env.objects_with_tags(&[*tag])?.iter() {
                let kinds = KINDS.iter().enumerate();
                let of_tag = kinds.filter(|(at, _)| *tag >> at & 1 != 0);
                held.extend(of_tag.map(|(_, (_, by))| (*by, *object)));
                env.set_tag(*object, 0)?;
            }
        }
        Ok(held)
    }

    /// Objects that static fields of initialized classes hold.
    fn static_fields(&self, core: &Core, jni: Jni, held: &mut Vec<(HeldBy, jobject)>) {
        let Ok(classes) = core.env.loaded_classes() else {
            return;
        };
        for class in classes.iter() {
            if is_initialized(core.env, *class) {
                // Fields that the VM does not tell hold nothing that anybody could name.
                let _ = self.static_fields_of(core, jni, *class, held);
            }
            jni.delete_local_ref(*class);
        }
    }

    fn static_fields_of(
        &self,
        core: &Core,
        jni: Jni,
        class: jclass,
        held: &mut Vec<(HeldBy, jobject)>,
    ) -> Result<(), Error> {
        for field in core.env.class_fields(class)?.iter() {
            let is_static = core.env.field_modifiers(class, *field)? & STATIC != 0;
            let name = core.env.field_name(class, *field)?;
            if !is_static || !matches!(name.descriptor.first(), Some(b'L' | b'[')) {
                continue;
            }
            let object = jni.static_object_field(class, *field);
            if object.is_null() {
                continue;
            }
            if let Some(number) = self.numbers.of(core, class, *field) {
                held.push((HeldBy::StaticField(number), object));
            }
        }
        Ok(())
    }
}

fn is_initialized(env: Env, class: jclass) -> bool {
    let status = env.class_status(class).unwrap_or(0);
    let is_own = || {
        env.class_signature(class)
            .is_ok_and(|name| name.starts_with(OWN))
    };
    status & class_status::INITIALIZED != 0 && status & class_status::ARRAY == 0 && !is_own()
}

/// Where the objects are, all in one epoch.
fn placed(
    held: &[(HeldBy, jobject)],
    buffers: &ThreadBuffers,
    address: impl Fn(jobject) -> Option<Address>,
) -> Option<(u32, Vec<HeldObject>)> {
    for _ in 0..TRIES {
        let epoch = buffers.epoch();
        let at = |(by, object): &(HeldBy, jobject)| {
            Some(HeldObject {
                by: *by,
                address: address(*object)?.0 as u64,
            })
        };
        let roots = held.iter().filter_map(at).collect();
        if buffers.epoch() == epoch {
            return Some((epoch, roots));
        }
    }
    None
}

fn tagging_environment(jni: Jni) -> Result<Env, Error> {
    let (env, _) = jni.vm()?.jvmti()?;
    env.add_capabilities(&Capabilities::of(&[Capability::CanTagObjects]))?;
    Ok(env)
}

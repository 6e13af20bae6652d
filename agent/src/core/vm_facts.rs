//! Facts about the VM that the agent reads once, before it counts.

use ducktrack_hotspot::{
    Address, Collector, FlagValue, InstanceSize, JvmFlags, KlassLayout, LayoutHelper,
    MethodParameterLayout, ThreadLayout, VmStructs, read_value,
};
use ducktrack_jvmti::sys::{jclass, jfieldID, jobject, jvalue};
use ducktrack_jvmti::{Env, Jni};
use ducktrack_trace_format::{HeapClassSize, HeapLimits, ObjectLayout};

use crate::threads::counter_block::CounterBlock;
use crate::threads::slot::{FORCED_PLACE, Slot};

/// Offsets, sizes and addresses of this VM.
pub(crate) struct VmFacts {
    pub(crate) threads: ThreadLayout,
    pub(crate) klass: KlassLayout,
    /// Where the VM has the names of parameters, on JDKs that do not hand them out.
    pub(crate) method_parameters: Option<MethodParameterLayout>,
    /// Whether the VM's memory for classes has a bound that can come near.
    pub(crate) is_metaspace_bounded: bool,
    pub(crate) layout: ObjectLayout,
    pub(crate) collector: String,
    /// Offset of `Thread.eetop`.
    pub(crate) eetop: usize,
    /// The field as a `jfieldID`, so that nothing is looked up when a thread starts.
    eetop_field: usize,
    pub(crate) shared: CounterBlock,
    pub(crate) slot: Slot,
    /// Why the slot is not in the best place.
    pub(crate) slot_note: Option<String>,
    /// Whether `Thread.currentCarrierThread` exists.
    pub(crate) has_carriers: bool,
    /// The largest value in `Integer`'s cache.
    pub(crate) integer_cache_top: i64,
    /// The maximum size of the heap; `None` if the VM does not report it.
    pub(crate) heap_limits: Option<HeapLimits>,
    /// Offset of the length of a stack chunk (JDK 21 and later).
    pub(crate) stack_chunk_size: Option<usize>,
}

/// One sentence that says why the agent cannot count in this VM.
pub(crate) type Obstacle = String;

/// The VM's `Unsafe`, called through JNI before the helper class exists.
struct Unsafe {
    jni: Jni,
    object: jobject,
    class: jclass,
}

impl VmFacts {
    pub(crate) fn gather(env: Env, jni: Jni, shared: CounterBlock) -> Result<Self, Obstacle> {
        let vm = VmStructs::load()
            .map_err(|error| format!("this VM's tables cannot be read: {error}"))?;
        let flags = JvmFlags::load(&vm)
            .map_err(|error| format!("this VM's flags cannot be read: {error}"))?;
        let threads = ThreadLayout::load(&vm)
            .map_err(|error| format!("the layout of threads is unknown: {error}"))?;
        let klass = KlassLayout::load(&vm)
            .map_err(|error| format!("the layout of classes is unknown: {error}"))?;
        let java_version = java_version(env);
        let unsafe_object = Unsafe::find(jni)?;
        let eetop = unsafe_object.field_offset("java/lang/Thread", "eetop")?;
        let padding = padding(&unsafe_object, java_version);
        let forced = cfg!(feature = "test-switches").then(|| std::env::var(FORCED_PLACE).ok());
        let (slot, slot_note) = Slot::choose(&vm, &flags, padding, forced.flatten().as_deref())
            .map_err(|error| format!("no place for a thread's slot: {error}"))?;
        Ok(Self {
            threads,
            klass,
            method_parameters: MethodParameterLayout::load(&vm, klass).ok(),
            is_metaspace_bounded: is_metaspace_bounded(&flags),
            layout: object_layout(&unsafe_object, &flags)?,
            collector: Collector::of(&flags)
                .map_or("unknown", collector_name)
                .to_owned(),
            eetop,
            eetop_field: eetop_field(jni)? as usize,
            shared,
            slot,
            slot_note,
            has_carriers: has_carriers(jni),
            integer_cache_top: integer_cache_top(jni),
            heap_limits: heap_limits(&flags),
            stack_chunk_size: unsafe_object
                .field_offset("jdk/internal/vm/StackChunk", "size")
                .ok(),
        })
    }

    /// `Thread.eetop`.
    pub(crate) fn eetop_field(&self) -> jfieldID {
        self.eetop_field as jfieldID
    }

    /// The size of instances of a class, or of its arrays with `length` elements.
    pub(crate) fn instance_bytes(&self, klass: usize) -> Option<u32> {
        let helper: i32 = read_value(Address(klass).plus(self.klass.layout_helper)).ok()?;
        match LayoutHelper(helper).decode() {
            InstanceSize::Fixed {
                bytes,
                slow_path: _,
            } => u32::try_from(bytes).ok(),
            _ => None,
        }
    }

    /// The sizes of objects of a class.
    pub(crate) fn heap_class_size(&self, klass: usize) -> HeapClassSize {
        read_value(Address(klass).plus(self.klass.layout_helper))
            .map_or(HeapClassSize::PerObject, |helper| {
                heap_class_size(LayoutHelper(helper))
            })
    }
}

fn heap_limits(flags: &JvmFlags) -> Option<HeapLimits> {
    let bytes = |name| match flags.get(name) {
        Some(FlagValue::Unsigned(bytes)) => Some(bytes).filter(|bytes| *bytes > 0),
        _ => None,
    };
    Some(HeapLimits {
        max_bytes: bytes("MaxHeapSize")?,
        max_young_bytes: bytes("MaxNewSize"),
    })
}

fn eetop_field(jni: Jni) -> Result<jfieldID, Obstacle> {
    jni.find_class("java/lang/Thread")
        .and_then(|class| jni.field_id(class, "eetop", "J"))
        .map_err(|error| format!("the addresses of native threads are unknown: {error}"))
}

/// The sizes of objects of a class, from its layout helper.
pub(crate) fn heap_class_size(helper: LayoutHelper) -> HeapClassSize {
    let size = match helper.decode() {
        InstanceSize::Fixed {
            bytes,
            slow_path: _,
        } => u32::try_from(bytes).ok().map(HeapClassSize::Instance),
        InstanceSize::Array {
            header_bytes,
            log2_element_size,
            ..
        } => array_size(header_bytes, log2_element_size),
        _ => None,
    };
    size.unwrap_or(HeapClassSize::PerObject)
}

fn array_size(header_bytes: usize, log2_element_size: u32) -> Option<HeapClassSize> {
    Some(HeapClassSize::Array {
        element: 1u8.checked_shl(log2_element_size)?,
        base: u8::try_from(header_bytes).ok()?,
    })
}

fn collector_name(collector: Collector) -> &'static str {
    match collector.name() {
        "serial" => "Serial",
        "parallel" => "Parallel",
        "g1" => "G1",
        "z" => "ZGC",
        "shenandoah" => "Shenandoah",
        other => other,
    }
}

impl Unsafe {
    fn find(jni: Jni) -> Result<Self, Obstacle> {
        let find = || {
            let class = jni.find_class("jdk/internal/misc/Unsafe")?;
            let field = jni.static_field_id(class, "theUnsafe", "Ljdk/internal/misc/Unsafe;")?;
            Ok(Self {
                jni,
                object: jni.static_object_field(class, field),
                class,
            })
        };
        find().map_err(|error: ducktrack_jvmti::Error| {
            format!("jdk.internal.misc.Unsafe is missing: {error}")
        })
    }

    fn field_offset(&self, class: &str, field: &str) -> Result<usize, Obstacle> {
        let ask = || {
            let owner = self.jni.find_class(class)?;
            let name = self.jni.new_string(field)?;
            let method = self.jni.method_id(
                self.class,
                "objectFieldOffset",
                "(Ljava/lang/Class;Ljava/lang/String;)J",
            )?;
            self.jni.call_long(
                self.object,
                method,
                &[jvalue { l: owner }, jvalue { l: name }],
            )
        };
        let offset = ask().map_err(|error: ducktrack_jvmti::Error| {
            format!("{class}.{field} has no known offset: {error}")
        })?;
        usize::try_from(offset)
            .map_err(|_| format!("{class}.{field} has the implausible offset {offset}"))
    }

    fn array_base(&self, class: &str) -> Result<u8, Obstacle> {
        let ask = || {
            let array = self.jni.find_class(class)?;
            // An int up to JDK 24, a long since.
            match self
                .jni
                .method_id(self.class, "arrayBaseOffset", "(Ljava/lang/Class;)I")
            {
                Ok(method) => self
                    .jni
                    .call_int(self.object, method, &[jvalue { l: array }])
                    .map(i64::from),
                Err(_) => {
                    let method = self.jni.method_id(
                        self.class,
                        "arrayBaseOffset",
                        "(Ljava/lang/Class;)J",
                    )?;
                    self.jni
                        .call_long(self.object, method, &[jvalue { l: array }])
                }
            }
        };
        let base = ask().map_err(|error: ducktrack_jvmti::Error| {
            format!("{class} has no known layout: {error}")
        })?;
        u8::try_from(base).map_err(|_| format!("{class} has the implausible base offset {base}"))
    }
}

/// Larger bounds are never near. The VM's default is no bound for metaspace, and 1 GB for its part with classes.
pub(crate) const NO_METASPACE_BOUND: i64 = 1 << 29;

fn is_metaspace_bounded(flags: &JvmFlags) -> bool {
    let bounds = ["MaxMetaspaceSize", "CompressedClassSpaceSize"];
    let mut bounds = bounds.iter().filter_map(|flag| flags.number(flag));
    bounds.any(|bytes| bytes < NO_METASPACE_BOUND)
}

fn object_layout(unsafe_object: &Unsafe, flags: &JvmFlags) -> Result<ObjectLayout, Obstacle> {
    let header = if flags.is_on("UseCompactObjectHeaders") {
        8
    } else if flags.is_on("UseCompressedClassPointers") {
        12
    } else {
        16
    };
    let mut array_base = [0; 5];
    for (base, class) in array_base
        .iter_mut()
        .zip(["[B", "[C", "[I", "[J", "[Ljava/lang/Object;"])
    {
        *base = unsafe_object.array_base(class)?;
    }
    let alignment = flags
        .number("ObjectAlignmentInBytes")
        .and_then(|bytes| u8::try_from(bytes).ok())
        .unwrap_or(8);
    let reference = if flags.is_on("UseCompressedOops") {
        4
    } else {
        8
    };
    Ok(ObjectLayout {
        header,
        array_base,
        reference,
        alignment,
    })
}

/// The offset of padding in `java.lang.Thread`. In JDK 11 to 18, 128 unused
/// bytes separate three fields with `@Contended("tlr")` from the rest.
fn padding(unsafe_object: &Unsafe, java_version: u32) -> Option<usize> {
    if java_version > 18 {
        return None;
    }
    let padded = unsafe_object
        .field_offset("java/lang/Thread", "threadLocalRandomSeed")
        .ok()?;
    let before = unsafe_object
        .field_offset("java/lang/Thread", "uncaughtExceptionHandler")
        .ok()?;
    (padded.checked_sub(before)? >= 128).then_some((padded - 64) & !7)
}

fn has_carriers(jni: Jni) -> bool {
    let find = || {
        let thread = jni.find_class("java/lang/Thread")?;
        jni.static_method_id(thread, "currentCarrierThread", "()Ljava/lang/Thread;")
    };
    find().is_ok()
}

fn integer_cache_top(jni: Jni) -> i64 {
    let read = || {
        let cache = jni.find_class("java/lang/Integer$IntegerCache")?;
        let field = jni.static_field_id(cache, "high", "I")?;
        Ok::<_, ducktrack_jvmti::Error>(jni.static_int_field(cache, field))
    };
    read().map_or(127, i64::from)
}

/// 17 of `17.0.15`, 8 of `1.8.0`.
pub(crate) fn java_version(env: Env) -> u32 {
    let text = env
        .system_property("java.vm.specification.version")
        .ok()
        .flatten()
        .unwrap_or_default();
    String::from_utf8_lossy(&text)
        .trim_start_matches("1.")
        .split('.')
        .next()
        .and_then(|major| major.parse().ok())
        .unwrap_or(0)
}

//! Call stacks of allocations: the VM's allocation sampler samples one allocation per interval of bytes, with its stack.
//!
//! ```text
//! the VM samples an allocation ── object_sampled ── stack_table (frames shared, counts) ── records ── trace
//! background, each tick ── sampling_rate: as often as the CPU budget allows
//! another tool asks for an environment ── give_back
//! ```
//!
//! **Only one tool at a time can have the sampler** (`can_generate_sampled_object_alloc_events`), and it must stay available to others. So
//! the agent holds it only while no other tool can want it. If a foreign agent's library is loaded when counting begins, the agent does not
//! take it (unless the user asks for it). The agent permanently gives it back before another tool gets a tool environment from the VM
//! (`Vm::watch_environments`). The report says from when on stacks are missing.
//!
//! The program's threads never wait: if another thread is using the table, the sample is dropped and counted.

mod sampling_rate;
mod stack_table;

use std::cell::Cell;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering};
use std::time::Duration;

use ducktrack_jvmti::sys::{jclass, jobject};
use ducktrack_jvmti::{Capabilities, Capability, Env, EventKind, FrameInfo, Jni};
use ducktrack_trace_format::{Record, SampleSums, StackSamples, ThreadId};
use parking_lot::Mutex;

use crate::core::Core;
use crate::options::Stacks;
use crate::process::agent_libraries;
use crate::process::clock::unix_millis;
use crate::process::thread_clock::{process_cpu, thread_cpu};
use sampling_rate::{SamplingRate, Tick};
pub(crate) use stack_table::{Names, line_at};
use stack_table::{Room, Sample, StackTable};

/// Number of topmost frames kept of a stack.
const MOST_FRAMES: usize = 1024;
/// Upper bound on the program's time spent on samples between two ticks.
const MOST_NANOS_BETWEEN_TICKS: u64 = 2_000_000;
/// Samples are in the trace after this many ticks, even if the program is killed.
const TICKS_BETWEEN_WRITES: u64 = 8;
/// The VM's own default rate.
const INTERVAL_OF_THE_VM: i32 = 512 << 10;

/// The agent does not have the sampler yet.
const NOT_YET: u8 = 0;
/// The VM sends samples.
const SAMPLING: u8 = 1;
/// The sampler was given back, or is not wanted.
const OVER: u8 = 2;

/// Sampled stacks, and the sampling rate.
#[derive(Default)]
pub(crate) struct StackSampler {
    state: AtomicU8,
    /// Mean bytes between samples, as set in the VM.
    interval: AtomicU64,
    /// The interval to set. The next sample's thread sets it: the agent's own one is not attached.
    wanted_interval: AtomicU64,
    table: Mutex<StackTable>,
    samples: AtomicU64,
    skipped: AtomicU64,
    nanos: AtomicU64,
    /// The bytecode of a class has changed since lines were looked up.
    lines_are_old: AtomicBool,
    /// Ticks of the background thread so far.
    ticks: AtomicU64,
    /// The value of `nanos` at the last tick.
    nanos_at_tick: AtomicU64,
    rate: OnceLock<Mutex<Controller>>,
}

/// The background thread's knowledge of the rate.
struct Controller {
    rate: SamplingRate,
    cpu: Duration,
    samples: u64,
    nanos: u64,
}

thread_local! {
    /// The row of the current thread, and the address of the run it belongs to.
    static ROW: Cell<Option<(usize, ThreadId)>> = const { Cell::new(None) };
    static FRAMES: Cell<Option<Box<[FrameInfo]>>> = const { Cell::new(None) };
}

impl StackSampler {
    /// Takes the VM's sampler, unless another agent has it or may want it.
    pub(crate) fn begin_stacks(&self, core: &Core) {
        let interval = match core.options.stacks {
            Stacks::Off => return,
            Stacks::Every(interval) => Some(interval),
            Stacks::Auto | Stacks::On => None,
        };
        if self.state.load(Ordering::Acquire) == OVER {
            return;
        }
        if let Err(why) = self.take_sampler(core, interval) {
            core.add_note(format!("No call stacks were sampled: {why}."));
        }
    }

    /// Leaves the sampler to other tools for this reason, unless the user asks for stacks.
    pub(crate) fn leave_sampler(&self, core: &Core, why: &str) {
        if core.options.stacks == Stacks::Auto {
            self.state.store(OVER, Ordering::Release);
            core.add_note(format!("No call stacks were sampled: {why}."));
        }
    }

    fn take_sampler(&self, core: &Core, interval: Option<u64>) -> Result<(), String> {
        if core.options.stacks == Stacks::Auto
            && let Some(library) = agent_libraries::foreign(&self.java_home(core))
        {
            return Err(format!(
                "the tool {library} is loaded and may want the VM's allocation sampler, which one tool at a time can have (stacks=on takes it)"
            ));
        }
        let wanted = Capabilities::of(&[
            Capability::CanGenerateSampledObjectAllocEvents,
            Capability::CanGetLineNumbers,
        ]);
        let granted = core.env.add_capabilities(&wanted);
        if !granted
            .is_ok_and(|granted| granted.has(Capability::CanGenerateSampledObjectAllocEvents))
        {
            return Err("another tool has the VM's allocation sampler".to_owned());
        }
        let rate = SamplingRate::new(interval);
        self.set_interval(core, rate.interval());
        let controller = Controller {
            rate,
            cpu: process_cpu(),
            samples: 0,
            nanos: 0,
        };
        // There is one attempt per run.
        let _ = self.rate.set(Mutex::new(controller));
        let taken =
            (self.state).compare_exchange(NOT_YET, SAMPLING, Ordering::AcqRel, Ordering::Acquire);
        if taken.is_err() {
            release_sampler(core);
            return Err("another tool was loaded while the sampler was taken".to_owned());
        }
        (core.env)
            .enable(EventKind::SAMPLED_OBJECT_ALLOC)
            .map_err(|error| error.to_string())
    }

    fn java_home(&self, core: &Core) -> String {
        let home = core.env.system_property("java.home").ok().flatten();
        String::from_utf8_lossy(&home.unwrap_or_default()).into_owned()
    }

    fn set_interval(&self, core: &Core, bytes: u64) {
        let bytes = i32::try_from(bytes).unwrap_or(i32::MAX);
        if core.env.set_heap_sampling_interval(bytes).is_ok() {
            let bytes = u64::try_from(bytes).unwrap_or(0);
            self.interval.store(bytes, Ordering::Relaxed);
            self.wanted_interval.store(bytes, Ordering::Relaxed);
        }
    }

    /// Tells the VM a new rate. Returns the interval up to now.
    fn change_rate(&self, core: &Core) -> u64 {
        let before = self.interval.load(Ordering::Relaxed);
        let wanted = self.wanted_interval.load(Ordering::Relaxed);
        if wanted != before {
            self.set_interval(core, wanted);
        }
        before
    }

    /// Gives back the sampler before another tool gets an environment and can request it.
    pub(crate) fn give_back_sampler(&self, core: &Core) {
        if !core.is_counting() {
            return;
        }
        if self.state.swap(OVER, Ordering::AcqRel) == SAMPLING {
            release_sampler(core);
            let seconds = core.started.elapsed().as_secs_f64();
            core.add_note(format!(
                "Call stacks were sampled until {seconds:.1} s after the start: then another tool was loaded, and the VM's allocation sampler was given back."
            ));
        }
    }

    /// Stops sampling at the end of the run.
    pub(crate) fn end_stacks(&self, core: &Core) {
        if self.state.swap(OVER, Ordering::AcqRel) == SAMPLING {
            release_sampler(core);
        }
    }

    /// Frees the tables after the run.
    pub(crate) fn forget(&self) {
        *self.table.lock() = StackTable::default();
    }

    /// Handles an allocation of the current thread that the VM has sampled.
    pub(crate) fn object_sampled(
        &self,
        core: &Core,
        jni: Jni,
        thread: jobject,
        class: jclass,
        size: u64,
    ) {
        if !core.is_counting() {
            return;
        }
        let stacks = self;
        let interval = self.change_rate(core);
        let spent = stacks.nanos.load(Ordering::Relaxed);
        let at_tick = stacks.nanos_at_tick.load(Ordering::Relaxed);
        if spent.saturating_sub(at_tick) > MOST_NANOS_BETWEEN_TICKS
            && !matches!(core.options.stacks, Stacks::Every(_))
        {
            stacks.skipped.fetch_add(1, Ordering::Relaxed);
            return;
        }
        let begun = thread_cpu();
        let sums = SampleSums::of_sample(size, interval);
        match self.take_sample(core, jni, thread, class, (size, sums)) {
            Some(()) => stacks.samples.fetch_add(1, Ordering::Relaxed),
            None => stacks.skipped.fetch_add(1, Ordering::Relaxed),
        };
        let nanos = thread_cpu().saturating_sub(begun).as_nanos();
        let nanos = u64::try_from(nanos).unwrap_or(0);
        stacks.nanos.fetch_add(nanos, Ordering::Relaxed);
    }

    fn take_sample(
        &self,
        core: &Core,
        jni: Jni,
        thread: jobject,
        class: jclass,
        (size, sums): (u64, SampleSums),
    ) -> Option<()> {
        let mut frames = FRAMES.take().unwrap_or_else(|| no_frames(MOST_FRAMES));
        let depth = core.env.stack_trace(std::ptr::null_mut(), &mut frames);
        let result = depth.ok().filter(|depth| *depth > 0).and_then(|depth| {
            let sample = Sample {
                frames: frames.get(..depth)?,
                cut: depth == MOST_FRAMES,
                ty: &core.env.class_signature(class).ok()?,
                size,
                thread: self.current_row(core, jni, thread),
                sums,
            };
            let mut table = self.table.try_lock()?;
            if self.lines_are_old.swap(false, Ordering::AcqRel) {
                table.forget_lines();
            }
            table.add(&sample, &VmNames { env: core.env, jni })
        });
        FRAMES.set(Some(frames));
        result
    }

    /// The row of the current thread, whose object is `thread`. A virtual thread has no row of its own; its carrier's is known from the
    /// carrier's start.
    fn current_row(&self, core: &Core, jni: Jni, thread: jobject) -> ThreadId {
        let run = std::ptr::from_ref(self) as usize;
        if let Some((known, row)) = ROW.get()
            && known == run
        {
            return row;
        }
        let native = core.native_thread(jni, thread);
        let row = native.and_then(|native| core.threads.id_of(native));
        ROW.set(row.map(|row| (run, row)));
        row.unwrap_or(ThreadId(0))
    }

    /// Stores the row of the current, starting thread.
    pub(crate) fn note_row(&self, core: &Core, jni: Jni, thread: jobject) {
        if core.options.stacks != Stacks::Off {
            ROW.set(None);
            self.current_row(core, jni, thread);
        }
    }

    /// Notes that the bytecode of a class has changed, so lines of its methods must be looked up again.
    pub(crate) fn forget_lines(&self) {
        self.lines_are_old.store(true, Ordering::Release);
    }

    /// Each tick: adapts the rate to the time spent, and writes the tables to the trace before they are full.
    pub(crate) fn tick_stacks(&self, core: &Core) {
        let stacks = self;
        let sampling = stacks.state.load(Ordering::Acquire) == SAMPLING;
        if sampling && let Some(controller) = stacks.rate.get() {
            let wanted = controller.lock().next(stacks);
            if let Some(interval) = wanted {
                self.wanted_interval.store(interval, Ordering::Relaxed);
            }
        }
        let room = stacks.table.lock().settle();
        let ticks = stacks.ticks.fetch_add(1, Ordering::Relaxed);
        if room == Room::Little || (sampling && ticks.is_multiple_of(TICKS_BETWEEN_WRITES)) {
            core.define(|| self.stack_records());
        }
    }

    /// Takes the samples since the last call.
    pub(crate) fn stack_records(&self) -> Vec<Record> {
        let (mut records, rows) = {
            let mut table = self.table.lock();
            (table.take_definitions(), table.take_rows())
        };
        let rows = stack_table::in_records(rows);
        let skipped = self.skipped.swap(0, Ordering::Relaxed);
        let mut samples: Vec<StackSamples> = rows
            .map(|rows| StackSamples {
                unix_millis: unix_millis(),
                rows,
                ..StackSamples::default()
            })
            .collect();
        if let Some(last) = samples.last_mut() {
            last.skipped = skipped;
            last.micros = self.take_spent_micros();
        }
        records.extend(samples.into_iter().map(Record::StackSamples));
        records
    }
}

impl StackSampler {
    /// Takes the microseconds spent since the last call.
    fn take_spent_micros(&self) -> u64 {
        let mut table = self.table.lock();
        let nanos = self.nanos.load(Ordering::Relaxed);
        let micros = nanos.saturating_sub(table.said_nanos) / 1000;
        table.said_nanos += micros * 1000;
        micros
    }
}

impl Controller {
    fn next(&mut self, stacks: &StackSampler) -> Option<u64> {
        let cpu = process_cpu();
        let samples = stacks.samples.load(Ordering::Relaxed);
        let nanos = stacks.nanos.load(Ordering::Relaxed);
        stacks.nanos_at_tick.store(nanos, Ordering::Relaxed);
        let tick = Tick {
            cpu: cpu.saturating_sub(self.cpu),
            spent: Duration::from_nanos(nanos - self.nanos),
            samples: samples - self.samples,
        };
        (self.cpu, self.samples, self.nanos) = (cpu, samples, nanos);
        self.rate.next(tick)
    }
}

/// Asks the VM for names of methods whose frames are running.
pub(crate) struct VmNames {
    pub(crate) env: Env,
    pub(crate) jni: Jni,
}

impl Names for VmNames {
    fn method(&self, method: usize) -> Option<stack_table::MethodNames> {
        let env = self.env;
        let method = method as ducktrack_jvmti::sys::jmethodID;
        let name = env.method_name(method).ok()?;
        let class = env.method_declaring_class(method).ok()?;
        let signature = env.class_signature(class).unwrap_or_default();
        self.jni.delete_local_ref(class);
        let text = |bytes: &[u8]| ducktrack_classfile::decode_modified_utf8(bytes).into_owned();
        let class = signature.strip_prefix(b"L")?.strip_suffix(b";")?;
        Some(stack_table::MethodNames {
            class: text(class),
            name: text(&name.name),
            descriptor: text(&name.descriptor),
        })
    }

    fn lines(&self, method: usize) -> Vec<(u16, u16)> {
        let method = method as ducktrack_jvmti::sys::jmethodID;
        let table = self.env.line_number_table(method).unwrap_or_default();
        table
            .iter()
            .filter_map(|line| {
                Some((
                    u16::try_from(line.start).ok()?,
                    u16::try_from(line.line).ok()?,
                ))
            })
            .collect()
    }
}

pub(crate) fn no_frames(count: usize) -> Box<[FrameInfo]> {
    let none = FrameInfo {
        method: std::ptr::null_mut(),
        location: 0,
    };
    vec![none; count].into_boxed_slice()
}

/// Gives the VM's allocation sampler back, at the rate that it had.
pub(crate) fn release_sampler(core: &Core) {
    let sampler = Capabilities::of(&[Capability::CanGenerateSampledObjectAllocEvents]);
    let _ = core.env.set_heap_sampling_interval(INTERVAL_OF_THE_VM);
    let _ = core.env.disable(EventKind::SAMPLED_OBJECT_ALLOC);
    if let Err(error) = core.env.relinquish_capabilities(&sampler) {
        core.log.warn(&format!(
            "the VM's allocation sampler could not be given back: {error}"
        ));
    }
}

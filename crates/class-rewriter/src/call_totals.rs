//! Probes around calls that leave the application: their allocations are the difference of the thread's totals.
//!
//! ```text
//!   sipush 300; invokestatic DuckTrackCalls.begin(I)V
//!   invokevirtual java/text/DateFormat.format
//!   sipush 300; invokestatic DuckTrackCalls.end(I)V
//!
//!   stub: invokestatic DuckTrackCalls.thrown()V; athrow        where the call throws
//! ```
//!
//! 300 is the first of the call's counters: objects and bytes inclusive, objects and bytes charged. One stub of each way
//! out serves all calls of a method: the helper knows which call began last. In the head of a constructor there may be no
//! stub; what a call there leaves open when it throws is dropped when a call around it ends. Such a call begins by `bh`.

use ducktrack_classfile::{ClassFile, CodeOffset, Instruction, Opcode};
use ducktrack_code_edit::{Catch, HandlerExit, Place, ProbeMethod, ProtectedPlace, Rank};
use ducktrack_probe_vocabulary::helper::{calls, contexts, measured};

use crate::application::LeavingCalls;
use crate::part::{Part, PartBuilder};
use crate::planned::{CallTarget, PlannedCause, Role};
use crate::planner::Planner;
use crate::probe::calling;
use crate::refusal::Reason;
use crate::stack_claim::claim_stack;

const BEGIN: ProbeMethod = calling(calls::BEGIN);
/// The same in the head of a constructor.
const BEGIN_IN_HEAD: ProbeMethod = calling(calls::BEGIN_IN_HEAD);
const END: ProbeMethod = calling(calls::END);
const THROWN: ProbeMethod = calling(calls::THROWN);
const MOUNT: ProbeMethod = calling(calls::MOUNT);
const UNMOUNT: ProbeMethod = calling(calls::UNMOUNT);
/// The same for measurements that a program makes of its own run.
const RESUME_MEASUREMENTS: ProbeMethod = calling(measured::MOUNT);
const PAUSE_MEASUREMENTS: ProbeMethod = calling(measured::UNMOUNT);
/// The same for contexts.
const ARRIVE_IN_CONTEXTS: ProbeMethod = calling(contexts::MOUNT);
const DEPART_FROM_CONTEXTS: ProbeMethod = calling(contexts::UNMOUNT);

/// Counters of a call.
const COUNTERS: usize = 4;

/// The method in which a virtual thread is mounted on its carrier, runs, and is unmounted.
const VIRTUAL_THREAD: &[u8] = b"java/lang/VirtualThread";
const CONTINUATION: (&[u8], &[u8]) = (b"jdk/internal/vm/Continuation", b"run");

/// Measures what calls that leave the application allocate.
pub(crate) struct CallTotals<'l> {
    pub(crate) leaving: &'l LeavingCalls,
}

impl Planner for CallTotals<'_> {
    fn is_interested_in(&self, instruction: &Instruction<'_>) -> bool {
        let target = |index| self.leaving.target(index);
        instruction.opcode.is_invoke() && instruction.pool_index().and_then(target).is_some()
    }

    fn plan(&self, mut builder: PartBuilder<'_>) -> Result<Part, Reason> {
        ask_totals(&mut builder)?;
        Ok(builder.part)
    }
}

/// Follows virtual threads from carrier to carrier.
pub(crate) struct VirtualThreads {
    /// Calls of the application are measured.
    pub(crate) has_calls: bool,
}

impl VirtualThreads {
    /// Whether the class is the one that mounts and unmounts them.
    pub(crate) fn concern(class: &ClassFile<'_>) -> bool {
        class.name() == VIRTUAL_THREAD
    }
}

impl Planner for VirtualThreads {
    fn is_interested_in(&self, instruction: &Instruction<'_>) -> bool {
        instruction.opcode == Opcode::INVOKEVIRTUAL
    }

    fn plan(&self, mut builder: PartBuilder<'_>) -> Result<Part, Reason> {
        follow_virtual_threads(&mut builder, self.has_calls)?;
        Ok(builder.part)
    }
}

/// Adds the probes around every call that leaves the application.
fn ask_totals(builder: &mut PartBuilder<'_>) -> Result<(), Reason> {
    let head = builder.view.constructor_head()?;
    let mut asked: Vec<(CodeOffset, bool)> = Vec::new();
    for instruction in builder.view.instructions {
        let Some(target) = leaving_target(builder, instruction) else {
            continue;
        };
        if asked.is_empty() && builder.view.allocations.is_empty() {
            claim_stack(builder)?;
        }
        let is_in_head = head.contains(instruction.offset);
        let begin = if is_in_head { BEGIN_IN_HEAD } else { BEGIN };
        ask_around(builder, instruction.offset, target, begin)?;
        asked.push((instruction.offset, is_in_head));
    }
    let outside = asked.iter().filter(|(_, is_in_head)| !is_in_head);
    let outside: Vec<CodeOffset> = outside.map(|(offset, _)| *offset).collect();
    add_ways_out(builder, &outside)
}

/// The target of a call that leaves the application, unless the call is an allocation site itself.
fn leaving_target(builder: &PartBuilder<'_>, instruction: &Instruction<'_>) -> Option<CallTarget> {
    if !instruction.opcode.is_invoke() {
        return None;
    }
    let target = builder.view.leaving.target(instruction.pool_index()?)?;
    let sites = &builder.view.allocations;
    let is_site = sites.binary_search_by_key(&instruction.offset, |site| site.offset);
    is_site.is_err().then(|| target.clone())
}

fn ask_around(
    builder: &mut PartBuilder<'_>,
    offset: CodeOffset,
    target: CallTarget,
    begin: ProbeMethod,
) -> Result<(), Reason> {
    let call_site = builder.add_call_site(offset, target)?;
    let first = builder.add_counters(Role::Amount, vec![Vec::new(); COUNTERS])?;
    builder.part.causes.push(PlannedCause { call_site, first });
    let begin = builder
        .probes
        .build()
        .push_later(first)
        .invoke(begin)
        .finish()?;
    builder.insert(Place::Before(offset), begin);
    let end = builder
        .probes
        .build()
        .push_later(first)
        .invoke(END)
        .finish()?;
    builder.insert(Place::After(offset), end);
    Ok(())
}

/// Stubs for exceptions that leave these calls: one for each handler that may catch them, and one that throws on.
fn add_ways_out(builder: &mut PartBuilder<'_>, calls: &[CodeOffset]) -> Result<(), Reason> {
    let rows: Vec<_> = builder.view.code.exception_table().iter().collect();
    let mut uncaught: Vec<CodeOffset> = calls.to_vec();
    for (number, row) in rows.iter().enumerate() {
        let caught = calls.iter().filter(|call| row.protects(**call));
        let caught = caught
            .map(|call| ProtectedPlace::Instruction(*call))
            .collect();
        let then = HandlerExit::ContinueAt(row.handler);
        let rank = Rank::BeforeOriginal(number);
        add_way_out(builder, caught, Catch::SameAs(number), then, rank)?;
        if row.catch_type.is_none() {
            uncaught.retain(|call| !row.protects(*call));
        }
    }
    let uncaught = uncaught
        .into_iter()
        .map(ProtectedPlace::Instruction)
        .collect();
    add_way_out(
        builder,
        uncaught,
        Catch::Any,
        HandlerExit::Rethrow,
        Rank::Last,
    )
}

fn add_way_out(
    builder: &mut PartBuilder<'_>,
    protects: Vec<ProtectedPlace>,
    catch: Catch,
    then: HandlerExit,
    rank: Rank,
) -> Result<(), Reason> {
    if protects.is_empty() {
        return Ok(());
    }
    let thrown = builder.probes.build().invoke(THROWN).finish()?;
    builder.add_handler((protects, catch), thrown, (then, rank));
    Ok(())
}

/// Contexts and measurements of a virtual thread, and its open calls if there are any, move with it from carrier to carrier.
fn follow_virtual_threads(builder: &mut PartBuilder<'_>, has_calls: bool) -> Result<(), Reason> {
    for instruction in builder.view.instructions {
        let Some(index) = instruction
            .pool_index()
            .filter(|_| instruction.opcode == Opcode::INVOKEVIRTUAL)
        else {
            continue;
        };
        let member = builder.view.code.pool().member_ref(index)?;
        if (member.class, member.name) != CONTINUATION || builder.view.is_static {
            continue;
        }
        let (mounted, unmounted) = (
            Place::Before(instruction.offset),
            Place::After(instruction.offset),
        );
        // Open calls are in the carrier's block, measurements in that of the context.
        let outside = [(mounted, MOUNT), (unmounted, PAUSE_MEASUREMENTS)];
        let between = [
            (mounted, ARRIVE_IN_CONTEXTS),
            (unmounted, DEPART_FROM_CONTEXTS),
        ];
        let inside = [(mounted, RESUME_MEASUREMENTS), (unmounted, UNMOUNT)];
        let all = [outside, between, inside].into_iter().flatten();
        let wanted = all.filter(|(_, method)| has_calls || ![MOUNT, UNMOUNT].contains(method));
        for (place, method) in wanted {
            let probe = builder
                .probes
                .build()
                .load_reference(0)
                .invoke(method)
                .finish()?;
            builder.insert(place, probe);
        }
    }
    Ok(())
}

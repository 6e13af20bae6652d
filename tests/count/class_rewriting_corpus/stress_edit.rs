//! An edit with something at every place where an edit can have something.

use anyhow::Result;
use ducktrack_classfile::{ClassFile, Code, CodeOffset, Instruction, Method, Opcode, PoolAppender};
use ducktrack_code_edit::{
    AddedHandler, Catch, CodeEdit, ConstructorHead, HandlerExit, Insertion, Place, ProtectedPlace,
    Rank, edit_code, rewrite_class_methods,
};

use crate::{Totals, count_skipped};

/// The class with all methods stressed, but for those that get too large.
pub(crate) fn apply(class: &ClassFile<'_>, totals: &mut Totals) -> Result<Vec<u8>> {
    let mut pool = PoolAppender::new(class.pool());
    let mut edited = Vec::new();
    for (position, method) in class.methods().enumerate() {
        let Some(code) = method.code() else { continue };
        let edit = edit(&method, &code)?;
        match edit_code(&method, &edit, &mut pool) {
            Ok(new) => {
                count(totals, &edit);
                edited.push((position, new.attribute));
            }
            Err(reason) => count_skipped(totals, reason)?,
        }
    }
    let codes = edited
        .iter()
        .map(|(position, code)| (*position, code.as_slice()));
    Ok(rewrite_class_methods(class, codes, &pool)?)
}

fn count(totals: &mut Totals, edit: &CodeEdit) {
    totals.methods += 1;
    totals.insertions += edit.insertions.len();
    let on_branch = |insertion: &&Insertion| matches!(insertion.place, Place::OnBranch { .. });
    totals.trampolines += edit.insertions.iter().filter(on_branch).count();
    let rethrows = |handler: &&AddedHandler| handler.then == HandlerExit::Rethrow;
    totals.rethrowing += edit.handlers.iter().filter(rethrows).count();
    totals.continuing += edit
        .handlers
        .iter()
        .filter(|handler| !rethrows(handler))
        .count();
}

/// Pushes a number of two or three bytes and drops it.
fn probe(number: usize) -> Vec<u8> {
    let low = u8::try_from(number % 100).unwrap_or(0);
    match number % 2 {
        0 => vec![Opcode::BIPUSH.0, low, Opcode::POP.0],
        _ => vec![Opcode::SIPUSH.0, 1, low, Opcode::POP.0],
    }
}

fn edit(method: &Method<'_>, code: &Code<'_>) -> Result<CodeEdit> {
    let instructions: Vec<Instruction<'_>> = code.instructions().collect::<Result<_, _>>()?;
    let mut places = vec![Place::Entry];
    for (number, instruction) in instructions.iter().enumerate() {
        let at = instruction.offset;
        if number % 3 == 0 {
            places.push(Place::Before(at));
        }
        if number % 4 == 1 {
            places.push(Place::FallThroughInto(at));
        }
        if number % 5 == 2 && number + 1 < instructions.len() {
            places.push(Place::After(at));
        }
        let mut targets: Vec<CodeOffset> = instruction.targets().collect();
        targets.sort_unstable();
        targets.dedup();
        places.extend(
            targets
                .into_iter()
                .map(|to| Place::OnBranch { from: at, to }),
        );
    }
    let insertion = |(number, place)| Insertion {
        place,
        code: probe(number),
        stack: 1,
    };
    let insertions: Vec<Insertion> = places.into_iter().enumerate().map(insertion).collect();
    let mut handlers = continuing(code, &instructions, &insertions);
    let head = ConstructorHead::of(method, code, &instructions)?;
    handlers.extend(rethrowing(code, &instructions, &insertions, &head));
    Ok(CodeEdit {
        insertions,
        handlers,
        replacements: Vec::new(),
    })
}

/// One handler that throws again, over everything outside of `head` that can throw and every second insertion there.
fn rethrowing(
    code: &Code<'_>,
    instructions: &[Instruction<'_>],
    insertions: &[Insertion],
    head: &ConstructorHead,
) -> Option<AddedHandler> {
    let throwing = instructions
        .iter()
        .filter(|instruction| instruction.can_throw_given(code.pool()));
    let throwing = throwing.filter(|instruction| !head.contains(instruction.offset));
    let mut protects: Vec<_> = throwing
        .map(|instruction| ProtectedPlace::Instruction(instruction.offset))
        .collect();
    let is_in_reach = |place| match place {
        Place::Entry => head.is_empty(),
        Place::Before(at) | Place::FallThroughInto(at) | Place::After(at) => !head.contains(at),
        Place::OnBranch { from, to } => !head.contains(from) && !head.contains(to),
    };
    let numbered = insertions
        .iter()
        .enumerate()
        .step_by(2)
        .filter(|(_, insertion)| is_in_reach(insertion.place));
    protects.extend(numbered.map(|(number, _)| ProtectedPlace::Insertion(number)));
    let handler = AddedHandler {
        protects,
        catch: Catch::Any,
        code: probe(1),
        stack: 1,
        then: HandlerExit::Rethrow,
        rank: Rank::Last,
    };
    Some(handler).filter(|handler| !handler.protects.is_empty())
}

/// Per row of the exception table a handler that goes on to the same handler.
fn continuing(
    code: &Code<'_>,
    instructions: &[Instruction<'_>],
    insertions: &[Insertion],
) -> Vec<AddedHandler> {
    let rows = code.exception_table();
    let handler = |(position, row): (usize, ducktrack_classfile::ExceptionEntry)| {
        let throwing = instructions
            .iter()
            .filter(|instruction| instruction.can_throw() && row.protects(instruction.offset));
        let mut protects: Vec<_> = throwing
            .map(|instruction| ProtectedPlace::Instruction(instruction.offset))
            .collect();
        let inside = |place| match place {
            Place::Before(at) | Place::FallThroughInto(at) => row.protects(at),
            Place::OnBranch { from, to } => row.protects(from) && row.protects(to),
            Place::Entry | Place::After(_) => false,
        };
        let numbered = insertions
            .iter()
            .enumerate()
            .filter(|(_, insertion)| inside(insertion.place));
        protects.extend(numbered.map(|(number, _)| ProtectedPlace::Insertion(number)));
        AddedHandler {
            protects,
            catch: Catch::SameAs(position),
            code: probe(position),
            stack: 1,
            then: HandlerExit::ContinueAt(row.handler),
            rank: Rank::BeforeOriginal(position),
        }
    };
    rows.iter().enumerate().map(handler).collect()
}

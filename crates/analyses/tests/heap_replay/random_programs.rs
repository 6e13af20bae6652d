//! Random programs: every answer equals what the naive machine expects.

use ducktrack_heap_replay::HeapKnowledge;
use proptest::prelude::*;

use ducktrack_test_support::naive_vm::{NaiveVm, Piece};

use crate::comparison::{check_all, check_heaps};
use crate::program::{cases, programs, programs_that_lose_the_heap};
use crate::replaying::{all_questions, replay_all, replay_kept};

proptest! {
    #![proptest_config(cases(150))]

    #[test]
    fn every_answer_of_a_whole_trace(program in programs(), workers in 1_usize..4) {
        let vm = NaiveVm::run(&program);
        let model = replay_all(&vm.pieces, vm.epoch, workers);
        check_all(&vm, &model);
    }

    /// The JVM was killed before the last collections were written: what the agent had kept of them says the same.
    #[test]
    fn every_answer_where_the_last_collections_were_kept(program in programs(), from in 1_u32..8, workers in 1_usize..4) {
        let vm = NaiveVm::run(&program);
        let model = replay_kept(&vm.pieces, &vm.survivors, from, all_questions(vm.epoch), workers).into();
        check_all(&vm, &model);
    }

    /// The heap is lost and known again: what is said of the stretches in which it is known is true, and each object is counted once.
    #[test]
    fn every_answer_before_and_after_gaps(program in programs_that_lose_the_heap(), workers in 1_usize..4) {
        let vm = NaiveVm::run(&program);
        let model = replay_all(&vm.pieces, vm.epoch, workers);
        check_all(&vm, &model);
    }

    /// Older files are gone: from the synchronization point on, everything is known of every object.
    #[test]
    fn heaps_of_a_trace_whose_oldest_files_were_rotated_away(program in programs(), from: prop::sample::Index) {
        let vm = NaiveVm::run(&program);
        let is_file = |piece: &Piece| matches!(piece, Piece::File(header) if header.has_sync_point);
        let starts: Vec<usize> = (0..vm.pieces.len()).filter(|at| is_file(&vm.pieces[*at])).collect();
        prop_assume!(!starts.is_empty());
        let start = *from.get(&starts);
        let Piece::File(header) = &vm.pieces[start] else { unreachable!() };
        let model = replay_all(&vm.pieces[start..], vm.epoch, 2);
        check_heaps(&vm, &model, header.epoch as usize - 1);
        prop_assert!(model.heaps[..header.epoch as usize - 1].iter().all(Option::is_none));
        prop_assert_eq!(model.info.rotations[0].differences, None);
        prop_assert_eq!(model.info.unexplained_survivors, 0);
    }

    /// Pieces are lost, doubled or changed: no panic, and what comes after the next whole synchronization point is right.
    #[test]
    fn damaged_traces(program in programs(), faults in prop::collection::vec((any::<prop::sample::Index>(), 0_u8..6, any::<prop::sample::Index>(), any::<u8>()), 1..6)) {
        let vm = NaiveVm::run(&program);
        let mut pieces = vm.pieces.clone();
        for (at, sort, byte, value) in faults {
            if pieces.is_empty() {
                break;
            }
            let at = at.index(pieces.len());
            match sort {
                0 => drop(pieces.remove(at)),
                1 => pieces.insert(at, pieces[at].clone()),
                2 => pieces.truncate(at.max(1)),
                3 => change(&mut pieces[at], byte, &[value]),
                4 => change(&mut pieces[at], byte, &LARGEST_FIXED),
                _ => change(&mut pieces[at], byte, &LARGEST_VARINT),
            }
        }
        let model = replay_all(&pieces, vm.epoch, 2);
        if matches!(model.info.knowledge, HeapKnowledge::Lost { .. } | HeapKnowledge::Never { .. }) {
            prop_assert!(model.heaps.last().unwrap().is_none());
        }
    }
}

/// The largest size in a long event.
const LARGEST_FIXED: [u8; 8] = [0xff; 8];
/// The largest number of objects in a run.
const LARGEST_VARINT: [u8; 10] = [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01];

fn change(piece: &mut Piece, byte: prop::sample::Index, values: &[u8]) {
    let content = match piece {
        Piece::Events(content)
        | Piece::Explained(content)
        | Piece::Sync(content)
        | Piece::Uses(content) => content,
        Piece::Collection(collection, moves) => match moves.first_mut() {
            Some(content) => content,
            None => {
                collection.number ^= u32::from(values[0]);
                return;
            }
        },
        Piece::File(header) => {
            header.index ^= u32::from(values[0]);
            return;
        }
    };
    if !content.is_empty() {
        let at = byte.index(content.len());
        for (byte, value) in content[at..].iter_mut().zip(values) {
            *byte = *value;
        }
    }
}

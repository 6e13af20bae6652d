//! Model to document.

use ducktrack_analyses::TraceModel;
use ducktrack_heap_replay::{EventFileRow, RecoveredRow, Rotation, TraceInfo};

use super::document::*;
use crate::class_name::printable;
use crate::event_trace::VERSION;
use crate::event_trace::amounts::{amount, ratio, signed};
use crate::event_trace::head::TraceHead;
use crate::event_trace::heap::{quality, since_start};
use crate::filter::Filter;
use crate::json::AmountDoc;

/// Makes the report. `trace` says where the model was read from.
pub fn info_report(model: &TraceModel, trace: &str) -> InfoReport {
    let filter = Filter::default();
    let view = crate::build::view(&model.count, trace, &filter);
    let info = &model.info;
    InfoReport {
        format: "ducktrack-info".to_owned(),
        version: VERSION,
        head: TraceHead::of(model, &view, &filter),
        begin_micros: since_start(model, info.start_micros),
        end_micros: since_start(model, info.end_micros),
        events: info.sums.events,
        allocated: amount(info.sums.allocated),
        eliminated: info.sums.eliminated,
        bytes_per_event: info.bytes_per_event().map(ratio),
        bytes_per_move: info.bytes_per_move().map(ratio),
        compression: compression(info),
        collections: collections(info),
        quality: QualitiesDoc {
            percent: info.quality().map(|share| ratio(share * 100.0)),
            rotations: info.rotations.iter().map(rotation).collect(),
        },
        dropped: info.sums.dropped,
        lost: LostDoc {
            blocks: info.lost_blocks,
            bytes: info.lost_bytes,
        },
        gaps: AmountDoc {
            count: signed(info.sums.gaps),
            bytes: signed(info.sums.gap_bytes),
        },
        unplaced: info.sums.unplaced,
        size_unknown: info.sums.size_unknown,
        recovered: recovered(info.recovered),
        complete: (info.sums.updates > 0 || info.sums.calls > 0).then_some(CompleteDoc {
            updates: info.sums.updates,
            calls: info.sums.calls,
        }),
        malformed: info.sums.malformed,
        stragglers: info.sums.stragglers,
        contradictions: info.sums.contradictions,
        buffers: info.sums.buffers,
        blocks: info.blocks,
        layouts: layouts(model),
        files: info.files.iter().map(file).collect(),
    }
}

fn recovered(row: RecoveredRow) -> Option<RecoveredDoc> {
    let doc = RecoveredDoc {
        buffers: row.buffers,
        bytes: row.bytes,
        lost_collections: row.lost_collections,
        kept_collections: row.kept_collections,
        private_threads: row.private_threads,
        is_running: row.is_running,
    };
    (row != RecoveredRow::default()).then_some(doc)
}

fn layouts(model: &TraceModel) -> LayoutsDoc {
    let (classes, known) = model.count.field_layouts.counts();
    LayoutsDoc { classes, known }
}

fn compression(info: &TraceInfo) -> CompressionDoc {
    CompressionDoc {
        plain_bytes: info.plain_bytes,
        stored_bytes: info.stored_bytes,
        percent: info.compression().map(|share| ratio(share * 100.0)),
        event_bytes: info.event_bytes,
        move_bytes: info.move_bytes,
        sync_bytes: info.sync_bytes,
    }
}

fn collections(info: &TraceInfo) -> CollectionsDoc {
    CollectionsDoc {
        count: info.collections,
        first: info.first_collection.map(|number| number.0),
        last: info.last_collection.map(|number| number.0),
        survivors: info.survivors,
        moved: info.moved,
        found: info.found,
        ambiguous: info.ambiguous,
        unexplained: info.unexplained_survivors,
        conflicts: info.conflicts,
    }
}

fn rotation(rotation: &Rotation) -> RotationDoc {
    RotationDoc {
        file: rotation.file,
        collection: rotation.collection,
        objects: rotation.objects,
        differences: rotation.differences,
        quality: rotation.quality.iter().copied().map(quality).collect(),
    }
}

fn file(file: &EventFileRow) -> EventFileDoc {
    EventFileDoc {
        name: printable(&file.name),
        index: file.index,
        bytes: file.bytes,
        blocks: file.blocks,
        collections: file.collections,
    }
}

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
        events: info.events,
        allocated: amount(info.allocated),
        eliminated: info.eliminated,
        bytes_per_event: info.bytes_per_event().map(ratio),
        bytes_per_move: info.bytes_per_move().map(ratio),
        compression: compression(info),
        collections: collections(info),
        quality: QualitiesDoc {
            percent: info.quality().map(|share| ratio(share * 100.0)),
            rotations: info.rotations.iter().map(rotation).collect(),
        },
        dropped: info.dropped,
        lost: LostDoc {
            blocks: info.lost_blocks,
            bytes: info.lost_bytes,
        },
        gaps: AmountDoc {
            count: signed(info.gaps),
            bytes: signed(info.gap_bytes),
        },
        unplaced: info.unplaced,
        size_unknown: info.size_unknown,
        recovered: recovered(info.recovered),
        complete: (info.updates > 0 || info.calls > 0).then_some(CompleteDoc {
            updates: info.updates,
            calls: info.calls,
        }),
        malformed: info.malformed,
        stragglers: info.stragglers,
        contradictions: info.contradictions,
        buffers: info.buffers,
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

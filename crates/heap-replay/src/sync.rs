//! Synchronization points and later explanations, taken into a replay.

use ducktrack_trace_format::{FormatError, SiteId, SyncDecoder, SyncObject, decode_explained};

use ducktrack_count_model::TypeColumn;
use ducktrack_live_heap::capped;

use crate::analysis::{Gain, Loss, Pause};
use crate::live_counts::LiveCounts;
use crate::live_object::{LiveHeap, LiveObject};
use crate::replay::HeapReplay;
use crate::sync_check::SyncCheck;
use crate::{CollectionNumber, Quality, Rotation};

/// Collections after a synchronization point whose quality is noted, with the point itself.
const QUALITIES: usize = 10;

impl HeapReplay<'_> {
    /// Takes the content of a part of a synchronization point. Of a point that has lost a part nothing is used.
    pub fn sync_part(&mut self, content: &[u8]) -> Result<(), FormatError> {
        if !self.file_is_whole {
            return Ok(());
        }
        self.take_sync_part(content).inspect_err(|_| self.damaged())
    }

    fn take_sync_part(&mut self, content: &[u8]) -> Result<(), FormatError> {
        let decoder = SyncDecoder::new(content)?;
        let (collection, is_last) = (decoder.collection(), decoder.is_last());
        let mut sync = match self.sync.take() {
            Some(sync) if sync.collection == collection => sync,
            _ => self.start_sync(collection),
        };
        for object in decoder {
            match object {
                Ok(object) => {
                    let object = self.live(&object);
                    let heap = &mut self.heap;
                    sync.take(object, &mut heap.objects, &mut heap.counts);
                }
                Err(error) => {
                    self.sync = Some(sync);
                    return Err(error);
                }
            }
        }
        if is_last {
            self.finish_sync(sync);
        } else {
            self.sync = Some(sync);
        }
        Ok(())
    }

    fn live(&self, object: &SyncObject) -> LiveObject {
        let names = &self.heap.names;
        let site = names.site(object.site);
        let ty = match names.class_type(object.class) {
            // No collection has shown the object yet, so the writer had no class.
            TypeColumn::NONE => site.ty,
            known => known,
        };
        let end = object.address.saturating_add(object.bytes);
        let live = LiveObject::new(end, object.bytes, site.column, ty, object.birth);
        match object.site {
            SiteId(0) => live,
            _ => live.by(object.thread, names.caller(object.caller)),
        }
    }

    fn start_sync(&mut self, collection: u32) -> SyncCheck {
        let is_known = self.heap.is_known();
        let replaces = self.doubtful || !is_known;
        if replaces && is_known {
            self.lost(Loss::Replaced);
        }
        if replaces {
            self.heap.counts = LiveCounts::default();
            self.heap.objects = LiveHeap::default();
        }
        SyncCheck::new(collection, replaces)
    }

    /// From which epoch on objects count, if the heap is known again after
    /// a collection: from the beginning, if this is the first one at hand.
    fn known_since(&self, collection: u32) -> u32 {
        match self.heap.clock.is_at_start() {
            true => 0,
            false => collection,
        }
    }

    /// Something is missing at this place of the files.
    pub fn damaged(&mut self) {
        self.doubtful = true;
        self.file_is_whole = false;
        self.abandon_sync();
    }

    /// A synchronization point that has not ended is no state to start from.
    pub(crate) fn abandon_sync(&mut self) {
        if let Some(sync) = self.sync.take().filter(|sync| sync.replaces) {
            self.heap.objects = LiveHeap::default();
            let reason = format!(
                "the synchronization point after collection {} is damaged",
                sync.collection
            );
            self.lose(sync.collection, reason);
        }
    }

    fn finish_sync(&mut self, sync: SyncCheck) {
        let total = self.heap.counts.total;
        if sync.replaces {
            let since = self.known_since(sync.collection);
            let gain = Gain {
                since: (!self.heap.is_known()).then_some(since),
                is_first: self.heap.clock.is_at_start(),
            };
            let number = CollectionNumber(sync.collection);
            let conflicts = &mut self.heap.info.conflicts;
            self.heap.objects.settle(|_| *conflicts += 1);
            self.heap.epoch = sync.collection;
            self.heap.knowledge.gain(number);
            self.doubtful = false;
            self.gained(gain);
            let ended = self.unsettled.map_or(0, |pause| pause.unix_micros);
            self.unsettled = Some(Pause {
                collection: sync.collection,
                unix_micros: ended,
            });
        }
        let info = &mut self.heap.info;
        capped::add(&mut info.sync_objects, sync.objects);
        info.rotations.push(Rotation {
            file: info.files.last().map_or(0, |file| file.index),
            collection: sync.collection,
            objects: sync.objects,
            differences: sync.differences(total.count),
            quality: vec![Quality {
                collection: sync.collection,
                objects: sync.objects,
                with_site: sync.with_site,
            }],
        });
    }

    /// Takes the content of a block of objects that were found before and are explained now.
    pub fn explained(&mut self, content: &[u8]) -> Result<(), FormatError> {
        for explained in decode_explained(content) {
            let explained = explained?;
            let heap = &mut self.heap;
            let Some(object) = heap.objects.get(explained.address) else {
                self.doubtful = true;
                continue;
            };
            let before = *object;
            object.site = heap.names.site(explained.site).column;
            object.birth = explained.birth;
            let caller = heap.names.caller(explained.caller);
            *object = object.by(explained.thread, caller);
            heap.counts.remove(&before);
            heap.counts.add(object);
            for analysis in &mut self.analyses {
                analysis.explained(&before, object);
            }
        }
        Ok(())
    }

    pub(crate) fn note_quality(&mut self, collection: u32) {
        let quality = Quality {
            collection,
            objects: self.heap.counts.total.count,
            with_site: self.heap.counts.with_site(),
        };
        let rotation = self.heap.info.rotations.last_mut();
        if let Some(rotation) = rotation.filter(|rotation| {
            rotation.collection != collection && rotation.quality.len() < QUALITIES
        }) {
            rotation.quality.push(quality);
        }
    }
}

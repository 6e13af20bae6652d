//! Synchronization points and later explanations, taken into a replay.

use ducktrack_trace_format::{FormatError, SiteId, SyncDecoder, SyncObject, decode_explained};

use crate::HeapReplay;
use ducktrack_count_model::TypeColumn;
use ducktrack_heap_replay::{CollectionNumber, LiveObject, Quality, Rotation, SyncCheck};
use ducktrack_live_heap::{Amount, capped};

/// Collections after a synchronization point whose quality is noted, with the point itself.
const QUALITIES: usize = 10;

impl HeapReplay {
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
                Ok(object) => sync.take(self.live(&object), &mut self.heap, &mut self.counts),
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
        let site = self.names.site(object.site);
        let ty = match self.names.class_type(object.class) {
            // No collection has shown the object yet, so the writer had no class.
            TypeColumn::NONE => site.ty,
            known => known,
        };
        let end = object.address.saturating_add(object.bytes);
        let live = LiveObject::new(end, object.bytes, site.column, ty, object.birth);
        match object.site {
            SiteId(0) => live,
            _ => live.by(object.thread, self.names.caller(object.caller)),
        }
    }

    fn start_sync(&mut self, collection: u32) -> SyncCheck {
        let is_known = self.knowledge.is_known();
        let replaces = self.doubtful || !is_known;
        if replaces && is_known {
            self.lifetimes.lose(self.heap.iter());
            self.counts.clear();
        } else if replaces {
            self.counts.begin(self.known_since(collection));
        }
        if replaces {
            self.heap.clear();
        }
        SyncCheck::new(collection, replaces)
    }

    /// From which epoch on objects count, if the heap is known again after a collection: from the beginning, if this is the first one at hand.
    fn known_since(&self, collection: u32) -> u32 {
        match self.clock.is_at_start() {
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
            self.heap.clear();
            let reason = format!(
                "the synchronization point after collection {} is damaged",
                sync.collection
            );
            self.lose(sync.collection, reason);
        }
    }

    fn finish_sync(&mut self, sync: SyncCheck) {
        let (total, is_first) = (self.counts.total, self.clock.is_at_start());
        if sync.replaces {
            self.heap.settle(|_| {});
            self.restart_uses();
            self.epoch = sync.collection;
            self.doubtful = false;
            if self.knowledge.is_known() {
                for object in self.heap.iter() {
                    self.lifetimes.keep(object);
                }
            } else {
                self.lifetimes.begin(self.known_since(sync.collection));
            }
            self.knowledge.gain(CollectionNumber(sync.collection));
            let ended = self.to_note.map_or(0, |(_, ended)| ended);
            self.to_note = Some((sync.collection, ended));
            if is_first {
                for object in self.heap.iter() {
                    let one = Amount::one(object.bytes());
                    self.lifetimes.allocated(object.origin(), one);
                }
            }
        }
        capped::add(&mut self.info.sync_objects, sync.objects);
        self.info.rotations.push(Rotation {
            file: self.info.files.last().map_or(0, |file| file.index),
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
            let column = self.names.site(explained.site).column;
            let Some(object) = self.heap.at_mut(explained.address) else {
                self.doubtful = true;
                continue;
            };
            let counts = self.lifetimes.counts(object);
            self.counts.remove(object);
            object.site = column;
            object.birth = explained.birth;
            let caller = self.names.caller(explained.caller);
            *object = object.by(explained.thread, caller);
            self.counts.add(object);
            if counts {
                self.lifetimes.located(object);
            }
        }
        Ok(())
    }

    pub(crate) fn note_quality(&mut self, collection: u32) {
        let quality = Quality {
            collection,
            objects: self.counts.total.count,
            with_site: self.counts.with_site(),
        };
        let rotation = self.info.rotations.last_mut();
        if let Some(rotation) = rotation.filter(|rotation| {
            rotation.collection != collection && rotation.quality.len() < QUALITIES
        }) {
            rotation.quality.push(quality);
        }
    }
}

use crate::memory::reserve;
use crate::*;
use alloc::vec::Vec;

pub(crate) fn own_of(own: &[u8], must: u64) -> Result<*const u8, Error> {
    if own.len() as u64 == must {
        return Ok(own.as_ptr());
    }
    Err(Error::Lengths { name: "own", value: own.len(), must: must as usize })
}

/// A frame that was just stepped.
#[derive(Clone, Copy, Debug, Default)]
pub struct Frame<'a> {
    /// Of the world right after the step; `None` if the world has not changed since.
    pub hash: Option<u64>,
    /// Since the last push, the reactions last.
    pub commands: &'a [Command],
    /// How many commands came after the step, as reactions to its events.
    pub reactions: usize,
    /// Of the step, then the game's own.
    pub events: &'a [Event],
}

impl Frame<'_> {
    pub(crate) fn raw(&self) -> sys::fxs_pushed {
        sys::fxs_pushed {
            hash: self.hash.unwrap_or_default(),
            command_count: self.commands.len() as u64,
            reaction_count: self.reactions as u64,
            event_count: self.events.len() as u64,
            is_final: 0,
            has_hash: self.hash.is_some().into(),
        }
    }
}

/// The events of a push, for effects.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct EventChanges {
    /// They were predicted, and are taken back.
    pub taken_back: Vec<Event>,
    /// They are predicted now.
    pub predicted: Vec<Event>,
}

impl EventChanges {
    /// Empties both lists, which have room for so many rows.
    pub(crate) fn empty(&mut self, rows: u64) -> Result<(), Error> {
        for list in [&mut self.taken_back, &mut self.predicted] {
            list.clear();
            reserve(list, rows)?;
        }
        Ok(())
    }
}

/// A confirmed frame: scores, sounds, the match log.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Confirmed {
    /// Its number.
    pub frame: u32,
    /// Of the world right after its step.
    pub hash: u64,
    /// As the world took them.
    pub commands: Vec<Command>,
    /// Of the step, then the game's own.
    pub events: Vec<Event>,
}

use crate::error::done;
use crate::{Error, sys};
use alloc::vec::Vec;

/// Eight bytes at an address that C takes: a u64 is aligned to 4 on some 32-bit machines.
#[derive(Clone, Copy)]
#[repr(C, align(8))]
struct Word([u8; 8]);

/// Memory for an object of the kernel; C writes it. A move of it moves no object.
pub(crate) struct Memory(Vec<Word>);

impl Memory {
    pub(crate) fn new(bytes: u64) -> Result<Self, Error> {
        let mut words = Vec::new();
        reserve(&mut words, bytes.div_ceil(8)).map_err(|_| Error::Memory { bytes })?;
        Ok(Self(words))
    }

    /// An object in memory of its own. `bytes`: 0 for numbers out of range, an error.
    ///
    /// # Safety
    /// `init` makes it in so many bytes, aligned to 8.
    pub(crate) unsafe fn holding<T>(
        bytes: u64,
        init: impl FnOnce(*mut T) -> i32,
        error: impl Fn() -> Error,
    ) -> Result<Self, Error> {
        if bytes == 0 {
            return Err(error());
        }
        let mut memory = Self::new(bytes)?;
        done(init(memory.as_mut_ptr()), error).map(|()| memory)
    }

    #[inline]
    pub(crate) fn as_ptr<T>(&self) -> *const T {
        self.0.as_ptr().cast()
    }

    #[inline]
    pub(crate) fn as_mut_ptr<T>(&mut self) -> *mut T {
        self.0.as_mut_ptr().cast()
    }
}

/// Room for at least so many rows.
#[cold]
pub(crate) fn reserve<T>(rows: &mut Vec<T>, count: u64) -> Result<(), Error> {
    let bytes = count.saturating_mul(size_of::<T>() as u64);
    let count = usize::try_from(count).map_err(|_| Error::Memory { bytes })?;
    rows.try_reserve(count.saturating_sub(rows.len())).map_err(|_| Error::Memory { bytes })
}

/// Appends the rows of a call that writes so many.
///
/// # Safety
/// The call writes all of them.
pub(crate) unsafe fn append<T, R>(
    rows: &mut Vec<T>,
    count: u64,
    call: impl FnOnce(*mut T) -> R,
) -> Result<(), Error> {
    let end = rows.len() as u64 + count;
    reserve(rows, end)?;
    // SAFETY: there is room behind the last row; the call writes all of them.
    unsafe {
        call(rows.as_mut_ptr().add(rows.len()));
        rows.set_len(end as usize);
    }
    Ok(())
}

/// Makes a list the rows that a call writes: it takes a place, the room there, and where to put the
/// number of rows, or with `FXS_E_ROOM` the room needed. `error` is that of another status and its
/// number.
///
/// # Safety
/// The call writes at most so many rows, and with `FXS_OK` all of those whose number it gives.
#[inline]
pub(crate) unsafe fn filled<T>(
    rows: &mut Vec<T>,
    mut call: impl FnMut(*mut T, u64, &mut u64) -> i32,
    error: impl FnOnce(i32, u64) -> Error,
) -> Result<(), Error> {
    rows.clear();
    loop {
        let mut count = 0;
        let status = call(rows.as_mut_ptr(), rows.capacity() as u64, &mut count);
        if status == sys::FXS_OK {
            // SAFETY: the call wrote so many rows into the room.
            unsafe { rows.set_len(count as usize) };
            return Ok(());
        }
        if status != sys::FXS_E_ROOM {
            return Err(error(status, count));
        }
        reserve(rows, count)?;
    }
}

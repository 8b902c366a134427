use crate::error::{bytes_fault, cast_fault, done, fault};
use crate::memory::filled;
use crate::*;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use core::ops::Deref;

/// Why a pair is not a hit, and by how much it misses: the fields are those of
/// [`sys::fxs_explanation`].
///
/// ```
/// use fixsync::*;
///
/// let ball = Shape::Sphere { radius: q!(1) };
/// let mut world = World::new(Config::new(8))?;
/// world.add(&Collider::new(1, ball))?;
/// world.add(&Collider::new(2, ball).at([q!(3), 0, 0]).inactive())?;
/// let why: Explanation = world.explain(1, 2)?;
/// assert_eq!(why.causes(), [Cause::BInactive, Cause::Beside]);
/// assert_eq!((why.gap, why.is_hit()), (q!(1).into(), false));
/// assert_eq!(why.to_string(), "beside: they would meet if a were 1 unit thicker; b is not active");
/// let query = Query::new(&ball, Pose::at([q!(1), 0, 0])).mask(2);
/// assert_eq!(world.explain_query(&query, 1)?.causes(), [Cause::Mask]);
/// let why = explain((&ball, Pose::default()), (&ball, Pose::default()), Contact::Touching)?;
/// assert!(why.is_hit());
/// assert_eq!(why.to_string(), "they meet");
/// # Ok::<(), fixsync::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Explanation(sys::fxs_explanation);

impl Explanation {
    /// Whether the pair is a hit.
    #[must_use]
    pub fn is_hit(&self) -> bool {
        self.0.why == 0
    }

    /// Why it is not.
    #[must_use]
    pub fn causes(&self) -> Vec<Cause> {
        let is_set = |cause: &&Cause| self.0.why & **cause as u32 != 0;
        Cause::ALL.iter().filter(is_set).copied().collect()
    }
}

impl Explanation {
    /// The causes as text, with names for a and b, of at most 60 bytes; "": "a" and "b".
    #[doc = errors!(fxs_explanation_text)]
    #[doc(alias = "fxs_explanation_text")]
    pub fn text(&self, a: &str, b: &str) -> Result<String, Error> {
        let names = [name_row(0, a)?, name_row(0, b)?];
        let of =
            |i: usize| if names[i].text[0] == 0 { core::ptr::null() } else { &raw const names[i] };
        let mut bytes: Vec<u8> = Vec::new();
        // SAFETY: a row, two names or null, and room as it is given.
        unsafe {
            filled(
                &mut bytes,
                |to, room, size| {
                    sys::fxs_explanation_text(
                        &raw const self.0,
                        of(0),
                        of(1),
                        to.cast(),
                        room,
                        size,
                    )
                },
                |status, _| fault(status, "explanation", 0, &[]),
            )?;
        }
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }
}

impl fmt::Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text("", "").map_err(|_| fmt::Error)?)
    }
}

/// The row of a name; its bytes must fit.
fn name_row(id: u32, name: &str) -> Result<sys::fxs_name, Error> {
    let mut text = [0; 60];
    let most = text.len() as i64;
    text.get_mut(..name.len())
        .ok_or(Error::Range { name: "bytes of a name", value: name.len() as i64, least: 0, most })?
        .copy_from_slice(name.as_bytes());
    Ok(sys::fxs_name { id, text })
}

impl Deref for Explanation {
    type Target = sys::fxs_explanation;

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl World {
    /// Why the pair of two colliders, or of a collider and a solid, is not a hit.
    #[doc = errors!(fxs_world_explain)]
    #[doc(alias = "fxs_world_explain")]
    pub fn explain(&self, a: u32, b: u32) -> Result<Explanation, Error> {
        let mut out = sys::fxs_explanation::default();
        // SAFETY: a world.
        self.pair(a, b, |world| unsafe { sys::fxs_world_explain(world, a, b, &raw mut out) })?;
        Ok(Explanation(out))
    }

    /// Why a query, as a, does not meet a collider or a solid b.
    #[doc = errors!(fxs_world_explain_query)]
    #[doc(alias = "fxs_world_explain_query")]
    pub fn explain_query(&self, query: &Query, b: u32) -> Result<Explanation, Error> {
        let mut out = sys::fxs_explanation::default();
        // SAFETY: a world and a row.
        let status = unsafe {
            sys::fxs_world_explain_query(self.as_ptr(), &raw const query.0, b, &raw mut out)
        };
        done(status, || match status {
            sys::FXS_E_ID | sys::FXS_E_ABSENT => self.fault(status, b),
            _ => query.fault(status),
        })?;
        Ok(Explanation(out))
    }
}

/// Why the contact of two shapes is less than `hit_when`.
#[doc = errors!(fxs_explain_shapes)]
#[doc(alias = "fxs_explain_shapes")]
pub fn explain(
    a: (&Shape, Pose),
    b: (&Shape, Pose),
    hit_when: Contact,
) -> Result<Explanation, Error> {
    let mut out = sys::fxs_explanation::default();
    let when = hit_when as u32;
    // SAFETY: valid structures.
    let status = unsafe {
        sys::fxs_explain_shapes(&a.0.raw(), &a.1.raw(), &b.0.raw(), &b.1.raw(), when, &raw mut out)
    };
    done(status, || cast_fault(status, &[], when, || a.0.fault_with(b.0, status)))?;
    Ok(Explanation(out))
}

/// A field that differs between two states: the fields are those of [`sys::fxs_difference`].
///
/// ```
/// use fixsync::*;
///
/// let mut world = World::new(Config::new(8))?;
/// world.add(&Collider::new(7, Shape::Sphere { radius: q!(1) }))?;
/// let a = world.save();
/// world.move_to(7, [1, 0, 0])?;
/// let (b, mut rows) = (world.save(), Vec::<Difference>::new());
/// state_differences(&a, &b, &mut rows)?;
/// assert_eq!(rows[0].values, [0, 1]);
/// assert_eq!(rows[0].to_string(), "collider 7, x: 0 and 1 (0 and 0.00002 units)");
/// let named = rows[0].text(&[(7, "boss")])?;
/// assert_eq!(named, "collider 7 (boss), x: 0 and 1 (0 and 0.00002 units)");
/// state_fields(&a, &mut rows)?;
/// assert!(rows.len() > 10);
/// assert_eq!(state_end(&[a, vec![1, 2]].concat())?, b.len()); // a game's own state follows
/// # Ok::<(), fixsync::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(transparent)]
pub struct Difference(sys::fxs_difference);

impl Deref for Difference {
    type Target = sys::fxs_difference;

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl Difference {
    /// It in words, with names for ids; a name has at most 60 bytes.
    #[doc = errors!(fxs_difference_text)]
    #[doc(alias = "fxs_difference_text")]
    pub fn text(&self, names: &[(u32, &str)]) -> Result<String, Error> {
        let rows = names.iter().map(|&(id, name)| name_row(id, name));
        let rows = rows.collect::<Result<Vec<_>, _>>()?;
        let (n, mut bytes): (u64, Vec<u8>) = (rows.len() as u64, Vec::new());
        // SAFETY: a row, n names, and room as it is given.
        unsafe {
            filled(
                &mut bytes,
                |to, room, size| {
                    sys::fxs_difference_text(
                        &raw const self.0,
                        rows.as_ptr(),
                        n,
                        to.cast(),
                        room,
                        size,
                    )
                },
                |status, _| fault(status, "field", self.0.field.into(), &[]),
            )?;
        }
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text(&[]).map_err(|_| fmt::Error)?)
    }
}

/// Rows that a call writes, or the fault of bytes.
///
/// # Safety
/// As for [`filled`].
unsafe fn rows_of(
    name: &'static str,
    out: &mut Vec<Difference>,
    call: impl Fn(*mut sys::fxs_difference, u64, *mut u64, *mut u64) -> i32,
) -> Result<(), Error> {
    let at = core::cell::Cell::new(0);
    // SAFETY: as the caller says; both rows are laid out alike.
    unsafe {
        filled(
            out,
            |to, room, count| call(to.cast(), room, count, at.as_ptr()),
            |status, _| bytes_fault(name, at.get(), status),
        )
    }
}

/// Where the saved state at the beginning of bytes ends: a game's own state may follow it.
#[doc = errors!(fxs_state_end)]
#[doc(alias = "fxs_state_end")]
pub fn state_end(bytes: &[u8]) -> Result<usize, Error> {
    let mut at = 0;
    // SAFETY: bytes and their number.
    let status = unsafe { sys::fxs_state_end(bytes.as_ptr(), bytes.len() as u64, &raw mut at) };
    done(status, || bytes_fault("state", at, status))?;
    Ok(at as usize)
}

/// The fields that differ between two saved states: the world, colliders, hits, changed ids.
#[doc = errors!(fxs_state_differences)]
#[doc(alias = "fxs_state_differences")]
pub fn state_differences(a: &[u8], b: &[u8], out: &mut Vec<Difference>) -> Result<(), Error> {
    let (size_a, size_b) = (a.len() as u64, b.len() as u64);
    // SAFETY: bytes and their numbers, and room as it is given.
    unsafe {
        rows_of("state", out, |to, room, count, at| {
            let (a, b) = (a.as_ptr(), b.as_ptr());
            sys::fxs_state_differences(a, size_a, b, size_b, to, room, count, at)
        })
    }
}

/// All fields of a saved state, as if another had its objects without fields.
#[doc = errors!(fxs_state_fields)]
#[doc(alias = "fxs_state_fields")]
pub fn state_fields(state: &[u8], out: &mut Vec<Difference>) -> Result<(), Error> {
    // SAFETY: bytes and their number, and room as it is given.
    unsafe {
        rows_of("state", out, |to, room, count, at| {
            sys::fxs_state_fields(state.as_ptr(), state.len() as u64, to, room, count, at)
        })
    }
}

/// The fields that differ between two saved bodies.
///
/// ```
/// let mut rows = Vec::new();
/// assert!(fixsync::body_differences(&[], &[], &mut rows).is_err());
/// ```
#[doc = errors!(fxs_body_differences)]
#[doc(alias = "fxs_body_differences")]
pub fn body_differences(a: &[u8], b: &[u8], out: &mut Vec<Difference>) -> Result<(), Error> {
    let (size_a, size_b) = (a.len() as u64, b.len() as u64);
    // SAFETY: bytes and their numbers, and room as it is given.
    unsafe {
        rows_of("body", out, |to, room, count, at| {
            let (a, b) = (a.as_ptr(), b.as_ptr());
            sys::fxs_body_differences(a, size_a, b, size_b, to, room, count, at)
        })
    }
}

/* Why a pair is not a hit, by how much it misses (docs/contract.md), and the text of it. It asks
 * for contacts, of shapes that it grows, turns open or puts at one height; it has no geometry of
 * its own. */
#include "../derive.h"
#include "../fixsync_kit.h"
#include "pen.h"

#include <string.h>

/* Two shapes, or a shape and a solid of a level, whose b is not used then. */
typedef struct explained {
    placed_shape a, b;
    const fxs_level *level; /* NULL: two shapes */
    uint32_t index;
    uint32_t grows; /* 0: a, 1: b */
    int hit_when;
} explained;

static const solid *solid_of(const explained *e) { return solids(e->level) + e->index; }

static int contact_now(const explained *e) {
    return e->level ? fxs_solid_contact(&e->a, e->level, e->index)
                    : fxs_placed_contact(&e->a, &e->b);
}

static int counts_now(const explained *e) { return contact_now(e) >= e->hit_when; }

/* The pair at one height: no vertical gap, and where height counts, they overlap in it. */
static void level_out(explained *e) { e->a.y = e->level ? solid_of(e)->y_low : e->b.y; }

/* Otherwise size[2] is a hole, or 0. */
static int has_planar_size_2(const placed_shape *s) { return fxs_kinds[s->kind].size_count == 3; }

static int counts_grown(const explained *e, int64_t k) {
    explained grown = *e;
    placed_shape *s = e->grows ? &grown.b : &grown.a;
    s->size[0] = (int32_t)(s->size[0] + k);
    if (has_planar_size_2(s)) {
        s->size[2] = (int32_t)(s->size[2] + k);
    }
    set_extent(s);
    return counts_now(&grown);
}

static int counts_turned(const explained *e, int64_t k) {
    explained turned = *e;
    placed_shape *s = is_sector(&e->a) ? &turned.a : &turned.b;
    s->half_angle = (uint16_t)(s->half_angle + k);
    return counts_now(&turned);
}

/* Of a `low` that does not count and a `high` that does, the number that halving ends with. */
static int64_t halve(const explained *e, int64_t low, int64_t high,
                     int (*counts)(const explained *, int64_t)) {
    while (high - low > 1) {
        const int64_t middle = low + (high - low) / 2; /* rounded down, as high > low */
        if (counts(e, middle)) {
            high = middle;
        } else {
            low = middle;
        }
    }
    return high;
}

/* The least and the most that the sizes in the plane may grow by, each within its range. */
static int64_t least_growth(const placed_shape *s) {
    const struct kind *k = fxs_kinds + s->kind;
    const int64_t least = (int64_t)(uint32_t)k->least[OF_SIZES] - s->size[0];
    if (has_planar_size_2(s)) {
        return max64(least, (int64_t)(uint32_t)k->rest_least - s->size[2]);
    }
    return s->size[2] > 0 ? (int64_t)s->size[2] + 1 - s->size[0] : least;
}
static int64_t most_growth(const placed_shape *s) {
    const struct kind *k = fxs_kinds + s->kind;
    const int64_t most = (int64_t)(uint32_t)k->most[OF_SIZES] - s->size[0];
    return has_planar_size_2(s) ? min64(most, (int64_t)(uint32_t)k->rest_most - s->size[2]) : most;
}

static int64_t growth(const explained *e) {
    const placed_shape *s = e->grows ? &e->b : &e->a;
    if (counts_now(e)) {
        const int64_t least = least_growth(s);
        return least == 0 || counts_grown(e, least) ? least : halve(e, least, 0, counts_grown);
    }
    const int64_t most = most_growth(s);
    return counts_grown(e, most) ? halve(e, 0, most, counts_grown) : FXS_NEVER;
}

static int sector_count(const explained *e) {
    return is_sector(&e->a) + (!e->level && is_sector(&e->b));
}

/* How the pair, at one height, misses a sector, and how far the sector must open to meet it. */
static void explain_sector(const explained *e, fxs_explanation *out) {
    explained whole = *e;
    placed_shape *s = is_sector(&e->a) ? &whole.a : &whole.b;
    const uint16_t half_angle = s->half_angle;
    s->size[2] = 0;
    s->half_angle = FXS_HALF_ANGLE_MAX;
    if (sector_count(e) == 2) {
        whole.b.half_angle = FXS_HALF_ANGLE_MAX;
    }
    if (!counts_now(&whole)) {
        out->sector = FXS_SECTOR_BEYOND;
    } else if (sector_count(e) == 2) {
        out->sector = FXS_SECTOR_OUTSIDE;
    } else {
        s->half_angle = half_angle;
        out->sector = counts_now(&whole) ? FXS_SECTOR_HOLE : FXS_SECTOR_OUTSIDE;
    }
    const int64_t most = FXS_HALF_ANGLE_MAX - half_angle;
    out->turn = counts_turned(e, most) ? halve(e, 0, most, counts_turned) : FXS_NEVER;
}

static int has_round(const explained *e) {
    return is_round(&e->a) || (!e->level && is_round(&e->b));
}

/* How far the two are apart in height, without the radii of round shapes. */
static int64_t height_between(const explained *e) {
    if (e->level) {
        return solid_gap(&e->a, solid_of(e));
    }
    return abs64((int64_t)e->b.y - e->a.y) - ((int64_t)e->a.size[1] + e->b.size[1]);
}

static int64_t radius_if_round(const placed_shape *s) { return is_round(s) ? s->size[0] : 0; }

static int64_t height_with_radii(const explained *e, int64_t apart) {
    const int64_t other = e->level ? 0 : radius_if_round(&e->b);
    return apart - radius_if_round(&e->a) - other;
}

/* The causes of the shapes. */
static uint32_t causes_of_shapes(const explained *e, int64_t height, int contact, int is_beside) {
    const int counts = contact >= e->hit_when;
    const int is_high = height > 0 || (height == 0 && e->hit_when == FXS_OVERLAPPING);
    uint32_t why = 0;
    if (is_high) {
        why |= FXS_WHY_HEIGHT;
    }
    if (is_beside) {
        why |= FXS_WHY_BESIDE;
    }
    if (!is_high && !is_beside && !counts) {
        why |= FXS_WHY_CORNER;
    }
    if (contact == FXS_TOUCHING && !counts) {
        why |= FXS_WHY_GRAZES;
    }
    return why;
}

/* How far one must grow, where `at_one_height` is enough at one height. */
static int64_t gap_of(const explained *e, int64_t apart, int64_t at_one_height) {
    if (has_round(e)) { /* apart <= 0: height takes nothing from the contact, whatever the sizes */
        return apart <= 0 ? at_one_height : growth(e);
    }
    /* Without a round shape height decides. */
    const int is_at_height = apart < 0 || (apart == 0 && e->hit_when == FXS_TOUCHING);
    return is_at_height ? at_one_height : FXS_NEVER;
}

/* The causes of the shapes, and all numbers. */
static void explain_pair(const explained *e, fxs_explanation *out) {
    const int64_t apart = height_between(e);
    const int sectors = sector_count(e);
    out->height = height_with_radii(e, apart);
    out->grows = e->grows;
    if (sectors == 2 && (e->a.size[2] != 0 || e->b.size[2] != 0)) {
        out->why |= FXS_WHY_SECTORS;
        out->gap = out->planar = out->turn = FXS_NEVER;
        return;
    }
    explained flat = *e;
    level_out(&flat);
    const int contact = contact_now(e);
    const int is_beside = !counts_now(&flat);
    out->contact = (uint32_t)contact;
    out->why |= causes_of_shapes(e, out->height, contact, is_beside);
    out->planar = growth(&flat);
    out->gap = gap_of(e, apart, out->planar);
    if (is_beside && sectors) {
        explain_sector(&flat, out);
    }
}

int32_t fxs_explain_shapes(const fxs_shape *a, const fxs_pose *pose_a, const fxs_shape *b,
                           const fxs_pose *pose_b, uint32_t hit_when, fxs_explanation *out) {
    explained e;
    memset(&e, 0, sizeof e);
    const int32_t status = fxs_pair_make(&e.a, &e.b, a, pose_a, b, pose_b);
    if (status != FXS_OK) {
        return status;
    }
    if (hit_when != FXS_TOUCHING && hit_when != FXS_OVERLAPPING) {
        return FXS_E_HIT_WHEN;
    }
    e.grows = b->kind < a->kind;
    e.hit_when = (int)hit_when;
    memset(out, 0, sizeof *out);
    explain_pair(&e, out);
    return FXS_OK;
}

/* Puts a collider or a solid of the world opposite the shape e->a. */
static void put_opposite(explained *e, const fxs_world *world, uint32_t id) {
    if (is_solid(world, id)) {
        e->level = world->level;
        e->index = id - FXS_LEVEL;
        return;
    }
    placed_shape copy;
    e->b = *fxs_derived(world, id, &copy);
    e->grows = e->b.kind < e->a.kind;
}

/* The causes that are not of the shapes. */
static uint32_t causes_of_rows(const fxs_world *world, const explained *e, int a_is_solid) {
    const uint32_t own_inactive = a_is_solid ? FXS_WHY_B_INACTIVE : FXS_WHY_A_INACTIVE;
    const uint32_t other_layer = e->level ? solid_of(e)->layer : e->b.layer;
    uint32_t why = e->a.active ? 0 : own_inactive;
    if (!e->level && !e->b.active) {
        why |= FXS_WHY_B_INACTIVE;
    }
    if (!e->level && e->a.owner != 0 && e->a.owner == e->b.owner) {
        why |= FXS_WHY_OWNER;
    }
    if (!(world->layers[e->a.layer] >> other_layer & 1)) {
        why |= FXS_WHY_LAYERS;
    }
    return why;
}

int32_t fxs_world_explain(const fxs_world *world, uint32_t a, uint32_t b, fxs_explanation *out) {
    const int a_is_solid = is_solid(world, a);
    const uint32_t own = a_is_solid ? b : a;
    const uint32_t other = a_is_solid ? a : b;
    if (is_solid(world, own)) {
        return FXS_E_UNDEFINED;
    }
    int32_t status = find(world, own);
    if (status == FXS_OK && !is_solid(world, other)) {
        status = find(world, other);
    }
    if (status != FXS_OK) {
        return status;
    }
    memset(out, 0, sizeof *out);
    if (a == b) {
        out->why = FXS_WHY_SAME;
        return FXS_OK;
    }
    explained e;
    placed_shape copy;
    memset(&e, 0, sizeof e);
    e.hit_when = (int)world->hit_when;
    e.a = *fxs_derived(world, own, &copy);
    put_opposite(&e, world, other);
    out->why |= causes_of_rows(world, &e, a_is_solid);
    explain_pair(&e, out);
    out->grows = a_is_solid ? 1 : out->grows;
    return FXS_OK;
}

int32_t fxs_world_explain_query(const fxs_world *world, const fxs_query *query, uint32_t b,
                                fxs_explanation *out) {
    int32_t status = fxs_query_check(query);
    if (status == FXS_OK && !is_solid(world, b)) {
        status = find(world, b);
    }
    if (status != FXS_OK) {
        return status;
    }
    explained e;
    memset(&e, 0, sizeof e);
    memset(out, 0, sizeof *out);
    e.hit_when = least_contact(world, query->hit_when);
    fxs_place_shape(&e.a, &query->shape, &query->pose);
    put_opposite(&e, world, b);
    const uint32_t layer = e.level ? solid_of(&e)->layer : e.b.layer;
    const uint32_t owner = query->exclude_owner;
    if (!e.level) {
        out->why |= e.b.active ? 0u : FXS_WHY_B_INACTIVE;
        out->why |= owner != 0 && owner == e.b.owner ? FXS_WHY_EXCLUDED : 0u;
    }
    out->why |= query->mask >> layer & 1 ? 0u : FXS_WHY_MASK;
    explain_pair(&e, out);
    return FXS_OK;
}

/* ---- words ---- */

enum { WHY_ALL = 2 * FXS_WHY_GRAZES - 1 };
#define AMOUNT_MAX ((int64_t)1 << 34) /* more than a vertical distance */

/* A shape by its name, or its id, or as "a" or "b" without both. */
static void put_party(pen *p, const fxs_name *name, char letter) {
    if (name == NULL) {
        fxs_put_char(p, letter);
    } else if (name->text[0] != 0) {
        fxs_put_name(p, name);
    } else if (name->id >= FXS_LEVEL) {
        fxs_put_text(p, "solid ");
        fxs_put_number(p, name->id - FXS_LEVEL);
    } else {
        fxs_put_number(p, name->id);
    }
}

static void put_units(pen *p, int64_t raw) {
    fxs_put_decimal(p, raw, 1, 5);
    fxs_put_text(p, raw == FXS_ONE ? " unit" : " units");
}

/* What an explanation is written from. */
typedef struct explained_text {
    const fxs_explanation *found;
    const fxs_name *names[2];
    pen out;
    int is_begun;
} explained_text;

static void put_cause(explained_text *t, const char *text) {
    fxs_put_text(&t->out, t->is_begun ? "; " : "");
    fxs_put_text(&t->out, text);
    t->is_begun = 1;
}

/* "a is not active": a cause that names one of the two between its words. */
static void put_cause_of(explained_text *t, const char *before, uint32_t which, const char *after) {
    put_cause(t, before);
    put_party(&t->out, t->names[which], which ? 'b' : 'a');
    fxs_put_text(&t->out, after);
}

static void put_growth(explained_text *t, const char *cause, const char *they, int64_t growth) {
    put_cause(t, cause);
    if (growth == FXS_NEVER) {
        fxs_put_text(&t->out, "no size of ");
    } else {
        fxs_put_text(&t->out, they);
        fxs_put_text(&t->out, " would meet if ");
    }
    put_party(&t->out, t->names[t->found->grows], t->found->grows ? 'b' : 'a');
    if (growth == FXS_NEVER) {
        fxs_put_text(&t->out, " makes them meet");
    } else {
        fxs_put_text(&t->out, " were ");
        put_units(&t->out, growth);
        fxs_put_text(&t->out, " thicker");
    }
}

static void put_sector(explained_text *t) {
    static const char *const MISSED[] = {"", "beyond the radius", "outside the wedge",
                                         "in the hole"};
    put_cause(t, MISSED[t->found->sector]);
    if (t->found->turn != FXS_NEVER) {
        fxs_put_text(&t->out, ", half_angle ");
        fxs_put_decimal(&t->out, t->found->turn, 360, 3);
        fxs_put_text(&t->out, "\xC2\xB0 short");
    }
}

static void put_causes_of_shapes(explained_text *t) {
    const fxs_explanation *e = t->found;
    const int is_high = (e->why & FXS_WHY_HEIGHT) != 0;
    if (e->why & FXS_WHY_SECTORS) {
        put_cause(t, "two sectors, one with a hole, never meet");
    }
    if (is_high) {
        put_cause(t, "height: one is ");
        put_units(&t->out, e->height);
        fxs_put_text(&t->out, " above the other");
    }
    if (e->why & FXS_WHY_BESIDE) {
        put_growth(t, "beside: ", is_high ? "at one height they" : "they",
                   is_high ? e->planar : e->gap);
    }
    if (e->sector != 0) {
        put_sector(t);
    }
    if (e->why & FXS_WHY_CORNER) {
        put_growth(t, "corner: ", "they", e->gap);
    }
    if (e->why & FXS_WHY_GRAZES) {
        put_cause(t, "they only touch");
    }
}

static void put_causes_of_rows(explained_text *t) {
    const uint32_t why = t->found->why;
    if (why & FXS_WHY_A_INACTIVE) {
        put_cause_of(t, "", 0, " is not active");
    }
    if (why & FXS_WHY_B_INACTIVE) {
        put_cause_of(t, "", 1, " is not active");
    }
    if (why & FXS_WHY_OWNER) {
        put_cause(t, "the owner is the same");
    }
    if (why & FXS_WHY_LAYERS) {
        put_cause(t, "their layers do not meet");
    }
    if (why & FXS_WHY_MASK) {
        put_cause_of(t, "the layer of ", 1, " is not in the mask");
    }
    if (why & FXS_WHY_EXCLUDED) {
        put_cause_of(t, "the owner of ", 1, " is left out");
    }
}

/* Whether a number is one that an explanation can have. */
static int is_amount(int64_t v) { return v == FXS_NEVER || (v >= -AMOUNT_MAX && v <= AMOUNT_MAX); }

int32_t fxs_explanation_text(const fxs_explanation *explanation, const fxs_name *a,
                             const fxs_name *b, char *text, uint64_t room, uint64_t *size) {
    const fxs_explanation *e = explanation;
    explained_text t = {e, {a, b}, {text, 0, room}, 0};
    *size = 0;
    if (e->why > WHY_ALL || e->grows > 1 || e->sector > FXS_SECTOR_HOLE || e->height == FXS_NEVER ||
        !is_amount(e->height) || !is_amount(e->planar) || !is_amount(e->gap) ||
        (e->turn != FXS_NEVER && (e->turn < 0 || e->turn > FXS_HALF_ANGLE_MAX))) {
        return FXS_E_RANGE;
    }
    if (e->why & FXS_WHY_SAME) {
        put_cause(&t, "a and b are the same id");
    }
    put_causes_of_shapes(&t);
    put_causes_of_rows(&t);
    if (!t.is_begun) {
        put_cause(&t, "they meet");
    }
    *size = t.out.next;
    return t.out.next > room ? FXS_E_ROOM : FXS_OK;
}

/* Reads any bytes as a world of up to 160 colliders and calls on it. A cast, sweep, query, nearest or
 * push of the world must equal the same call on single pairs, which other targets compare with the
 * reference. `separate` must move nothing but the bodies that it pushes apart. */
#include "calls.h"
#include "fuzz.h"
#include "reference.h"

#define CAPACITY 160

void golden_print(const char *text, uint32_t size) { fwrite(text, 1, size, stdout); }

static int64_t rounded_q30(int64_t v) {
    int64_t magnitude = ((v < 0 ? -v : v) + ((int64_t)1 << 29)) >> 30;
    return v < 0 ? -magnitude : magnitude;
}

/* A collider's fields, and its shape where it stands; whether it is there. */
static int placed(uint32_t id, fxs_collider *c, fxs_shape *shape, fxs_pose *at) {
    if (fxs_world_get(world_at(0), id, c) != FXS_OK) {
        return 0;
    }
    int32_t cosine, sine;
    fxs_direction(c->yaw, &cosine, &sine);
    const fxs_shape s = {c->kind, c->half_angle, {c->size[0], c->size[1], c->size[2]}};
    const fxs_pose p = {(int32_t)(c->x + rounded_q30((int64_t)c->ox * cosine - (int64_t)c->oz * sine)), c->y + c->oy,
                        (int32_t)(c->z + rounded_q30((int64_t)c->ox * sine + (int64_t)c->oz * cosine)), c->yaw};
    *shape = s;
    *at = p;
    return 1;
}

static int may_meet(const fxs_collider *c, uint32_t mask, uint32_t exclude_owner) {
    return c->active && (mask >> c->layer & 1) && (exclude_owner == 0 || c->owner != exclude_owner);
}

/* A hit, and the distance that orders hits of one fraction: only then is it asked for. */
typedef struct expected_hit {
    fxs_cast_hit hit;
    fxs_shape shape;
    fxs_pose pose;
    int64_t distance; /* or -1 */
} expected_hit;

static const int32_t STILL[3] = {0, 0, 0};

static int64_t distance_of_hit(const fxs_cast *cast, expected_hit *e) {
    int32_t normal[3];
    if (e->distance < 0) {
        e->distance = ref_cast_normal(&cast->shape, &cast->pose, cast->motion, &e->shape, &e->pose, STILL, (int32_t)e->hit.fraction, normal);
        REQUIRE(memcmp(normal, e->hit.normal, sizeof normal) == 0);
    }
    return e->distance;
}

/* `a` has the lower id. */
static int is_later(const fxs_cast *cast, expected_hit *a, expected_hit *b) {
    if (a->hit.fraction != b->hit.fraction) {
        return a->hit.fraction > b->hit.fraction;
    }
    return distance_of_hit(cast, a) > distance_of_hit(cast, b);
}

/* `mover`: the id that is swept, or CAPACITY. */
static void check_cast(const fxs_cast *cast, uint32_t mover, const fxs_cast_hit *found, uint64_t found_count) {
    static expected_hit hits[CAPACITY];
    uint64_t count = 0;
    uint32_t when = cast->hit_when ? cast->hit_when : configs[0].hit_when;
    for (uint32_t id = 0; id < configs[0].capacity; id++) {
        fxs_collider c;
        fxs_shape shape;
        fxs_pose pose;
        expected_hit e = {{id, 0, {0, 0, 0}}, {0, 0, {0, 0, 0}}, {0, 0, 0, 0}, -1};
        int32_t fraction;
        if (id == mover || !placed(id, &c, &shape, &pose) || !may_meet(&c, cast->mask, cast->exclude_owner) || c.kind == FXS_SECTOR ||
            fxs_cast_pair(&cast->shape, &cast->pose, cast->motion, &shape, &pose, STILL, when, &fraction, e.hit.normal) != 1) {
            continue;
        }
        e.hit.fraction = (uint32_t)fraction;
        e.shape = shape;
        e.pose = pose;
        uint64_t at = count++;
        for (; at > 0 && is_later(cast, &hits[at - 1], &e); at--) {
            hits[at] = hits[at - 1];
        }
        hits[at] = e;
    }
    REQUIRE(found_count == (cast->limit && cast->limit < count ? cast->limit : count));
    for (uint64_t i = 0; i < found_count; i++) {
        REQUIRE(found[i].id == hits[i].hit.id && found[i].fraction == hits[i].hit.fraction);
        REQUIRE(memcmp(found[i].normal, hits[i].hit.normal, sizeof hits[i].hit.normal) == 0);
    }
}

static void take_motion(reader *r, int32_t motion[3]) {
    for (int i = 0; i < 3; i++) {
        motion[i] = take8(r) % 4 ? take_coordinate(r) : 0;
    }
}

static fxs_cast take_cast(reader *r) {
    fxs_cast cast;
    cast.shape = take_shape(r);
    cast.pose = take_pose(r);
    take_motion(r, cast.motion);
    uint32_t b = take8(r);
    cast.mask = b < 128 ? UINT32_MAX : take32(r);
    cast.exclude_owner = b % 4;
    cast.limit = b / 4 % 8;
    cast.hit_when = b / 32 % 3;
    return cast;
}

static void some_casts(reader *r) {
    static fxs_cast_hit hits[4 * CAPACITY];
    fxs_cast casts[4];
    uint64_t n = 1 + take8(r) % 4, ends[4], count, single;
    for (uint64_t i = 0; i < n; i++) {
        casts[i] = take_cast(r);
    }
    int32_t status = fxs_world_cast_many(world_at(0), casts, n, ends, hits, COUNT(hits), &count);
    for (uint64_t i = 0; status == FXS_OK && i < n; i++) {
        uint64_t from = i ? ends[i - 1] : 0;
        check_cast(&casts[i], CAPACITY, hits + from, ends[i] - from);
    }
    int32_t alone = fxs_world_cast(world_at(0), casts, hits, COUNT(hits), &single);
    if (status == FXS_OK) {
        REQUIRE(alone == FXS_OK && single == ends[0] && count == ends[n - 1]);
        check_cast(casts, CAPACITY, hits, single);
    } else { /* of the first that is refused */
        REQUIRE(status < 0 && count < n && (count > 0 ? alone == FXS_OK : alone == status));
    }
}

static void one_sweep(reader *r, uint32_t id) {
    static fxs_cast_hit hits[CAPACITY];
    fxs_collider c;
    fxs_cast cast = {{0, 0, {0, 0, 0}}, {0, 0, 0, 0}, {0, 0, 0}, 0, 0, 0, 0};
    uint64_t count;
    take_motion(r, cast.motion);
    cast.limit = take8(r) % 4;
    cast.hit_when = take8(r) % 3;
    int32_t status = fxs_world_sweep(world_at(0), id, cast.motion, cast.limit, cast.hit_when, hits, COUNT(hits), &count);
    if (status == FXS_OK) {
        REQUIRE(placed(id, &c, &cast.shape, &cast.pose));
        cast.mask = configs[0].layers[c.layer];
        cast.exclude_owner = c.owner;
        check_cast(&cast, id, hits, count);
    } else {
        REQUIRE(status < 0 && (!placed(id, &c, &cast.shape, &cast.pose) || c.kind == FXS_SECTOR || status == FXS_E_MOTION));
    }
}

/* Squared distance of centres: 2^66 at most. */
static unsigned __int128 distance_sq(const fxs_pose *a, const fxs_pose *b) {
    const int64_t d[3] = {(int64_t)a->x - b->x, (int64_t)a->y - b->y, (int64_t)a->z - b->z};
    unsigned __int128 sum = 0;
    for (int i = 0; i < 3; i++) {
        sum += (unsigned __int128)((__int128)d[i] * d[i]);
    }
    return sum;
}

static void one_query(reader *r) {
    static uint32_t ids[CAPACITY], expected[CAPACITY];
    fxs_query q = take_query(r);
    const uint32_t b = take8(r);
    uint64_t count, end, n = 0, limit = b % 8;
    q.hit_when = b / 8 % 4;
    const uint32_t when = q.hit_when ? q.hit_when : configs[0].hit_when;
    int32_t status = fxs_world_query(world_at(0), &q, ids, COUNT(ids), &count);
    if (status != FXS_OK) {
        REQUIRE(status < 0 && fxs_world_nearest_many(world_at(0), &q, 1, limit, &end, ids, COUNT(ids), &count) == status);
        return;
    }
    for (uint32_t id = 0; id < configs[0].capacity; id++) {
        fxs_collider c;
        fxs_shape shape;
        fxs_pose pose;
        if (placed(id, &c, &shape, &pose) && may_meet(&c, q.mask, q.exclude_owner) &&
            fxs_overlap(&q.shape, &q.pose, &shape, &pose) >= (int32_t)when) {
            expected[n++] = id;
        }
    }
    REQUIRE(count == n && memcmp(ids, expected, n * sizeof *ids) == 0);
    unsigned __int128 distance[CAPACITY];
    for (uint64_t i = 0; i < n; i++) {
        fxs_collider c;
        fxs_shape shape;
        fxs_pose pose;
        uint32_t id = expected[i];
        placed(id, &c, &shape, &pose);
        unsigned __int128 here = distance_sq(&pose, &q.pose);
        uint64_t at = i;
        for (; at > 0 && distance[at - 1] > here; at--) {
            distance[at] = distance[at - 1];
            expected[at] = expected[at - 1];
        }
        distance[at] = here;
        expected[at] = id;
    }
    n = limit && limit < n ? limit : n;
    REQUIRE(fxs_world_nearest_many(world_at(0), &q, 1, limit, &end, ids, COUNT(ids), &count) == FXS_OK);
    REQUIRE(count == n && end == n && memcmp(ids, expected, n * sizeof *ids) == 0);
}

static void one_pair(uint32_t a, uint32_t b) {
    fxs_collider ca, cb;
    fxs_shape sa, sb;
    fxs_pose pa, pb;
    int32_t xz[2] = {1, 2}, xz_pair[2] = {1, 2}, y = 3, y_pair = 3;
    if (!placed(a, &ca, &sa, &pa) || !placed(b, &cb, &sb, &pb)) {
        REQUIRE(fxs_world_contact(world_at(0), a, b) < 0 && fxs_world_push_out(world_at(0), a, b, xz) < 0);
        REQUIRE(fxs_world_lift(world_at(0), a, b, &y) < 0 && fxs_world_side(world_at(0), a, b) < 0);
        return;
    }
    REQUIRE(fxs_world_contact(world_at(0), a, b) == fxs_overlap(&sa, &pa, &sb, &pb));
    REQUIRE(fxs_world_push_out(world_at(0), a, b, xz) == fxs_push_out(&sa, &pa, &sb, &pb, xz_pair));
    REQUIRE(fxs_world_lift(world_at(0), a, b, &y) == fxs_lift(&sa, &pa, &sb, &pb, &y_pair));
    REQUIRE(fxs_world_side(world_at(0), a, b) == fxs_side(&sa, &pa, &sb, &pb));
    REQUIRE(xz[0] == xz_pair[0] && xz[1] == xz_pair[1] && y == y_pair);
}

static void push_apart(reader *r) {
    static fxs_moved moved[CAPACITY];
    static fxs_collider before[CAPACITY], after[CAPACITY];
    uint32_t yields[32], count = fxs_world_count(world_at(0)), b = take8(r);
    uint64_t moved_count = 0, next = 0;
    for (uint32_t i = 0; i < 32; i++) {
        yields[i] = b % 4 ? UINT32_MAX << i % 3 : take32(r);
    }
    fxs_world_colliders(world_at(0), before);
    int32_t status = fxs_world_separate(world_at(0), yields, 1 + b / 4 % 4, moved, b >= 240 ? b - 240u : CAPACITY, &moved_count);
    fxs_world_colliders(world_at(0), after);
    REQUIRE(fxs_world_count(world_at(0)) == count);
    REQUIRE(status == FXS_OK || status == FXS_E_ROOM || status == FXS_E_CENTRE);
    for (uint32_t i = 0; i < count; i++) {
        if (status == FXS_OK && next < moved_count && moved[next].id == before[i].id) {
            before[i].x = moved[next].x;
            before[i].y = moved[next].y;
            before[i].z = moved[next].z;
            next++;
        }
        REQUIRE(memcmp(&before[i], &after[i], sizeof *before) == 0);
    }
    REQUIRE(status != FXS_OK || next == moved_count);
}

/* Enough colliders for calls to use the broad phase, and an index of it. */
static void fill(uint32_t seed) {
    for (uint32_t id = 0; id < configs[0].capacity; id++) {
        seed = seed * 1664525 + 1013904223;
        int32_t unit = seed >> 28 ? 16384 : 1 << (seed >> 20 & 15);
        fxs_shape shape = {body_kind((seed >> 8) % BODY_KIND_COUNT), 0, {unit * (int32_t)(1 + (seed >> 10 & 3)), 0, 0}};
        shape.size[1] = has_half_height(shape.kind) ? unit : 0;
        shape.size[2] = has_half_z(shape.kind) ? unit * (int32_t)(1 + (seed >> 12 & 1)) : 0;
        into_ranges(shape.kind, shape.size);
        fxs_pose pose = {((int32_t)(seed >> 13 & 127) - 64) * 16384, ((int32_t)(seed >> 20 & 7) - 4) * 16384,
                         ((int32_t)(seed >> 23 & 127) - 64) * 16384, (seed >> 5 & 15) * 4096};
        fxs_collider c = collider_of(id, &shape, &pose);
        c.owner = seed >> 2 & 3;
        c.layer = (uint8_t)(seed >> 4 & 3);
        fxs_world_add(world_at(0), &c);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    reader r = {bytes, bytes + size};
    uint32_t b = take8(&r);
    fxs_config config = config_of(1 + take8(&r) % CAPACITY, b % 2 ? 40 : 2000, 1 + b / 2 % 2);
    for (uint32_t i = 0; b >= 128 && i < 4; i++) {
        uint32_t layers = take8(&r), x = layers % 4, y = layers / 4 % 4;
        config.layers[x] &= ~((uint32_t)1 << y);
        config.layers[y] &= ~((uint32_t)1 << x);
    }
    REQUIRE(do_init(0, &config) == FXS_OK);
    for (uint32_t calls = 0; r.next < r.end && calls < 200; calls++) {
        uint32_t op = take8(&r), id = take8(&r) % (config.capacity + 1);
        fxs_counts counts;
        fxs_pose pose;
        switch (op % 16) {
        case 0: fxs_world_remove(world_at(0), id); break;
        case 1:
            pose = take_pose(&r);
            fxs_world_set_pose(world_at(0), id, &pose);
            break;
        case 2: fill(take32(&r)); break;
        case 3: fxs_world_step(world_at(0), events, COUNT(events), &counts); break;
        case 4: fxs_world_set_active(world_at(0), id, take8(&r) % 2); break;
        case 5: one_pair(id, take8(&r) % (config.capacity + 1)); break;
        case 6: push_apart(&r); break;
        case 7:
        case 8: one_sweep(&r, id); break;
        case 9:
        case 10: some_casts(&r); break;
        case 11:
        case 12: one_query(&r); break;
        default: {
            fxs_collider c = take_collider(&r, config.capacity);
            fxs_world_add(world_at(0), &c);
        }
        }
    }
    return 0;
}

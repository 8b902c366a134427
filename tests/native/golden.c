/* One golden for every target: generated cases through every function of fixsync.h, digested. Nothing of libc but memcpy, memmove
 * and memset, no floating point; every case is a function of its section's name and its number alone. Compiled with CALL_REFERENCE
 * it drives reference.c in the place of the kernel, and must print the same. */
#include "calls.h"

/* ---- generated numbers: splitmix64. No expression draws twice but where C fixes the order: initialisers and arguments do not. ---- */

static uint64_t random_state;

static uint64_t random64(void) {
    uint64_t z = random_state += UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
    return z ^ z >> 31;
}

/* 0 .. n - 1, from the high bits: n < 2^32. */
static uint32_t below(uint32_t n) { return (uint32_t)((random64() >> 32) * n >> 32); }
static int one_in(uint32_t n) { return below(n) == 0; }
static int64_t between(int64_t low, int64_t high) { return low + (int64_t)(random64() % (uint64_t)(high - low + 1)); }
static int64_t sign_of_coin(int64_t v) { return one_in(2) ? v : -v; }

/* -1, 0 or 1. */
static int64_t jitter(void) { return (int64_t)below(3) - 1; }

static int64_t clamped(int64_t v, int64_t low, int64_t high) { return v < low ? low : v > high ? high : v; }
static int32_t to_int32(int64_t v) { return (int32_t)clamped(v, INT32_MIN, INT32_MAX); }
static int32_t to_size(int64_t v) { return (int32_t)clamped(v, 1, FXS_SIZE_MAX); }

/* A magnitude below 2^bits, often next to a power of two. */
static int64_t magnitude_of(uint32_t bits) {
    int64_t top = (int64_t)1 << bits;
    switch (below(8)) {
    case 0: return top;
    case 1: return top - 1;
    case 2: {
        int64_t power = (int64_t)1 << below(bits + 1);
        return power + jitter();
    }
    default: return (int64_t)(random64() & (uint64_t)(top - 1));
    }
}

static uint32_t random_yaw(void) {
    switch (below(6)) {
    case 0: return below(4) * 16384;
    case 1: return below(8) * 8192;
    case 2: {
        uint32_t quarter = below(4) * 16384;
        return (quarter + below(3) + 65535) & 65535;
    }
    default: return below(65536);
    }
}

/* Within +-room on the ground and +-height above and below it. */
static fxs_pose random_pose(int64_t room, int64_t height) {
    fxs_pose p;
    p.x = (int32_t)between(-room, room);
    p.y = (int32_t)between(-height, height);
    p.z = (int32_t)between(-room, room);
    p.yaw = random_yaw();
    return p;
}

static uint32_t random_half_angle(void) {
    static const uint16_t NASTY[] = {1, 2, 8192, 16383, 16384, 16385, 24576, 32766, 32767, 32768};
    return one_in(2) ? NASTY[below(COUNT(NASTY))] : 1 + below(32768);
}

/* Sizes about 2^bits. */
static fxs_shape random_shape(uint32_t kind, uint32_t bits) {
    fxs_shape s = {kind, kind == FXS_SECTOR ? random_half_angle() : 0, {0, 0, 0}};
    for (uint32_t i = 0; i < sizes_of_kind(kind); i++) {
        s.size[i] = to_size(magnitude_of(one_in(8) ? below(30) : bits));
    }
    if (kind == FXS_CAPSULE && one_in(4)) {
        s.size[1] = 0;
    }
    into_ranges(kind, s.size);
    return s;
}

static uint32_t random_kind(void) { return below(KIND_COUNT); }
static uint32_t random_body_kind(void) { return body_kind(below(BODY_KIND_COUNT)); }

static void start(const char *section) {
    random_state = 0;
    for (; *section; section++) {
        random_state = mixed(random_state, (uint64_t)(unsigned char)*section);
    }
    digest = words = 0;
}

/* Runs `one` for case 0, 1, 2, ... with a checkpoint at each of counts[0] < counts[1] < counts[2] that the level asks for. */
static void cases(int level, const char *section, void (*one)(uint32_t number), const uint32_t counts[3]) {
    uint32_t number = 0;
    int was_tracing = tracing;
    start(section);
    for (int now = 0; now <= level; now++) {
        if (counts[now] == number) {
            continue;
        }
        for (; number < counts[now]; number++) {
            one(number);
        }
        checkpoint(now, section, number, words);
        tracing = 0; /* a trace is of level 0 */
    }
    tracing = was_tracing;
}

/* ---- angles and lengths ---- */

static void one_direction(uint32_t yaw) {
    int32_t c, s;
    FXS(direction)((uint16_t)yaw, &c, &s);
    call("direction");
    given(yaw);
    answers_follow();
    answer_signed(c);
    answer_signed(s);
}

static void ask_yaw_of(int64_t dx, int64_t dz) {
    call("yaw_of");
    given(dx);
    given(dz);
    answers_follow();
    answer_signed(FXS(yaw_of)(dx, dz));
}

/* A difference of positions, or a little outside. */
static int64_t random_difference(void) {
    switch (below(16)) {
    case 0: return sign_of_coin((int64_t)UINT32_MAX + below(3) - 1);
    case 1: return sign_of_coin(magnitude_of(below(62)));
    case 2: return (int64_t)below(5) - 2;
    default: return clamped(sign_of_coin(magnitude_of(below(33))), -(int64_t)UINT32_MAX, UINT32_MAX);
    }
}

static void one_yaw_of(uint32_t number) {
    if (number % 4 == 0) {
        int64_t x = random_difference(), z = random_difference();
        ask_yaw_of(x, z);
        return;
    }
    /* The sum of two neighbouring directions lies next to the border between their yaws. */
    int32_t c[2], s[2];
    uint32_t yaw = below(65536), shift = below(31);
    FXS(direction)((uint16_t)yaw, &c[0], &s[0]);
    FXS(direction)((uint16_t)(yaw + 1), &c[1], &s[1]);
    int64_t scale = (int64_t)1 << shift, dx = ((int64_t)c[0] + c[1]) / scale, dz = ((int64_t)s[0] + s[1]) / scale;
    int64_t x = dx + jitter(), z = dz + jitter();
    ask_yaw_of(x, z);
    if (shift == 0) {
        ask_yaw_of(2 * dx, 2 * dz);
    }
}

/* a^2 + b^2 + c^2 = d^2 for each row. */
static const uint16_t QUADRUPLES[][4] = {{3, 4, 0, 5},   {5, 12, 0, 13},  {8, 15, 0, 17},   {7, 24, 0, 25},   {20, 21, 0, 29}, {1, 2, 2, 3},
                                         {2, 3, 6, 7},   {1, 4, 8, 9},    {4, 4, 7, 9},     {2, 6, 9, 11},    {6, 6, 7, 11},   {3, 4, 12, 13},
                                         {2, 5, 14, 15}, {1, 12, 12, 17}, {99, 20, 0, 101}, {119, 120, 0, 169}};

static void one_length(uint32_t number) {
    int64_t d[3];
    if (number % 2) {
        const uint16_t *q = QUADRUPLES[below(COUNT(QUADRUPLES))];
        int64_t k = 1 + magnitude_of(below(24)), first = below(3);
        for (int i = 0; i < 3; i++) {
            d[i] = sign_of_coin(clamped(q[(first + i) % 3] * k, 0, UINT32_MAX) - (one_in(8) ? 1 : 0));
        }
    } else {
        for (int i = 0; i < 3; i++) {
            d[i] = random_difference();
        }
    }
    call("length");
    given(d[0]);
    given(d[1]);
    given(d[2]);
    answers_follow();
    answer_signed(FXS(length)(d[0], d[1], d[2]));
}

static void one_turn(uint32_t number) {
    uint32_t from = (uint32_t)random64(), to = (uint32_t)random64();
    if (number % 2) { /* about half a turn, or none, apart, some turns aside */
        int64_t halves = below(3), turns = below(4), apart = halves * 32768 + turns * 65536 + jitter();
        to = (uint32_t)(((int64_t)from + (1 << 20) + apart) & UINT32_MAX);
    }
    call("yaw_between");
    given(from);
    given(to);
    answers_follow();
    answer_signed(FXS(yaw_between)(from, to));
}

static void one_facing(uint32_t number) {
    uint32_t yaw = random_yaw(), half_angle = random_half_angle();
    int64_t x = random_difference(), z = random_difference();
    if (number % 4) { /* along an edge, or beside it */
        int32_t c, s;
        uint32_t edge = (one_in(2) ? yaw + half_angle : yaw + 65536 - half_angle) & 65535;
        int64_t scale = (int64_t)1 << (one_in(2) ? 0 : below(31)), times = 1 + below(3);
        FXS(direction)((uint16_t)edge, &c, &s);
        x = times * c / scale;
        z = times * s / scale;
        if (one_in(2)) {
            x += jitter();
            z += jitter();
        }
    }
    if (one_in(32)) {
        yaw = one_in(2) ? 65536 : (uint32_t)random64();
    }
    if (one_in(32)) {
        half_angle = one_in(2) ? 0 : 32769;
    }
    call("faces");
    given(yaw);
    given(half_angle);
    given(x);
    given(z);
    answers_follow();
    answer_signed(FXS(faces)(yaw, half_angle, x, z));
}

static void one_forward(uint32_t number) {
    uint32_t yaw = number % 4 ? random_yaw() : (uint32_t)random64();
    int32_t length = one_in(32) ? INT32_MIN : to_int32(sign_of_coin(magnitude_of(below(32)))), x = 77, z = 77;
    call("forward");
    given(yaw);
    given(length);
    answers_follow();
    answer_signed(FXS(forward)(yaw, length, &x, &z));
    answer_signed(x);
    answer_signed(z);
}

/* That the library is the header's: the number itself would make every release another golden. */
static void one_version(uint32_t number) {
    (void)number;
    call("version");
    answers_follow();
    answer(FXS(version)() == FXS_VERSION);
    answer(FXS(semantics)());
}

/* ---- two shapes ---- */

static void one_check(uint32_t number) {
    static const int32_t NASTY[] = {0, 1, -1, FXS_SIZE_MAX, FXS_SIZE_MAX + 1, INT32_MAX, INT32_MIN, 65536};
    static const uint32_t ANGLES[] = {0, 1, 32767, 32768, 32769, 65535, 65536, 65537, UINT32_MAX};
    fxs_shape s = random_shape(number % KIND_COUNT, below(30));
    if (one_in(2)) {
        uint32_t which = below(3);
        s.size[which] = NASTY[below(COUNT(NASTY))];
    }
    if (one_in(3)) {
        s.half_angle = ANGLES[below(COUNT(ANGLES))];
    }
    if (one_in(8)) {
        s.kind = one_in(2) ? KIND_COUNT : (uint32_t)random64();
    }
    call("shape_check");
    given_shape(&s);
    answers_follow();
    answer_signed(FXS(shape_check)(&s));
    fxs_pose pose = {0, 0, 0, ANGLES[below(COUNT(ANGLES))]}, origin = {0, 0, 0, 0};
    fxs_shape ball = {FXS_SPHERE, 0, {65536, 0, 0}};
    call("overlap");
    given_shape(&ball);
    given_pose(&origin);
    given_shape(&s);
    given_pose(&pose);
    answers_follow();
    answer_signed(FXS(overlap)(&ball, &origin, &s, &pose));
}

typedef struct pair {
    fxs_shape a, b;
    fxs_pose pa, pb;
} pair;

static void given_pair(const pair *p) {
    given_shape(&p->a);
    given_pose(&p->pa);
    given_shape(&p->b);
    given_pose(&p->pb);
}

/* Asks both ways round. */
static int32_t ask_overlap(const pair *p) {
    int32_t contact = FXS(overlap)(&p->a, &p->pa, &p->b, &p->pb);
    call("overlap");
    given_pair(p);
    answers_follow();
    answer_signed(contact);
    if (FXS(overlap)(&p->b, &p->pb, &p->a, &p->pa) != contact) {
        broken("overlap(a, b) is not overlap(b, a)");
    }
    return contact;
}

#define PAIRS_OF(n) ((n) * ((n) + 1) / 2)

/* Of `number` % PAIRS_OF(KIND_COUNT), the kinds of a pair. */
static void kinds_at(uint32_t number, uint32_t *a, uint32_t *b) {
    uint32_t at = number % PAIRS_OF(KIND_COUNT);
    for (*a = 0; at >= KIND_COUNT - *a; ++*a) {
        at -= KIND_COUNT - *a;
    }
    *b = *a + at;
}

static void kinds_of(uint32_t number, uint32_t *a, uint32_t *b) {
    kinds_at(number, a, b);
    if (one_in(2)) {
        uint32_t swap = *a;
        *a = *b;
        *b = swap;
    }
}

/* The half extents that decide when two axis-parallel shapes touch along x, y, z. */
static int64_t extent(const fxs_shape *s, uint32_t axis) {
    if (axis == 1) {
        return s->kind == FXS_SPHERE ? s->size[0] : s->kind == FXS_CAPSULE ? (int64_t)s->size[0] + s->size[1] : s->size[1];
    }
    const ground_reach r = reach_of(s->kind, s->size);
    return r.radius + (axis == 2 ? r.half_z : r.half_x);
}

static pair random_pair(uint32_t number, uint32_t bits) {
    pair p;
    uint32_t a, b;
    kinds_of(number, &a, &b);
    p.a = random_shape(a, bits);
    p.b = random_shape(b, bits);
    p.pa.yaw = random_yaw();
    p.pb.yaw = one_in(4) ? (p.pa.yaw + below(4) * 16384) & 65535 : random_yaw();
    int64_t room = (int64_t)1 << (one_in(4) ? 31 : below(31));
    p.pa.x = to_int32(between(-room, room));
    p.pa.y = to_int32(between(-room, room));
    p.pa.z = to_int32(between(-room, room));
    p.pb.x = p.pa.x;
    p.pb.y = p.pa.y;
    p.pb.z = p.pa.z;
    return p;
}

static void shift(fxs_pose *p, int64_t dx, int64_t dy, int64_t dz) {
    p->x = to_int32(p->x + dx);
    p->y = to_int32(p->y + dy);
    p->z = to_int32(p->z + dz);
}

/* A pair that touches, or nearly so, in one of the ways that are exact on integers; sizes about 2^bits. */
static pair near_pair(uint32_t number, uint32_t bits) {
    pair p = random_pair(number, bits);
    int64_t d[3];
    const uint16_t *q = QUADRUPLES[below(COUNT(QUADRUPLES))];
    int64_t k = to_size(magnitude_of(bits)) / q[3] + 1;
    switch (below(4)) {
    case 0: /* a Pythagorean distance: radii that add up to it touch exactly */
        for (int i = 0; i < 3; i++) {
            d[i] = sign_of_coin(q[i] * k);
            d[i] += one_in(6) ? jitter() : 0;
        }
        p.a.size[0] = to_size(below(2) ? q[3] * k / 2 : q[3] * k - 1);
        p.b.size[0] = to_size(q[3] * k - p.a.size[0]);
        if (one_in(2)) { /* along y: what is round meets with its caps */
            int64_t swap = d[1];
            d[1] = d[2];
            d[2] = swap;
            d[1] += d[1] < 0 ? -(extent(&p.a, 1) - p.a.size[0]) : extent(&p.b, 1) - p.b.size[0];
        }
        break;
    case 1: /* at the extents' sum on some axes */
        for (uint32_t i = 0; i < 3; i++) {
            d[i] = one_in(2) ? sign_of_coin(extent(&p.a, i) + extent(&p.b, i) + jitter()) : jitter();
        }
        break;
    case 2: /* a cylinder's rim and a sphere: f and what is left of the radius are legs */
        for (uint32_t i = 0; i < 3; i++) {
            d[i] = sign_of_coin(magnitude_of(bits));
        }
        d[1] = sign_of_coin(p.a.size[1] + p.b.size[1] + q[0] * k);
        p.a.size[0] = to_size(q[3] * k);
        d[0] = sign_of_coin(q[1] * k + p.b.size[0]);
        d[2] = jitter();
        break;
    default:
        for (uint32_t i = 0; i < 3; i++) {
            d[i] = between(-((int64_t)2 << bits), (int64_t)2 << bits);
        }
    }
    shift(&p.pb, d[0], d[1], d[2]);
    return p;
}

static void one_overlap(uint32_t number) {
    pair p = near_pair(number, below(30));
    ask_overlap(&p);
}

/* Moves b away from a along a line until they part, by bisection: the cases lie where exactness is hardest. */
static void one_approach(uint32_t number) {
    uint32_t bits = below(30);
    pair p = random_pair(number, bits);
    fxs_pose from = p.pb;
    int64_t m[3], low = 0, high = 65536;
    for (uint32_t i = 0; i < 3; i++) {
        m[i] = one_in(3) ? jitter() : sign_of_coin(magnitude_of(bits + 2 < 31 ? bits + 2 : 31));
    }
    while (high - low > 1) {
        int64_t t = (low + high) / 2;
        p.pb = from;
        shift(&p.pb, m[0] * t / 65536, m[1] * t / 65536, m[2] * t / 65536);
        if (ask_overlap(&p) > FXS_APART) {
            low = t;
        } else {
            high = t;
        }
    }
    for (uint32_t i = 0; i < 6; i++) {
        pair near = p;
        int64_t by = i % 2 ? 1 : -1;
        shift(&near.pb, i / 2 == 0 ? by : 0, i / 2 == 1 ? by : 0, i / 2 == 2 ? by : 0);
        ask_overlap(&near);
    }
}

/* A pair of which one is a sector with a hole, the other any shape. */
static pair ring_pair(uint32_t number, uint32_t bits) {
    pair p = random_pair(number, bits);
    fxs_shape ring = random_shape(FXS_SECTOR, bits);
    ring.size[0] += ring.size[0] == 1;
    ring.size[2] = one_in(4) ? ring.size[0] - 1 : 1 + (int32_t)below((uint32_t)ring.size[0] - 1);
    p.a = number % 2 ? p.a : ring;
    p.b = number % 2 ? ring : p.b;
    return p;
}

/* Rings from their middle outwards, where they are met and left; tiny ones on a tiny grid; hostile holes. */
static void one_ring(uint32_t number) {
    uint32_t bits = number % 4 ? below(30) : 2;
    pair p = ring_pair(number, bits);
    const fxs_pose from = p.pb;
    int64_t m[3];
    for (uint32_t i = 0; i < 3; i++) {
        m[i] = one_in(3) ? jitter() : sign_of_coin(magnitude_of(bits + 2 < 31 ? bits + 2 : 31));
    }
    m[1] = one_in(2) ? jitter() : m[1];
    int32_t last = ask_overlap(&p);
    for (uint32_t i = 1; i <= 8; i++) { /* eighths of the way; where the contact changes, the place */
        int64_t low = (i - 1) * 8192, high = i * 8192;
        p.pb = from;
        shift(&p.pb, m[0] * high / 65536, m[1] * high / 65536, m[2] * high / 65536);
        int32_t contact = ask_overlap(&p);
        while (contact != last && high - low > 1) {
            int64_t t = (low + high) / 2;
            p.pb = from;
            shift(&p.pb, m[0] * t / 65536, m[1] * t / 65536, m[2] * t / 65536);
            if (ask_overlap(&p) == last) {
                low = t;
            } else {
                high = t;
            }
        }
        last = contact;
    }
    fxs_shape *ring = number % 2 ? &p.b : &p.a;
    ring->size[2] = one_in(2) ? ring->size[0] + (int32_t)below(2) : to_int32(jitter());
    call("shape_check");
    given_shape(ring);
    answers_follow();
    answer_signed(FXS(shape_check)(ring));
}

/* Every pair of kinds on a tiny grid, exhaustively: sizes 1..3 (half angles by eighths of a turn and their neighbours), places to
 * one step beyond touching, eight yaws. Case `number` is one set of shapes and yaws; it runs through all places. */
static const uint16_t GRID_ANGLES[7] = {1, 8192, 16383, 16384, 16385, 24576, 32768};

typedef struct grid_shape {
    uint32_t count;
    fxs_shape shape[27];
} grid_shape;

static grid_shape grid_of(uint32_t kind) {
    grid_shape g;
    g.count = 0;
    for (int32_t i = 1; i <= 3; i++) {
        for (int32_t j = 1; j <= (!has_half_height(kind) || kind == FXS_SECTOR ? 1 : has_half_z(kind) ? 3 : 2); j++) {
            fxs_shape s = {kind, 0, {i, has_half_z(kind) ? 1 : !has_half_height(kind) ? 0 : kind == FXS_CAPSULE ? j - 1 : j, has_half_z(kind) ? j : 0}};
            into_ranges(kind, s.size);
            for (uint32_t k = 0; k < (kind == FXS_SECTOR ? COUNT(GRID_ANGLES) : 1); k++) {
                s.half_angle = kind == FXS_SECTOR ? GRID_ANGLES[k] : 0;
                g.shape[g.count++] = s;
            }
        }
    }
    return g;
}

static grid_shape grid_a, grid_b;

/* Yaws do not matter to the kinds before the box. */
static uint32_t grid_yaws(uint32_t kind) { return kind >= FXS_BOX ? 8 : 1; }

static uint32_t grid_size(uint32_t a, uint32_t b) {
    grid_a = grid_of(a);
    grid_b = grid_of(b);
    return grid_a.count * grid_b.count * grid_yaws(a) * grid_yaws(b);
}

static void one_grid(uint32_t number) {
    static uint32_t first, end, kind_a, kind_b; /* the cases of the present pair of kinds */
    if (number == 0) {
        first = kind_a = kind_b = 0;
        end = grid_size(0, 0);
    }
    while (number == end) {
        first = end;
        if (++kind_b >= KIND_COUNT) {
            kind_b = ++kind_a;
        }
        if (kind_a >= KIND_COUNT) {
            end = UINT32_MAX;
            return;
        }
        end += grid_size(kind_a, kind_b);
    }
    if (end == UINT32_MAX) {
        return;
    }
    uint32_t at = number - first;
    pair p = {grid_a.shape[at % grid_a.count], grid_b.shape[at / grid_a.count % grid_b.count], {0, 0, 0, 0}, {0, 0, 0, 0}};
    at /= grid_a.count * grid_b.count;
    p.pa.yaw = at % grid_yaws(kind_a) * 8192;
    p.pb.yaw = at / grid_yaws(kind_a) * 8192;
    int32_t reach = p.a.size[0] + p.b.size[0] + (has_half_z(kind_a) ? p.a.size[2] : 0) + (has_half_z(kind_b) ? p.b.size[2] : 0) + 1;
    int32_t tall = (int32_t)(extent(&p.a, 1) + extent(&p.b, 1)), heights[3] = {0, tall, 1 - tall};
    for (uint32_t i = 0; i < 3; i++) {
        for (p.pb.x = -reach; p.pb.x <= reach; p.pb.x++) {
            for (p.pb.z = -reach; p.pb.z <= reach; p.pb.z++) {
                p.pb.y = heights[i];
                call("overlap");
                given_pair(&p);
                answers_follow();
                answer_signed(FXS(overlap)(&p.a, &p.pa, &p.b, &p.pb));
            }
        }
    }
}

static void one_many(uint32_t number) {
    fxs_shape a[16], b[16];
    fxs_pose pa[16], pb[16];
    uint8_t contacts[16];
    uint64_t n = below(17), bad = 77;
    memset(contacts, 9, sizeof contacts);
    call("overlap_many");
    for (uint64_t i = 0; i < n; i++) {
        pair p = random_pair(number + (uint32_t)i, below(30));
        shift(&p.pb, jitter(), 0, extent(&p.a, 2) + extent(&p.b, 2));
        a[i] = p.a;
        b[i] = p.b;
        pa[i] = p.pa;
        pb[i] = p.pb;
        if (one_in(64)) {
            pb[i].yaw += 65536;
        }
        p.pb = pb[i];
        given_pair(&p);
    }
    answers_follow();
    answer_signed(FXS(overlap_many)(a, pa, b, pb, n, contacts, &bad));
    answer(bad);
    for (uint64_t i = 0; i < n; i++) {
        answer(contacts[i]);
    }
}

/* A number of a pair of bodies, but for a few. */
static uint32_t bodies(uint32_t number) {
    uint32_t left = number % PAIRS_OF(BODY_KIND_COUNT), a, b;
    for (uint32_t at = 0; number % 32; at++) {
        kinds_at(at, &a, &b);
        if (is_body_kind(a) && is_body_kind(b)) {
            if (left == 0) {
                return at;
            }
            left--;
        }
    }
    return number / 32;
}

static void one_lift(uint32_t number) {
    uint32_t bits = below(30);
    pair p = near_pair(bodies(number), bits);
    int32_t dy = 77;
    if (!one_in(8)) { /* into each other */
        p.pb.x -= (p.pb.x - p.pa.x) / (int32_t)(2 + below(3));
        p.pb.y -= (p.pb.y - p.pa.y) / (int32_t)(2 + below(3));
        p.pb.z -= (p.pb.z - p.pa.z) / (int32_t)(1 + below(3));
    }
    call("lift");
    given_pair(&p);
    answers_follow();
    answer_signed(FXS(lift)(&p.a, &p.pa, &p.b, &p.pb, &dy));
    answer_signed(dy);
}

/* Shapes 2^31 and more from each other on one axis or on several, which no two sizes bridge. What loses the 33rd bit of a difference
 * takes 2^32 - 1 for a step, and 2^31 for its opposite. */
static void one_far(uint32_t number) {
    static const int64_t NASTY[] = {INT64_C(1) << 31, (INT64_C(1) << 31) + 1, UINT32_MAX, INT64_C(3) << 30};
    uint32_t bits = below(30), axes = 1 + below(7);
    pair p = near_pair(number, bits);
    int32_t dy = 77, *from[3] = {&p.pa.x, &p.pa.y, &p.pa.z}, *to[3] = {&p.pb.x, &p.pb.y, &p.pb.z};
    for (uint32_t i = 0; i < 3; i++) {
        if (!(axes >> i & 1)) {
            continue;
        }
        int64_t gap = UINT32_MAX - (magnitude_of(below(31)) >> 1);
        gap = one_in(3) ? NASTY[below(COUNT(NASTY))] : gap;
        int64_t low = between(INT32_MIN, INT32_MAX - gap);
        int up = one_in(2);
        *(up ? from : to)[i] = (int32_t)low;
        *(up ? to : from)[i] = (int32_t)(low + gap);
    }
    if (ask_overlap(&p) > FXS_APART) {
        broken("shapes meet over more than 2^31");
    }
    call("lift");
    given_pair(&p);
    answers_follow();
    answer_signed(FXS(lift)(&p.a, &p.pa, &p.b, &p.pb, &dy));
    answer_signed(dy);
}

#ifndef CALL_REFERENCE

/* The contract leaves a choice to push_out: the reference has no part in this. */
static void one_push(uint32_t number) {
    uint32_t bits = below(30);
    pair p = near_pair(bodies(number), bits);
    int32_t xz[2] = {77, 77};
    if (!one_in(8)) {
        p.pb.x -= (p.pb.x - p.pa.x) / (int32_t)(1 + below(6));
        p.pb.y -= (p.pb.y - p.pa.y) / (int32_t)(1 + below(3));
        p.pb.z -= (p.pb.z - p.pa.z) / (int32_t)(1 + below(6));
    }
    for (int turn = 0; turn < 2; turn++) {
        pair pushed = p;
        call("push_out");
        given_pair(&p);
        answers_follow();
        int32_t status = fxs_push_out(&p.a, &p.pa, &p.b, &p.pb, xz);
        answer_signed(status);
        answer_signed(xz[0]);
        answer_signed(xz[1]);
        answer_signed(fxs_side(&p.a, &p.pa, &p.b, &p.pb));
        pushed.pa.x = to_int32((int64_t)p.pa.x + xz[0]);
        pushed.pa.z = to_int32((int64_t)p.pa.z + xz[1]);
        int fits = (int64_t)p.pa.x + xz[0] == pushed.pa.x && (int64_t)p.pa.z + xz[1] == pushed.pa.z;
        if (status == FXS_OK && fits && fxs_overlap(&pushed.a, &pushed.pa, &pushed.b, &pushed.pb) == FXS_OVERLAPPING) {
            broken("a pair still overlaps after its push-out");
        }
        pair swapped = {p.b, p.a, p.pb, p.pa};
        p = swapped;
    }
}

/* ---- casts ---- */

/* Motions that make near pairs meet on the way, graze or slide: to a place where they touch, through it, or past it. */
static void one_cast(uint32_t number) {
    uint32_t bits = below(30);
    pair p = near_pair(bodies(number), bits);
    int32_t fraction = 77, normal[3] = {7, 7, 7}, motions[2][3] = {{0, 0, 0}, {0, 0, 0}};
    uint32_t reach = bits + 1 + below(4) < 29 ? bits + 1 : 29, when = one_in(2) ? FXS_TOUCHING : FXS_OVERLAPPING;
    for (uint32_t i = 0; i < 3; i++) {
        int64_t by = one_in(3) ? jitter() : sign_of_coin(magnitude_of(reach));
        motions[0][i] = (int32_t)clamped(by, -FXS_SIZE_MAX, FXS_SIZE_MAX);
    }
    int64_t part = below(4);
    shift(&p.pa, -part * motions[0][0] / 2, -part * motions[0][1] / 2, -part * motions[0][2] / 2);
    if (one_in(4)) {
        for (uint32_t i = 0; i < 3; i++) { /* the same approach, some of it made by the other */
            int64_t by = sign_of_coin(magnitude_of(reach)) / 2;
            int64_t a = motions[0][i] + by;
            if (a >= -FXS_SIZE_MAX && a <= FXS_SIZE_MAX) {
                motions[0][i] = (int32_t)a;
                motions[1][i] = (int32_t)by;
            }
        }
    }
    if (one_in(64)) {
        motions[1][below(3)] = one_in(2) ? FXS_SIZE_MAX + 1 : INT32_MIN;
    }
    for (int turn = 0; turn < 2; turn++) {
        call("cast_pair");
        given_shape(&p.a);
        given_pose(&p.pa);
        given(motions[turn][0]);
        given(motions[turn][1]);
        given(motions[turn][2]);
        given_shape(&p.b);
        given_pose(&p.pb);
        given(motions[!turn][0]);
        given(motions[!turn][1]);
        given(motions[!turn][2]);
        given(when);
        answers_follow();
        answer_signed(fxs_cast_pair(&p.a, &p.pa, motions[turn], &p.b, &p.pb, motions[!turn], when, &fraction, normal));
        answer_signed(fraction);
        for (uint32_t i = 0; i < 3; i++) {
            answer_signed(normal[i]);
        }
        pair swapped = {p.b, p.a, p.pb, p.pa};
        p = swapped;
    }
}

#endif

/* ---- hashes ---- */

static void one_hash(uint32_t number) {
    static uint8_t bytes[304];
    uint32_t from = below(8), size = one_in(8) ? below(290) : number % 80;
    uint64_t seed = one_in(2) ? 0 : random64();
    for (uint32_t i = 0; i < sizeof bytes; i++) {
        bytes[i] = (uint8_t)random64();
    }
    call("hash64");
    given((int64_t)(seed & UINT32_MAX));
    given((int64_t)(seed >> 32));
    given_bytes(bytes + from, size);
    answers_follow();
    answer(FXS(hash64)(bytes + from, size, seed));
}

/* ---- worlds ---- */

static void random_layers(fxs_config *c) {
    for (uint32_t i = 0; i < 32; i++) {
        for (uint32_t j = 0; j <= i; j++) {
            uint32_t meet = !one_in(3);
            c->layers[i] = (c->layers[i] & ~((uint32_t)1 << j)) | meet << j;
            c->layers[j] = (c->layers[j] & ~((uint32_t)1 << i)) | meet << i;
        }
    }
}

static void one_stream(uint32_t number) {
    static uint8_t bytes[4096];
    uint64_t size = 64 + below(number % 8 == 7 ? 4032 : 960);
    for (uint64_t i = 0; i < size; i++) {
        bytes[i] = (uint8_t)(random64() >> 56);
    }
    run_commands(bytes, size);
}

/* ---- hostile states ---- */

static void put32(uint8_t *p, uint32_t v) {
    for (uint32_t i = 0; i < 4; i++) {
        p[i] = (uint8_t)(v >> 8 * i);
    }
}

static uint32_t get32(const uint8_t *p) { return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24; }

/* A world of a few colliders that all meet, some of them removed or replaced after the step. */
static void small_crowd(uint32_t w, uint32_t capacity) {
    fxs_config c = config_of(capacity, 64, 1 + below(2));
    if (one_in(4)) {
        random_layers(&c);
    }
    do_init(w, &c);
    for (uint32_t id = 0; id < capacity; id += 1 + below(3)) {
        fxs_shape shape = random_shape(random_kind(), 17);
        fxs_pose pose = random_pose(65536, 32768);
        fxs_collider body = collider_of(id, &shape, &pose);
        body.owner = below(3);
        body.layer = (uint8_t)below(32);
        body.ox = one_in(4) ? (int32_t)below(65536) : 0;
        do_add(w, &body);
    }
    do_step(w, COUNT(events));
    for (uint32_t i = below(4); i > 0; i--) {
        do_simple(w, 0, below(capacity), 0);
    }
}

static void one_load(uint32_t number) {
    static uint8_t good[4096], bad[4096];
    static uint64_t size;
    static const uint32_t NASTY[] = {0, 1, 2, 3, 5, 0x7FFFFFFF, 0x80000000, UINT32_MAX, 65536, 0x20000000};
    if (number % 32 == 0) { /* a new state, to load into a world of the same capacity, or of less, or with less room for hits */
        uint32_t capacity = 4 + below(12);
        small_crowd(0, capacity);
        size = do_save(0);
        memcpy(good, saved, (size_t)size);
        capacity = one_in(4) ? capacity / 2 : capacity;
        fxs_config c = config_of(capacity, one_in(4) ? 2 : 64, 1);
        do_init(1, &c);
    }
    memcpy(bad, good, (size_t)size);
    uint64_t length = size;
    uint32_t colliders = get32(bad + 140), changes = below(4);
    for (uint32_t i = 0; i < changes; i++) {
        uint64_t at = random64() % size, word = at / 4 * 4;
        switch (below(9)) {
        case 0: bad[at] ^= (uint8_t)(1u << below(8)); break;
        case 1: bad[at] = (uint8_t)random64(); break;
        case 2: put32(bad + word, NASTY[below(COUNT(NASTY))]); break;
        case 3: put32(bad + word, get32(bad + word) + (uint32_t)jitter()); break;
        case 4: length = random64() % (size + 5); break;
        case 5: put32(bad + 140, colliders + (uint32_t)jitter()); break;
        case 6: length = size + 4 * (uint64_t)below(2); break;
        case 7: { /* two colliders change places, or one becomes the other */
            if (colliders) {
                uint8_t kept[52], *p = bad + 144 + 52 * below(colliders), *q = bad + 144 + 52 * below(colliders);
                memcpy(kept, p, 52);
                memmove(p, q, 52);
                if (one_in(2)) {
                    memcpy(q, kept, 52);
                }
            }
            break;
        }
        default: /* another word of the same state */
            put32(bad + word, get32(good + random64() % (size - 3) / 4 * 4));
        }
    }
    memset(bad + size, 0, 8);
    if (do_load(1, bad, length) == FXS_OK) {
        do_save(1);
        int same = FXS(world_save_size)(world_at(1)) == length;
        for (uint64_t i = 0; same && i < length; i++) {
            same = saved[i] == bad[i];
        }
        if (!same) {
            broken("an accepted state saves to other bytes");
        }
        do_step(1, COUNT(events));
    }
}

/* ---- size classes: every size next to a power of two, against others, where cells of any size meet ---- */

static int32_t class_size(uint32_t number) {
    return to_size(((int64_t)1 << number / 3 % 30) + number % 3 - 1);
}

static void one_class(uint32_t number) {
    fxs_config c = config_of(8, 28, 1);
    int32_t sizes[2] = {class_size(number), class_size(number / 90 + below(90))};
    int64_t at[3];
    do_init(0, &c);
    for (uint32_t i = 0; i < 3; i++) {
        int64_t cell = (int64_t)1 << below(32);
        int64_t corner = between(-4, 4) * cell;
        at[i] = one_in(8) ? (one_in(2) ? INT32_MIN : INT32_MAX) : clamped(corner + jitter(), INT32_MIN, INT32_MAX);
    }
    for (uint32_t id = 0; id < 4; id++) {
        uint32_t kind = below(3) == 0 ? FXS_BOX : random_body_kind();
        int32_t size = sizes[id % 2];
        fxs_shape shape = {kind, 0, {size, 0, 0}};
        shape.size[1] = has_half_height(kind) ? to_size(size + jitter()) : 0;
        shape.size[2] = has_half_z(kind) ? to_size(size + jitter()) : 0;
        into_ranges(kind, shape.size);
        fxs_pose pose = {to_int32(at[0]), to_int32(at[1]), to_int32(at[2]), one_in(3) ? random_yaw() : 0};
        fxs_collider body = collider_of(id, &shape, &pose);
        do_add(0, &body);
        at[id % 3] += sign_of_coin((int64_t)sizes[0] + sizes[1] + jitter());
        at[id % 3] = clamped(at[id % 3], INT32_MIN, INT32_MAX);
    }
    do_step(0, COUNT(events));
}

/* A world of rings and others: hits, queries with rings, and the bytes of its state. */
static void one_ring_world(uint32_t number) {
    uint32_t bits = 8 + below(8);
    fxs_config c = config_of(24, 256, 1 + number % 2);
    random_layers(&c);
    do_init(0, &c);
    for (uint32_t id = 0; id < 24; id++) {
        pair p = ring_pair(2 * id, bits);
        fxs_pose pose = random_pose((int64_t)2 << bits, (int64_t)1 << bits);
        fxs_collider body = collider_of(id, id % 3 ? &p.b : &p.a, &pose);
        body.layer = (uint8_t)below(32);
        body.owner = below(5);
        do_add(0, &body);
    }
    do_step(0, COUNT(events));
    for (uint32_t i = 0; i < 4; i++) {
        fxs_query q;
        q.shape = ring_pair(0, bits).a;
        q.pose = random_pose((int64_t)2 << bits, (int64_t)1 << bits);
        q.mask = UINT32_MAX;
        q.exclude_owner = below(6);
        q.hit_when = 0;
        do_query(0, &q, COUNT(id_list));
    }
    do_save(0);
}

/* ---- queries ---- */

static void one_query(uint32_t number) {
    static uint32_t frame;
    if (number == 0) {
        fxs_config c = config_of(160, 4096, 1);
        frame = 0;
        random_layers(&c);
        do_init(0, &c);
        for (uint32_t id = 0; id < 128; id++) {
            uint32_t kind = random_kind();
            fxs_shape shape = random_shape(kind, 14 + below(5));
            fxs_pose pose = random_pose(1 << 20, 1 << 17);
            fxs_collider body = collider_of(id, &shape, &pose);
            body.layer = (uint8_t)below(32);
            body.owner = below(5);
            body.active = !one_in(16);
            do_add(0, &body);
        }
    }
    /* Some before a step, some after it, some after a change that no step has seen. */
    if (number % 64 == 20) {
        do_step(0, COUNT(events));
    }
    if (number % 16 == 7) {
        uint32_t id = below(160);
        fxs_pose pose = random_pose(1 << 20, 1 << 17);
        do_move(0, id, pose.x, pose.y, pose.z);
        if (++frame % 8 == 0) {
            do_simple(0, 4, id, frame / 8 % 2);
        }
    }
    fxs_query queries[8];
    uint32_t n = one_in(8) ? 8 : 1;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t bits = one_in(16) ? 28 : 14 + below(6);
        fxs_query q;
        q.shape = random_shape(random_kind(), bits);
        q.pose = random_pose(1 << 20, 1 << 17);
        q.mask = one_in(2) ? UINT32_MAX : (uint32_t)random64();
        q.exclude_owner = below(6);
        q.hit_when = 0;
        queries[i] = q;
    }
    if (n == 1) {
        do_query(0, queries, one_in(32) ? below(3) : COUNT(id_list));
    } else {
        do_query_many(0, n, queries, COUNT(id_list));
    }
}

/* ---- the nearest, and casts, in crowds with ties ---- */

#define SEEN 24

/* A place on a lattice, so that many are equally far from others, and are met at the same time; or anywhere. */
static fxs_pose crowd_pose(int on_lattice, int64_t room) {
    fxs_pose pose = random_pose(room, room / 4);
    if (on_lattice) {
        int64_t step = room / 4;
        pose.x = (int32_t)(((int64_t)below(9) - 4) * step);
        pose.y = (int32_t)(((int64_t)below(3) - 1) * step / 4);
        pose.z = (int32_t)(((int64_t)below(9) - 4) * step);
        pose.yaw = below(4) * 16384;
    }
    return pose;
}

static fxs_shape crowd_shape(uint32_t kind, int on_lattice, uint32_t bits) {
    fxs_shape shape = random_shape(kind, bits);
    for (uint32_t i = 0; i < 3 && on_lattice; i++) {
        shape.size[i] = shape.size[i] ? to_size((int64_t)1 << bits) : 0;
    }
    return shape;
}

typedef struct crowd {
    int on_lattice, turned_offsets;
    uint32_t bits;
    int64_t room;
} crowd;

/* World 0: ids 0 .. SEEN - 1, of which some are not there. */
static crowd random_crowd(uint32_t number) {
    crowd now = {number % 3 != 0, number % 2 != 0, number % 4 == 3 ? 28 : 15, 0};
    now.room = (int64_t)4 << now.bits;
    now.room = now.room > INT32_MAX ? INT32_MAX : now.room;
    fxs_config c = config_of(SEEN, 300, 1 + number % 2);
    if (one_in(2)) {
        random_layers(&c);
    }
    do_init(0, &c);
    for (uint32_t id = 0; id < SEEN; id++) {
        fxs_shape shape = crowd_shape(random_kind(), now.on_lattice, now.bits);
        fxs_pose pose = crowd_pose(now.on_lattice, now.room);
        fxs_collider body = collider_of(id, &shape, &pose);
        body.layer = (uint8_t)below(32);
        body.owner = below(4);
        body.active = !one_in(12);
        body.oy = one_in(4) ? (int32_t)1 << now.bits : 0;
        body.ox = now.turned_offsets && one_in(3) ? (int32_t)1 << now.bits : 0;
        if (!one_in(12)) {
            do_add(0, &body);
        }
    }
    return now;
}

static uint32_t random_mask(void) { return one_in(2) ? UINT32_MAX : (uint32_t)random64(); }

static void one_nearest(uint32_t number) {
    static crowd now;
    if (number % 32 == 0) {
        now = random_crowd(number / 32);
    }
    if (number % 32 == 16) {
        do_step(0, COUNT(events));
    }
    fxs_query queries[4];
    uint64_t ends[4], count = 7, n = one_in(4) ? below(5) : 1, room = one_in(16) ? below(4) : COUNT(id_list);
    uint64_t limit = one_in(3) ? 0 : one_in(8) ? UINT64_MAX : 1 + below(6);
    for (uint64_t i = 0; i < n; i++) {
        fxs_query *q = &queries[i];
        uint32_t bits = now.bits + below(3), kind = random_kind();
        q->shape = crowd_shape(kind, now.on_lattice && !one_in(3), bits < 29 ? bits : 29);
        q->pose = crowd_pose(now.on_lattice, now.room);
        q->mask = random_mask();
        q->exclude_owner = below(5);
        q->hit_when = 0;
        q->pose.yaw += one_in(64) ? 65536 : 0;
        q->shape.size[0] = one_in(64) ? 0 : q->shape.size[0];
    }
    int32_t status = FXS(world_nearest_many)(world_at(0), queries, n, limit, ends, id_list, room, &count);
    call_world("nearest_many", 0);
    given((int64_t)room);
    given(limit > INT64_MAX ? INT64_MAX : (int64_t)limit);
    for (uint64_t i = 0; i < n; i++) {
        given_query(&queries[i]);
    }
    answers_follow();
    answer_signed(status);
    answer(count);
    for (uint64_t i = 0; status == FXS_OK && i < n; i++) {
        answer(ends[i]);
    }
    for (uint64_t i = 0; status == FXS_OK && i < count; i++) {
        answer(id_list[i]);
    }
}

/* ---- layouts: worlds as the broad phase finds them hard, each stepped and asked all over ---- */

typedef struct terrain {
    int64_t middle[4][3], spread[4][3]; /* places are within a spread of its middle, */
    int64_t step;                       /* on a lattice if this is not 0 */
    uint32_t low, high;                 /* bits of sizes on x and z */
    uint32_t flat, tall;                /* that many fewer, or more, on y */
    uint32_t parts, kinds, exact;       /* middles; a bit for each kind of shape; whether sizes are all of one power of two */
} terrain;

/* Small ones near each other, and others at the end of the world: a key needs all the bits there are for x. */
static terrain distant_terrain(void) {
    terrain t;
    memset(&t, 0, sizeof t);
    t.low = 4 + below(6);
    t.high = t.low + below(4);
    t.kinds = ALL_KINDS;
    t.parts = 2;
    t.middle[1][0] = sign_of_coin(INT32_MAX);
    for (uint32_t i = 0; i < 6; i++) {
        t.spread[i / 3][i % 3] = (int64_t)1 << (t.high + below(4));
    }
    return t;
}

static terrain random_terrain(void) {
    static const uint8_t KINDS[] = {1, 2, 4, 8, 12, 16, ALL_KINDS, ALL_KINDS};
    terrain t;
    uint32_t heap = one_in(4), vast = one_in(8);
    memset(&t, 0, sizeof t);
    t.low = one_in(4) ? below(30) : one_in(6) ? below(4) : 6 + below(16);
    t.high = t.low + (one_in(2) ? 0 : one_in(2) ? below(4) : below(30));
    t.high = t.high < 29 ? t.high : 29;
    t.flat = one_in(4) ? below(one_in(4) ? 29 : 8) : 0;
    t.tall = one_in(4) ? below(one_in(4) ? 29 : 8) : 0;
    t.exact = one_in(3) && t.high < 29;
    t.step = t.exact ? (int64_t)1 << (t.high + below(2)) : 0;
    t.kinds = KINDS[below(COUNT(KINDS))];
    t.parts = one_in(2) ? 1 : 1 + below(4);
    for (uint32_t part = 0; part < t.parts; part++) {
        for (uint32_t i = 0; i < 3; i++) {
            uint32_t bits = t.high + (heap && part == 0 ? below(2) : below(8));
            t.middle[part][i] = part == 0 ? 0 : one_in(3) ? sign_of_coin(INT32_MAX) : sign_of_coin(magnitude_of(31));
            t.spread[part][i] = one_in(5) ? 0 : (int64_t)1 << (vast ? 31 : one_in(8) && !heap ? below(32) : bits < 31 ? bits : 31);
        }
    }
    return t;
}

static int64_t terrain_place(const terrain *t, uint32_t part, uint32_t axis) {
    int64_t v = between(-t->spread[part][axis], t->spread[part][axis]);
    return clamped(t->middle[part][axis] + (t->step ? v / t->step * t->step : v), INT32_MIN, INT32_MAX);
}

static fxs_pose terrain_pose(const terrain *t) {
    uint32_t part = below(t->parts), quarter = below(4) * 16384;
    fxs_pose pose;
    pose.x = (int32_t)terrain_place(t, part, 0);
    pose.y = (int32_t)terrain_place(t, part, 1);
    pose.z = (int32_t)terrain_place(t, part, 2);
    pose.yaw = t->exact || one_in(2) ? quarter : below(65536);
    return pose;
}

static int64_t terrain_size(const terrain *t) {
    uint32_t bits = t->low + (t->high > t->low ? below(t->high - t->low + 1) : 0);
    int64_t power = (int64_t)1 << bits;
    return t->exact ? (one_in(2) ? (int64_t)1 << t->high : power) : one_in(4) ? power + jitter() : between(power / 2, power);
}

static fxs_shape terrain_shape(const terrain *t) {
    fxs_shape s = {0, 0, {0, 0, 0}};
    do {
        s.kind = random_kind();
    } while (!(t->kinds >> s.kind & 1));
    s.half_angle = s.kind == FXS_SECTOR ? random_half_angle() : 0;
    s.size[0] = to_size(terrain_size(t));
    s.size[1] = has_half_height(s.kind) ? to_size((terrain_size(t) >> t->flat) << t->tall) : 0;
    s.size[2] = has_half_z(s.kind) ? to_size(terrain_size(t)) : 0;
    into_ranges(s.kind, s.size);
    return s;
}

/* Which layers meet: by a rule, so that there are few groups of them, many, and more than the search keeps apart. */
static void terrain_layers(fxs_config *c, uint32_t rule) {
    uint32_t excluded = one_in(2) ? 0 : (uint32_t)random64() & (uint32_t)random64();
    for (uint32_t i = 0; i < 32; i++) {
        for (uint32_t j = 0; j <= i; j++) {
            uint32_t meet = rule == 0   ? 1
                            : rule == 1 ? i == j
                            : rule == 2 ? i != j
                            : rule == 3 ? i % 4 != j % 4
                            : rule == 4 ? i + j == 31
                            : rule == 5 ? i == 0 || j == 0
                            : rule == 6 ? i == j || i == j + 1
                                        : one_in(4);
            meet = (excluded >> i | excluded >> j) & 1 ? 0 : meet;
            c->layers[i] = (c->layers[i] & ~((uint32_t)1 << j)) | meet << j;
            c->layers[j] = (c->layers[j] & ~((uint32_t)1 << i)) | meet << i;
        }
    }
}

static fxs_query terrain_query(const terrain *t) {
    fxs_query q;
    terrain near = *t;
    if (one_in(3)) {
        near.low = near.high = below(30);
    }
    near.kinds = ALL_KINDS;
    q.shape = terrain_shape(&near);
    q.pose = terrain_pose(t);
    if (one_in(6)) {
        q.pose = random_pose(INT32_MAX, INT32_MAX);
    }
    q.mask = random_mask();
    q.exclude_owner = below(8);
    q.hit_when = 0;
    return q;
}

static void ask_terrain(const terrain *t, uint32_t times) {
    fxs_query queries[8];
    for (uint32_t i = 0; i < times; i++) {
        for (uint32_t j = 0; j < COUNT(queries); j++) {
            queries[j] = terrain_query(t);
        }
        do_query_many(0, COUNT(queries), queries, COUNT(id_list));
    }
}

/* Of each of eight layers that meet themselves alone, a heap of all the classes of sizes that the search keeps apart; and, far above or
 * below or among them, one that meets nobody. */
static void one_of_each_class(void) {
    fxs_config c = config_of(81, HITS_MAX, 1);
    uint32_t is_high = below(2);
    for (uint32_t i = 0; i < 32; i++) {
        c.layers[i] = i < 8 ? (uint32_t)1 << i : 0;
    }
    do_init(0, &c);
    for (uint32_t id = 0; id < 81; id++) {
        fxs_shape shape = {FXS_CYLINDER, 0, {(int32_t)1 << id / 8 % 10 * 3, is_high ? 1 + (int32_t)below(1 << 29) : 1, 0}};
        fxs_pose pose = random_pose(id % 8 < 4 ? 0 : 1 << 16, is_high ? 1 << 29 : 1);
        fxs_collider body = collider_of(id, &shape, &pose);
        if (id == 80) {
            body.layer = 8;
            body.y = (int32_t)sign_of_coin(below(2) * (1 << 30));
        } else {
            body.layer = (uint8_t)(id % 8);
        }
        do_add(0, &body);
    }
}

static void change_layout(terrain *t, uint32_t count, const uint32_t *ids) {
    uint32_t way = below(4), other = 1 + below(4);
    if (way == 0) { /* larger or smaller ones */
        uint32_t low = below(30), high = low + below(5);
        t->low = low;
        t->high = high < 29 ? high : 29;
        t->exact = 0;
    }
    for (uint32_t i = 0; i < count; i += way == 3 ? 1 : other) {
        fxs_pose pose = terrain_pose(t);
        fxs_shape shape = terrain_shape(t);
        if (way == 0) {
            do_shape(0, ids[i], &shape);
        } else if (way == 3) {
            do_simple(0, 4, ids[i], i != 0 && !one_in(count)); /* or nobody is left */
        } else {
            do_pose(0, ids[i], &pose);
        }
    }
}

static void one_layout(uint32_t number) {
    static uint32_t ids[400];
    int distant = one_in(24); /* and their ids far apart */
    terrain t = distant ? distant_terrain() : random_terrain();
    uint32_t some = number < 16 ? 64 : one_in(8) ? 400 : 130, count = one_in(8) ? below(4) : 1 + below(some), full = !distant && one_in(4);
    uint32_t most = full ? count : distant ? 1 << 12 : count * (1 + below(3) * below(3)), layers = 1 + below(32), room = HITS_MAX;
    uint32_t gap = full && count > 77 && one_in(2) ? 51 : 0; /* after 13 of them, so that a word of a set has few, and the next all */
    most = most < 1 ? 1 : most;
    layers = distant || one_in(3) ? 1 + below(4) : layers;
    room = one_in(8) ? below(9) : most > 9999 ? 9999 : room;
    fxs_config c = config_of(most + gap, room, 1 + below(2));
    terrain_layers(&c, below(16));
    if (number % 64 == 1) {
        one_of_each_class();
        count = 81;
    } else {
        do_init(0, &c);
    }
    for (uint32_t i = 0; i < count; i++) {
        fxs_shape shape = terrain_shape(&t);
        fxs_pose pose = terrain_pose(&t);
        uint32_t id = number % 64 == 1 ? i : i * (most / count) + (i < 13 ? 0 : gap);
        fxs_collider body = collider_of(id, &shape, &pose);
        body.layer = (uint8_t)below(layers);
        body.owner = one_in(2) ? 0 : below(8);
        body.active = full || !one_in(12);
        ids[i] = id;
        if (number % 64 != 1) {
            do_add(0, &body);
        }
    }
    if (one_in(2)) {
        ask_terrain(&t, 3); /* more often than it takes until what is near is looked up */
    }
    do_step(0, COUNT(events));
    ask_terrain(&t, 4);
    change_layout(&t, count, ids);
    if (one_in(2)) {
        ask_terrain(&t, 4);
    }
    do_step(0, COUNT(events));
    ask_terrain(&t, 1);
    do_save(0);
}

#ifndef CALL_REFERENCE

static void given_motion(const int32_t *motion) {
    given(motion[0]);
    given(motion[1]);
    given(motion[2]);
}

static void given_cast(const fxs_cast *cast) {
    given_shape(&cast->shape);
    given_pose(&cast->pose);
    given_motion(cast->motion);
    given(cast->mask);
    given(cast->exclude_owner);
    given(cast->limit);
    given(cast->hit_when);
}

/* The last `room` of these are given: a sanitizer sees what is read or written past them. */
static fxs_cast_hit cast_hits[4 * SEEN];

static fxs_cast_hit *room_for(uint64_t room) { return cast_hits + (COUNT(cast_hits) - room); }

static void answer_cast_hits(const fxs_cast_hit *found, uint64_t count) {
    for (uint64_t i = 0; i < count; i++) {
        answer(found[i].id);
        answer(found[i].fraction);
        answer_signed(found[i].normal[0]);
        answer_signed(found[i].normal[1]);
        answer_signed(found[i].normal[2]);
    }
}

/* The same again with room for all that there is, and with one less. */
static void check_room(uint64_t n, const fxs_cast *casts, uint64_t count) {
    uint64_t ends[4], seen = 7;
    if (FXS(world_cast_many)(world_at(0), casts, n, ends, room_for(count), count, &seen) != FXS_OK || seen != count) {
        broken("casts do not fit the room that they seen");
    }
    if (count && (FXS(world_cast_many)(world_at(0), casts, n, ends, room_for(count - 1), count - 1, &seen) != FXS_E_ROOM || seen != count)) {
        broken("casts fit less room than they seen");
    }
}

/* What a cast has to meet, from casts of pairs: every collider that is there, one after another put where it belongs. `mover`: the id
 * that is swept, or SEEN. For worlds without turned offsets. */
static void check_cast(const fxs_cast *cast, uint32_t mover, const fxs_cast_hit *found, uint64_t found_count) {
    fxs_cast_hit hits[SEEN];
    uint64_t count = 0;
    static const int32_t STILL[3] = {0, 0, 0};
    fxs_config config;
    FXS(world_config)(world_at(0), &config);
    for (uint32_t id = 0; id < SEEN; id++) {
        fxs_collider c;
        fxs_cast_hit hit = {id, 0, {0, 0, 0}};
        int32_t fraction = 0;
        if (id == mover || FXS(world_get)(world_at(0), id, &c) != FXS_OK || !c.active || !(cast->mask >> c.layer & 1) ||
            (cast->exclude_owner != 0 && c.owner == cast->exclude_owner) || !is_body_kind(c.kind)) {
            continue;
        }
        fxs_shape shape = {c.kind, c.half_angle, {c.size[0], c.size[1], c.size[2]}};
        fxs_pose pose = {c.x, c.y + c.oy, c.z, c.yaw};
        if (FXS(cast_pair)(&cast->shape, &cast->pose, cast->motion, &shape, &pose, STILL, cast->hit_when ? cast->hit_when : config.hit_when,
                           &fraction, hit.normal) != 1) {
            continue;
        }
        hit.fraction = (uint32_t)fraction;
        uint64_t at = count++;
        for (; at > 0 && hits[at - 1].fraction > hit.fraction; at--) {
            hits[at] = hits[at - 1];
        }
        hits[at] = hit;
    }
    int same = found_count == (cast->limit && cast->limit < count ? cast->limit : count);
    for (uint64_t i = 0; same && i < found_count; i++) {
        const fxs_cast_hit *a = hits, *b = &found[i]; /* hits of one fraction are ordered by distance, which no call gives */
        while (a < hits + count && a->id != b->id) {
            a++;
        }
        same = a < hits + count && a->fraction == b->fraction && hits[i].fraction == b->fraction && a->normal[0] == b->normal[0] &&
               a->normal[1] == b->normal[1] && a->normal[2] == b->normal[2];
    }
    if (!same) {
        broken("a cast into a world is not the casts at its colliders in order");
    }
}

static fxs_cast random_cast(const crowd *now) {
    fxs_cast cast;
    fxs_pose to = crowd_pose(now->on_lattice, now->room);
    cast.pose = crowd_pose(now->on_lattice, now->room);
    uint32_t kind = one_in(64) ? FXS_SECTOR : random_body_kind(), axis = below(3);
    cast.shape = crowd_shape(kind, now->on_lattice && !one_in(3), now->bits);
    const int64_t way[3] = {(int64_t)to.x - cast.pose.x, (int64_t)to.y - cast.pose.y, (int64_t)to.z - cast.pose.z};
    for (uint32_t i = 0; i < 3; i++) {
        cast.motion[i] = one_in(4) ? 0 : (int32_t)clamped(way[i], -FXS_SIZE_MAX, FXS_SIZE_MAX);
    }
    cast.mask = random_mask();
    cast.exclude_owner = below(5);
    cast.limit = one_in(2) ? 0 : 1 + below(4);
    cast.hit_when = below(3);
    switch (below(128)) {
    case 0: cast.motion[axis] = one_in(2) ? FXS_SIZE_MAX + 1 : INT32_MIN; break;
    case 1: cast.hit_when = 3; break;
    case 2: cast.pose.yaw += 65536; break;
    case 3: cast.shape.size[0] = 0; break;
    case 4: cast.shape.half_angle = 32769; break;
    case 5: cast.shape.kind = KIND_COUNT; break;
    default: break;
    }
    return cast;
}

static void do_cast(const fxs_cast *cast, uint64_t room, int check) {
    uint64_t count = 7;
    fxs_cast_hit *found = room_for(room);
    int32_t status = FXS(world_cast)(world_at(0), cast, found, room, &count);
    call_world("cast", 0);
    given((int64_t)room);
    given_cast(cast);
    answers_follow();
    answer_signed(status);
    answer(count);
    if (status == FXS_OK) {
        answer_cast_hits(found, count);
        if (check) {
            check_cast(cast, SEEN, found, count);
        }
        check_room(1, cast, count);
    }
}

static void do_cast_many(uint64_t n, const fxs_cast *casts, uint64_t room, int check) {
    uint64_t ends[4], count = 7;
    fxs_cast_hit *found = room_for(room);
    int32_t status = FXS(world_cast_many)(world_at(0), casts, n, ends, found, room, &count);
    call_world("cast_many", 0);
    given((int64_t)room);
    for (uint64_t i = 0; i < n; i++) {
        given_cast(&casts[i]);
    }
    answers_follow();
    answer_signed(status);
    answer(count);
    for (uint64_t i = 0; status == FXS_OK && i < n; i++) {
        uint64_t from = i ? ends[i - 1] : 0;
        answer(ends[i]);
        if (check) {
            check_cast(&casts[i], SEEN, found + from, ends[i] - from);
        }
    }
    answer_cast_hits(found, status == FXS_OK ? count : 0);
    if (status == FXS_OK) {
        check_room(n, casts, count);
    }
}

static void do_sweep(uint32_t id, const fxs_cast *as, uint64_t room, int check) {
    uint64_t count = 7;
    fxs_cast_hit *found = room_for(room);
    int32_t status = FXS(world_sweep)(world_at(0), id, as->motion, as->limit, as->hit_when, found, room, &count);
    call_world("sweep", 0);
    given((int64_t)room);
    given(id);
    given_motion(as->motion);
    given(as->limit);
    given(as->hit_when);
    answers_follow();
    answer_signed(status);
    if (status == FXS_OK || status == FXS_E_ROOM) {
        answer(count);
    }
    if (status != FXS_OK) {
        return;
    }
    answer_cast_hits(found, count);
    if (check) {
        fxs_collider c;
        fxs_config config;
        FXS(world_get)(world_at(0), id, &c);
        FXS(world_config)(world_at(0), &config);
        fxs_cast cast = {{c.kind, c.half_angle, {c.size[0], c.size[1], c.size[2]}}, {c.x, c.y + c.oy, c.z, c.yaw},
                         {as->motion[0], as->motion[1], as->motion[2]}, config.layers[c.layer], c.owner, as->limit, as->hit_when};
        check_cast(&cast, id, found, count);
    }
    uint64_t seen = 7;
    if (FXS(world_sweep)(world_at(0), id, as->motion, as->limit, as->hit_when, room_for(count), count, &seen) != FXS_OK || seen != count) {
        broken("a sweep does not fit the room that it seen");
    }
}

static void do_sweep_pairs(const fxs_cast *as, uint64_t room) {
    fxs_motion rows[3];
    fxs_pair_hit found[SEEN * SEEN];
    uint64_t n = below(4), count = 7;
    uint32_t id = below(SEEN / 2);
    for (uint64_t i = 0; i < n; i++) {
        rows[i].id = id;
        for (uint32_t k = 0; k < 3; k++) {
            const int32_t m = as->motion[i % 2 ? k : (i + k) % 3];
            rows[i].motion[k] = i % 2 && m > INT32_MIN ? -m : m;
        }
        id += one_in(32) ? 0 : 1 + below(SEEN / 2);
    }
    room = room < COUNT(found) ? room : COUNT(found);
    int32_t status = FXS(world_sweep_pairs)(world_at(0), rows, n, as->hit_when, as->limit, found, room, &count);
    call_world("sweep_pairs", 0);
    given((int64_t)room);
    given(as->limit);
    given(as->hit_when);
    for (uint64_t i = 0; i < n; i++) {
        given(rows[i].id);
        given_motion(rows[i].motion);
    }
    answers_follow();
    answer_signed(status);
    answer(count);
    for (uint64_t i = 0; status == FXS_OK && i < count; i++) {
        answer(found[i].a);
        answer(found[i].b);
        answer(found[i].fraction);
        answer_signed(found[i].normal[0]);
        answer_signed(found[i].normal[1]);
        answer_signed(found[i].normal[2]);
    }
}

static void one_world_cast(uint32_t number) {
    static crowd now;
    if (number % 16 == 0) {
        now = random_crowd(number / 16);
    }
    if (number % 16 == 8) {
        do_step(0, COUNT(events));
    }
    if (number % 4 == 3) { /* a change that no step has seen */
        fxs_pose pose = crowd_pose(now.on_lattice, now.room);
        do_pose(0, below(SEEN), &pose);
    }
    uint64_t room = one_in(16) ? below(3) : COUNT(cast_hits);
    int check = !now.turned_offsets;
    fxs_cast casts[4];
    uint32_t n = number % 4 == 1 ? below(5) : 1;
    for (uint32_t i = 0; i < n; i++) {
        casts[i] = random_cast(&now);
    }
    switch (number % 4) {
    case 1: do_cast_many(n, casts, room, check); break;
    case 2:
        do_sweep(one_in(16) ? SEEN : below(SEEN), casts, room, check);
        do_sweep_pairs(casts, room);
        break;
    default: do_cast(casts, room, check);
    }
}

/* ---- levels ---- */

#ifndef CALL_REFERENCE

enum { LEVEL_SOLIDS = 3, LEVEL_BYTES = 8 + LEVEL_SOLIDS * (12 + 8 * 4) };

/* Near (x, z), of about 2^bits: a pillar, a triangle or a box; which bytes may be no solid. */
static uint8_t *put_solid(uint8_t *p, int64_t x, int64_t y, int64_t z, uint32_t bits) {
    uint32_t kind = below(3), vertex_count = kind + 2;
    int64_t numbers[8], low = y - magnitude_of(bits), high = y + magnitude_of(one_in(8) ? 31 : bits);
    p[0] = kind == 0 ? FXS_CYLINDER : FXS_PRISM;
    p[1] = (uint8_t)below(4);
    p[2] = (uint8_t)(kind == 0 ? 0 : vertex_count);
    p[3] = 0;
    put32(p + 4, (uint32_t)to_int32(low));
    put32(p + 8, (uint32_t)to_int32(high));
    int64_t wide = 1 + magnitude_of(bits), deep = 1 + magnitude_of(bits), lean = sign_of_coin(magnitude_of(bits));
    if (kind == 0) {
        int64_t of_pillar[3] = {x, z, to_size(wide)};
        memcpy(numbers, of_pillar, sizeof of_pillar);
    } else {
        int64_t of_prism[8] = {x - wide, z - deep, x + wide, z - deep, x + wide + lean, z + deep, x - wide + lean, z + deep};
        memcpy(numbers, of_prism, sizeof of_prism);
    }
    uint32_t count = kind == 0 ? 3 : 2 * vertex_count;
    for (uint32_t i = 0; i < count; i++) {
        put32(p + 12 + 4 * i, (uint32_t)to_int32(numbers[i]));
    }
    return p + 12 + 4 * (uint64_t)count;
}

/* What a body in a world meets of its level, and how it gets out. */
static void answer_world_with(const fxs_level *level, const fxs_shape *shape, const fxs_pose *pose) {
    static uint64_t memory[1024];
    static fxs_event events[LEVEL_SOLIDS];
    fxs_config c = config_of(2, LEVEL_SOLIDS, FXS_TOUCHING);
    fxs_world *world = (fxs_world *)(void *)memory;
    fxs_counts counts;
    if (fxs_world_size(&c) > sizeof memory) {
        broken("a world of two needs more memory");
        return;
    }
    fxs_collider body = collider_of(1, shape, pose);
    answer_signed(fxs_world_init(world, &c));
    answer_signed(fxs_world_attach(world, level));
    answer_signed(fxs_world_add(world, &body));
    answer_signed(fxs_world_step(world, events, LEVEL_SOLIDS, &counts));
    for (uint64_t i = 0; i < counts.events; i++) {
        answer((uint64_t)events[i].a << 32 | events[i].b);
        answer(events[i].contact);
    }
    answer(fxs_world_hash(world));
    for (uint32_t i = 0; i < fxs_level_count(level); i++) {
        int32_t xz[2] = {77, 77}, dy = 77, status = fxs_world_push_out(world, 1, FXS_LEVEL + i, xz);
        answer_signed(status);
        answer_signed(xz[0]);
        answer_signed(xz[1]);
        answer_signed(fxs_world_lift(world, 1, FXS_LEVEL + i, &dy));
        answer_signed(dy);
        answer_signed(fxs_world_side(world, 1, FXS_LEVEL + i));
        fxs_pose out = *pose;
        out.x = to_int32((int64_t)pose->x + xz[0]);
        out.z = to_int32((int64_t)pose->z + xz[1]);
        int fits = (int64_t)pose->x + xz[0] == out.x && (int64_t)pose->z + xz[1] == out.z;
        if (status == FXS_OK && fits && fxs_level_contact(level, i, shape, &out) == FXS_OVERLAPPING) {
            broken("a body still overlaps a solid after its push-out");
        }
    }
}

static int are_equal(const uint8_t *a, const uint8_t *b, uint64_t size) {
    for (uint64_t i = 0; i < size; i++) {
        if (a[i] != b[i]) {
            return 0;
        }
    }
    return 1;
}

/* The level saves the bytes it was made of, and its last solid is what they say. */
static void check_saved(const fxs_level *level, const uint8_t *bytes, uint64_t size) {
    static uint8_t saved[LEVEL_BYTES];
    fxs_solid last;
    if (fxs_level_save_size(level) != size) {
        broken("a level saves another number of bytes");
        return;
    }
    fxs_level_save(level, saved);
    if (!are_equal(saved, bytes, size)) {
        broken("a level saves other bytes");
    }
    uint32_t count = fxs_level_count(level);
    if (fxs_level_solid(level, count, &last) != FXS_E_ID || (count && fxs_level_solid(level, count - 1, &last) != FXS_OK)) {
        broken("a level has another number of solids");
        return;
    }
    uint32_t numbers = last.code == FXS_PRISM ? 2 * (uint32_t)last.vertex_count : 3;
    for (uint32_t i = 0; count && i < numbers; i++) {
        uint8_t word[4];
        put32(word, (uint32_t)last.numbers[i]);
        if (!are_equal(word, bytes + size - 4 * (uint64_t)(numbers - i), 4)) {
            broken("a solid has other numbers");
        }
    }
}

static void one_level(uint32_t number) {
    static uint64_t memory[1024];
    static uint8_t bytes[LEVEL_BYTES];
    static uint32_t ids[LEVEL_SOLIDS];
    static fxs_cast_hit hits[LEVEL_SOLIDS];
    uint32_t bits = below(30), solids = 1 + below(LEVEL_SOLIDS), when = one_in(2) ? FXS_TOUCHING : FXS_OVERLAPPING;
    fxs_shape shape = random_shape(number % KIND_COUNT, bits);
    if (shape.kind == FXS_SECTOR && one_in(2)) {
        shape.size[2] = (int32_t)below((uint32_t)shape.size[0]);
    }
    int64_t room = one_in(2) ? INT32_MAX : 70000, height = one_in(2) ? INT32_MAX : 70000;
    fxs_pose pose = random_pose(room, height);
    uint8_t *end = bytes + 8;
    memcpy(bytes, "FXL1", 4);
    put32(bytes + 4, solids);
    for (uint32_t i = 0; i < solids; i++) {
        int64_t x = pose.x + sign_of_coin(magnitude_of(bits)), y = pose.y + sign_of_coin(magnitude_of(bits));
        int64_t z = pose.z + sign_of_coin(magnitude_of(bits));
        end = put_solid(end, x, y, z, bits);
    }
    if (one_in(16)) {
        uint32_t place = below((uint32_t)(end - bytes));
        bytes[place] = (uint8_t)below(256);
    }
    uint64_t size = (uint64_t)(end - bytes) - (one_in(32) ? 1 + below(20) : 0), at = 77, count;
    fxs_cast cast = {shape, pose, {0, 0, 0}, UINT32_MAX, 0, 0, when};
    for (uint32_t i = 0; i < 3; i++) {
        int64_t by = one_in(4) ? jitter() : sign_of_coin(magnitude_of(bits < 28 ? bits + 1 : 29));
        cast.motion[i] = (int32_t)clamped(by, -FXS_SIZE_MAX, FXS_SIZE_MAX);
    }
    call("level");
    given_bytes(bytes, size);
    given_shape(&shape);
    given_pose(&pose);
    given(cast.motion[0]);
    given(cast.motion[1]);
    given(cast.motion[2]);
    given(when);
    answers_follow();
    fxs_level *level = (fxs_level *)(void *)memory;
    if (fxs_level_size(bytes, size) > sizeof memory) {
        broken("a level of three needs more memory");
        return;
    }
    int32_t status = fxs_level_init(level, bytes, size, &at);
    answer_signed(status);
    answer(at);
    if (status != FXS_OK) {
        return;
    }
    check_saved(level, bytes, size);
    answer(fxs_level_hash(level));
    for (uint32_t i = 0; i < fxs_level_count(level); i++) {
        answer_signed(fxs_level_contact(level, i, &shape, &pose));
    }
    fxs_query query = {shape, pose, UINT32_MAX, 0, 0};
    answer_signed(fxs_level_query(level, &query, when, ids, LEVEL_SOLIDS, &count));
    for (uint64_t i = 0; i < count; i++) {
        answer(ids[i]);
    }
    answer_signed(fxs_level_cast(level, &cast, hits, LEVEL_SOLIDS, &count));
    for (uint64_t i = 0; i < count; i++) {
        answer(hits[i].id);
        answer(hits[i].fraction);
        for (uint32_t k = 0; k < 3; k++) {
            answer_signed(hits[i].normal[k]);
        }
    }
    call("level_world");
    given_bytes(bytes, size);
    given_shape(&shape);
    given_pose(&pose);
    answers_follow();
    answer_world_with(level, &shape, &pose);
}

#endif

/* ---- outlines ---- */

static fxs_vertex vertices[96];

static void answer_outline(int32_t status, const fxs_extent *extent) {
    answer_signed(status);
    answer_signed(extent->y_low);
    answer_signed(extent->y_high);
    answer(extent->outer);
    answer(extent->hole);
    for (uint32_t i = 0; status == FXS_OK && i < extent->outer + extent->hole; i++) {
        answer_signed(vertices[i].x);
        answer_signed(vertices[i].z);
    }
}

/* A shape, and a collider with the same shape and an offset. */
static void one_outline(uint32_t number) {
    fxs_shape shape = random_shape(number % KIND_COUNT, below(30));
    if (shape.kind == FXS_SECTOR && one_in(2)) {
        shape.size[2] = (int32_t)below((uint32_t)shape.size[0]);
    }
    int64_t room = one_in(2) ? INT32_MAX : 70000;
    fxs_pose pose = random_pose(room, room);
    uint32_t segments = one_in(16) ? 65535 + below(3) : 2 + below(39), id = below(8);
    uint64_t capacity = segments > 40 ? 0 : one_in(8) ? below(64) : COUNT(vertices);
    fxs_extent extent = {77, 77, 77, 77};
    fxs_pose turned = pose;
    turned.yaw += one_in(32) ? 65536 : 0;
    call("outline");
    given_shape(&shape);
    given_pose(&turned);
    given(segments);
    given((int64_t)capacity);
    answers_follow();
    answer_outline(FXS(outline)(&shape, &turned, segments, vertices, capacity, &extent), &extent);

    if (number % 8 == 0) {
        fxs_config c = config_of(8, 1, FXS_TOUCHING);
        do_init(0, &c);
    }
    fxs_collider body = collider_of(number % 8, &shape, &pose);
    body.ox = (int32_t)sign_of_coin(magnitude_of(below(31)));
    body.oy = (int32_t)sign_of_coin(magnitude_of(below(31)));
    body.oz = (int32_t)sign_of_coin(magnitude_of(below(31)));
    body.active = (uint8_t)below(2);
    do_add(0, &body);
    fxs_extent of_world = {77, 77, 77, 77};
    call_world("outline_of", 0);
    given(id);
    given(segments);
    given((int64_t)capacity);
    answers_follow();
    answer_outline(FXS(world_outline)(world_at(0), id, segments, vertices, capacity, &of_world), &of_world);
}

/* ---- crowds that are pushed apart ---- */

static void one_separation(uint32_t number) {
    static fxs_moved moved[COLLIDERS_MAX];
    uint32_t count = 24, passes = 1 + below(3), yields[32];
    if (number % 8 == 0) {
        fxs_config c = config_of(count, 300, FXS_TOUCHING);
        do_init(0, &c);
        for (uint32_t id = 0; id < count; id++) {
            fxs_shape shape = random_shape(one_in(12) ? FXS_SECTOR : random_body_kind(), 16);
            fxs_pose pose = random_pose(200000, 20000);
            fxs_collider body = collider_of(id, &shape, &pose);
            body.layer = (uint8_t)below(4);
            body.ox = one_in(4) ? (int32_t)below(30000) : 0;
            do_add(0, &body);
        }
    }
    for (uint32_t i = 0; i < 32; i++) {
        yields[i] = i % 4 == 3 ? 0 : i % 4 == 2 ? 8 : 15;
    }
    do_step(0, COUNT(events));
    uint64_t moved_count = 77;
    call_world("separate", 0);
    given(passes);
    for (uint32_t i = 0; i < 32; i++) {
        given(yields[i]);
    }
    answers_follow();
    int32_t status = fxs_world_separate(world_at(0), yields, passes, moved, COUNT(moved), &moved_count);
    answer_signed(status);
    answer(moved_count);
    for (uint64_t i = 0; status == FXS_OK && i < moved_count; i++) {
        answer(moved[i].id);
        answer_signed(moved[i].x);
        answer_signed(moved[i].y);
        answer_signed(moved[i].z);
    }
    uint32_t a = below(count), b = below(count);
    int32_t xz[2] = {77, 77}, dy = 77;
    call_world("pair", 0);
    given(a);
    given(b);
    answers_follow();
    answer_signed(fxs_world_push_out(world_at(0), a, b, xz));
    answer_signed(xz[0]);
    answer_signed(xz[1]);
    answer_signed(fxs_world_lift(world_at(0), a, b, &dy));
    answer_signed(dy);
    answer_signed(fxs_world_side(world_at(0), a, b));
}

/* Crowds at the ends of int32, which pushes would leave, and too little room: nothing may have changed. */
static void one_refused_separation(uint32_t number) {
    fxs_moved moved[8];
    uint32_t yields[32], count = 2 + below(6), passes = below(4), at_edge = number % 3;
    fxs_config c = config_of(8, 28, 1 + below(2));
    do_init(0, &c);
    for (uint32_t id = 0; id < count; id++) {
        fxs_shape shape = random_shape(one_in(12) ? FXS_SECTOR : random_body_kind(), 16);
        fxs_pose pose = random_pose(100000, 10000);
        for (uint32_t i = 0; i < 3; i++) {
            shape.size[i] = shape.size[i] > 131072 ? 131072 : shape.size[i];
        }
        int64_t edge = at_edge == 0 ? 0 : INT32_MAX - (int64_t)below(100000);
        pose.x = to_int32(pose.x + edge);
        pose.z = at_edge == 2 ? to_int32(pose.z - edge - 1) : pose.z;
        fxs_collider body = collider_of(id, &shape, &pose);
        body.layer = (uint8_t)below(4);
        do_add(0, &body);
    }
    for (uint32_t i = 0; i < 32; i++) {
        yields[i] = below(16);
    }
    do_step(0, COUNT(events));
    uint64_t moved_count = 77, room = one_in(2) ? COUNT(moved) : below(COUNT(moved)), hash = FXS(world_hash)(world_at(0));
    call_world("separate_into", 0);
    given((int64_t)room);
    given(passes);
    for (uint32_t i = 0; i < 32; i++) {
        given(yields[i]);
    }
    answers_follow();
    int32_t status = FXS(world_separate)(world_at(0), yields, passes, moved, room, &moved_count);
    answer_signed(status);
    answer(moved_count);
    for (uint64_t i = 0; status == FXS_OK && i < moved_count; i++) {
        answer(moved[i].id);
        answer_signed(moved[i].x);
        answer_signed(moved[i].y);
        answer_signed(moved[i].z);
    }
    if (status != FXS_OK && FXS(world_hash)(world_at(0)) != hash) {
        broken("a separation that was refused has changed the world");
    }
    do_save(0);
    do_step(0, COUNT(events)); /* pushes that were taken back have left nothing behind that a step would see */
}

/* ---- batches of commands: all, or none and the index of the first that is refused ---- */

static void do_set_layers(const uint32_t *masks) {
    call_world("layers", 0);
    for (uint32_t i = 0; i < 32; i++) {
        given(masks[i]);
    }
    answers_follow();
    answer_signed(FXS(world_set_layers)(world_at(0), masks));
}

static void do_apply(uint64_t n, const fxs_command *commands) {
    uint64_t bad = 77;
    int32_t status = FXS(world_apply)(world_at(0), commands, n, &bad);
    call_world("apply", 0);
    for (uint64_t i = 0; i < n; i++) {
        given(commands[i].type);
        given(commands[i].mask);
        given_collider(&commands[i].collider);
    }
    answers_follow();
    answer_signed(status);
    answer(bad);
}

static void do_nearest(const fxs_query *q, uint64_t limit) {
    uint64_t count = 7;
    int32_t status = FXS(world_nearest)(world_at(0), q, limit, id_list, COUNT(id_list), &count);
    call_world("nearest", 0);
    given((int64_t)limit);
    given_query(q);
    answers_follow();
    answer_signed(status);
    answer(count);
    for (uint64_t i = 0; status == FXS_OK && i < count; i++) {
        answer(id_list[i]);
    }
}

static fxs_command random_command(void) {
    fxs_shape shape = random_shape(random_kind(), 16);
    fxs_pose pose = random_pose(100000, 20000);
    fxs_command c;
    c.type = one_in(200) ? 12 : 1 + below(11);
    c.mask = (uint32_t)random64();
    c.collider = collider_of(one_in(60) ? 16 : below(16), &shape, &pose);
    c.collider.layer = (uint8_t)(one_in(60) ? 32 : below(4));
    c.collider.active = (uint8_t)(one_in(60) ? 2 : !one_in(4));
    c.collider.owner = below(3);
    c.collider.ox = one_in(4) ? (int32_t)below(30000) : 0;
    c.collider.oy = one_in(60) ? INT32_MAX : 0;
    return c;
}

static void one_apply(uint32_t number) {
    fxs_command commands[8];
    if (number % 16 == 0) {
        fxs_config c = config_of(16, 120, FXS_TOUCHING);
        do_init(0, &c);
        for (uint32_t id = 0; id < 16; id += 2) {
            fxs_shape shape = random_shape(random_kind(), 16);
            fxs_pose pose = random_pose(100000, 20000);
            fxs_collider body = collider_of(id, &shape, &pose);
            do_add(0, &body);
        }
    }
    uint32_t n = 1 + below(COUNT(commands));
    for (uint32_t i = 0; i < n; i++) {
        commands[i] = random_command();
    }
    do_apply(n, commands);
    if (number % 4 == 3) {
        do_step(0, COUNT(events));
        do_save(0);
        fxs_command at = random_command();
        fxs_query q = {random_shape(random_kind(), 17), {at.collider.x, at.collider.y, at.collider.z, at.collider.yaw}, UINT32_MAX, below(3), 0};
        do_nearest(&q, below(4));
    }
    if (number % 16 == 9) {
        uint32_t masks[32];
        for (uint32_t i = 0; i < 32; i++) {
            masks[i] = UINT32_MAX;
        }
        masks[1] ^= 1u << 2;
        masks[2] ^= one_in(4) ? 0 : 1u << 1;
        do_set_layers(masks);
    }
}

#endif

/* ---- scenes: whole matches ---- */

typedef struct mover {
    int64_t at[3], by[3];
    int32_t yaw, spin;
} mover;

enum layout { UNIFORM, CLUSTERED, LINE, DIAGONAL, STACKED, GIANT, POWERS, CORNERS, IDLE };

typedef struct scene {
    const char *name;
    enum layout layout;
    uint32_t count, first_level, hit_when;
    int64_t room;     /* places are within +-room in x and z */
    uint32_t kinds;   /* a bit for each kind of shape */
    uint32_t frames[3];
    uint32_t churn;   /* changes other than moves, a frame */
    uint32_t rolled_back, offsets;
} scene;

static const scene SCENES[] = {
    {"fight", UNIFORM, 48, 0, FXS_TOUCHING, 6 << 16, ALL_KINDS, {12, 120, 1200}, 4, 0, 1},
    {"churn", UNIFORM, 40, 0, FXS_OVERLAPPING, 4 << 16, ALL_KINDS, {12, 120, 1200}, 24, 0, 1},
    {"rollback", CLUSTERED, 32, 0, FXS_TOUCHING, 5 << 16, ALL_KINDS, {12, 120, 1200}, 6, 1, 1},
    {"corners", CORNERS, 24, 0, FXS_TOUCHING, (int64_t)1 << 31, ALL_KINDS, {12, 120, 1200}, 2, 0, 1},
    {"crowd", UNIFORM, 1000, 1, FXS_OVERLAPPING, 16 << 16, 12, {0, 4, 40}, 0, 0, 0},
    {"clustered", CLUSTERED, 800, 1, FXS_TOUCHING, 14 << 16, 15, {0, 4, 40}, 0, 0, 0},
    {"line", LINE, 1000, 1, FXS_OVERLAPPING, 400 << 16, 12, {0, 4, 40}, 0, 0, 0},
    {"diagonal", DIAGONAL, 1000, 1, FXS_OVERLAPPING, 400 << 16, 12, {0, 4, 40}, 0, 0, 0},
    {"stacked", STACKED, 512, 1, FXS_TOUCHING, 16 << 16, 15, {0, 4, 40}, 0, 0, 0},
    {"giant", GIANT, 600, 1, FXS_OVERLAPPING, 200 << 16, 12, {0, 4, 40}, 0, 0, 0},
    {"powers", POWERS, 600, 1, FXS_TOUCHING, 2000 << 16, 15, {0, 4, 40}, 0, 0, 0},
    {"idle", IDLE, 1000, 1, FXS_OVERLAPPING, 16 << 16, 13, {0, 4, 40}, 8, 1, 0},
};

static mover movers[COLLIDERS_MAX];

static fxs_shape scene_shape(const scene *s, uint32_t id) {
    uint32_t kind;
    do {
        kind = random_kind();
    } while (!(s->kinds >> kind & 1));
    uint32_t bits = s->layout == POWERS ? 10 + below(14) : s->layout == CORNERS ? 20 + below(10) : 15;
    fxs_shape shape = random_shape(kind, bits);
    for (uint32_t i = 0; i < 3 && s->layout != CORNERS && s->layout != POWERS; i++) {
        shape.size[i] = shape.size[i] ? 9830 + (int32_t)below(32768) : 0;
    }
    if (s->layout == GIANT && id == 7) {
        shape.size[0] = to_size(2 * s->room);
    }
    return shape;
}

static void place_mover(const scene *s, uint32_t id) {
    mover *m = &movers[id];
    for (uint32_t i = 0; i < 3; i++) {
        m->at[i] = between(-s->room, s->room);
        m->by[i] = sign_of_coin(between(1900, 4600));
    }
    m->yaw = (int32_t)random_yaw();
    m->spin = (int32_t)between(-900, 900);
    m->at[1] = between(-32768, 32768);
    m->by[1] /= 4;
    switch (s->layout) {
    case CLUSTERED:
        if (id % 10) {
            m->at[0] = between(-s->room / 5, s->room / 5);
            m->at[2] = between(-s->room / 5, s->room / 5);
        }
        break;
    case LINE:
        m->at[2] = 0;
        m->by[2] = 0;
        break;
    case DIAGONAL:
        m->at[2] = m->at[0] + between(-65536, 65536);
        m->by[2] = m->by[0];
        break;
    case STACKED:
        m->at[0] = between(-2, 2) * 65536;
        m->at[2] = between(-2, 2) * 65536;
        m->by[0] = m->by[1] = m->by[2] = 0;
        break;
    case CORNERS:
        for (uint32_t i = 0; i < 3; i++) {
            m->at[i] = one_in(2) ? INT32_MIN : INT32_MAX;
            m->at[i] += one_in(2) ? 0 : between(-(1 << 28), 1 << 28);
            m->by[i] *= 4096;
        }
        break;
    case IDLE:
        if (id % 20) {
            m->by[0] = m->by[1] = m->by[2] = m->spin = 0;
        }
        break;
    default: break;
    }
}

static fxs_pose pose_of(const mover *m) {
    fxs_pose p = {to_int32(m->at[0]), to_int32(m->at[1]), to_int32(m->at[2]), (uint32_t)(m->yaw & 65535)};
    return p;
}

static void move_all(const scene *s, uint32_t w) {
    int64_t edge = s->layout == CORNERS ? INT32_MAX : s->room;
    for (uint32_t id = 0; id < s->count; id++) {
        mover *m = &movers[id];
        if (m->by[0] == 0 && m->by[1] == 0 && m->by[2] == 0 && m->spin == 0) {
            continue;
        }
        for (uint32_t i = 0; i < 3; i++) {
            int64_t wall = i == 1 && s->layout != CORNERS ? 32768 : edge;
            m->at[i] += m->by[i];
            if (m->at[i] > wall || m->at[i] < -wall) {
                m->by[i] = -m->by[i];
                m->at[i] += 2 * m->by[i];
            }
        }
        m->yaw += m->spin;
        fxs_pose pose = pose_of(m);
        if (m->spin == 0) {
            do_move(w, id, pose.x, pose.y, pose.z);
        } else {
            do_pose(w, id, &pose);
        }
    }
}

/* An attack's life: things appear, change, vanish and come back. */
static void change_one(const scene *s, uint32_t w) {
    uint32_t id = below(s->count);
    fxs_shape shape = scene_shape(s, id);
    fxs_pose pose = pose_of(&movers[id]);
    switch (below(8)) {
    case 0: do_simple(w, 0, id, 0); break;
    case 1:
    case 2: {
        fxs_collider c = collider_of(id, &shape, &pose);
        c.owner = below(4);
        c.layer = (uint8_t)below(32);
        do_add(w, &c);
        break;
    }
    case 3: do_shape(w, id, &shape); break;
    case 4: {
        fxs_pose by = random_pose(65536, 65536);
        do_offset(w, id, by.x, by.y, by.z);
        break;
    }
    case 5: do_simple(w, 2, id, below(4)); break;
    case 6: do_simple(w, 3, id, below(32)); break;
    default: do_simple(w, 4, id, below(2));
    }
}

static void scene_frame(const scene *s, uint32_t frame) {
    static uint8_t snapshot[sizeof saved];
    fxs_query area = {{FXS_SECTOR, 5461, {2 * 65536, 65536, 0}}, pose_of(&movers[frame % s->count]), UINT32_MAX, 0, 0};
    area.exclude_owner = frame % 4;
    uint64_t size = 0;
    if (s->rolled_back && frame % 3 == 0) {
        size = do_save(0);
        memcpy(snapshot, saved, (size_t)size);
    }
    for (uint32_t i = 0; i < s->churn; i++) {
        change_one(s, 0);
    }
    move_all(s, 0);
    do_query(0, &area, COUNT(id_list));
    do_step(0, COUNT(events));
    do_query(0, &area, COUNT(id_list));
    if (size) { /* back, into another world, and on from there as if it had always been this one */
        do_load(1, snapshot, size);
        move_all(s, 1);
        do_step(1, COUNT(events));
        do_copy(0, 1);
        do_relocate(0);
    }
}

static void run_scene(int level, const scene *s) {
    fxs_config c = config_of(s->count + 3, HITS_MAX, s->hit_when);
    int was_tracing = tracing;
    start(s->name);
    if (s->layout == STACKED) { /* nearly nothing may meet: layer i only meets itself and 31 - i */
        for (uint32_t i = 0; i < 32; i++) {
            c.layers[i] = (uint32_t)1 << (31 - i);
        }
    } else if (s->churn) {
        random_layers(&c);
    }
    do_init(0, &c);
    do_init(1, &c);
    for (uint32_t id = 0; id < s->count; id++) {
        place_mover(s, id);
        fxs_shape shape = scene_shape(s, id);
        fxs_pose pose = pose_of(&movers[id]);
        fxs_collider body = collider_of(id, &shape, &pose);
        body.layer = (uint8_t)(s->layout == STACKED ? below(16) : s->churn ? below(32) : 0);
        body.owner = s->layout == STACKED ? 0 : below(s->count);
        if (s->offsets && one_in(3)) {
            fxs_pose by = random_pose(65536, 65536);
            body.ox = by.x;
            body.oy = by.y;
            body.oz = by.z;
        }
        do_add(0, &body);
    }
    uint32_t frame = 0;
    for (int now = 0; now <= level; now++) {
        if (s->frames[now] <= frame) {
            continue;
        }
        for (; frame < s->frames[now]; frame++) {
            scene_frame(s, frame);
        }
        uint64_t size = do_save(0);
        checkpoint(now, s->name, frame, size);
        tracing = 0;
    }
    tracing = was_tracing;
}

/* ---- all of it ---- */

static const section SECTIONS[] = {
    {"directions", one_direction, {65536, 65536, 65536}},
    {"yaws", one_yaw_of, {2048, 65536, 1 << 21}},
    {"lengths", one_length, {2048, 65536, 1 << 21}},
    {"checks", one_check, {1024, 16384, 1 << 18}},
    {"overlaps", one_overlap, {4096, 131072, 1 << 22}},
    {"approaches", one_approach, {128, 4096, 1 << 17}},
    {"grid", one_grid, {16, 512, 1 << 16}},
    {"batches", one_many, {64, 1024, 1 << 15}},
    {"lifts", one_lift, {256, 8192, 1 << 18}},
#ifndef CALL_REFERENCE
    {"pushes", one_push, {512, 16384, 1 << 19}},
    {"casts", one_cast, {512, 16384, 1 << 19}},
    {"separations", one_separation, {16, 256, 1 << 13}},
#endif
    {"hashes", one_hash, {512, 8192, 1 << 17}},
    {"commands", one_stream, {12, 256, 1 << 13}},
    {"states", one_load, {128, 4096, 1 << 17}},
    {"classes", one_class, {180, 8100, 1 << 18}},
    {"queries", one_query, {256, 8192, 1 << 18}},
    {"turns", one_turn, {512, 16384, 1 << 19}},
    {"facings", one_facing, {512, 16384, 1 << 19}},
    {"forwards", one_forward, {512, 16384, 1 << 19}},
    {"versions", one_version, {1, 1, 1}},
    {"far", one_far, {256, 8192, 1 << 18}},
    {"nearest", one_nearest, {128, 2048, 1 << 16}},
    {"layouts", one_layout, {16, 1024, 1 << 13}},
    {"rings", one_ring, {64, 2048, 1 << 16}},
    {"rings world", one_ring_world, {8, 256, 1 << 13}},
#ifndef CALL_REFERENCE
    {"casts world", one_world_cast, {64, 1024, 1 << 15}},
    {"separations refused", one_refused_separation, {32, 512, 1 << 14}},
    {"applied", one_apply, {256, 8192, 1 << 18}},
    {"levels", one_level, {128, 4096, 1 << 17}},
    {"outlines", one_outline, {128, 2048, 1 << 15}},
#endif
};

int golden_run(int level, int trace) {
    tracing = trace;
    failed = 0;
    for (uint32_t i = 0; i < COUNT(SECTIONS); i++) {
        cases(level, SECTIONS[i].name, SECTIONS[i].one, SECTIONS[i].counts);
    }
    for (uint32_t i = 0; i < COUNT(SCENES); i++) {
        if ((int)SCENES[i].first_level <= level) {
            run_scene(level, &SCENES[i]);
        }
    }
    if (trace) {
        print_text("\n");
    }
    return failed;
}

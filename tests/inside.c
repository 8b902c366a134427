/* Functions of the kernel that no other file calls, for tests. Stands after all files of
 * kernel and kit, in the same translation unit. */

/* Wide integers, bytes, sets, hits, sorting: test_wide.py. */

#define WIDE(at) i128_join(v[2 * (at)], v[2 * (at) + 1])

static void put_wide(uint64_t *out, i128 r) {
    out[0] = i128_high(r);
    out[1] = i128_low(r);
}
static i256 get_words(const uint64_t *v) {
    i256 r = {{v[3], v[2], v[1], v[0]}};
    return r;
}
static void put_words(uint64_t *out, i256 r) {
    for (int i = 0; i < 4; i++) {
        out[i] = r.word[3 - i];
    }
}

uint64_t shim_magnitude(int64_t a) { return magnitude(a); }
uint64_t shim_mul_high(uint64_t a, uint64_t b) { return mul_high(a, b); }
void shim_of(int64_t a, uint64_t *out) { put_wide(out, i128_of(a)); }
void shim_square(int64_t a, uint64_t *out) { put_wide(out, i128_square(a)); }
void shim_mul(int64_t a, int64_t b, uint64_t *out) { put_wide(out, i128_mul(a, b)); }
void shim_umul(uint64_t a, uint64_t b, uint64_t *out) { put_wide(out, i128_umul(a, b)); }
void shim_add(const uint64_t *v, uint64_t *out) { put_wide(out, i128_add(WIDE(0), WIDE(1))); }
void shim_sub(const uint64_t *v, uint64_t *out) { put_wide(out, i128_sub(WIDE(0), WIDE(1))); }
void shim_neg(const uint64_t *v, uint64_t *out) { put_wide(out, i128_neg(WIDE(0))); }
void shim_abs(const uint64_t *v, uint64_t *out) { put_wide(out, i128_abs(WIDE(0))); }
int shim_sign(const uint64_t *v) { return i128_sign(WIDE(0)); }
int shim_cmp(const uint64_t *v) { return i128_cmp(WIDE(0), WIDE(1)); }
int shim_classify_wide(const uint64_t *v) { return classify_wide(WIDE(0), WIDE(1)); }
uint32_t shim_bits(const uint64_t *v) { return i128_bits(WIDE(0)); }
void shim_shr(const uint64_t *v, uint32_t shift, uint64_t *out) { put_wide(out, i128_shr(WIDE(0), shift)); }
void shim_shl(const uint64_t *v, uint32_t shift, uint64_t *out) { put_wide(out, i128_shl(WIDE(0), shift)); }
void shim_product(const uint64_t *v, uint64_t *out) {
    put_words(out, i256_mul(WIDE(0), WIDE(1)));
}
void shim_add_256(const uint64_t *v, uint64_t *out) {
    put_words(out, i256_add(get_words(v), get_words(v + 4)));
}
void shim_neg_256(const uint64_t *v, uint64_t *out) { put_words(out, i256_neg(get_words(v))); }
int shim_sign_256(const uint64_t *v) { return i256_sign(get_words(v)); }

int shim_sign64(int64_t a) { return sign64(a); }
int64_t shim_abs64(int64_t a) { return abs64(a); }
int64_t shim_min64(int64_t a, int64_t b) { return min64(a, b); }
int64_t shim_max64(int64_t a, int64_t b) { return max64(a, b); }
int shim_min_int(int a, int b) { return min_int(a, b); }
int shim_max_int(int a, int b) { return max_int(a, b); }
int shim_classify(int64_t a, int64_t b) { return classify(a, b); }
uint32_t shim_bit_length(uint64_t a) { return bit_length(a); }
int64_t shim_round(int64_t a) { return round_q30(a); }
uint32_t shim_trailing(uint64_t a) { return trailing_zeros(a); }
uint32_t shim_next(const uint64_t *set, uint32_t from, uint32_t capacity) {
    return set_next(set, from, capacity);
}

void shim_put_run(uint64_t *set, uint32_t first, uint32_t end) { set_put_run(set, first, end); }

uint64_t shim_pack(uint32_t a, uint32_t b, int contact) { return hit_pack(a, b, contact); }
void shim_unpack(uint64_t hit, uint32_t *out) {
    out[0] = hit_a(hit);
    out[1] = hit_b(hit);
    out[2] = hit_contact(hit);
}

uint64_t shim_scratch_at(const fxs_world *w) { return w->broad_at; }
void shim_sort(const fxs_world *w, uint64_t *keys, uint64_t *spare, uint64_t n, uint32_t low, uint32_t bits) {
    fxs_sort(digits_of(w), keys, spare, n, low, bits);
}

uint32_t shim_read32(const uint8_t *p) { return read32(p); }
uint64_t shim_read64(const uint8_t *p) { return read64(p); }
void shim_write32(uint8_t *p, uint32_t a) { write32(p, a); }

/* Casts: test_cast.py. */

int32_t shim_surd(const uint64_t *v, int64_t R) {
    return surd_sign(i128_join(v[0], v[1]), i128_join(v[2], v[3]), R, i128_join(v[4], v[5]));
}
int64_t shim_isqrt(const uint64_t *v) { return isqrt128(i128_join(v[0], v[1])); }
int64_t shim_quotient(const uint64_t *v, int64_t d) { return quotient(i128_join(v[0], v[1]), d); }
int32_t shim_products(const uint64_t *v, uint64_t *out) {
    i256 r = i256_add(i256_mul(i128_join(v[0], v[1]), i128_join(v[2], v[3])),
                      i256_mul(i128_join(v[4], v[5]), i128_join(v[6], v[7])));
    memcpy(out, r.word, sizeof r.word);
    return i256_sign(r);
}
void shim_track(const int64_t *u, const int64_t *m, int64_t r, int64_t n, int64_t d, int32_t *out) {
    gap_distance k = {{{u[0], m[0], 0, 1}, {u[1], m[1], 0, 1}, {u[2], m[2], 0, 1}}, 3, 0, r, 0};
    time64 t = {n, d};
    gaps g;
    quadratic q;
    gaps_at(&g, &k, t);
    quadratic_of(&q, &k);
    out[0] = slope_sign(&g);
    out[1] = value_sign(&g);
    out[2] = discriminant_sign(&k, &q);
}
int32_t shim_estimate(const uint64_t *v, int64_t *fine) {
    quadratic q = {i128_join(v[0], v[1]), i128_join(v[2], v[3]), i128_join(v[4], v[5])};
    return fxs_root_estimate(&q, fine);
}
static lid_edge lid_edge_of(const int64_t *v) {
    lid_edge s = {{v[0], v[1], v[2]}, {v[3], v[4], v[5]}, {-v[6], v[6]}, v[7], v[8]};
    return s;
}
int32_t shim_lid_edge_contact(const int64_t *v, int64_t k) {
    lid_edge s = lid_edge_of(v);
    return lid_edge_contact(&s, k);
}
int32_t shim_lid_edge_slope(const int64_t *v, int64_t k) {
    lid_edge s = lid_edge_of(v);
    return lid_edge_slope(&s, k);
}
int32_t shim_lid_edge_clears(const int64_t *v, int64_t k, int64_t first, int64_t last) {
    lid_edge s = lid_edge_of(v);
    return lid_edge_clears(&s, k, first, last);
}
int64_t shim_lid_edge_find(const int64_t *v, int64_t first, int64_t last, int32_t when) {
    lid_edge s = lid_edge_of(v);
    return lid_edge_find(&s, first, last, when);
}

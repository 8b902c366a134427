/* Writing text: match logs, differences, explanations. */
#include "pen.h"
#include "../memory.h"
#include "json.h"

void fxs_put_bytes(pen *p, const char *from, uint64_t n) {
    if (p->next < p->end) {
        const uint64_t left = p->end - p->next;
        memcpy(p->text + p->next, from, (size_t)(n < left ? n : left));
    }
    p->next += n;
}

void fxs_put_char(pen *p, char c) { fxs_put_bytes(p, &c, 1); }

/* Character by character: a compiler would make a call of strlen out of a count. */
void fxs_put_text(pen *p, const char *text) {
    for (; *text; text++) {
        fxs_put_char(p, *text);
    }
}

void fxs_put_number(pen *p, uint64_t v) {
    char digits[20];
    uint32_t at = sizeof digits;
    do {
        digits[--at] = (char)('0' + v % 10);
        v /= 10;
    } while (v);
    fxs_put_bytes(p, digits + at, sizeof digits - at);
}

static uint64_t without_sign(int64_t v) { return v < 0 ? (uint64_t)-(v + 1) + 1 : (uint64_t)v; }

void fxs_put_signed(pen *p, int64_t v) {
    if (v < 0) {
        fxs_put_char(p, '-');
    }
    fxs_put_number(p, without_sign(v));
}

void fxs_put_decimal(pen *p, int64_t v, uint32_t scale, uint32_t digits) {
    uint64_t power = 1;
    for (uint32_t i = 0; i < digits; i++) {
        power *= 10;
    }
    const uint64_t scaled = (without_sign(v) * scale * power + 32768) / 65536; /* < 2^42 */
    if (v < 0 && scaled != 0) {
        fxs_put_char(p, '-');
    }
    fxs_put_number(p, scaled / power);
    uint64_t part = scaled % power;
    if (part != 0) {
        fxs_put_char(p, '.');
    }
    while (part != 0) {
        power /= 10;
        fxs_put_char(p, (char)('0' + part / power));
        part %= power;
    }
}

void fxs_put_name(pen *p, const fxs_name *name) {
    for (uint32_t i = 0; i < sizeof name->text && name->text[i] != 0; i++) {
        fxs_put_char(p, (char)name->text[i]);
    }
}

void fxs_put_list(pen *p, const int32_t *values, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) {
        fxs_put_char(p, i ? ',' : '[');
        fxs_put_signed(p, values[i]);
    }
    fxs_put_char(p, ']');
}

void fxs_put_vector(pen *p, int32_t x, int32_t y, int32_t z) {
    const int32_t values[3] = {x, y, z};
    fxs_put_char(p, ',');
    fxs_put_list(p, values, 3);
}

void fxs_put_next(pen *p, uint64_t v) {
    fxs_put_char(p, ',');
    fxs_put_number(p, v);
}

void fxs_put_hexadecimal(pen *p, uint64_t v, uint32_t digits) {
    for (uint32_t i = digits; i > 0; i--) {
        fxs_put_char(p, "0123456789abcdef"[v >> (4 * i - 4) & 15]);
    }
}

void fxs_put_layers(pen *p, const uint32_t *masks) {
    uint32_t all = UINT32_MAX;
    uint32_t is_first = 1;
    for (uint32_t i = 0; i < FXS_LAYER_COUNT; i++) {
        all &= masks[i];
    }
    if (all == UINT32_MAX) {
        fxs_put_text(p, "null");
        return;
    }
    fxs_put_char(p, '[');
    for (uint32_t i = 0; i < FXS_LAYER_COUNT; i++) {
        for (uint32_t j = i; j < FXS_LAYER_COUNT; j++) {
            if (masks[i] >> j & 1) {
                fxs_put_text(p, is_first ? "[" : ",[");
                fxs_put_number(p, i);
                fxs_put_next(p, j);
                fxs_put_char(p, ']');
                is_first = 0;
            }
        }
    }
    fxs_put_char(p, ']');
}

void fxs_put_shape(pen *p, uint32_t code, uint32_t half_angle, const int32_t *size) {
    const struct kind *k = fxs_kinds + code;
    const int has_angle = k->rest_most >> 32 != 0;
    const uint32_t n = k->size_count + (uint32_t)(k->has_hole && size[2] != 0);
    fxs_put_text(p, "[\"");
    fxs_put_text(p, k->name);
    fxs_put_char(p, '"');
    for (uint32_t i = 0; i < n; i++) {
        fxs_put_char(p, ',');
        fxs_put_signed(p, size[i]);
        if (i == 0 && has_angle) {
            fxs_put_next(p, half_angle);
        }
    }
    fxs_put_char(p, ']');
}

void fxs_put_level(pen *p, const fxs_level *geometry) {
    fxs_put_text(p, ",\"level\":{\"solids\":[");
    for (uint32_t i = 0; i < fxs_level_count(geometry); i++) {
        fxs_solid s;
        fxs_level_solid(geometry, i, &s);
        fxs_put_text(p, i ? ",[\"" : "[\"");
        fxs_put_text(p, fxs_solid_kind(s.code)->name);
        fxs_put_char(p, '"');
        fxs_put_next(p, s.layer);
        fxs_put_char(p, ',');
        fxs_put_signed(p, s.y_low);
        fxs_put_char(p, ',');
        fxs_put_signed(p, s.y_high);
        fxs_put_char(p, ',');
        if (s.code == FXS_PRISM) {
            for (uint32_t v = 0; v < s.vertex_count; v++) {
                fxs_put_char(p, v ? ',' : '[');
                fxs_put_list(p, s.numbers + 2 * v, 2);
            }
        } else {
            fxs_put_list(p, s.numbers, 2);
            fxs_put_char(p, ',');
            fxs_put_signed(p, s.numbers[2]);
        }
        fxs_put_text(p, s.code == FXS_PRISM ? "]]" : "]");
    }
    fxs_put_text(p, "]}");
}

static const char BASE64[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/* A state in base64, if there is room: `state`, or if that is NULL the state of a world. The world
 * is saved at the end of the room for its text, and encoded from there to the front. The n bytes
 * begin ceil(n / 3) behind the text: three are read before their four letters are written. */
void fxs_put_state(pen *p, const fxs_world *world, const uint8_t *state, uint64_t state_size) {
    uint64_t size = state ? state_size : fxs_world_save_size(world);
    uint64_t length = (size + 2) / 3 * 4;
    if (p->next > p->end || p->end - p->next < length) {
        p->next += length;
        return;
    }
    char *to = p->text + p->next;
    const uint8_t *from = state;
    if (state == NULL) {
        uint8_t *saved = (uint8_t *)to + length - size;
        fxs_world_save(world, saved);
        from = saved;
    }
    for (uint64_t i = 0; i < size; i += 3) {
        uint32_t left = size - i < 3 ? (uint32_t)(size - i) : 3;
        uint32_t bits = (uint32_t)from[i] << 16;
        bits |= left > 1 ? (uint32_t)from[i + 1] << 8 : 0;
        bits |= left > 2 ? (uint32_t)from[i + 2] : 0;
        *to++ = BASE64[bits >> 18];
        *to++ = BASE64[bits >> 12 & 63];
        *to++ = left > 1 ? BASE64[bits >> 6 & 63] : '=';
        *to++ = left > 2 ? BASE64[bits & 63] : '=';
    }
    p->next += length;
}

/* The letter behind a backslash for a character that has one, or 0. */
static char escape_of(uint8_t c) {
    switch (c) {
    case '"': return '"';
    case '\\': return '\\';
    case '\b': return 'b';
    case '\f': return 'f';
    case '\n': return 'n';
    case '\r': return 'r';
    case '\t': return 't';
    default: return 0;
    }
}

int32_t fxs_recorder_text(const char *text, uint64_t size, char *out, uint64_t capacity,
                          uint64_t *count) {
    json in = {text, text + size};
    pen p = {out, 0, capacity};
    fxs_put_char(&p, '"');
    while (in.at < in.end) {
        const char *from = in.at;
        const uint8_t c = (uint8_t)*from;
        if (c >= 0x80) {
            if (!fxs_json_read_wide(&in)) {
                *count = (uint64_t)(from - text);
                return FXS_E_TEXT;
            }
            fxs_put_bytes(&p, from, (uint64_t)(in.at - from));
            continue;
        }
        in.at++;
        if (escape_of(c) != 0) {
            fxs_put_char(&p, '\\');
            fxs_put_char(&p, escape_of(c));
        } else if (c < 0x20) {
            fxs_put_text(&p, "\\u");
            fxs_put_hexadecimal(&p, c, 4);
        } else {
            fxs_put_char(&p, (char)c);
        }
    }
    fxs_put_char(&p, '"');
    *count = p.next;
    return p.next <= capacity ? FXS_OK : FXS_E_ROOM;
}

/* Binds C functions to Godot: classes, and one row of a table for each method.
 *
 * A row begins with the signature as GDScript writes it, which is parsed once. It gives the types
 * that calls are checked against, the defaults, the names in errors, and the editor's help. */
#ifndef FIXSYNC_GD_H
#define FIXSYNC_GD_H

#include "gdextension_abi.h"

typedef struct gd_call gd_call;

typedef struct gd_method {
    const char *signature;         /* "move(id: int, position: Vector3i) -> bool" */
    void (*function)(gd_call *call);
    const char *help;
} gd_method;

/* A class that GDScript sees. */
typedef struct gd_class {
    const char *name;
    const char *help;              /* its first sentence is the brief description */
    size_t size;                   /* of an object, which begins with a gd_object; 0: no objects */
    void (*free)(void *object);    /* frees the parts of an object; or NULL */
    const gd_method *methods;      /* ended by a row of zeros */
    const gd_method *passed;       /* those of passed.c; or NULL */
    const char *parent;            /* the engine's class that it extends */
} gd_class;

/* What every object begins with. The rest is zero until a `create` has made it. */
typedef struct gd_object {
    const gd_class *class;
    gd_engine_object *engine_object;
    int is_busy;                   /* a call is using it */
    bool is_made;
} gd_object;

/* A call of a method, while it lasts. */
struct gd_call {
    const struct gd_bound *bound;
    void *self;                    /* NULL in a static method */
    const void *const *arguments;  /* typed as the signature says */
    void *result;                  /* zero or empty at first */
    gd_object *entered[3];         /* the objects that this call uses */
    uint32_t entered_count;
    const char *row_name;          /* errors are of this row of an array; or NULL */
    uint64_t row;
};

/* Numbers or bytes of an argument. */
typedef struct gd_ints { const int64_t *at; uint64_t count; } gd_ints;
typedef struct gd_bytes { const uint8_t *at; uint64_t count; } gd_bytes;

extern struct gd_engine {
#define GD_ENGINE_MEMBER(result, name, parameters) result(*name) parameters;
    ENGINE_FUNCTIONS(GD_ENGINE_MEMBER)
#undef GD_ENGINE_MEMBER
} gd_engine;

/* ---- arguments ---- */

static inline int64_t gd_int(const gd_call *call, int i) {
    return *(const int64_t *)call->arguments[i];
}
static inline bool gd_bool(const gd_call *call, int i) {
    return *(const uint8_t *)call->arguments[i] != 0;
}
static inline const int32_t *gd_vector(const gd_call *call, int i) {
    return (const int32_t *)call->arguments[i];
}
gd_ints gd_ints_of(const gd_call *call, int i);
gd_bytes gd_bytes_of(const gd_call *call, int i);

/* The UTF-8 of a string, ended by a 0; gd_free it. `*size` is without the 0. NULL: no memory. */
char *gd_text_of(gd_call *call, int i, uint64_t *size);

/* The texts of an array of strings. */
uint64_t gd_string_count(const gd_call *call, int i);
char *gd_string_at(gd_call *call, int i, uint64_t index, uint64_t *size);

/* An object of a class, made and not in use, for the time of the call. NULL after an error; a
 * signature with a default of null takes null too. */
void *gd_object_of(gd_call *call, int i, const gd_class *class);
bool gd_is_null(const gd_call *call, int i);

/* The same by the engine's number of it. NULL without an error if it is gone or of another class. */
void *gd_object_by_number(gd_call *call, uint64_t number, const gd_class *class);

/* Whether a number is in its range; if not, an error that names it: "id must be 0..63, not 99". */
bool gd_in_range(gd_call *call, const char *name, int64_t value, int64_t low, int64_t high);

/* The same for the argument i. */
bool gd_check(gd_call *call, int i, int64_t low, int64_t high);
bool gd_u32(gd_call *call, int i, uint32_t *out);
bool gd_i32(gd_call *call, int i, int32_t *out);

/* Whether a number or a vector is not 0; if it is, an error that names it. */
bool gd_is_nonzero(gd_call *call, int i);
const char *gd_argument_name(const gd_call *call, int i);

/* ---- results ---- */

static inline void gd_return_int(gd_call *call, int64_t value) {
    *(int64_t *)call->result = value;
}
static inline void gd_return_bool(gd_call *call, bool value) {
    *(uint8_t *)call->result = value;
}
void gd_return_vector(gd_call *call, int32_t x, int32_t y, int32_t z);
void gd_return_text(gd_call *call, const char *text, uint64_t size);

/* Room for the numbers, bytes or texts of the result. NULL after an error: no memory. */
int64_t *gd_return_ints(gd_call *call, uint64_t count);
uint8_t *gd_return_bytes(gd_call *call, uint64_t count);
void gd_return_no_bytes(gd_call *call);
bool gd_return_strings(gd_call *call, uint64_t count);
void gd_return_string(gd_call *call, uint64_t index, const char *text, uint64_t size);

/* A new object, to fill and return; gd_drop it instead after an error. NULL: no memory. */
void *gd_new(gd_call *call, const gd_class *class);
void gd_return_object(gd_call *call, void *object);
void gd_drop(void *object);

/* ---- the engine's own methods ---- */

/* A method of a class of the engine; NULL: it has none with this hash. */
gd_method_bind gd_method_of(const char *class_name, const char *method, int64_t hash);
gd_string gd_string_of(const char *text);
void gd_free_string(gd_string *text);

/* ---- errors and memory ---- */

/* Prints "Class.method: " and the text, in which %s is a text, %d an int64_t and %u a uint64_t. */
void gd_fail(gd_call *call, const char *format, ...);

/* The text of the last error; "" from then on. */
uint64_t gd_take_error(char *to, uint64_t room);

/* NULL after an error: no memory. It is never NULL for a size of 0. */
void *gd_alloc(gd_call *call, uint64_t size);
void gd_free(void *memory);

/* Memory that several objects hold. It begins with the number of those. */
typedef struct gd_shared { uint32_t holders; } gd_shared;
void *gd_hold(void *shared);
/* Whether nobody holds it any more. */
bool gd_release(void *shared);

/* ---- classes ---- */

/* All classes, ended by NULL; and where constants go. */
extern const gd_class *const GD_CLASSES[];

typedef struct gd_constant {
    int64_t value;
    int64_t is_flags;
    const char *text;              /* three texts, ended by a 0 each: enumeration, name, help */
} gd_constant;
extern const gd_constant GD_CONSTANTS[]; /* of the first class; ended by a row of zeros */

#endif

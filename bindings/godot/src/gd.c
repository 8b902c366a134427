#include "gd.h"

#include <stdarg.h>
#include <string.h>

enum { ARGUMENTS_MAX = 10, NAME_ROOM = 32, TEXT_ROOM = 1024 };

typedef struct argument {
    char name[NAME_ROOM];
    char class_name[NAME_ROOM];    /* of an object */
    uint32_t type;
    bool has_default;
    gd_string_name string_name, string_class;
    gd_variant value;              /* the default */
} argument;

/* A method as the engine knows it. */
typedef struct gd_bound {
    const gd_class *class;
    const gd_method *method;
    char name[NAME_ROOM];
    bool is_static;
    uint32_t count, least_count;   /* of arguments */
    uint32_t result;               /* its type; GD_NIL: none */
    argument returned;
    argument arguments[ARGUMENTS_MAX];
} gd_bound;

struct gd_engine gd_engine;
static void *library;
static gd_get_function get_function;
static char last_error[TEXT_ROOM];

/* By type. */
static gd_variant_from variant_from[GD_TYPE_COUNT];
static gd_variant_inside variant_inside[GD_TYPE_COUNT];
static gd_construct construct[GD_TYPE_COUNT], pack_array[GD_TYPE_COUNT];
static gd_destruct destruct[GD_TYPE_COUNT];
static gd_builtin array_size[GD_TYPE_COUNT], array_resize[GD_TYPE_COUNT];

static gd_bound **bounds;
static uint32_t bound_count;

static const char *const TYPE_NAMES[GD_TYPE_COUNT] = {
    "null", "bool", "int", "float", "String", "Vector2", "Vector2i", "Rect2", "Rect2i", "Vector3",
    "Vector3i", "Transform2D", "Vector4", "Vector4i", "Plane", "Quaternion", "AABB", "Basis",
    "Transform3D", "Projection", "Color", "StringName", "NodePath", "RID", "Object", "Callable",
    "Signal", "Dictionary", "Array", "PackedByteArray", "PackedInt32Array", "PackedInt64Array",
    "PackedFloat32Array", "PackedFloat64Array", "PackedStringArray", "PackedVector2Array",
    "PackedVector3Array", "PackedColorArray", "PackedVector4Array",
};

/* ---- text ---- */

static uint64_t length(const char *text) {
    uint64_t size = 0;
    while (text[size] != 0)
        size++;
    return size;
}

static bool is_same(const char *a, const char *b) {
    while (*a != 0 && *a == *b)
        a++, b++;
    return *a == *b;
}

/* The text behind the 0 of a text. */
static const char *after(const char *text) { return text + length(text) + 1; }

/* Text that grows to the end of its room. */
typedef struct pen {
    char *at;
    uint64_t size, room;
} pen;

static void put(pen *to, char sign) {
    if (to->size + 1 < to->room)
        to->at[to->size++] = sign;
    to->at[to->size] = 0;
}

static void put_text(pen *to, const char *text) {
    while (*text != 0)
        put(to, *text++);
}

static void put_number(pen *to, uint64_t value) {
    char digits[20];
    int count = 0;
    do {
        digits[count++] = (char)('0' + value % 10);
        value /= 10;
    } while (value != 0);
    while (count > 0)
        put(to, digits[--count]);
}

static void put_format(pen *to, const char *format, va_list values) {
    for (; *format != 0; format++) {
        if (*format != '%') {
            put(to, *format);
            continue;
        }
        format++;
        if (*format == 's') {
            put_text(to, va_arg(values, const char *));
        } else if (*format == 'u') {
            put_number(to, va_arg(values, uint64_t));
        } else {
            int64_t value = va_arg(values, int64_t);
            if (value < 0)
                put(to, '-');
            put_number(to, value < 0 ? 0 - (uint64_t)value : (uint64_t)value);
        }
    }
}

void gd_fail(gd_call *call, const char *format, ...) {
    char text[TEXT_ROOM];
    pen to = {text, 0, sizeof text};
    put_text(&to, call->bound->class->name);
    put(&to, '.');
    put_text(&to, call->bound->name);
    put_text(&to, ": ");
    if (call->row_name != NULL) {
        put_text(&to, call->row_name);
        put(&to, '[');
        put_number(&to, call->row);
        put_text(&to, "]: ");
    }
    va_list values;
    va_start(values, format);
    put_format(&to, format, values);
    va_end(values);
    memcpy(last_error, text, to.size + 1);
    gd_engine.print_error(text, call->bound->name, "fixsync", 0, 0);
}

uint64_t gd_take_error(char *to, uint64_t room) {
    uint64_t size = length(last_error);
    size = size < room ? size : room;
    memcpy(to, last_error, size);
    last_error[0] = 0;
    return size;
}

/* ---- memory ---- */

void *gd_alloc(gd_call *call, uint64_t size) {
    void *memory = size > PTRDIFF_MAX ? NULL : gd_engine.mem_alloc(size == 0 ? 1 : (size_t)size);
    if (memory == NULL)
        gd_fail(call, "no memory for %u bytes", size);
    return memory;
}

void gd_free(void *memory) {
    if (memory != NULL)
        gd_engine.mem_free(memory);
}

void *gd_hold(void *shared) {
    if (shared != NULL)
        __atomic_add_fetch(&((gd_shared *)shared)->holders, 1, __ATOMIC_RELAXED);
    return shared;
}

bool gd_release(void *shared) {
    return shared != NULL &&
           __atomic_sub_fetch(&((gd_shared *)shared)->holders, 1, __ATOMIC_ACQ_REL) == 0;
}

/* ---- arguments ---- */

static uint64_t size_of_array(uint32_t type, const void *array) {
    int64_t size = 0;
    array_size[type]((void *)array, NULL, &size, 0);
    return (uint64_t)size;
}

gd_ints gd_ints_of(const gd_call *call, int i) {
    const void *array = call->arguments[i];
    gd_ints found = {NULL, size_of_array(GD_PACKED_INTS, array)};
    if (found.count > 0)
        found.at = gd_engine.packed_int64_array_operator_index_const(array, 0);
    return found;
}

gd_bytes gd_bytes_of(const gd_call *call, int i) {
    static const uint8_t nothing[1] = {0};
    const void *array = call->arguments[i];
    gd_bytes found = {nothing, size_of_array(GD_PACKED_BYTES, array)};
    if (found.count > 0)
        found.at = gd_engine.packed_byte_array_operator_index_const(array, 0);
    return found;
}

static char *text_of(gd_call *call, const gd_string *string, uint64_t *size) {
    *size = (uint64_t)gd_engine.string_to_utf8_chars(string, NULL, 0);
    char *text = gd_alloc(call, *size + 1);
    if (text == NULL)
        return NULL;
    gd_engine.string_to_utf8_chars(string, text, (int64_t)*size);
    text[*size] = 0;
    return text;
}

char *gd_text_of(gd_call *call, int i, uint64_t *size) {
    return text_of(call, (const gd_string *)call->arguments[i], size);
}

uint64_t gd_string_count(const gd_call *call, int i) {
    return size_of_array(GD_PACKED_STRINGS, call->arguments[i]);
}

char *gd_string_at(gd_call *call, int i, uint64_t index, uint64_t *size) {
    const gd_string *string =
        gd_engine.packed_string_array_operator_index_const(call->arguments[i], (int64_t)index);
    return text_of(call, string, size);
}

static bool enter(gd_call *call, gd_object *object, const char *name) {
    if (!object->is_made) {
        gd_fail(call, "%s was not made by %s.create", name, object->class->name);
        return false;
    }
    if (__atomic_exchange_n(&object->is_busy, 1, __ATOMIC_ACQUIRE) != 0) {
        gd_fail(call, "%s is in use by another call, or by another thread", name);
        return false;
    }
    call->entered[call->entered_count++] = object;
    return true;
}

static void leave(gd_call *call) {
    while (call->entered_count > 0)
        __atomic_store_n(&call->entered[--call->entered_count]->is_busy, 0, __ATOMIC_RELEASE);
}

const char *gd_argument_name(const gd_call *call, int i) { return call->bound->arguments[i].name; }

bool gd_is_null(const gd_call *call, int i) {
    return *(gd_engine_object *const *)call->arguments[i] == NULL;
}

void *gd_object_of(gd_call *call, int i, const gd_class *class) {
    gd_engine_object *engine_object = *(gd_engine_object *const *)call->arguments[i];
    /* An object of another class has no instance under the library's token, so it is NULL here. */
    gd_object *object =
        engine_object == NULL
            ? NULL
            : gd_engine.object_get_instance_binding(engine_object, library, NULL);
    if (object == NULL || object->class != class) {
        gd_fail(call, "%s must be a %s, not %s", gd_argument_name(call, i), class->name,
                engine_object == NULL ? "null"
                : object == NULL      ? "another object"
                                      : object->class->name);
        return NULL;
    }
    return enter(call, object, gd_argument_name(call, i)) ? object : NULL;
}

void *gd_object_by_number(gd_call *call, uint64_t number, const gd_class *class) {
    gd_engine_object *engine_object =
        number == 0 ? NULL : gd_engine.object_get_instance_from_id(number);
    gd_object *object = engine_object == NULL ? NULL
                                              : gd_engine.object_get_instance_binding(
                                                    engine_object, library, NULL);
    bool is_one = object != NULL && object->class == class;
    return is_one && enter(call, object, class->name) ? object : NULL;
}

bool gd_in_range(gd_call *call, const char *name, int64_t value, int64_t low, int64_t high) {
    if (value >= low && value <= high)
        return true;
    gd_fail(call, "%s must be %d..%d, not %d", name, low, high, value);
    return false;
}

bool gd_check(gd_call *call, int i, int64_t low, int64_t high) {
    return gd_in_range(call, gd_argument_name(call, i), gd_int(call, i), low, high);
}

bool gd_u32(gd_call *call, int i, uint32_t *out) {
    *out = (uint32_t)gd_int(call, i);
    return gd_check(call, i, 0, UINT32_MAX);
}

bool gd_i32(gd_call *call, int i, int32_t *out) {
    *out = (int32_t)gd_int(call, i);
    return gd_check(call, i, INT32_MIN, INT32_MAX);
}

bool gd_is_nonzero(gd_call *call, int i) {
    const int32_t *v = gd_vector(call, i);
    bool is_number = call->bound->arguments[i].type == GD_INT;
    bool is_nonzero = is_number ? gd_int(call, i) != 0 : (v[0] | v[1] | v[2]) != 0;
    if (!is_nonzero)
        gd_fail(call, "%s must not be %s", gd_argument_name(call, i),
                is_number ? "0" : "(0, 0, 0)");
    return is_nonzero;
}

/* ---- results ---- */

void gd_return_vector(gd_call *call, int32_t x, int32_t y, int32_t z) {
    int32_t *out = call->result;
    out[0] = x;
    out[1] = y;
    out[2] = z;
}

void gd_return_text(gd_call *call, const char *text, uint64_t size) {
    destruct[GD_STRING](call->result);
    gd_engine.string_new_with_utf8_chars_and_len(call->result, text, (int64_t)size);
}

static bool resize(gd_call *call, uint32_t type, uint64_t count) {
    int64_t size = (int64_t)count, status = 0;
    const void *arguments[1] = {&size};
    array_resize[type](call->result, arguments, &status, 1);
    if (status == 0)
        return true;
    gd_fail(call, "no memory for %u numbers", count);
    return false;
}

int64_t *gd_return_ints(gd_call *call, uint64_t count) {
    static int64_t nothing[1];
    if (count == 0)
        return nothing;
    return resize(call, GD_PACKED_INTS, count)
               ? gd_engine.packed_int64_array_operator_index(call->result, 0)
               : NULL;
}

uint8_t *gd_return_bytes(gd_call *call, uint64_t count) {
    static uint8_t nothing[1];
    if (count == 0)
        return nothing;
    return resize(call, GD_PACKED_BYTES, count)
               ? gd_engine.packed_byte_array_operator_index(call->result, 0)
               : NULL;
}

void gd_return_no_bytes(gd_call *call) { resize(call, GD_PACKED_BYTES, 0); }

bool gd_return_strings(gd_call *call, uint64_t count) {
    return resize(call, GD_PACKED_STRINGS, count);
}

void gd_return_string(gd_call *call, uint64_t index, const char *text, uint64_t size) {
    gd_string *string = gd_engine.packed_string_array_operator_index(call->result, (int64_t)index);
    destruct[GD_STRING](string);
    gd_engine.string_new_with_utf8_chars_and_len(string, text, (int64_t)size);
}

/* ---- objects ---- */

static gd_string_name name_of(const char *text) {
    gd_string_name name;
    gd_engine.string_name_new_with_latin1_chars(&name, text, 0);
    return name;
}

static void free_name(gd_string_name *name) { destruct[GD_STRING_NAME](name); }

gd_method_bind gd_method_of(const char *class_name, const char *method, int64_t hash) {
    gd_string_name class = name_of(class_name), name = name_of(method);
    gd_method_bind found = gd_engine.classdb_get_method_bind(&class, &name, hash);
    free_name(&class);
    free_name(&name);
    return found;
}

gd_string gd_string_of(const char *text) {
    gd_string string;
    gd_engine.string_new_with_utf8_chars_and_len(&string, text, (int64_t)length(text));
    return string;
}

void gd_free_string(gd_string *text) { destruct[GD_STRING](text); }

static gd_engine_object *create_instance(void *userdata, uint8_t notifies) {
    (void)notifies;
    const gd_class *class = userdata;
    gd_object *object = gd_engine.mem_alloc(class->size);
    if (object == NULL)
        return NULL;
    memset(object, 0, class->size);
    gd_string_name parent = name_of(class->parent), name = name_of(class->name);
    gd_engine_object *engine_object = gd_engine.classdb_construct_object2(&parent);
    object->class = class;
    object->engine_object = engine_object;
    object->is_made = class->parent[0] == 'N'; /* a node; others are made by `create` */
    static const gd_binding_callbacks NO_CALLBACKS = {NULL, NULL, NULL};
    gd_engine.object_set_instance(engine_object, &name, object);
    gd_engine.object_set_instance_binding(engine_object, library, object, &NO_CALLBACKS);
    free_name(&parent);
    free_name(&name);
    return engine_object;
}

static void free_instance(void *userdata, void *instance) {
    const gd_class *class = userdata;
    if (instance == NULL)
        return;
    if (class->free != NULL)
        class->free(instance);
    gd_engine.mem_free(instance);
}

void *gd_new(gd_call *call, const gd_class *class) {
    gd_engine_object *engine_object = create_instance((void *)class, 1);
    if (engine_object == NULL) {
        gd_fail(call, "no memory for a %s", class->name);
        return NULL;
    }
    return gd_engine.object_get_instance_binding(engine_object, library, NULL);
}

void gd_return_object(gd_call *call, void *object) {
    ((gd_object *)object)->is_made = true;
    gd_engine.ref_set_object(call->result, ((gd_object *)object)->engine_object);
}

void gd_drop(void *object) { gd_engine.object_destroy(((gd_object *)object)->engine_object); }

/* ---- calls ---- */

static void run(gd_call *call) {
    if (call->self == NULL || enter(call, call->self, "it"))
        call->bound->method->function(call);
    leave(call);
}

/* The memory of a result may hold an older one. */
static void clear(uint32_t type, void *result) {
    switch (type) {
    case GD_NIL:
        break;
    case GD_BOOL:
        *(uint8_t *)result = 0;
        break;
    case GD_INT:
        *(int64_t *)result = 0;
        break;
    case GD_VECTOR3I:
        memset(result, 0, 12);
        break;
    case GD_OBJECT:
        break;
    default:
        destruct[type](result);
        construct[type](result, NULL);
    }
}

static void pointer_call(void *userdata, void *instance, const void *const *arguments,
                         void *result) {
    const gd_bound *bound = userdata;
    void *self = bound->is_static ? NULL : instance;
    gd_call call = {bound, self, arguments, result, {NULL}, 0, NULL, 0};
    clear(bound->result, result);
    run(&call);
}

/* An Array as a packed array in `to`; or an error, and false. The engine would truncate floats. */
static bool pack(gd_call *call, int i, uint32_t type, const void *array, gd_packed *to) {
    uint32_t must = type == GD_PACKED_STRINGS ? GD_STRING : GD_INT;
    uint64_t count = size_of_array(GD_ARRAY, array);
    for (uint64_t k = 0; k < count; k++) {
        gd_variant *item = gd_engine.array_operator_index_const(array, (int64_t)k);
        uint32_t found = gd_engine.variant_get_type(item);
        if (found != must) {
            gd_fail(call, "%s[%u] must be %s, not %s", gd_argument_name(call, i), k,
                    TYPE_NAMES[must], TYPE_NAMES[found]);
            return false;
        }
        int64_t value = type == GD_PACKED_BYTES ? *(int64_t *)variant_inside[GD_INT](item) : 0;
        if (value < 0 || value > UINT8_MAX) {
            gd_fail(call, "%s[%u] must be 0..255, not %d", gd_argument_name(call, i), k, value);
            return false;
        }
    }
    pack_array[type](to, &array);
    return true;
}

/* A call whose arguments were not checked when the script was compiled. */
static void variant_call(void *userdata, void *instance, const gd_variant *const *arguments,
                         int64_t count, gd_variant *result, gd_call_error *error) {
    const gd_bound *bound = userdata;
    error->error = 0;
    const void *pointers[ARGUMENTS_MAX];
    gd_engine_object *objects[ARGUMENTS_MAX];
    gd_packed packed[ARGUMENTS_MAX];
    bool is_packed[ARGUMENTS_MAX] = {false};
    gd_packed made = {{NULL, NULL}};
    void *self = bound->is_static ? NULL : instance;
    gd_call call = {bound, self, pointers, &made, {NULL}, 0, NULL, 0};
    if (bound->result == GD_STRING || bound->result >= GD_ARRAY)
        construct[bound->result](&made, NULL);

    bool is_good = count >= (int64_t)bound->least_count && count <= (int64_t)bound->count;
    if (!is_good)
        gd_fail(&call, "it takes %u..%u arguments, not %d", (uint64_t)bound->least_count,
                (uint64_t)bound->count, count);
    for (uint32_t i = 0; i < bound->count && is_good; i++) {
        const argument *must = &bound->arguments[i];
        gd_variant *given = (gd_variant *)(i < count ? arguments[i] : &must->value);
        uint32_t type = gd_engine.variant_get_type(given);
        if (must->type == GD_OBJECT && (type == GD_OBJECT || type == GD_NIL)) {
            /* By its number: the pointer of an object that was freed is still in the Variant. */
            uint64_t id =
                type == GD_NIL ? 0 : gd_engine.variant_get_object_instance_id(given);
            objects[i] = id == 0 ? NULL : gd_engine.object_get_instance_from_id(id);
            pointers[i] = &objects[i];
        } else if (type == must->type) {
            pointers[i] = variant_inside[type](given);
        } else if (type == GD_ARRAY && pack_array[must->type] != NULL) {
            is_good = pack(&call, (int)i, must->type, variant_inside[GD_ARRAY](given), &packed[i]);
            is_packed[i] = is_good;
            pointers[i] = &packed[i];
        } else {
            gd_fail(&call, "%s must be %s, not %s", must->name,
                    must->type == GD_OBJECT ? must->class_name : TYPE_NAMES[must->type],
                    TYPE_NAMES[type]);
            is_good = false;
        }
    }
    if (is_good)
        run(&call);
    for (uint32_t i = 0; i < bound->count; i++)
        if (is_packed[i])
            destruct[bound->arguments[i].type](&packed[i]);

    if (bound->result == GD_NIL)
        return;
    variant_from[bound->result](result, &made);
    if (bound->result == GD_OBJECT)
        gd_engine.ref_set_object(&made, NULL);
    else if (destruct[bound->result] != NULL)
        destruct[bound->result](&made);
}

/* ---- signatures ---- */

/* Reads a word of a signature, up to one of the signs that end it. */
static const char *read_word(const char *at, char *to, uint64_t room) {
    pen word = {to, 0, room};
    to[0] = 0;
    while (*at == ' ')
        at++;
    while (*at != 0 && *at != '(' && *at != ')' && *at != ':' && *at != ',' && *at != '=' &&
           *at != ' ')
        put(&word, *at++);
    while (*at == ' ')
        at++;
    return at;
}

static void set_type(argument *to, const char *name) {
    to->type = GD_OBJECT;
    for (uint32_t type = GD_BOOL; type < GD_TYPE_COUNT; type++)
        if (is_same(name, TYPE_NAMES[type]))
            to->type = type;
    if (to->type == GD_OBJECT)
        memcpy(to->class_name, name, length(name) + 1);
}

static int64_t read_number(const char *text) {
    bool is_negative = *text == '-';
    int64_t value = 0;
    for (text += is_negative; *text >= '0' && *text <= '9'; text++)
        value = value * 10 + (*text - '0');
    return is_negative ? -value : value;
}

/* The default of an argument: a number, true, false, or the empty value of the type. */
static void set_default(argument *to, const char *text) {
    union {
        int64_t number;
        uint8_t flag;
        gd_packed packed;
        int32_t vector[4];
    } value;
    memset(&value, 0, sizeof value);
    to->has_default = true;
    if (to->type == GD_INT)
        value.number = read_number(text);
    else if (to->type == GD_BOOL)
        value.flag = is_same(text, "true");
    else if (to->type != GD_OBJECT && to->type != GD_VECTOR3I)
        construct[to->type](&value, NULL);
    variant_from[to->type](&to->value, &value);
    if (destruct[to->type] != NULL)
        destruct[to->type](&value);
}

static void parse(gd_bound *bound, const char *at) {
    char word[NAME_ROOM];
    at = read_word(at, bound->name, NAME_ROOM);
    bound->is_static = is_same(bound->name, "static");
    if (bound->is_static)
        at = read_word(at, bound->name, NAME_ROOM);
    while (*at == '(' || *at == ',') {
        argument *next = &bound->arguments[bound->count];
        at = read_word(at + 1, next->name, NAME_ROOM);
        if (*at != ':')
            break;
        at = read_word(at + 1, word, NAME_ROOM);
        set_type(next, word);
        bound->count++;
        bound->least_count += *at != '=';
        if (*at == '=') {
            at = read_word(at + 1, word, NAME_ROOM);
            set_default(next, word);
        }
        if (*at == '(') /* of Vector3i() */
            at += 2;
    }
    bound->result = GD_NIL;
    if (*at == ')' && at[1] == ' ') { /* ") -> int" */
        read_word(at + 4, word, NAME_ROOM);
        set_type(&bound->returned, word);
        bound->result = bound->returned.type;
    }
}

/* ---- help ---- */

static void put_xml(pen *to, const char *text) {
    for (; *text != 0; text++) {
        if (*text == '<')
            put_text(to, "&lt;");
        else if (*text == '>')
            put_text(to, "&gt;");
        else if (*text == '&')
            put_text(to, "&amp;");
        else
            put(to, *text);
    }
}

static void put_type(pen *to, const argument *value) {
    put_text(to, "type=\"");
    put_text(to, value->type == GD_NIL      ? "void"
                 : value->type == GD_OBJECT ? value->class_name
                                            : TYPE_NAMES[value->type]);
    put_text(to, "\"");
}

/* The default of an argument as its signature has it. */
static void put_default(pen *to, const char *signature, const argument *value) {
    const char *at = signature;
    uint64_t size = length(value->name);
    for (; *at != 0; at++) {
        uint64_t same = 0;
        while (same < size && at[same] == value->name[same])
            same++;
        if (same == size && at[size] == ':' && (at[-1] == '(' || at[-1] == ' '))
            break;
    }
    while (*at != 0 && *at != '=')
        at++;
    put_text(to, " default=\"");
    for (at += 2; *at != 0 && *at != ',' && (*at != ')' || at[-1] == '('); at++)
        put(to, *at);
    put_text(to, "\"");
}

static void put_method(pen *to, const gd_bound *bound) {
    put_text(to, "<method name=\"");
    put_text(to, bound->name);
    put_text(to, bound->is_static ? "\" qualifiers=\"static\"><return " : "\"><return ");
    put_type(to, &bound->returned);
    put_text(to, "/>");
    for (uint32_t i = 0; i < bound->count; i++) {
        put_text(to, "<param index=\"");
        put_number(to, i);
        put_text(to, "\" name=\"");
        put_text(to, bound->arguments[i].name);
        put_text(to, "\" ");
        put_type(to, &bound->arguments[i]);
        if (bound->arguments[i].has_default)
            put_default(to, bound->method->signature, &bound->arguments[i]);
        put_text(to, "/>");
    }
    put_text(to, "<description>");
    put_xml(to, bound->method->help);
    put_text(to, "</description></method>");
}

/* Gives the editor the help of all classes. */
static void load_help(void) {
    enum { HELP_ROOM = 1 << 17 };
    gd_load_help load =
        (gd_load_help)get_function("editor_help_load_xml_from_utf8_chars_and_len");
    char *room = load == NULL ? NULL : gd_engine.mem_alloc(HELP_ROOM);
    if (room == NULL)
        return;
    for (const gd_class *const *class = GD_CLASSES; *class != NULL; class++) {
        pen to = {room, 0, HELP_ROOM};
        put_text(&to, "<?xml version=\"1.0\" encoding=\"UTF-8\" ?><class name=\"");
        put_text(&to, (*class)->name);
        put_text(&to, "\" inherits=\"");
        put_text(&to, (*class)->parent);
        put_text(&to, "\" version=\"4.4\"><brief_description>");
        const char *end = (*class)->help;
        while (*end != 0 && !(*end == '.' && (end[1] == ' ' || end[1] == 0)))
            end++;
        for (const char *at = (*class)->help; at != end; at++)
            put(&to, *at);
        put_text(&to, ".</brief_description><description>");
        put_xml(&to, end + 1 + (end[1] == ' '));
        put_text(&to, "</description><tutorials></tutorials><methods>");
        for (uint32_t i = 0; i < bound_count; i++)
            if (bounds[i]->class == *class)
                put_method(&to, bounds[i]);
        put_text(&to, "</methods><constants>");
        for (const gd_constant *row = GD_CONSTANTS; class == GD_CLASSES && row->text; row++) {
            put_text(&to, "<constant name=\"");
            put_text(&to, after(row->text));
            put_text(&to, "\" value=\"");
            if (row->value < 0)
                put(&to, '-');
            put_number(&to, row->value < 0 ? 0 - (uint64_t)row->value : (uint64_t)row->value);
            if (row->text[0] != 0) {
                put_text(&to, "\" enum=\"");
                put_text(&to, row->text);
                put_text(&to, row->is_flags ? "\" is_bitfield=\"true" : "");
            }
            put_text(&to, "\">");
            put_xml(&to, after(after(row->text)));
            put_text(&to, "</constant>");
        }
        put_text(&to, "</constants></class>");
        load(room, (int64_t)to.size);
    }
    gd_engine.mem_free(room);
}

/* ---- registration ---- */

static gd_property property_of(argument *value) {
    value->string_name = name_of(value->name);
    value->string_class = name_of(value->class_name);
    static gd_string no_hint;
    return (gd_property){value->type, &value->string_name, &value->string_class, 0, &no_hint,
                         GD_USAGE_DEFAULT};
}

static void bind(const gd_class *class, const gd_method *method) {
    gd_bound *bound = gd_engine.mem_alloc(sizeof *bound);
    if (bound == NULL)
        return;
    memset(bound, 0, sizeof *bound);
    bounds[bound_count++] = bound;
    bound->class = class;
    bound->method = method;
    parse(bound, method->signature);
    gd_property arguments[ARGUMENTS_MAX], result = property_of(&bound->returned);
    uint32_t metadata[ARGUMENTS_MAX] = {0};
    gd_variant *defaults[ARGUMENTS_MAX];
    for (uint32_t i = 0; i < bound->count; i++) {
        arguments[i] = property_of(&bound->arguments[i]);
        if (i >= bound->least_count)
            defaults[i - bound->least_count] = &bound->arguments[i].value;
    }
    gd_string_name class_name = name_of(class->name), name = name_of(bound->name);
    gd_method_info info = {
        .name = &name,
        .userdata = bound,
        .call = variant_call,
        .pointer_call = pointer_call,
        .flags = GD_METHOD_NORMAL | (bound->is_static ? GD_METHOD_STATIC : 0),
        .has_result = bound->result != GD_NIL,
        .result = &result,
        .argument_count = bound->count,
        .arguments = arguments,
        .argument_metadata = metadata,
        .default_count = bound->count - bound->least_count,
        .defaults = defaults,
    };
    gd_engine.classdb_register_extension_class_method(library, &class_name, &info);
    free_name(&class_name);
    free_name(&name);
}

static void register_class(const gd_class *class) {
    gd_string_name parent = name_of(class->parent), name = name_of(class->name);
    gd_class_info info = {
        .is_abstract = class->size == 0,
        .is_exposed = 1,
        .create_instance = create_instance,
        .free_instance = free_instance,
        .userdata = (void *)class,
    };
    gd_engine.classdb_register_extension_class4(library, &name, &parent, &info);
    for (const gd_method *method = class->methods; method->signature != NULL; method++)
        bind(class, method);
    for (const gd_method *method = class->passed; method && method->signature; method++)
        bind(class, method);
    free_name(&parent);
    free_name(&name);
}

static void register_constants(const gd_class *class) {
    gd_string_name name = name_of(class->name);
    for (const gd_constant *row = GD_CONSTANTS; row->text != NULL; row++) {
        gd_string_name enumeration = name_of(row->text), constant = name_of(after(row->text));
        gd_engine.classdb_register_extension_class_integer_constant(
            library, &name, &enumeration, &constant, row->value, row->is_flags != 0);
        free_name(&enumeration);
        free_name(&constant);
    }
    free_name(&name);
}

static void find_types(void) {
    static const uint8_t KNOWN[] = {
        GD_BOOL,         GD_INT,         GD_STRING,      GD_VECTOR3I, GD_STRING_NAME, GD_OBJECT,
        GD_ARRAY,        GD_PACKED_BYTES, GD_PACKED_INTS, GD_PACKED_STRINGS,
    };
    for (size_t i = 0; i < sizeof KNOWN; i++) {
        uint32_t type = KNOWN[i];
        variant_from[type] = gd_engine.get_variant_from_type_constructor(type);
        variant_inside[type] = gd_engine.variant_get_ptr_internal_getter(type);
        construct[type] = gd_engine.variant_get_ptr_constructor(type, 0);
        destruct[type] = gd_engine.variant_get_ptr_destructor(type);
    }
    gd_string_name size = name_of("size"), resize_name = name_of("resize");
    for (size_t i = 0; i < sizeof KNOWN; i++) {
        uint32_t type = KNOWN[i];
        if (type < GD_ARRAY)
            continue;
        if (type != GD_ARRAY)
            pack_array[type] = gd_engine.variant_get_ptr_constructor(type, 2); /* of an Array */
        array_size[type] = gd_engine.variant_get_ptr_builtin_method(type, &size, 3173160232);
        array_resize[type] =
            gd_engine.variant_get_ptr_builtin_method(type, &resize_name, 848867239);
    }
    free_name(&size);
    free_name(&resize_name);
}

static void initialize(void *userdata, uint32_t level) {
    (void)userdata;
    if (level == GD_LEVEL_EDITOR)
        load_help();
    if (level != GD_LEVEL_SCENE)
        return;
    find_types();
    uint32_t count = 0;
    for (const gd_class *const *class = GD_CLASSES; *class != NULL; class++) {
        for (const gd_method *method = (*class)->methods; method->signature != NULL; method++)
            count++;
        for (const gd_method *method = (*class)->passed; method && method->signature; method++)
            count++;
    }
    bounds = gd_engine.mem_alloc(count * sizeof *bounds);
    if (bounds == NULL)
        return;
    for (const gd_class *const *class = GD_CLASSES; *class != NULL; class++)
        register_class(*class);
    register_constants(GD_CLASSES[0]);
}

static void free_argument(argument *value) {
    free_name(&value->string_name);
    free_name(&value->string_class);
    if (value->has_default)
        gd_engine.variant_destroy(&value->value);
}

static void deinitialize(void *userdata, uint32_t level) {
    (void)userdata;
    if (level != GD_LEVEL_SCENE)
        return;
    for (const gd_class *const *class = GD_CLASSES; *class != NULL; class++) {
        gd_string_name name = name_of((*class)->name);
        gd_engine.classdb_unregister_extension_class(library, &name);
        free_name(&name);
    }
    for (uint32_t i = 0; i < bound_count; i++) {
        for (uint32_t k = 0; k < bounds[i]->count; k++)
            free_argument(&bounds[i]->arguments[k]);
        free_argument(&bounds[i]->returned);
        gd_engine.mem_free(bounds[i]);
    }
    gd_engine.mem_free(bounds);
    bound_count = 0;
}

#ifdef _WIN32
__declspec(dllexport)
#else
__attribute__((visibility("default")))
#endif
uint8_t
fixsync_godot_init(gd_get_function get, void *own_library, gd_initialization *initialization) {
    get_function = get;
    library = own_library;
#define GD_FIND(result, name, parameters)                                                          \
    gd_engine.name = (result(*) parameters)get(#name);                                             \
    if (gd_engine.name == NULL)                                                                    \
        return 0;
    ENGINE_FUNCTIONS(GD_FIND)
#undef GD_FIND
    initialization->least_level = GD_LEVEL_SCENE;
    initialization->userdata = NULL;
    initialization->initialize = initialize;
    initialization->deinitialize = deinitialize;
    return 1;
}

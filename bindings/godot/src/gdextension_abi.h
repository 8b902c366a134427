/* The part of the GDExtension interface that the add-on uses, from Godot 4.4 on. Names, layouts and
 * numbers are those of the engine's public interface. */
#ifndef FIXSYNC_GDEXTENSION_ABI_H
#define FIXSYNC_GDEXTENSION_ABI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Opaque values of the engine. An Object is used through its pointer; the others have the room that
 * the engine's own numbers give them: 8 bytes a String, StringName or Array, 16 a packed array, at
 * most 40 a Variant. */
typedef void gd_engine_object;
typedef struct gd_string { void *opaque; } gd_string;
typedef struct gd_string_name { void *opaque; } gd_string_name;
typedef struct gd_packed { void *opaque[2]; } gd_packed;
typedef struct gd_variant { uint64_t opaque[5]; } gd_variant;

/* Types of a Variant. */
enum {
    GD_NIL = 0,
    GD_BOOL = 1,
    GD_INT = 2,
    GD_STRING = 4,
    GD_VECTOR3I = 10,
    GD_STRING_NAME = 21,
    GD_OBJECT = 24,
    GD_ARRAY = 28,
    GD_PACKED_BYTES = 29,
    GD_PACKED_INTS = 31,
    GD_PACKED_STRINGS = 34,
    GD_TYPE_COUNT = 39,
};

enum { GD_METHOD_NORMAL = 1, GD_METHOD_STATIC = 32 };
enum { GD_LEVEL_SCENE = 2, GD_LEVEL_EDITOR = 3 };
enum { GD_USAGE_DEFAULT = 6 };

typedef struct gd_property {
    uint32_t type;
    gd_string_name *name;
    gd_string_name *class_name;
    uint32_t hint;
    gd_string *hint_string;
    uint32_t usage;
} gd_property;

typedef struct gd_call_error {
    uint32_t error;
    int32_t argument, expected;
} gd_call_error;

typedef struct gd_method_info {
    gd_string_name *name;
    void *userdata;
    void (*call)(void *userdata, void *instance, const gd_variant *const *arguments, int64_t count,
                 gd_variant *result, gd_call_error *error);
    void (*pointer_call)(void *userdata, void *instance, const void *const *arguments,
                         void *result);
    uint32_t flags;
    uint8_t has_result;
    gd_property *result;
    uint32_t result_metadata;
    uint32_t argument_count;
    gd_property *arguments;
    uint32_t *argument_metadata;
    uint32_t default_count;
    gd_variant **defaults;
} gd_method_info;

typedef struct gd_class_info {
    uint8_t is_virtual, is_abstract, is_exposed, is_runtime;
    const gd_string *icon_path;
    void *unused[11]; /* set, get, property lists, notifications, text, references */
    gd_engine_object *(*create_instance)(void *userdata, uint8_t notifies);
    void (*free_instance)(void *userdata, void *instance);
    void *recreate_instance;
    void *virtuals[3];
    void *userdata;
} gd_class_info;

typedef struct gd_binding_callbacks { void *create, *free, *reference; } gd_binding_callbacks;

typedef struct gd_initialization {
    uint32_t least_level;
    void *userdata;
    void (*initialize)(void *userdata, uint32_t level);
    void (*deinitialize)(void *userdata, uint32_t level);
} gd_initialization;

typedef void (*gd_function)(void);
typedef gd_function (*gd_get_function)(const char *name);

/* Functions that the engine returns for a type. */
typedef void (*gd_variant_from)(gd_variant *to, void *from);
typedef void *(*gd_variant_inside)(gd_variant *variant);
typedef void (*gd_construct)(void *to, const void *const *arguments);
typedef void (*gd_destruct)(void *at);
typedef const void *gd_method_bind;
typedef void (*gd_builtin)(void *base, const void *const *arguments, void *result, int32_t count);

/* ENGINE(result, name, parameters) of each function of the interface. */
#define ENGINE_FUNCTIONS(ENGINE)                                                                   \
    ENGINE(void *, mem_alloc, (size_t size))                                                       \
    ENGINE(void *, mem_realloc, (void *memory, size_t size))                                       \
    ENGINE(void, mem_free, (void *memory))                                                         \
    ENGINE(void, print_error, (const char *text, const char *function, const char *file,           \
                               int32_t line, uint8_t notifies))                                    \
    ENGINE(uint32_t, variant_get_type, (const gd_variant *variant))                                \
    ENGINE(void, variant_destroy, (gd_variant *variant))                                           \
    ENGINE(gd_variant_from, get_variant_from_type_constructor, (uint32_t type))                    \
    ENGINE(gd_variant_inside, variant_get_ptr_internal_getter, (uint32_t type))                    \
    ENGINE(gd_construct, variant_get_ptr_constructor, (uint32_t type, int32_t index))              \
    ENGINE(gd_destruct, variant_get_ptr_destructor, (uint32_t type))                               \
    ENGINE(gd_builtin, variant_get_ptr_builtin_method,                                             \
           (uint32_t type, const gd_string_name *name, int64_t hash))                              \
    ENGINE(void, string_new_with_utf8_chars_and_len,                                               \
           (gd_string *to, const char *text, int64_t size))                                        \
    ENGINE(int64_t, string_to_utf8_chars, (const gd_string *text, char *to, int64_t room))         \
    ENGINE(void, string_name_new_with_latin1_chars,                                                \
           (gd_string_name *to, const char *text, uint8_t is_static))                              \
    ENGINE(uint8_t *, packed_byte_array_operator_index, (void *array, int64_t index))              \
    ENGINE(const uint8_t *, packed_byte_array_operator_index_const,                                \
           (const void *array, int64_t index))                                                     \
    ENGINE(int64_t *, packed_int64_array_operator_index, (void *array, int64_t index))             \
    ENGINE(const int64_t *, packed_int64_array_operator_index_const,                               \
           (const void *array, int64_t index))                                                     \
    ENGINE(gd_string *, packed_string_array_operator_index, (void *array, int64_t index))          \
    ENGINE(const gd_string *, packed_string_array_operator_index_const,                            \
           (const void *array, int64_t index))                                                     \
    ENGINE(gd_variant *, array_operator_index_const, (const void *array, int64_t index))           \
    ENGINE(uint64_t, variant_get_object_instance_id, (const gd_variant *variant))                  \
    ENGINE(gd_engine_object *, object_get_instance_from_id, (uint64_t id))                         \
    ENGINE(uint64_t, object_get_instance_id, (const gd_engine_object *object))                     \
    ENGINE(void, object_method_bind_ptrcall,                                                       \
           (gd_method_bind method, gd_engine_object *object, const void *const *arguments,         \
            void *result))                                                                         \
    ENGINE(gd_method_bind, classdb_get_method_bind,                                                \
           (const gd_string_name *class_name, const gd_string_name *method, int64_t hash))         \
    ENGINE(void, object_destroy, (gd_engine_object *object))                                       \
    ENGINE(void, object_set_instance,                                                              \
           (gd_engine_object *object, const gd_string_name *class_name, void *instance))           \
    ENGINE(void *, object_get_instance_binding,                                                    \
           (gd_engine_object *object, void *token, const gd_binding_callbacks *callbacks))         \
    ENGINE(void, object_set_instance_binding,                                                      \
           (gd_engine_object *object, void *token, void *binding,                                  \
            const gd_binding_callbacks *callbacks))                                                \
    ENGINE(void, ref_set_object, (void *reference, gd_engine_object *object))                      \
    ENGINE(gd_engine_object *, classdb_construct_object2, (const gd_string_name *class_name))      \
    ENGINE(void, classdb_register_extension_class4,                                                \
           (void *library, const gd_string_name *name, const gd_string_name *parent,               \
            const gd_class_info *info))                                                            \
    ENGINE(void, classdb_register_extension_class_method,                                          \
           (void *library, const gd_string_name *class_name, const gd_method_info *info))          \
    ENGINE(void, classdb_register_extension_class_integer_constant,                                \
           (void *library, const gd_string_name *class_name, const gd_string_name *enumeration,    \
            const gd_string_name *name, int64_t value, uint8_t is_flags))                          \
    ENGINE(void, classdb_unregister_extension_class,                                               \
           (void *library, const gd_string_name *name))

/* It is there in the editor alone. */
typedef void (*gd_load_help)(const char *xml, int64_t size);

#endif

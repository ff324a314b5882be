/* callmix, part 3: groups, communicators, topologies, datatypes, ops, attributes, error
 * handlers, info, packing, environment. */
#include "callmix.h"

void callmix_groups(const struct ring *r)
{
    MPI_Comm world = MPI_COMM_WORLD, a, b, c;
    MPI_Group all, first, rest, made;
    MPI_Request request;
    MPI_Info info;
    int zero = 0, result, n, rank, flag, range[1][3] = {{0, r->size - 1, 1}};
    char name[MPI_MAX_OBJECT_NAME];

    CALL(MPI_Comm_group, world, &all);
    CALL(MPI_Group_size, all, &n);
    CALL(MPI_Group_rank, all, &rank);
    CHECK(n == r->size && rank == r->rank);
    CALL(MPI_Group_incl, all, 1, &zero, &first);
    CALL(MPI_Group_excl, all, 1, &zero, &rest);
    CALL(MPI_Group_union, first, rest, &made);
    CALL(MPI_Group_compare, all, made, &result);
    CHECK(result == MPI_IDENT);
    CALL(MPI_Group_free, &made);
    CALL(MPI_Group_intersection, first, rest, &made);
    CHECK(made == MPI_GROUP_EMPTY);
    CALL(MPI_Group_difference, all, rest, &made);
    CALL(MPI_Group_compare, first, made, &result);
    CHECK(result == MPI_IDENT);
    CALL(MPI_Group_free, &made);
    CALL(MPI_Group_range_incl, all, 1, range, &made);
    CALL(MPI_Group_translate_ranks, made, 1, &zero, all, &rank);
    CHECK(rank == 0);
    CALL(MPI_Group_free, &made);
    CALL(MPI_Group_range_excl, all, 1, range, &made);
    CHECK(made == MPI_GROUP_EMPTY);

    CALL(MPI_Comm_dup, world, &a);
    CALL(MPI_Comm_compare, world, a, &result);
    CHECK(result == MPI_CONGRUENT);
    CALL(MPI_Comm_set_name, a, "callmix a");
    CALL(MPI_Comm_get_name, a, name, &n);
    CHECK(strcmp(name, "callmix a") == 0);
    CALL(MPI_Comm_test_inter, a, &flag);
    CHECK(!flag);
    CALL(MPI_Info_create, &info);
    CALL(MPI_Info_set, info, "callmix_key", "value");
    CALL(MPI_Comm_dup_with_info, a, info, &b);
    CALL(MPI_Comm_set_info, b, info);
    CALL(MPI_Info_free, &info);
    CALL(MPI_Comm_get_info, b, &info);
    CALL(MPI_Info_free, &info);
    CALL(MPI_Comm_free, &b);
    CALL(MPI_Comm_idup, a, &b, &request);
    CALL(MPI_Wait, &request, MPI_STATUS_IGNORE);
    CALL(MPI_Comm_free, &b);
    CALL(MPI_Comm_split, a, r->rank % 2, -r->rank, &b);
    CALL(MPI_Comm_size, b, &n);
    CHECK(n == (r->size + 1 - r->rank % 2) / 2);
    if (r->size > 1) { /* the odd and the even ranks */
        CALL(MPI_Comm_rank, b, &rank);
        int leader = r->rank % 2 ? r->size - 1 - (r->size - 1) % 2 : r->size - 1 - r->size % 2;
        CALL(MPI_Intercomm_create, b, 0, a, leader, 9, &c);
        CALL(MPI_Comm_test_inter, c, &flag);
        CALL(MPI_Comm_remote_size, c, &n);
        CHECK(flag && n == (r->size + r->rank % 2) / 2);
        CALL(MPI_Comm_remote_group, c, &made);
        CALL(MPI_Group_free, &made);
        MPI_Comm merged;
        CALL(MPI_Intercomm_merge, c, r->rank % 2, &merged);
        CALL(MPI_Comm_free, &merged);
        CALL(MPI_Comm_free, &c);
    }
    CALL(MPI_Comm_free, &b);
    CALL(MPI_Comm_split_type, a, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &b);
    CALL(MPI_Comm_free, &b);
    CALL(MPI_Comm_create, a, first, &b);
    CHECK((b == MPI_COMM_NULL) == (r->rank != 0));
    if (b != MPI_COMM_NULL)
        CALL(MPI_Comm_free, &b);
    if (r->rank != 0) {
        CALL(MPI_Comm_create_group, a, rest, 7, &b);
        CALL(MPI_Comm_free, &b);
    }

    int dims[2] = {0, 0}, periods[2] = {1, 0}, at[2], keep[2] = {1, 0}, source, target;
    CALL(MPI_Dims_create, r->size, 2, dims);
    CALL(MPI_Cart_create, a, 2, dims, periods, 0, &b);
    CALL(MPI_Topo_test, b, &result);
    CALL(MPI_Cartdim_get, b, &n);
    CHECK(result == MPI_CART && n == 2);
    CALL(MPI_Cart_coords, b, r->rank, 2, at);
    CALL(MPI_Cart_rank, b, at, &rank);
    CHECK(rank == r->rank);
    CALL(MPI_Cart_shift, b, 0, 1, &source, &target);
    CALL(MPI_Cart_get, b, 2, dims, periods, at);
    CALL(MPI_Cart_map, a, 2, dims, periods, &rank);
    CALL(MPI_Cart_sub, b, keep, &c);
    CALL(MPI_Comm_free, &c);
    CALL(MPI_Comm_free, &b);

    int index[MAX_RANKS], edges[MAX_RANKS], neighbors[2], weights[2], degree = 1;
    for (int i = 0; i < r->size; i++) {
        index[i] = i + 1;
        edges[i] = (i + 1) % r->size;
    }
    CALL(MPI_Graph_create, a, r->size, index, edges, 0, &b);
    CALL(MPI_Graphdims_get, b, &n, &result);
    CHECK(n == r->size && result == r->size);
    CALL(MPI_Graph_neighbors_count, b, r->rank, &n);
    CALL(MPI_Graph_neighbors, b, r->rank, 1, neighbors);
    CHECK(n == 1 && neighbors[0] == r->right);
    CALL(MPI_Graph_get, b, r->size, r->size, index, edges);
    CALL(MPI_Graph_map, a, r->size, index, edges, &rank);
    CALL(MPI_Comm_free, &b);
    CALL(MPI_Dist_graph_create, a, 1, &r->rank, &degree, &r->right, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &b);
    CALL(MPI_Dist_graph_neighbors_count, b, &n, &result, &flag);
    CHECK(n == 1 && result == 1 && !flag);
    CALL(MPI_Dist_graph_neighbors, b, 1, &source, weights, 1, &target, weights + 1);
    CHECK(source == r->left && target == r->right);
    CALL(MPI_Comm_free, &b);

    CALL(MPI_Comm_free, &a);
    CALL(MPI_Group_free, &all);
    CALL(MPI_Group_free, &first);
    if (rest != MPI_GROUP_EMPTY)
        CALL(MPI_Group_free, &rest);
}

/* Size in bytes of a fresh datatype, which is then committed and freed. */
static int size_of(MPI_Datatype *type)
{
    int bytes;
    MPI_Count bytes_x;
    CALL(MPI_Type_commit, type);
    CALL(MPI_Type_size, *type, &bytes);
    CALL(MPI_Type_size_x, *type, &bytes_x);
    CHECK(bytes == bytes_x);
    CALL(MPI_Type_free, type);
    return bytes;
}

void callmix_datatypes(const struct ring *r)
{
    MPI_Datatype t, u;
    const int lens[2] = {1, 2}, at[2] = {0, 3}, sizes[2] = {4, 6}, sub[2] = {2, 3}, start[2] = {1, 1};
    const MPI_Aint bytes_at[2] = {0, 16};
    const MPI_Datatype types[2] = {MPI_INT, MPI_DOUBLE};
    int distribs[1] = {MPI_DISTRIBUTE_BLOCK}, dargs[1] = {MPI_DISTRIBUTE_DFLT_DARG};
    int n, ints[3], nints, naddresses, ntypes, combiner;
    MPI_Aint lower, extent, addresses[1];
    MPI_Count lower_x, extent_x;
    char name[MPI_MAX_OBJECT_NAME];

    CALL(MPI_Type_contiguous, 3, MPI_INT, &t);
    CHECK(size_of(&t) == 12);
    CALL(MPI_Type_vector, 2, 3, 5, MPI_INT, &t);
    CHECK(size_of(&t) == 24);
    CALL(MPI_Type_create_hvector, 2, 1, 32, MPI_DOUBLE, &t);
    CHECK(size_of(&t) == 16);
    CALL(MPI_Type_indexed, 2, lens, at, MPI_INT, &t);
    CHECK(size_of(&t) == 12);
    CALL(MPI_Type_create_hindexed, 2, lens, bytes_at, MPI_INT, &t);
    CHECK(size_of(&t) == 12);
    CALL(MPI_Type_create_indexed_block, 2, 2, at, MPI_INT, &t);
    CHECK(size_of(&t) == 16);
    CALL(MPI_Type_create_hindexed_block, 2, 2, bytes_at, MPI_INT, &t);
    CHECK(size_of(&t) == 16);
    CALL(MPI_Type_create_struct, 2, lens, bytes_at, types, &t);
    CHECK(size_of(&t) == 20);
    CALL(MPI_Type_create_subarray, 2, sizes, sub, start, MPI_ORDER_C, MPI_INT, &t);
    CHECK(size_of(&t) == 24);
    int gsize = 2 * r->size, psize = r->size;
    CALL(MPI_Type_create_darray, r->size, r->rank, 1, &gsize, distribs, dargs, &psize, MPI_ORDER_C, MPI_INT, &t);
    CHECK(size_of(&t) == 8);
    CALL(MPI_Type_create_resized, MPI_INT, 0, 16, &t);
    CALL(MPI_Type_get_extent, t, &lower, &extent);
    CALL(MPI_Type_get_extent_x, t, &lower_x, &extent_x);
    CHECK(extent == 16 && extent_x == 16);
    CALL(MPI_Type_get_true_extent, t, &lower, &extent);
    CALL(MPI_Type_get_true_extent_x, t, &lower_x, &extent_x);
    CHECK(extent == 4 && extent_x == 4);
    CALL(MPI_Type_dup, t, &u);
    CHECK(size_of(&u) == 4);
    CALL(MPI_Type_free, &t);

    CALL(MPI_Type_vector, 2, 3, 5, MPI_INT, &t);
    CALL(MPI_Type_set_name, t, "callmix vector");
    CALL(MPI_Type_get_name, t, name, &n);
    CHECK(strcmp(name, "callmix vector") == 0);
    CALL(MPI_Type_get_envelope, t, &nints, &naddresses, &ntypes, &combiner);
    CHECK(nints == 3 && naddresses == 0 && ntypes == 1 && combiner == MPI_COMBINER_VECTOR);
    CALL(MPI_Type_get_contents, t, 3, 0, 1, ints, addresses, &u);
    CHECK(ints[0] == 2 && ints[1] == 3 && ints[2] == 5 && u == MPI_INT);
    CALL(MPI_Type_free, &t);
    CALL(MPI_Type_match_size, MPI_TYPECLASS_REAL, 8, &t);
    CALL(MPI_Type_size, t, &n);
    CHECK(n == 8);

    CALL(MPI_Type_create_f90_real, 12, MPI_UNDEFINED, &t); /* predefined: not freed */
    CALL(MPI_Type_size, t, &n);
    CHECK(n == 8);
    CALL(MPI_Type_create_f90_integer, 5, &t);
    CALL(MPI_Type_size, t, &n);
    CHECK(n == 4);
    CALL(MPI_Type_create_f90_complex, 12, MPI_UNDEFINED, &t);
    CALL(MPI_Type_size, t, &n);
    CHECK(n == 16);

    int a[4] = {1, 2, 3, 4}, b[4] = {0}, position = 0, packed_bytes;
    char packed[256];
    CALL(MPI_Pack_size, 4, MPI_INT, MPI_COMM_WORLD, &packed_bytes);
    CHECK(packed_bytes <= (int)sizeof packed);
    CALL(MPI_Pack, a, 4, MPI_INT, packed, sizeof packed, &position, MPI_COMM_WORLD);
    CALL(MPI_Sendrecv_replace, packed, position, MPI_PACKED, r->right, 40, r->left, 40, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    position = 0;
    CALL(MPI_Unpack, packed, sizeof packed, &position, b, 4, MPI_INT, MPI_COMM_WORLD);
    CHECK(b[3] == 4);
    MPI_Aint external, external_at = 0;
    CALL(MPI_Pack_external_size, "external32", 4, MPI_INT, &external);
    CHECK(external == 16);
    CALL(MPI_Pack_external, "external32", a, 4, MPI_INT, packed, sizeof packed, &external_at);
    external_at = 0;
    CALL(MPI_Unpack_external, "external32", packed, sizeof packed, &external_at, b, 4, MPI_INT);
    CHECK(b[0] == 1 && b[3] == 4);
}

static int copied, deleted, handled;

static int copy_value(MPI_Comm comm, int key, void *extra, void *in, void *out, int *flag)
{
    (void)comm, (void)key, (void)extra;
    copied++;
    *(void **)out = in;
    *flag = 1;
    return MPI_SUCCESS;
}

static int delete_value(MPI_Comm comm, int key, void *value, void *extra)
{
    (void)comm, (void)key, (void)value, (void)extra;
    deleted++;
    return MPI_SUCCESS;
}

static int delete_type_value(MPI_Datatype type, int key, void *value, void *extra)
{
    (void)type, (void)key, (void)value, (void)extra;
    deleted++;
    return MPI_SUCCESS;
}

static void handle(MPI_Comm *comm, int *code, ...)
{
    (void)comm, (void)code;
    handled++;
}

/* Keeps the larger of two by absolute value. */
static void largest(void *in, void *inout, int *len, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < *len; i++)
        if (abs(((int *)in)[i]) > abs(((int *)inout)[i]))
            ((int *)inout)[i] = ((int *)in)[i];
}

static void attributes_and_errors(const struct ring *r)
{
    MPI_Comm a, b;
    MPI_Datatype type;
    MPI_Errhandler handler, before;
    MPI_Op op;
    int key, type_key, flag, n, class, code, word = -(r->rank + 1), result;
    char text[MPI_MAX_ERROR_STRING];
    void *value;

    copied = deleted = handled = 0;
    CALL(MPI_Comm_dup, MPI_COMM_WORLD, &a);
    CALL(MPI_Comm_create_keyval, copy_value, delete_value, &key, NULL);
    CALL(MPI_Comm_set_attr, a, key, &word);
    CALL(MPI_Comm_dup, a, &b);
    CALL(MPI_Comm_get_attr, b, key, &value, &flag);
    CHECK(flag && value == &word && copied == 1);
    CALL(MPI_Comm_delete_attr, b, key);
    CHECK(deleted == 1);
    CALL(MPI_Comm_free, &b);
    CALL(MPI_Comm_free_keyval, &key);
    CALL(MPI_Comm_get_attr, MPI_COMM_WORLD, MPI_TAG_UB, &value, &flag);
    CHECK(flag && *(int *)value >= 32767);
    CALL(MPI_Type_create_keyval, MPI_TYPE_NULL_COPY_FN, delete_type_value, &type_key, NULL);
    CALL(MPI_Type_contiguous, 2, MPI_INT, &type);
    CALL(MPI_Type_set_attr, type, type_key, &word);
    CALL(MPI_Type_get_attr, type, type_key, &value, &flag);
    CHECK(flag && value == &word);
    CALL(MPI_Type_delete_attr, type, type_key);
    CALL(MPI_Type_free_keyval, &type_key);
    CALL(MPI_Type_free, &type);
    CHECK(deleted == 2);

    CALL(MPI_Comm_set_errhandler, a, MPI_ERRORS_RETURN);
    CALL(MPI_Comm_get_errhandler, a, &before);
    CHECK(before == MPI_ERRORS_RETURN);
    code = CALL(MPI_Send, &word, 1, MPI_INT, r->size + 3, 0, a);
    CHECK(code != MPI_SUCCESS);
    CALL(MPI_Error_class, code, &class);
    CALL(MPI_Error_string, code, text, &n);
    CHECK(class == MPI_ERR_RANK && n > 0);
    CALL(MPI_Comm_create_errhandler, handle, &handler);
    CALL(MPI_Comm_set_errhandler, a, handler);
    CHECK(CALL(MPI_Send, &word, -1, MPI_INT, 0, 0, a) != MPI_SUCCESS);
    CHECK(handled == 1);
    CALL(MPI_Comm_call_errhandler, a, MPI_ERR_OTHER);
    CHECK(handled == 2);
    CALL(MPI_Errhandler_free, &handler);
    CALL(MPI_Add_error_class, &class);
    CALL(MPI_Add_error_code, class, &code);
    CALL(MPI_Add_error_string, code, "callmix error");
    CALL(MPI_Error_string, code, text, &n);
    CHECK(strcmp(text, "callmix error") == 0);
    CALL(MPI_Comm_free, &a); /* deletes the attribute */
    CHECK(deleted == 3);

    CALL(MPI_Op_create, largest, 1, &op);
    CALL(MPI_Op_commutative, op, &flag);
    CHECK(flag);
    CALL(MPI_Allreduce, &word, &result, 1, MPI_INT, op, MPI_COMM_WORLD);
    CHECK(result == -r->size);
    CALL(MPI_Op_free, &op);
}

void callmix_misc(const struct ring *r)
{
    MPI_Info info, copy;
    char key[MPI_MAX_INFO_KEY + 1], value[MPI_MAX_INFO_VAL + 1], text[MPI_MAX_LIBRARY_VERSION_STRING];
    int n, flag, version, subversion, words[2], thread_level;
    MPI_Aint first, second;
    void *memory;

    attributes_and_errors(r);

    CALL(MPI_Info_create, &info);
    CALL(MPI_Info_set, info, "one", "1");
    CALL(MPI_Info_set, info, "two", "2");
    CALL(MPI_Info_get_nkeys, info, &n);
    CHECK(n == 2);
    CALL(MPI_Info_get_nthkey, info, 0, key);
    CALL(MPI_Info_get_valuelen, info, "two", &n, &flag);
    CHECK(flag && n == 1);
    CALL(MPI_Info_get, info, "two", MPI_MAX_INFO_VAL, value, &flag);
    CHECK(flag && strcmp(value, "2") == 0);
    CALL(MPI_Info_dup, info, &copy);
    CALL(MPI_Info_delete, copy, "one");
    CALL(MPI_Info_free, &copy);
    CALL(MPI_Info_free, &info);

    double start = CALL(MPI_Wtime);
    CHECK(CALL(MPI_Wtick) > 0 && CALL(MPI_Wtime) >= start);
    CALL(MPI_Get_processor_name, text, &n);
    CHECK(n > 0);
    CALL(MPI_Get_version, &version, &subversion);
    CHECK(version == MPI_VERSION && subversion == MPI_SUBVERSION);
    CALL(MPI_Get_library_version, text, &n);
    CALL(MPI_Initialized, &flag);
    CHECK(flag);
    CALL(MPI_Finalized, &flag);
    CHECK(!flag);
    CALL(MPI_Query_thread, &thread_level);
    CALL(MPI_Is_thread_main, &flag);
    CHECK(flag);
    CALL(MPI_Pcontrol, 1);
    CALL(MPI_Get_address, &words[0], &first);
    CALL(MPI_Get_address, &words[1], &second);
#ifndef MPI_Aint_diff /* Open MPI has macros and no functions */
    CHECK(CALL(MPI_Aint_diff, second, first) == sizeof(int));
    CHECK(CALL(MPI_Aint_add, first, sizeof(int)) == second);
#endif
    CALL(MPI_Alloc_mem, 64, MPI_INFO_NULL, &memory);
    CALL(MPI_Free_mem, memory);
}

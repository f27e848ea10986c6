static const char *const pm_kinds[] = {
    0,
    "past-end",
    "out-of-range",
    "unknown-case",
    "reserved-nonzero",
    "const-mismatch",
    "check-mismatch",
    "crc-mismatch",
    "nonzero-padding",
    "bad-string",
    "not-finite",
    "non-unit",
    "non-canonical",
    "not-increasing",
    "trailing-bytes",
    "datagram-size",
    "rule-broken",
    "fragment",
    "over-budget",
};
static const char *const pm_paths[] = {
    "sum",
    "kind",
    "body",
    "body.n",
    "body.require@14",
    "body.path",
    "body.path[]",
    "body.size",
    "body.within#1",
    "body.text",
    "",
    "level",
    "scale",
};
static const pm_op pm_ops[] = {
    {PM_CRC, 0, 1, 0, 0, 0, 0x0u, 0},
    {PM_RUN, 0, 1, 1, 3, 44, 0x0u, 1},
    {PM_SWITCH, 4, 1, 0, 0, 0, 0x0u, 2},
    {PM_NUMBER, 0, 1, 4, 0, 0, 0x0u, 3},
    {PM_REQUIRE, 0, 1, 1, 0, 0, 0x0u, 4},
    {PM_ARRAY, 8, 1, 0, 8, 2, 0x4u, 5},
    {PM_RUN, 0, 1, 5, 1, 4, 0x1u, 6},
    {PM_NEXT, 0, 1, 5, 0, 0, 0x0u, 5},
    {PM_JUMP, 0, 1, 15, 0, 0, 0x0u, 2},
    {PM_RUN, 0, 1, 6, 1, 8, 0x2u, 7},
    {PM_SAVE, 0, 1, 2, 0, 0, 0x0u, 7},
    {PM_WINDOW, 0, 1, 3, 0, 8, 0x0u, 8},
    {PM_BLOB, 0, 1, 0, 0, 0, 0x0u, 9},
    {PM_CLOSE, 0, 1, 0, 0, 0, 0x0u, 8},
    {PM_JUMP, 0, 1, 15, 0, 0, 0x0u, 2},
    {PM_END, 0, 1, 0, 0, 0, 0x0u, 10},
};
static const pm_range pm_ranges[] = {
    {0x1u, 0x1u},
    {0x4u, 0x4u},
    {0x3f000000u, 0x40000000u},
    {0x1u, 0x14u},
};
static const pm_leaf pm_leaves[] = {
    {0, 0, 16, 0, PM_SEALED, 0, 0, 0, 0, 0, 0x0u, 0xffffu, 0x0u, 0x0u, 0, 0, 0, 0},
    {0, 1, 8, 0, PM_CASES, 0, 0, 0, 0, 0, 0x0u, 0xffu, 0x0u, 0x0u, 0, 2, 2, 0},
    {8, 11, 4, 0, PM_PLAIN, 0, 0, 0, 1, 0, 0xfffffffffffffffdu, 0xcu, 0x0u, 0x0u, 2, 0, 2, 0},
    {12, 12, 32, 0, PM_PLAIN, 0, 5, 0, 0, 1, 0x0u, 0xffffffffu, 0x0u, 0x7f800000u, 2, 0, 2, 1},
    {0, 3, 14, 0, PM_PLAIN, 0, 0, 0, 0, 0, 0x0u, 0x3fffu, 0x0u, 0x0u, 3, 0, 3, 0},
    {0, 6, 4, 0, PM_PLAIN, 0, 0, 0, 0, 0, 0x0u, 0xfu, 0x0u, 0x0u, 3, 0, 3, 0},
    {0, 7, 8, 0, PM_PLAIN, 0, 1, 0, 0, 0, 0x0u, 0xffu, 0x0u, 0x0u, 3, 0, 3, 1},
};
static const pm_operand pm_operands[] = {
    {PM_LEAF, 0, 0, 0, 0, 0, 0x0u},
    {PM_EXPRESSION, 0, 0, 0, 0, 3, 0x0u},
    {PM_REGISTER, 0, 0, 0, 1, 0, 0x0u},
    {PM_REGISTER, 0, 0, 0, 2, 0, 0x0u},
};
static const pm_inst pm_insts[] = {
    {PM_I_REGISTER, 0, 0, 1, 0, 0x0u},
    {PM_I_CONST, 0, 0, 0, 0, 0x4u},
    {PM_I_LE, 0, 0, 0, 0, 0x0u},
};
static const pm_row pm_rows[] = {
    {0, 0, 0},
};
static const pm_number pm_numbers[] = {
    {2, 0, 0, 0, 0, 1, -1, 0x0u, 0x0u, 14},
};
static const pm_blob pm_blobs[] = {
    {0, 1, 0, 1, -1, 20, 8, 0, 0},
};
static const pm_switch pm_switches[] = {
    {0, 0, 0, 0, 0, 2, 15},
};
static const pm_row pm_arms[] = {
    {0x1u, 0x1u, 3},
    {0x4u, 0x4u, 9},
};
static const pm_part pm_parts[] = {
    {-1, 2, 0, 0x1234u},
};
static const pm_checksum pm_checksums[] = {
    {PM_SUM_CRC, 16, 0, 0, 0, 0, 1, 0, 0x1021u, 0x0u, 0x0u, 0x0u, -1, -1, 0, 1, 0},
};
static const uint8_t pm_sum_orders[] = {
    1,
};
static const uint8_t pm_bounds[] = {
    0,
};

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#ifdef __cplusplus
#define PM_API extern "C"
extern "C" size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
#else
#define PM_API
extern size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
#endif
#if defined(__ELF__) && !defined(_WIN32)
#pragma weak LLVMFuzzerMutate
#define PM_LIBFUZZER (LLVMFuzzerMutate != 0)
#else
#define PM_LIBFUZZER 0
#endif

// Who sends the packets: 0 any, 1 the client, 2 the server.
#ifndef PKTSCOPE_MUTATOR_FROM
#define PKTSCOPE_MUTATOR_FROM 0
#endif

// What is repaired after a mutation; see pktscope_mutator_repairs.
enum { PM_REPAIR_VALUES = 1, PM_REPAIR_COUNTS = 2, PM_REPAIR_SUMS = 4, PM_REPAIR_PADDING = 8, PM_REPAIR_ALL = 15 };

// What a row of the tables is. The rows come from the plan; the code behind them is the same for each protocol.
typedef struct { // one op of the plan: its operands are those that `pktscope schema plan` prints
    uint8_t code, flags, order;
    uint32_t a, b, c;
    uint64_t imm;
    uint32_t path;
} pm_op;

typedef struct { // a number: where it is in its run, what its codes mean and which are accepted
    uint32_t off, path;
    uint8_t width, swap, kind, any, rule, sign, negative, in_codes; // in_codes: the rule's set has codes, not values
    uint64_t base, span, want, exponent;
    uint32_t cases, ncases, set, nset;
} pm_leaf;

typedef struct { uint64_t lo, hi; } pm_range;
typedef struct { uint8_t kind, is_signed, looks, extend; uint32_t a, b; uint64_t value; } pm_operand;
typedef struct { uint8_t code, sx, sy; uint32_t a, n; uint64_t imm; } pm_inst; // a set or table: rows a … a+n-1, imm for others
typedef struct { uint64_t lo, hi, value; } pm_row;
typedef struct { uint8_t kind, is_signed, any, ends; uint32_t operand; int32_t reg, previous; uint64_t lo, most; int bits; } pm_number;
typedef struct { uint8_t text, rest, rule, encoding; int32_t size; uint32_t max, unit, n; const uint32_t *units; } pm_blob;
typedef struct { uint8_t is_signed, tail; int32_t reg; uint32_t look, first, n, behind; } pm_switch; // its arms are rows: value is an op
typedef struct { int32_t reg; uint8_t size, big; uint64_t value; } pm_part;
typedef struct { // a checksum: of `sum` 0 a CRC, else one of PM_SUM_…
    uint8_t sum, width, swap, windowed, ref_in, ref_out, around, own;
    uint64_t poly, init, final, x;
    int32_t from, to;
    uint32_t part, prefixes, suffixes;
} pm_checksum;
enum { PM_SUM_CRC, PM_SUM_BYTES, PM_SUM_XOR, PM_SUM_FLETCHER, PM_SUM_FLETCHER32, PM_SUM_INTERNET };
enum { PM_PLAIN, PM_CASES, PM_FLAGS, PM_CHECK, PM_RESERVED_BITS, PM_SEALED };
enum { PM_NO_RULE, PM_IN, PM_EQ, PM_NE, PM_FINITE, PM_FLOAT_IN };
enum { PM_CONSTANT, PM_REGISTER, PM_EXPRESSION, PM_LEAF };


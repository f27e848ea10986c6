// A packet that was read or written is a tape: a record for each number, text, checksum and gap in the order of the
// wire, and around them the lists and their elements, whose records end at `end`.
enum { PM_T_LEAF, PM_T_NUMBER, PM_T_BLOB, PM_T_GAP, PM_T_LIST, PM_T_ELEMENT, PM_T_SUM, PM_T_FLAG, PM_T_LOOK };
enum { // flags of a record
    PM_SIZES = 1, // its number says how large something is
    PM_TAG = 2, // its number chooses the arm of a switch
    PM_WANT = 4, // it has n elements or bytes, and the number that says how many follows
    PM_FORCED = 8, // its number is wrong on purpose, and what depends on it follows
    PM_BEHIND = 16 // it is in the zeros behind the end of a window, which the packet does not have
};
typedef struct {
    uint32_t op, sub, end, leaf, width, off, n;
    uint8_t type, flags;
    int64_t bit;
    uint64_t code;
} pm_record;
typedef struct {
    uint32_t n;
    pm_record r[PM_RECORDS];
} pm_tape;
typedef struct {
    uint32_t op, rec, element, cur, lim, outer_cur, outer_lim, aim;
    uint64_t left, n;
    int have;
} pm_loop;
typedef struct {
    int64_t end, zero, start, size, run;
    uint32_t seal;
} pm_window;
typedef struct {
    uint32_t sum;
    int64_t bit, from, to; // bytes that are covered; to -1 is the end of the packet, -2 of a window that is open
    uint64_t value[8];
} pm_seal;
typedef struct {
    const uint8_t *data; // what is read, and of a writer what was written
    uint8_t *out;
    int64_t room; // bits of data, and of out
    int writing, frugal, repairs, full, again, stop;
    int64_t bit, end, zero, clip;
    pm_tape *in, *tape;
    uint32_t pc, cur, lim, run, steps, solved;
    uint64_t reg[PM_REGISTERS];
    uint32_t src[PM_REGISTERS]; // the record that a register's value is from, and 1; 0 of none
    int32_t let[PM_REGISTERS];  // the operand that it was computed by; -1 of none
    pm_loop loop[PM_LOOPS];
    pm_window window[PM_WINDOWS];
    uint32_t loops, windows; // that are open
    pm_seal seal[PM_SEALS];
    uint32_t seals;
    int kind; // why the packet is refused, and where; 0 of an accepted one
    int64_t at;
    uint32_t width, path;
} pm_machine;

static uint64_t pm_state = 1;

static uint64_t pm_random(void) { // splitmix64
    uint64_t z = (pm_state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static uint64_t pm_below(uint64_t n) { return n ? pm_random() % n : 0; }
static int64_t pm_min(int64_t a, int64_t b) { return a < b ? a : b; }
static uint64_t pm_mask(int64_t n) { return n >= 64 ? ~(uint64_t)0 : n <= 0 ? 0 : ((uint64_t)1 << n) - 1; }
static int pm_bits(uint64_t v) {
    int n = 0;
    while (v) n++, v >>= 1;
    return n;
}
static uint64_t pm_shl(uint64_t v, int64_t n) { return n >= 64 ? 0 : v << n; }
static uint64_t pm_turn(uint64_t v, int width) { // the bytes of v the other way round
    uint64_t r = 0;
    for (int i = 0; i < width; i += 8) r |= ((v >> i) & 0xff) << (width - 8 - i);
    return r;
}
static uint64_t pm_reverse(uint64_t v, int width) {
    uint64_t r = 0;
    for (int i = 0; i < width; i++) r |= ((v >> i) & 1) << (width - 1 - i);
    return r;
}

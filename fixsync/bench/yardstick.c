/* What touching the data and sorting it once costs: the work that no broad phase can do without. */
#include <stdint.h>
#include <string.h>

/* Copies n records of 32 bytes, then sorts n keys of 32 bits in three passes of 11, 11 and 10 bits; spare has room for n keys. The
 * sorted keys end up in `spare`. */
void yardstick(uint64_t n, const uint8_t *records, uint8_t *copy, uint32_t *keys, uint32_t *spare) {
    static const uint32_t SHIFT[3] = {0, 11, 22};
    uint32_t count[3][2048];
    memset(count, 0, sizeof count);
    memcpy(copy, records, n * 32);
    for (uint64_t i = 0; i < n; i++) {
        for (int pass = 0; pass < 3; pass++) {
            count[pass][keys[i] >> SHIFT[pass] & 2047]++;
        }
    }
    for (int pass = 0; pass < 3; pass++) {
        uint32_t sum = 0;
        for (int digit = 0; digit < 2048; digit++) {
            uint32_t here = count[pass][digit];
            count[pass][digit] = sum;
            sum += here;
        }
        for (uint64_t i = 0; i < n; i++) {
            spare[count[pass][keys[i] >> SHIFT[pass] & 2047]++] = keys[i];
        }
        uint32_t *swap = keys;
        keys = spare;
        spare = swap;
    }
}

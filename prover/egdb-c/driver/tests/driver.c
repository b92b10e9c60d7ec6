/* Every function of the driver, with the 8x8 database of the cover 4:2 in the directory given. Then it
 * reads positions, `black white kings color`, and writes their values: of the first look-up and of a
 * cached one, in both forms. */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "egdb.h"

#define SQUARE(n) (1u << ((n) - 1))

static char last_message[512];

static void keep_message(char *message) {
    assert(message[strlen(message) - 1] == '\n');
    snprintf(last_message, sizeof last_message, "%s", message);
}

static EGDB_DRIVER *open_driver(EGDB_BITBOARD_TYPE type, const char *directory, int pieces) {
    EGDB_DRIVER *handle = egdb_open(type, pieces, 64, directory, keep_message);
    if (handle == NULL) fprintf(stderr, "%s", last_message);
    assert(handle != NULL && strstr(last_message, "4:2") != NULL);
    return handle;
}

static int look_up(EGDB_DRIVER *handle, EGDB_NORMAL_BITBOARD normal, int color, int cl) {
    EGDB_BITBOARD position = {.normal = normal};
    return handle->lookup(handle, &position, color, cl);
}

static unsigned int reversed(unsigned int set) {
    unsigned int turned = 0;
    for (int square = 0; square < 32; square++)
        if (set >> square & 1) turned |= 1u << (square / 4 * 4 + 3 - square % 4);
    return turned;
}

static EGDB_BITBOARD reverse_rows(EGDB_NORMAL_BITBOARD normal) {
    EGDB_BITBOARD position = {.row_reversed = {
                                  reversed(normal.black & ~normal.king),
                                  reversed(normal.black & normal.king),
                                  reversed(normal.white & ~normal.king),
                                  reversed(normal.white & normal.king),
                              }};
    return position;
}

static void identifying_and_opening(const char *directory) {
    EGDB_TYPE type = EGDB_KINGSROW_WLD;
    int pieces = 0;
    assert(egdb_identify("/nowhere", &type, &pieces) != 0);
    assert(egdb_identify(NULL, &type, &pieces) != 0);
    assert(type == EGDB_KINGSROW_WLD && pieces == 0);
    assert(egdb_identify(directory, NULL, NULL) == 0);
    assert(egdb_identify(directory, &type, &pieces) == 0);
    assert(type == EGDB_KINGSROW32_WLD_TUN && pieces == 4);

    assert(egdb_open(EGDB_NORMAL, 4, 64, "/nowhere", keep_message) == NULL);
    assert(strstr(last_message, "no database here") != NULL);
    assert(egdb_open(EGDB_NORMAL, 4, 64, NULL, NULL) == NULL);
    assert(egdb_open(EGDB_NORMAL, 5, 64, directory, keep_message) == NULL);
    assert(strstr(last_message, "pieces: expected 1 to 4") != NULL);
    assert(egdb_open(EGDB_NORMAL, 0, 64, directory, keep_message) == NULL);
    assert(egdb_open((EGDB_BITBOARD_TYPE)2, 4, 64, directory, keep_message) == NULL);
    assert(strstr(last_message, "bitboard type") != NULL);
}

static void values_and_counts(const char *directory) {
    EGDB_DRIVER *handle = open_driver(EGDB_NORMAL, directory, 4);
    /* W:W31,10:B3,1, the longest win with four pieces. */
    EGDB_NORMAL_BITBOARD longest = {SQUARE(3) | SQUARE(1), SQUARE(31) | SQUARE(10), 0};
    assert(look_up(handle, longest, EGDB_WHITE, 1) == EGDB_NOT_IN_CACHE);
    assert(look_up(handle, longest, EGDB_WHITE, 0) == EGDB_WIN);
    assert(look_up(handle, longest, EGDB_WHITE, 1) == EGDB_WIN);
    /* Two kings far apart; a man that stands to be taken. */
    EGDB_NORMAL_BITBOARD draw = {SQUARE(32), SQUARE(1), SQUARE(32) | SQUARE(1)};
    assert(look_up(handle, draw, EGDB_BLACK, 0) == EGDB_DRAW);
    EGDB_NORMAL_BITBOARD jump = {SQUARE(10), SQUARE(15), 0};
    assert(look_up(handle, jump, EGDB_BLACK, 0) == EGDB_WIN);
    assert(look_up(handle, jump, EGDB_WHITE, 0) == EGDB_WIN);
    /* Three of a side are not covered; a side without pieces is not stored. */
    EGDB_NORMAL_BITBOARD three = {SQUARE(1) | SQUARE(2) | SQUARE(3), SQUARE(32), 0};
    three.king = three.black | three.white;
    assert(look_up(handle, three, EGDB_BLACK, 0) == EGDB_UNKNOWN);
    EGDB_NORMAL_BITBOARD nothing = {0, SQUARE(15), 0};
    assert(look_up(handle, nothing, EGDB_BLACK, 0) == EGDB_UNKNOWN);
    EGDB_STATS *stats = handle->get_stats(handle);
    assert(stats->db_requests == 8 && stats->db_returns == 5 && stats->db_not_present_requests == 2);
    assert(stats->lru_cache_hits + stats->lru_cache_loads == 5 && stats->autoload_hits == 0);
    handle->reset_stats(handle);
    assert(stats->db_requests == 0 && stats->db_returns == 0);

    /* No positions. */
    EGDB_NORMAL_BITBOARD overlap = {SQUARE(10), SQUARE(10), 0}, crowned = {SQUARE(30), SQUARE(10), 0};
    assert(look_up(handle, overlap, EGDB_BLACK, 0) == EGDB_UNKNOWN);
    assert(look_up(handle, crowned, EGDB_BLACK, 0) == EGDB_UNKNOWN);
    assert(look_up(handle, draw, 2, 0) == EGDB_UNKNOWN);
    assert(handle->lookup(handle, NULL, EGDB_BLACK, 0) == EGDB_UNKNOWN);
    EGDB_NORMAL_BITBOARD five = {SQUARE(1) | SQUARE(2) | SQUARE(3), SQUARE(31) | SQUARE(32), 0};
    assert(look_up(handle, five, EGDB_BLACK, 0) == EGDB_SUBDB_UNAVAILABLE);
    assert(handle->close(handle) == 0);

    /* Fewer pieces than there are. A man and a king on one square are no position. */
    handle = open_driver(EGDB_ROW_REVERSED, directory, 3);
    EGDB_BITBOARD position = reverse_rows(longest);
    assert(handle->lookup(handle, &position, EGDB_WHITE, 0) == EGDB_SUBDB_UNAVAILABLE);
    position = reverse_rows(draw);
    assert(position.row_reversed.black_king == SQUARE(29) && position.row_reversed.white_king == SQUARE(4));
    assert(handle->lookup(handle, &position, EGDB_WHITE, 0) == EGDB_DRAW);
    position.row_reversed.black_man = position.row_reversed.black_king;
    assert(handle->lookup(handle, &position, EGDB_WHITE, 0) == EGDB_UNKNOWN);
    assert(handle->close(handle) == 0 && handle->close(NULL) != 0);
}

static void verifying(const char *directory) {
    EGDB_DRIVER *handle = open_driver(EGDB_NORMAL, directory, 4);
    assert(handle->verify(handle) == 0);
    /* One byte of a file is not as it was. */
    char path[512];
    snprintf(path, sizeof path, "%s/8x8/0-1-0-1", directory);
    FILE *file = fopen(path, "r+b");
    assert(file != NULL && fseek(file, -1, SEEK_END) == 0);
    int byte = fgetc(file);
    assert(fseek(file, -1, SEEK_END) == 0 && fputc(byte ^ 1, file) == (byte ^ 1) && fflush(file) == 0);
    assert(handle->verify(handle) != 0 && strstr(last_message, "8x8/0-1-0-1") != NULL);
    /* A fault during a look-up is reported, and is no value. */
    EGDB_NORMAL_BITBOARD draw = {SQUARE(32), SQUARE(1), SQUARE(32) | SQUARE(1)};
    last_message[0] = 0;
    assert(look_up(handle, draw, EGDB_BLACK, 0) == EGDB_UNKNOWN && last_message[0] != 0);
    assert(fseek(file, -1, SEEK_END) == 0 && fputc(byte, file) == byte && fclose(file) == 0);
    assert(handle->verify(handle) == 0 && handle->close(handle) == 0);
}

int main(int argc, char **argv) {
    assert(argc == 2);
    identifying_and_opening(argv[1]);
    values_and_counts(argv[1]);
    verifying(argv[1]);

    EGDB_DRIVER *normal = open_driver(EGDB_NORMAL, argv[1], 4);
    EGDB_DRIVER *row_reversed = open_driver(EGDB_ROW_REVERSED, argv[1], 4);
    EGDB_NORMAL_BITBOARD given;
    int color;
    while (scanf("%u %u %u %d", &given.black, &given.white, &given.king, &color) == 4) {
        EGDB_BITBOARD turned = reverse_rows(given);
        int value = look_up(normal, given, color, 0), cached = look_up(normal, given, color, 1);
        int other = row_reversed->lookup(row_reversed, &turned, color, 0);
        printf("%d %d %d\n", value, cached, other);
    }
    assert(normal->close(normal) == 0 && row_reversed->close(row_reversed) == 0);
    return 0;
}

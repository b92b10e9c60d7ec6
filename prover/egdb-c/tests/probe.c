/* Every function of the library, with the 8x8 database of the cover 4:2 in the directory given. */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "draughtproof_egdb.h"

#define SQUARE(n) (1u << ((n) - 1))

static int probe(const egdb_database *database, egdb_position position) {
    char error[256] = "";
    int value = egdb_probe(database, position, error, sizeof error);
    if (value == EGDB_ERROR) fprintf(stderr, "%s\n", error);
    return value;
}

/* Counts calls; stops when there were as many as wanted. */
struct calls {
    int count, most;
    uint64_t done, total;
};

static int count_call(void *context, uint64_t done, uint64_t total) {
    struct calls *calls = context;
    assert(done > calls->done && done <= total);
    calls->done = done, calls->total = total;
    return ++calls->count == calls->most;
}

static void files(const char *directory) {
    char error[256] = "";
    egdb_identity identity;
    assert(egdb_identify("/nowhere", 0, 0, &identity, error, sizeof error) == 0);
    assert(egdb_identify(directory, 6, 6, &identity, error, sizeof error) == 0);
    assert(egdb_identify(directory, 9, 9, &identity, error, sizeof error) == EGDB_ERROR);
    assert(strstr(error, "9x9 is none") != NULL);
    assert(egdb_identify(NULL, 8, 8, NULL, NULL, 0) == EGDB_ERROR);
    assert(egdb_identify(directory, 8, 8, NULL, NULL, 0) == 1);
    assert(egdb_identify(directory, 0, 0, &identity, error, sizeof error) == 1);
    assert(identity.rows == 8 && identity.columns == 8 && identity.pieces == 4);
    assert(strcmp(identity.cover, "4:2") == 0 && strlen(identity.root) == 64);

    struct calls calls = {0, 0, 0, 0};
    assert(egdb_verify(directory, 8, 8, count_call, &calls, error, sizeof error) == 0);
    assert(calls.count == (int)identity.slices && calls.done == calls.total);
    assert(calls.total == identity.bytes);
    struct calls stopped = {0, 2, 0, 0};
    assert(egdb_verify(directory, 8, 8, count_call, &stopped, NULL, 0) == EGDB_STOPPED);
    assert(stopped.count == 2);

    /* One byte of a file is not as it was. */
    char path[512];
    snprintf(path, sizeof path, "%s/8x8/0-1-0-1", directory);
    FILE *file = fopen(path, "r+b");
    assert(file != NULL && fseek(file, -1, SEEK_END) == 0);
    int byte = fgetc(file);
    assert(fseek(file, -1, SEEK_END) == 0 && fputc(byte ^ 1, file) == (byte ^ 1) && fflush(file) == 0);
    assert(egdb_verify(directory, 8, 8, NULL, NULL, error, sizeof error) == EGDB_ERROR);
    assert(strstr(error, "8x8/0-1-0-1") != NULL);
    assert(fseek(file, -1, SEEK_END) == 0 && fputc(byte, file) == byte && fclose(file) == 0);
    assert(egdb_verify(directory, 8, 8, NULL, NULL, error, sizeof error) == 0);
}

static void bounds_and_depths(const egdb_database *database) {
    int lower, upper;
    egdb_position position;
    char error[256] = "";
    /* The longest win with four pieces. */
    assert(egdb_read_fen(database, "W:W31,10:B3,1", &position, NULL, 0) == 0);
    assert(egdb_bounds(database, position, &lower, &upper, NULL, 0) == 0);
    assert(lower == EGDB_WIN && upper == EGDB_WIN);
    assert(egdb_depth(database, position, NULL, 0) > 0);
    assert(egdb_plies(database, position, NULL, 0) > egdb_depth(database, position, NULL, 0));
    assert(egdb_bounds(database, position, NULL, NULL, NULL, 0) == 0);
    /* A draw has no depth. */
    assert(egdb_read_fen(database, "B:WK1:BK32", &position, NULL, 0) == 0);
    assert(egdb_depth(database, position, NULL, 0) == EGDB_NO_DEPTH);
    assert(egdb_plies(database, position, NULL, 0) == EGDB_NO_DEPTH);
    /* Three kings of a side are not covered; after a capture two against one are. */
    assert(egdb_read_fen(database, "B:WK32:BK1,K2,K3", &position, NULL, 0) == 0);
    assert(egdb_bounds(database, position, &lower, &upper, NULL, 0) == 0);
    assert(lower == EGDB_LOSS && upper == EGDB_WIN);
    assert(egdb_read_fen(database, "W:WK6:BK1,K2,K9", &position, NULL, 0) == 0);
    assert(egdb_probe(database, position, NULL, 0) == EGDB_UNKNOWN);
    assert(egdb_bounds(database, position, &lower, &upper, NULL, 0) == 0);
    assert(lower <= upper && !(lower == EGDB_LOSS && upper == EGDB_WIN));
    /* A side without a piece has lost by the rules. */
    egdb_position nothing = {0, SQUARE(15), 0, 0};
    assert(egdb_bounds(database, nothing, &lower, &upper, NULL, 0) == 0);
    assert(lower == EGDB_LOSS && upper == EGDB_LOSS);
    egdb_position overlap = {SQUARE(10), SQUARE(10), 0, 0};
    assert(egdb_bounds(database, overlap, &lower, &upper, error, sizeof error) == EGDB_INVALID);
    assert(egdb_depth(database, overlap, NULL, 0) == EGDB_INVALID);
    assert(egdb_depth(NULL, overlap, NULL, 0) == EGDB_INVALID);
    assert(egdb_probe_cached(NULL, overlap, NULL, 0) == EGDB_INVALID);
}

static void text_and_moves(const egdb_database *database) {
    char error[256] = "", fen[64] = "";
    egdb_position position;
    egdb_move moves[16];
    assert(egdb_read_fen(database, "B:W18,24,K30:B12,K16", &position, error, sizeof error) == 0);
    assert(position.black == (SQUARE(12) | SQUARE(16)) && position.kings == (SQUARE(30) | SQUARE(16)));
    assert(egdb_write_fen(database, position, fen, sizeof fen) == 20);
    assert(strcmp(fen, "B:W18,24,K30:B12,K16") == 0);
    assert(egdb_write_fen(database, position, fen, 4) == 20 && strcmp(fen, "B:W") == 0);
    assert(egdb_read_fen(database, "B:W18:B33", &position, error, sizeof error) == EGDB_INVALID);
    assert(strstr(error, "character 8") != NULL);
    assert(egdb_read_fen(database, NULL, &position, NULL, 0) == EGDB_INVALID);

    assert(egdb_read_fen(database, "W:W31,10:B3,1", &position, NULL, 0) == 0);
    int count = egdb_moves(database, position, moves, 16, error, sizeof error);
    assert(count == 4 && moves[0].lower == EGDB_WIN);
    assert(moves[0].depth == egdb_depth(database, position, NULL, 0));
    for (int n = 1; n < count; n++) assert(moves[n].lower <= moves[n - 1].lower);
    /* The value after the best move is the other side's loss. */
    assert(probe(database, moves[0].after) == EGDB_LOSS && moves[0].after.white_to_move == 0);
    memset(moves, 0, sizeof moves);
    assert(egdb_moves(database, position, moves, 1, NULL, 0) == count);
    assert(moves[0].name[0] != 0 && moves[1].name[0] == 0);
    assert(egdb_moves(database, position, NULL, 0, NULL, 0) == count);
    assert(egdb_moves(database, position, NULL, 1, NULL, 0) == EGDB_INVALID);
    egdb_position jump = {SQUARE(10), SQUARE(15), 0, 0};
    assert(egdb_moves(database, jump, moves, 16, NULL, 0) == 1);
    assert(strcmp(moves[0].name, "10x19") == 0 && moves[0].lower == EGDB_WIN);
}

int main(int argc, char **argv) {
    char error[256] = "";
    assert(argc == 2);
    assert(egdb_open("/nowhere", 8, 8, 1 << 20, 0, error, sizeof error) == NULL);
    assert(strstr(error, "no database here") != NULL);
    assert(egdb_open(argv[1], 9, 9, 1 << 20, 0, NULL, 0) == NULL);

    files(argv[1]);
    for (int mode = EGDB_CACHED; mode <= EGDB_MAPPED; mode++) {
        egdb_database *database = egdb_open(argv[1], 8, 8, 1 << 28, mode, error, sizeof error);
        if (database == NULL) {
            fprintf(stderr, "%s\n", error);
            return 1;
        }
        char cover[8] = "";
        assert(egdb_pieces(database) == 4);
        assert(egdb_cover(database, cover, sizeof cover) == 3 && strcmp(cover, "4:2") == 0);
        assert(egdb_cover(database, cover, 2) == 3 && strcmp(cover, "4") == 0);
        assert(egdb_cover(database, NULL, 0) == 3 && egdb_cover(NULL, NULL, 0) == EGDB_INVALID);

        /* W:W31,10:B3,1, the longest win with four pieces, and the same for the other side. */
        egdb_position longest = {SQUARE(3) | SQUARE(1), SQUARE(31) | SQUARE(10), 0, 1};
        int cached = egdb_probe_cached(database, longest, error, sizeof error);
        assert(cached == (mode == EGDB_CACHED ? EGDB_NOT_CACHED : EGDB_WIN));
        assert(probe(database, longest) == EGDB_WIN);
        assert(egdb_probe_cached(database, longest, error, sizeof error) == EGDB_WIN);
        /* B:WK1:BK32, two kings far apart. */
        egdb_position draw = {SQUARE(32), SQUARE(1), SQUARE(32) | SQUARE(1), 0};
        assert(probe(database, draw) == EGDB_DRAW);
        /* B:W15:B10, a jump that takes the last piece. */
        egdb_position jump = {SQUARE(10), SQUARE(15), 0, 0};
        assert(probe(database, jump) == EGDB_WIN);
        /* No piece of the side to move; two pieces on a square; a man where it would be crowned. */
        egdb_position nothing = {0, SQUARE(15), 0, 0};
        assert(probe(database, nothing) == EGDB_UNKNOWN);
        /* B:WK32:BK1,K2,K3, more pieces of a side than the database has. */
        egdb_position three = {SQUARE(1) | SQUARE(2) | SQUARE(3), SQUARE(32), 0, 0};
        three.kings = three.black | three.white;
        assert(probe(database, three) == EGDB_UNKNOWN);
        egdb_position overlap = {SQUARE(10), SQUARE(10), 0, 0};
        assert(probe(database, overlap) == EGDB_INVALID);
        egdb_position crowned = {SQUARE(30), SQUARE(10), 0, 0};
        assert(probe(database, crowned) == EGDB_INVALID);

        egdb_position batch[4] = {longest, draw, overlap, jump};
        int values[4];
        assert(egdb_probe_batch(database, batch, 4, values, error, sizeof error) == 0);
        assert(values[0] == EGDB_WIN && values[1] == EGDB_DRAW);
        assert(values[2] == EGDB_INVALID && values[3] == EGDB_WIN);
        assert(egdb_probe_batch(database, NULL, 0, NULL, NULL, 0) == 0);
        bounds_and_depths(database);
        text_and_moves(database);
        egdb_close(database);
    }
    egdb_close(NULL);
    assert(egdb_probe(NULL, (egdb_position){0}, NULL, 0) == EGDB_INVALID);
    puts("all values as expected");
    return 0;
}

// A stand-in for NCCL, for machines without several GPUs: ranks are threads of one process, and messages are copied through
// host memory by the CUDA driver. As in NCCL, sends and receives of a group are begun together, in the order of a stream.
// With STAND_IN_FAILS=N in the environment the Nth exchange of rank 0 fails. Who then waits for messages would do so for ever.
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

typedef struct { char bytes[128]; } Id;
typedef struct { int rank, size; } Group;
typedef struct Letter { int from, to; size_t bytes; void* data; struct Letter* next; } Letter;
typedef struct { int receives, peer, rank; unsigned long long at; size_t bytes; void* stream; } Call;

int cuMemcpyDtoH_v2(void* to, unsigned long long from, size_t bytes);
int cuMemcpyHtoD_v2(unsigned long long to, const void* from, size_t bytes);
int cuStreamSynchronize(void* stream);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t arrived = PTHREAD_COND_INITIALIZER;
static Letter* post;
static int failed;
static __thread int exchanges;
static __thread Call calls[64];
static __thread int called, depth;

int ncclGetVersion(int* version) { *version = 22105; return 0; }
const char* ncclGetErrorString(int status) { return status == 0 ? "no error" : "a mistake of the caller"; }
int ncclGetUniqueId(Id* id) { memset(id->bytes, 42, sizeof id->bytes); return 0; }

int ncclCommInitRank(Group** group, int size, Id id, int rank) {
    for (int i = 0; i < 128; i++) if (id.bytes[i] != 42) return 5;
    if (rank < 0 || rank >= size) return 4;
    *group = malloc(sizeof(Group));
    **group = (Group){rank, size};
    return 0;
}

int ncclCommDestroy(Group* group) { if (failed) abort(); free(group); return 0; }
int ncclCommAbort(Group* group) { free(group); return 0; }
int ncclGroupStart(void) { depth++; return 0; }

static int add(int receives, unsigned long long at, size_t count, int type, int peer, Group* group, void* stream) {
    if (depth == 0 || type != 1 || called == 64 || peer < 0 || peer >= group->size) return 4;
    calls[called++] = (Call){receives, peer, group->rank, at, count, stream};
    return 0;
}

int ncclSend(const void* at, size_t count, int type, int peer, Group* group, void* stream) {
    return add(0, (unsigned long long)at, count, type, peer, group, stream);
}

int ncclRecv(void* at, size_t count, int type, int peer, Group* group, void* stream) {
    return add(1, (unsigned long long)at, count, type, peer, group, stream);
}

static Letter* take(int from, int to) {
    for (;;) {
        for (Letter** at = &post; *at; at = &(*at)->next) {
            Letter* letter = *at;
            if (letter->from == from && letter->to == to) {
                *at = letter->next;
                return letter;
            }
        }
        pthread_cond_wait(&arrived, &lock);
    }
}

int ncclGroupEnd(void) {
    int status = 0;
    depth--;
    for (int i = 0; i < called; i++) {
        Call call = calls[i];
        if (cuStreamSynchronize(call.stream)) status = 1;
        if (call.receives) continue;
        Letter* letter = malloc(sizeof(Letter));
        *letter = (Letter){call.rank, call.peer, call.bytes, malloc(call.bytes), NULL};
        if (cuMemcpyDtoH_v2(letter->data, call.at, call.bytes)) status = 1;
        pthread_mutex_lock(&lock);
        Letter** last = &post;
        while (*last) last = &(*last)->next;
        *last = letter;
        pthread_cond_broadcast(&arrived);
        pthread_mutex_unlock(&lock);
    }
    for (int i = 0; i < called; i++) {
        Call call = calls[i];
        if (!call.receives) continue;
        pthread_mutex_lock(&lock);
        Letter* letter = take(call.peer, call.rank);
        pthread_mutex_unlock(&lock);
        if (letter->bytes != call.bytes || cuMemcpyHtoD_v2(call.at, letter->data, call.bytes)) status = 4;
        free(letter->data);
        free(letter);
    }
    const char* fails = getenv("STAND_IN_FAILS");
    if (fails && called > 0 && calls[0].rank == 0 && ++exchanges == atoi(fails)) failed = status = 1;
    called = 0;
    return status;
}

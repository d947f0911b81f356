/* The graph, told afterwards: the latest commands of all queues and host accesses, what they used, and which
 * dependencies the core made. A ring of plain records: it keeps nothing alive. */
#ifndef SYC_SCHEDULE_GRAPH_H
#define SYC_SCHEDULE_GRAPH_H

#include "schedule/command.h"

enum { SYC_GRAPH_RECORDS = 4096, SYC_GRAPH_USES = 6, SYC_GRAPH_EDGES = 12, SYC_GRAPH_NAME = 40 };

typedef struct syc_graph_use {
    unsigned long long buffer; /* its id; 0: host memory, by address */
    uintptr_t low, high;
    bool write, keep;
} syc_graph_use;

typedef struct syc_graph_edge {
    unsigned long long serial; /* of the earlier command */
    bool named;                /* by depends_on */
    bool waited;               /* it had not ended, or had failed: a dependency was made */
} syc_graph_edge;

typedef struct syc_graph_record {
    unsigned long long serial;
    unsigned long long queue;  /* number of the queue; 0: a host access */
    bool in_order;             /* of the queue */
    const char *kind;          /* "kernel", "copy", "fill", "transfer", "host task", "host access", ... immortal */
    char name[SYC_GRAPH_NAME]; /* of the kernel, or from where to where a transfer goes; "" for none */
    const char *file;          /* immortal; NULL unknown */
    int line;
    uint64_t took_ns;               /* from start to end; 0: it has not ended, or its queue keeps no times */
    unsigned use_count, edge_count; /* how many there were: those beyond the arrays are not kept */
    syc_graph_use uses[SYC_GRAPH_USES];
    syc_graph_edge edges[SYC_GRAPH_EDGES];
} syc_graph_record;

/* Copies the records that there are, oldest first; `number` is what they call `queue`, 0 when none is of it (or it is
 * NULL). syc_free. */
syc_status syc_graph_records(syc_queue *queue, SYC_GIVE syc_graph_record **out, size_t *count,
                             unsigned long long *number);
/* Order lock held: the command has just been registered, its dependencies are known; `after` are those that its
 * submission named, ended or not. */
void syc__graph_record_locked(SYC_KEEP syc_command *command, syc_command *const *after, size_t after_count);
/* The same lock: a command that has its times ends. */
void syc__graph_time_locked(SYC_KEEP const syc_command *command);
/* What kind of work it is, immortal, and its name: the kernel's, or from where to where; "" for none. */
struct syc__work;
void syc__graph_describe(SYC_KEEP const struct syc__work *work, const char **kind, char name[SYC_GRAPH_NAME]);
/* The number that records have for the queue. Order lock held. */
unsigned long long syc__graph_number_locked(SYC_KEEP syc_queue *queue);

#endif

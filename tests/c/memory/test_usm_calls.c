/* Unified shared memory and its driver: refusals, mapping, copies, against the fake driver.
 * spec: H452 H464 */
#include "usm_scene.h"

static const char *allocating_entry(void)
{
    return device->intel_usm ? "DeviceMemAllocINTEL" : "SVMAlloc";
}

/* A refusal gives what is cached back and asks once more; a second one is an error that changes nothing. */
static void refused_by_the_driver(void)
{
    syc_usm *usm = NULL;
    open_scene();
    CHECK_OK(syc_fault_install(platforms[0]->driver));
    CHECK_OK(syc_fault_arm(allocating_entry(), 1, CL_OUT_OF_RESOURCES));
    CHECK_STATUS(syc_usm_create(context, device, SYC_USM_DEVICE, 100, 0, &usm), SYC_E_MEMORY_ALLOCATION);
    CHECK_OK(syc_usm_free(make(SYC_USM_DEVICE, 100, 0)));
    CHECK_EQUAL(syc_live_count(SYC_LIVE_SVM), 1);
    CHECK_OK(syc_fault_arm(allocating_entry(), 1, CL_MEM_OBJECT_ALLOCATION_FAILURE));
    usm = make(SYC_USM_DEVICE, 1 << 20, 0);
    CHECK_EQUAL(syc_live_count(SYC_LIVE_SVM), 1); /* the cached slab is gone */
    CHECK_OK(syc_usm_free(usm));
    for (int n = 1; n <= 4; n++) {
        syc_alloc_fail_at(n);
        if (syc_usm_create(context, device, SYC_USM_DEVICE, 100, 0, &usm) == SYC_OK)
            CHECK_OK(syc_usm_free(usm));
        syc_alloc_fail_at(0);
        (void)syc_usm_trim(context);
    }
    CHECK_EQUAL(syc_usm_statistics_of(context, SYC_USM_DEVICE).live_bytes, 0);
    CHECK_OK(syc_fault_install(NULL));
    close_scene();
}

/* Coarse memory: what the host sees is right only while it is mapped, and commands need it unmapped. */
static void mapping(void)
{
    const syc_cl_table *cl;
    cl_command_queue queue;
    cl_event event = NULL;
    cl_int code;
    syc_usm *usm;
    open_scene();
    cl = syc_context_cl(context);
    queue = cl->CreateCommandQueue(context->native, device->lanes[SYC_LANE_POOL], 0, &code);
    usm = make(SYC_USM_SHARED, 64, 0);
    CHECK(usm->coarse && !atomic_load(&usm->mapped));
    CHECK_OK(syc_usm_enqueue_map(usm, queue, 0, NULL, &event)); /* nobody looks */
    CHECK(event == NULL);
    CHECK_OK(syc_usm_hold_host(usm));
    CHECK(atomic_load(&usm->mapped));
    memset(usm->data, 7, 64);
    CHECK_OK(syc_usm_enqueue_unmap(usm, queue, 0, NULL, &event));
    CHECK(event != NULL && !atomic_load(&usm->mapped));
    CHECK_EQUAL(cl->WaitForEvents(1, &event), 0);
    CHECK((unsigned char)usm->data[0] == 0xD5); /* what the fake driver puts there for a host that must not look */
    CHECK_EQUAL(cl->ReleaseEvent(event), 0);
    event = NULL;
    CHECK_OK(syc_usm_enqueue_unmap(usm, queue, 0, NULL, &event));
    CHECK(event == NULL);
    CHECK_OK(syc_usm_enqueue_map(usm, queue, 0, NULL, &event));
    CHECK(event != NULL);
    CHECK_EQUAL(cl->WaitForEvents(1, &event), 0);
    CHECK_EQUAL(cl->ReleaseEvent(event), 0);
    CHECK_EQUAL(usm->data[63], 7);
    syc_live_add(SYC_LIVE_CL_EVENT, -2);
    syc_usm_drop_host(usm);
    CHECK_EQUAL(syc_live_count(SYC_LIVE_CL_QUEUE), 1); /* where the core maps */
    CHECK_OK(syc_usm_free(usm));                       /* while it is mapped */
    CHECK_EQUAL(cl->ReleaseCommandQueue(queue), 0);
    usm = make(SYC_USM_DEVICE, 64, 0);
    CHECK(!usm->coarse);
    CHECK_STATUS(syc_usm_hold_host(usm), SYC_E_INVALID_OBJECT);
    CHECK_OK(syc_usm_free(usm));
    close_scene();
}

static void mapping_that_fails(void)
{
    syc_usm *usm;
    open_scene();
    CHECK_OK(syc_fault_install(platforms[0]->driver));
    usm = make(SYC_USM_HOST, 64, 0);
    CHECK_OK(syc_fault_arm("CreateCommandQueue", 1, CL_OUT_OF_RESOURCES));
    CHECK(syc_usm_hold_host(usm) != SYC_OK);
    CHECK_OK(syc_fault_arm("EnqueueSVMMap", 1, CL_OUT_OF_RESOURCES));
    CHECK(syc_usm_hold_host(usm) != SYC_OK);
    CHECK_EQUAL(atomic_load(&usm->host_holds), 0);
    CHECK_OK(syc_usm_hold_host(usm));
    syc_usm_drop_host(usm);
    CHECK_EQUAL(syc_fault_calls("EnqueueSVMUnmap"), 0);
    CHECK_OK(syc_usm_free(usm));
    CHECK_EQUAL(syc_fault_calls("EnqueueSVMUnmap"), 1); /* it was still mapped */
    CHECK_OK(syc_fault_install(NULL));
    close_scene();
}

/* Copies and fills between all kinds and the host, and events that are counted. */
static void copies(void)
{
    const syc_cl_table *cl;
    cl_command_queue queue;
    cl_event events[4] = {NULL};
    cl_int code;
    syc_usm *a, *b;
    char host[64];
    open_scene();
    cl = syc_context_cl(context);
    queue = cl->CreateCommandQueue(context->native, device->lanes[SYC_LANE_POOL], 0, &code);
    a = make(SYC_USM_DEVICE, 64, 0);
    b = make(SYC_USM_SHARED, 64, 0);
    CHECK_OK(syc_usm_enqueue_fill(context, queue, a->data, "abcd", 4, 64, 0, NULL, &events[0]));
    CHECK_OK(syc_usm_enqueue_copy(context, queue, b->data, a->data, 64, 1, &events[0], &events[1]));
    CHECK_OK(syc_usm_enqueue_copy(context, queue, host, b->data + 2, 62, 1, &events[1], &events[2]));
    CHECK_OK(syc_usm_enqueue_prefetch(context, queue, b->data, 64, 0, NULL, &events[3]));
    CHECK_EQUAL(cl->WaitForEvents(3, events), 0);
    CHECK(memcmp(host, "cdabcdab", 8) == 0);
    CHECK_EQUAL(syc_live_count(SYC_LIVE_CL_EVENT), events[3] != NULL ? 4 : 3);
    CHECK_OK(syc_usm_enqueue_prefetch(context, queue, b->data, 0, 0, NULL, &events[3]));
    CHECK(events[3] == NULL);
    CHECK_OK(syc_usm_enqueue_advice(context, device, queue, b->data, 64, 0, 0, NULL, &events[3]));
    CHECK((events[3] != NULL) == device->intel_usm);
    CHECK_OK(syc_usm_free(a));
    CHECK_OK(syc_usm_free(b));
    exit(CHECK_EXIT_CODE); /* the events are the driver's to clean up */
}

int main(void)
{
    FIND_FAKE_DRIVER;
    CHILD(FINE, refused_by_the_driver);
    CHILD(INTEL, refused_by_the_driver);
    CHILD(COARSE, mapping);
    CHILD(COARSE, mapping_that_fails);
    ON_EVERY_PROVIDER(copies);
    return CHECK_EXIT_CODE;
}

"""Asynchronous errors: who gets them, when, once, and what becomes of the commands behind a failed one."""

import textwrap

ERRORS = """
import asyncio, gc, inspect, sys, warnings

def here():
    return inspect.currentframe().f_back.f_lineno

def raised(call):
    try:
        call()
    except BaseException as error:
        return error
    raise AssertionError("nothing was raised")

x, y = np.zeros(4, np.uint32), np.zeros(4, np.uint32)
"""


def run(run_fake, code, env=None, **options):
    return run_fake(ERRORS + textwrap.dedent(code), env, **options)


def test_an_error_names_kernel_device_code_and_place(run_fake):
    run(
        run_fake,
        """
        queue = sycl.Queue()
        event, line = queue.single_task(program.fail, x, wait=False), here()
        error = raised(queue.wait_and_throw)
        assert type(error) is sycl.KernelError and error.code is sycl.Errc.kernel
        assert error.what().startswith("'fail' failed while it ran on Fake device 1: "), error
        assert error.what().endswith(f"submitted at <string>:{line}"), error
        assert "CL_OUT_OF_RESOURCES (-5)" in error.what()
        assert (error.cl_code, error.api, error.site) == (-5, "clEnqueueNDRangeKernel", f"<string>:{line}")
        """,
    )


def test_the_handler_of_the_queue_comes_before_the_context_s(run_fake):
    run(
        run_fake,
        """
        of_queue, of_context = [], []
        context = sycl.Context(sycl.Device(), of_context.append)
        queue = sycl.Queue(context=context, async_handler=of_queue.append)
        queue.single_task(program.fail, x, wait=False).wait_and_throw()
        assert (len(of_queue), len(of_context)) == (1, 0)
        sycl.Queue(context=context).single_task(program.fail, x, wait=False).wait_and_throw()
        assert (len(of_queue), len(of_context)) == (1, 1)
        assert all(type(errors) is sycl.ExceptionList and errors.size() == 1 for errors in of_queue + of_context)
        """,
    )


def test_without_a_handler_errors_are_raised_several_as_a_group(run_fake):
    run(
        run_fake,
        """
        queue = sycl.Queue()
        queue.single_task(program.fail, x, wait=False)
        assert type(raised(queue.wait_and_throw)) is sycl.KernelError
        first, second = here() + 1, here() + 2
        queue.single_task(program.fail, x, wait=False)
        queue.single_task(program.fail, y, wait=False)
        group = raised(queue.wait_and_throw)
        assert type(group) is sycl.AsyncErrorGroup and isinstance(group, ExceptionGroup)
        assert sorted(error.site for error in group.exceptions) == [f"<string>:{first}", f"<string>:{second}"]
        try:
            queue.single_task(program.fail, x, wait=False)
            queue.single_task(program.fail, y, wait=False)
            queue.wait_and_throw()
        except* sycl.KernelError as caught:
            assert len(caught.exceptions) == 2
        queue.wait_and_throw()
        """,
    )


def test_wait_does_not_deliver_and_nothing_is_delivered_twice(run_fake):
    run(
        run_fake,
        """
        got = []
        queue = sycl.Queue(async_handler=got.extend)
        event = queue.single_task(program.fail, x, wait=False)
        event.wait()
        queue.wait()
        sycl.Event.wait([event])
        assert got == [] and event.status is sycl.EventCommandStatus.complete
        assert event.exception.what().startswith("'fail' failed") and got == []
        event.wait_and_throw()
        for again in (event.wait_and_throw, queue.wait_and_throw, queue.throw_asynchronous):
            again()
        assert len(got) == 1
        assert isinstance(event.exception, sycl.KernelError)
        """,
    )


def test_what_a_handler_raises_comes_out_of_the_call(run_fake):
    run(
        run_fake,
        """
        def handler(errors):
            raise KeyError("mine")

        queue = sycl.Queue(async_handler=handler)
        queue.single_task(program.fail, x, wait=False)
        assert raised(queue.wait_and_throw).args == ("mine",)
        queue.wait_and_throw()  # it was consumed all the same
        """,
    )


def test_a_handler_may_use_the_queue(run_fake):
    run(
        run_fake,
        """
        def handler(errors):
            queue.single_task(program.slow, y, 0).wait()

        queue = sycl.Queue(async_handler=handler)
        queue.single_task(program.fail, x, wait=False)
        queue.wait_and_throw()
        assert y[0] == 1
        """,
    )


def test_dependents_do_not_run_and_name_the_origin(run_fake):
    run(
        run_fake,
        """
        queue, other, got = sycl.Queue(), sycl.Queue(context=sycl.Context(sycl.Device())), []
        fake.fake_hold(1)
        origin, line = queue.single_task(program.fail, x, wait=False), here()
        explicit = queue.single_task(program.slow, y, 0, depends_on=origin, wait=False)
        inferred = queue.single_task(program.slow, x, 0, wait=False)
        chained = queue.single_task(program.slow, y, 0, wait=False)
        elsewhere = other.single_task(program.slow, np.zeros(1, np.uint32), 0, depends_on=inferred, wait=False)
        empty = queue.submit(lambda h: h.depends_on(elsewhere))
        fake.fake_hold(0)
        poisoned = (explicit, inferred, chained, elsewhere, empty)
        sycl.Event.wait([origin, *poisoned])
        assert not x.any() and not y.any()
        words = f"not run, because a command that it depends on, submitted at <string>:{line}, failed: 'fail' failed"
        for event in poisoned:
            assert type(event.exception) is sycl.KernelError
            assert event.exception.what().startswith(words), event.exception
        late = queue.single_task(program.slow, y, 0, depends_on=origin, wait=False)  # after it has ended
        late.wait()
        assert late.exception.what().startswith(words) and not y.any()
        assert len(raised(queue.wait_and_throw).exceptions) == 6
        assert elsewhere.exception.cl_code == raised(other.wait_and_throw).cl_code == -5
        """,
    )


def test_dependents_without_shared_memory_and_order(run_fake):
    """The same on a device that needs copies and has no out-of-order queues."""
    run(
        run_fake,
        """
        queue = sycl.Queue()
        assert not queue.device._facts["shares_host_memory"]
        fake.fake_hold(1)  # a command that has failed before the next is submitted is no dependency any more
        origin, line = queue.single_task(program.fail, x, wait=False), here()
        behind = queue.single_task(program.slow, x, 0, wait=False)
        strided = queue.single_task(program.slow, np.zeros(8, np.uint32)[::2], 0, depends_on=behind, wait=False)
        free = queue.single_task(program.slow, y, 0, wait=False)
        fake.fake_hold(0)
        sycl.Event.wait([origin, behind, strided, free])
        assert isinstance(origin.exception, sycl.KernelError)
        for event in (behind, strided):
            assert f"submitted at <string>:{line}, failed" in event.exception.what(), event.exception
        assert free.exception is None and y[0] == 1 and not x.any()
        queue._take_errors()
        """,
        {"FAKE_PLATFORM_NAME": "Fake"},
    )


def test_commands_that_do_not_depend_go_on(run_fake):
    run(
        run_fake,
        """
        queue = sycl.Queue()
        queue.single_task(program.fail, x, wait=False)
        queue.single_task(program.slow, y, 0).wait()
        assert y[0] == 1
        raised(queue.wait_and_throw)
        assert queue.single_task(program.slow, x, 0).wait_and_throw() is None and x[0] == 1
        """,
    )


def test_an_in_order_queue_is_poisoned_no_longer_than_its_chain(run_fake):
    run(
        run_fake,
        """
        queue = sycl.Queue(in_order=True)
        fake.fake_hold(1)
        queue.single_task(program.fail, x, wait=False)
        behind = queue.single_task(program.slow, y, 0, wait=False)
        fake.fake_hold(0)
        queue.wait()
        assert behind.exception is not None and not y.any()
        queue._take_errors()
        queue.single_task(program.slow, y, 0).wait_and_throw()
        assert y[0] == 1
        """,
    )


def test_a_queue_that_goes_delivers(run_fake):
    run(
        run_fake,
        """
        got = []
        queue = sycl.Queue(async_handler=got.extend)
        queue.single_task(program.fail, x, wait=False).wait()
        del queue
        gc.collect()
        assert len(got) == 1
        queue = sycl.Queue()
        queue.single_task(program.fail, x, wait=False).wait()
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            del queue
            gc.collect()
        (warning,) = caught
        assert warning.category is sycl.SyclWarning and "never fetched: 'fail' failed" in str(warning.message)
        """,
    )


def test_a_queue_that_goes_before_its_command_fails(run_fake):
    child = run(
        run_fake,
        """
        queue = sycl.Queue()
        fake.fake_hold(1)
        event = queue.single_task(program.fail, x, wait=False)
        del queue
        gc.collect()
        fake.fake_hold(0)
        event.wait()
        error = raised(event.wait_and_throw)
        assert isinstance(error, sycl.KernelError)
        """,
    )
    assert child.stderr == ""


def test_awaiting_an_event_delivers(run_fake):
    run(
        run_fake,
        """
        async def main():
            queue, got = sycl.Queue(), []
            try:
                await queue.single_task(program.fail, x, wait=False)
            except sycl.KernelError as error:
                got.append(error)
            assert len(got) == 1
            handled = sycl.Queue(async_handler=got.extend)
            await handled.single_task(program.fail, x, wait=False)
            assert len(got) == 2
            await asyncio.gather(*(handled.single_task(program.slow, np.zeros(1, np.uint32), 5, wait=False) for _ in range(3)))

        asyncio.run(main())
        """,
    )


def test_errors_left_at_exit_are_said(run_fake):
    child = run(
        run_fake,
        """
        kept = sycl.Queue()
        sys.modules["__keep__"] = kept
        event, line = kept.single_task(program.fail, x, wait=False), here()
        event.wait()
        print(line)
        """,
    )
    assert "never fetched: 'fail' failed while it ran on Fake device 1" in child.stderr
    assert f"submitted at <string>:{child.stdout.strip()}" in child.stderr


def test_failures_leave_nothing_behind(run_fake):
    run(
        run_fake,
        """
        from pysycl import _core

        def use():
            got = []
            queue = sycl.Queue(async_handler=got.extend)
            for _ in range(5):
                first = queue.single_task(program.fail, x, wait=False)
                queue.single_task(program.slow, y, 0, depends_on=first, wait=False)
                queue.single_task(program.slow, np.zeros(8, np.uint32)[::2], 0, depends_on=first, wait=False)
            queue.wait_and_throw()
            assert len(got) == 15, len(got)

        use()
        before = live_counts.quiet()
        use()
        after = live_counts.settled(before)
        assert after == before, (before, after)
        assert fake.fake_error_count() == 0
        """,
    )


def test_several_errors_are_a_sycl_error_too(run_fake):
    """`except sycl.SyclError` had let them pass, so that a program which caught all of pysycl's errors ended."""
    run(
        run_fake,
        """
        import pickle
        queue = sycl.Queue()
        first = here() + 1
        queue.single_task(program.fail, x, wait=False)
        queue.single_task(program.fail, y, wait=False)
        try:
            queue.wait_and_throw()
        except sycl.SyclError as group:
            assert type(group) is sycl.AsyncErrorGroup and isinstance(group, ExceptionGroup)
            assert len(group.exceptions) == 2 and str(group) == "2 commands failed (2 sub-exceptions)"
            told = group.exceptions[0]
            assert (group.code, group.cl_code, group.api, group.site) == (told.code, -5, told.api, told.site)
            assert group.what() == str(group) and not group.has_context
            assert len(group.subgroup(sycl.KernelError).exceptions) == 2 and group.subgroup(ValueError) is None
            match, rest = group.split(lambda error: error is told)
            assert type(match) is type(rest) is sycl.AsyncErrorGroup and match.exceptions == (told,)
        for which in (sycl.KernelError, sycl.SyclError):
            queue.single_task(program.fail, x, wait=False)
            queue.single_task(program.fail, y, wait=False)
            try:
                queue.wait_and_throw()
            except* which as caught:
                assert len(caught.exceptions) == 2
        """,
    )


def test_a_reader_of_a_failed_writer_fails_at_one_place(run_fake):
    """It was refused by the call where the failure was known already, and failed late where it was not."""
    run(
        run_fake,
        """
        for known in (False, True):
            got = []
            queue, b, out = sycl.Queue(async_handler=got.extend), sycl.Buffer(x.copy()), np.zeros(4, np.uint32)
            fake.fake_hold(1)
            writer, line = queue.single_task(program.fail, b), here()
            if known:
                fake.fake_hold(0)
                writer.wait()
            readers = [
                queue.submit(lambda h: h.parallel_for(4, program.churn, h.write(sycl.Buffer(out)), h.read(b), 0, 4)),
                queue.copy(b, out, wait=False),
                queue.single_task(program.slow, b, 0),
            ]
            fake.fake_hold(0)
            assert f"<string>:{line}" in str(raised(lambda: queue.copy(b, out)))  # an array: raised, known or not
            assert f"<string>:{line}" in str(raised(lambda: b.host_access("read")))
            sycl.Event.wait(readers)
            for reader in readers:
                assert isinstance(reader.exception, sycl.KernelError), reader.exception
                assert f"<string>:{line}" in str(reader.exception) and "'fail' failed" in str(reader.exception)
            queue.wait_and_throw()
            assert len(got) == 4 and got[0].site == f"<string>:{line}", got
            queue.submit(lambda h: h.parallel_for(4, program.fill_ids, h.write(b, no_init=True)))
            assert np.asarray(b).tolist() == [0, 1, 2, 3]  # written anew
            with queue.record() as g:
                queue.copy(b, out)
            g.replay()
            assert out.tolist() == [0, 1, 2, 3]
        """,
    )

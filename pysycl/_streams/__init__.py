"""Arrays that come in chunks, one after the other, because all of them together are more than memory has.

ahead.py       a thread that is one chunk ahead of the work, and no more
free.py        several devices: each chunk goes to whichever is free
folded.py      stream_reduce and stream_histogram, by partial results
scanned.py     stream_scan
runs.py        sorted runs on disk, and their merge
ordered.py     stream_sort
"""

"""Sorting, searching and counting, made of the parts of pysycl/_algorithms and of scans.

sort_keys.py        values as keys of unsigned bits, in the same order
sort_passes.py, sort_tiles.py, sort_buckets.py, sort_line.py
                    the passes of a sort, by tiles, by buckets; and which of them an axis takes
sort_host.py, sort_team.py
                    keys in host memory: NumPy's own sort, the calling thread and its team
sort_rows.py        the measured rows that choose among these
sort_select.py, sort_top.py, sort_some.py, quantiles.py, quantiles_nan.py
                    the k-th of each line, the first k, partition, quantiles
sort_calls.py, sort_object.py
                    the faces
sort_unique.py, sets.py
                    unique; union1d and its like
bins.py             a pass that adds into an array of variables
edges.py            edges of bins; histogram_bin_edges
histogram.py        histogram, histogram2d, bincount
search.py           searchsorted, digitize, isin
group_by.py         groups of equal keys
"""

"""Device-wide scans and all that grows from them, made of the parts of pysycl/_algorithms.

scan_line.py        a pass of two texts along an axis
segments.py         where it begins anew
scan_any.py         scans by an operator
scan_calls.py, scan_object.py
                    the faces
scan_select.py, scan_segments.py, scan_repeat.py, scan_generate.py
                    made of them: selections, runs of equal keys, repetition, lists of unknown length
"""

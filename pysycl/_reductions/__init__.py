"""Device-wide reductions, made of the parts of pysycl/_algorithms. Reducers in bodies are reductions.py.

reduce_fold.py      a pass, and what follows it
reduce_passes.py, reduce_moments.py, reduce_any.py
                    each reduction as its passes
reduce_nan.py, reduce_weighted.py
                    without NaN; with weights
reduce_calls.py, reduce_moment_calls.py, reduce_object.py
                    the faces
"""

"""Texts of kernels before the core gets them, and bundles of programs.

kernel.py, kernel_info.py, kernel_text.py
                    kernels, their queries, and the texts that come with pysycl
user_text.py, literals.py, build_options.py
                    the user's text, its constants and its options
combination.py, kernel_operators.py
                    operators of reductions and scans, and those that kernels are given
scanner.py, scan_text.py
                    scans as two texts
group_kernels.py, group_reductions.py, group_tokens.py
                    kernels of a command group; work_group and sub_group
bundle_*.py, device_image.py
                    kernel bundles
interned.py         programs that came as pickles
"""

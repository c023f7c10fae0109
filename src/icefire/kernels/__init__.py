"""Array functions, compiled with Numba: arrays in, arrays out, no tables.

Every kernel is compiled without the interpreter lock and works on a range of its input; `threads.run`
deals the ranges to a thread pool. That compiles several times faster than Numba's own parallel mode, and no
result depends on the number of threads.
"""

"""How the kernels are compiled: kept on disk where a folder for that can be written.

numba keeps compiled code beside the module or in the user's cache and refuses to compile at all
where it may write neither; there a kernel is compiled anew by each process. Importing this module
needs numba, and fails where a process does without (:func:`.process_settings.kernels_wanted`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from garden.process_settings import kernels_wanted

if not kernels_wanted():
    raise ImportError("compiled kernels are switched off in this process")

import numba
from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic
from numba.np.arrayobj import make_array


def compiled(**flags: Any) -> Callable[[Callable[..., Any]], Any]:
    """A decorator that compiles a kernel with these flags of ``numba.njit``; it lets the GIL go."""

    def compiled_function(function: Callable[..., Any]) -> Any:
        try:
            return numba.njit(cache=True, nogil=True, **flags)(function)
        except RuntimeError:  # what numba raises where it can write no cache
            return numba.njit(nogil=True, **flags)(function)

    return compiled_function


def inlined(function: Callable[..., Any]) -> Any:
    """A function that becomes part of the kernels that call it, and is never compiled by itself."""
    return numba.njit(nogil=True, inline="always")(function)


def _prefetch(_: Any, array: Any, index: Any) -> tuple[Any, Callable[..., Any]]:
    """In a kernel ``prefetch(array, index)`` has ``array[index]`` fetched into the cache meanwhile.

    It is said a few steps before that is read, where memory is read in no order.
    """

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        parts = make_array(signature.args[0])(context, builder, arguments[0])  # type: ignore[no-untyped-call]
        number = context.cast(builder, arguments[1], signature.args[1], types.int64)
        offset = builder.mul(number, builder.extract_value(parts.strides, 0))
        pointer, word = ir.IntType(8).as_pointer(), ir.IntType(32)
        start = builder.bitcast(parts.data, pointer)
        kind = ir.FunctionType(ir.VoidType(), [pointer, word, word, word])
        fetch = builder.module.declare_intrinsic("llvm.prefetch", [pointer], kind)
        # for reading; to all caches; of data, not of code
        builder.call(fetch, [builder.gep(start, [offset]), word(0), word(3), word(1)])
        return context.get_dummy_value()

    return types.void(array, index), code


prefetch: Any = intrinsic(_prefetch)

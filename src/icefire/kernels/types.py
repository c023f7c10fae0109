"""Array types by element type, for annotations."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Int = NDArray[np.int64]
Int32 = NDArray[np.int32]
Int8 = NDArray[np.int8]
UInt64 = NDArray[np.uint64]
UInt8 = NDArray[np.uint8]
Float = NDArray[np.float64]
Float32 = NDArray[np.float32]
Bool = NDArray[np.bool_]

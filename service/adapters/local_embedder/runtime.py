"""onnxruntime, its telemetry off.

Law: the one module that imports it. From version 1.29 on its official builds send events to their maker as soon as they
are loaded, unless this variable is set by then; so this one thing happens at import.
"""

import os

os.environ["ORT_DISABLE_TELEMETRY"] = "1"  # read while it is loaded, so it stands before the import

import onnxruntime as ort

__all__ = ["ort"]

"""What a recording ran on. Two runs with one fingerprint give the same bits; with another they only come close."""

import hashlib
import platform
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import torch

from cutaway import __version__


def fingerprint() -> dict[str, Any]:
    """The facts that decide the last bits of a CPU result: build, processor, threads, precision and modes."""
    return {
        "torch": torch.__version__,
        "build": hashlib.sha256(torch.__config__.show().encode()).hexdigest()[:16],
        "cpu": _cpu_name(),
        "capability": torch.backends.cpu.get_cpu_capability(),
        "machine": platform.machine(),
        "blas": "mkl" if torch.backends.mkl.is_available() else "other",
        "mkldnn": torch.backends.mkldnn.is_available() and torch.backends.mkldnn.enabled,
        "threads": torch.get_num_threads(),
        "matmul_precision": torch.get_float32_matmul_precision(),
        "default_dtype": str(torch.get_default_dtype()).removeprefix("torch."),
        "grad": torch.is_grad_enabled(),
        "inference": torch.is_inference_mode_enabled(),
        "autocast": torch.is_autocast_enabled("cpu"),
    }


MODES = ("grad", "inference", "autocast")  # replay sets these itself


def differences(recorded: dict[str, Any]) -> list[str]:
    """Names of the facts in which this machine differs from a recorded fingerprint, the modes replay sets excepted."""
    here = fingerprint()
    return [name for name, value in here.items() if name not in MODES and recorded.get(name) != value]


def capture_facts() -> dict[str, Any]:
    """When and on what a recording is made; the part of a manifest that changes from run to run."""
    return {
        "date": datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "python": platform.python_version(),
        "torch": torch.__version__,
        "numpy": np.__version__,
        "cutaway": __version__,
        "platform": f"{platform.system()} {platform.machine()}",
        "fingerprint": fingerprint(),
    }


def _cpu_name() -> str:
    if sys.platform == "linux":
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return platform.processor()

"""The colours of heatmaps: 65 steps from rust through nearly white to mint, as CSS classes. Twin: web/src/scale.ts.

python -m cutaway.scale > web/src/scale.css
"""

import math
from typing import Any

STEPS = 32
ZERO, MINT, RUST = (248, 251, 250), (8, 150, 120), (137, 52, 11)

Colour = tuple[int, int, int]


def colour(step: int) -> Colour:
    """The colour of a step from -STEPS (rust) to STEPS (mint); in a straight line through sRGB."""
    end, part = (MINT if step > 0 else RUST), abs(step) / STEPS
    red, green, blue = (math.floor(a + (b - a) * part + 0.5) for a, b in zip(ZERO, end, strict=True))
    return red, green, blue


def ink(of: Colour) -> str:
    """Black or white, whichever stands out more; at least 4.5 to 1 on any colour."""
    return "#000" if contrast(of, (0, 0, 0)) >= contrast(of, (255, 255, 255)) else "#fff"


def contrast(a: Colour, b: Colour) -> float:
    """Contrast ratio, 1 to 21 (WCAG 2.2, "contrast ratio" and "relative luminance")."""
    light, dark = sorted((_luminance(a), _luminance(b)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def step(x: Any, limit: float) -> str:
    """The class of a cell: `p0` to `p32` for zero to `limit`, `n1` to `n32` for negatives, `nan`.

    A complex number is coloured by its magnitude, a bool as 0 or 1; infinities take the ends.
    """
    size = abs(x) if isinstance(x, complex) else float(x)
    if math.isnan(size):
        return "nan"
    part = 1.0 if math.isinf(size) else min(abs(size) / limit, 1.0) if limit else 0.0
    number = math.floor(part * STEPS + 0.5)
    return f"{'n' if size < 0 and number else 'p'}{number}"


def css() -> str:
    """The classes: each gives `--shade`, dark ones also `--on`, the colour of text on it; style.css applies both."""
    lines, dark = ["/* Written by `python -m cutaway.scale`. */"], []
    for number in range(-STEPS, STEPS + 1):
        name = f"n{-number}" if number < 0 else f"p{number}"
        red, green, blue = colour(number)
        lines.append(f".{name} {{ --shade: #{red:02x}{green:02x}{blue:02x}; }}")
        if ink((red, green, blue)) == "#fff":
            dark.append(f".{name}")
    return "\n".join([*lines, f"{', '.join(dark)} {{ --on: #fff; }}", ""])


def _luminance(of: Colour) -> float:
    parts = (c / 255 for c in of)
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


if __name__ == "__main__":
    print(css(), end="")

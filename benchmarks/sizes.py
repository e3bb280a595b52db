"""How much a reader downloads: the page's code against its limits, and each shipped lesson as one file.

Limits (docs/page.md, Weight): code 150 kB raw and 60 kB brotli, the flagship's single file 300 kB. A kB is 1000 bytes.
"""

import sys

import brotli

from cutaway import bundle, export

LIMIT_RAW, LIMIT_BROTLI, LIMIT_PAGE = 150_000, 60_000, 300_000


def compressed(content: bytes) -> int:
    """Size under brotli at its highest quality, as a server with prepared files sends it."""
    return len(brotli.compress(content, quality=11))


def line(name: str, size: int, limit: int | None) -> bool:
    """Prints one size beside its limit; whether it is within."""
    words = f"{size / 1000:9.1f} kB  {name}"
    print(words if limit is None else f"{words}  ({size / limit:.0%} of {limit // 1000} kB)")
    return limit is None or size <= limit


def main() -> int:
    code = [export.static(export.SCRIPT).encode(), export.static(export.STYLE).encode()]
    within = [
        line("script, raw", len(code[0]), None),
        line("style, raw", len(code[1]), None),
        line("page code, raw", sum(map(len, code)), LIMIT_RAW),
        line("page code, brotli", sum(map(compressed, code)), LIMIT_BROTLI),
    ]
    for path in export.shipped():
        model = bundle.read(path)
        page = export.one_page(model)
        within.append(line(f"{model.name}, single file, raw", len(page), LIMIT_PAGE))
        within.append(line(f"{model.name}, single file, brotli", compressed(page), None))
    return 0 if all(within) else 1


if __name__ == "__main__":
    sys.exit(main())

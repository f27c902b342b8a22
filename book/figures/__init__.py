"""The figures of the book: SVG text made by code, the same bytes on every run."""

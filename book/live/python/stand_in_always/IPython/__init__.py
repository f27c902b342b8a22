"""What notebooks of the book ask of IPython, for a page: `display`, and commands such as `%%ranks`.

`live_cells.py` runs the cells and says where what is shown goes; no cell runs here.
"""

from IPython import display
from IPython.shell import get_ipython

__all__ = ["display", "get_ipython"]

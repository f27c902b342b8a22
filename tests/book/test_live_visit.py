"""One Python for the pages of a visit: a page that has it shows the next ones in a frame above it.

From files and over http, in both browsers: what a framed page runs, where Back and Forward lead,
what the window's title and address say, and which links stay ordinary ones.
"""

import live_page
from live_page import LIVE, Live

HTML = LIVE.parents[1]
FRAME = "document.querySelector('iframe.live-visit')"

pytestmark = live_page.NEEDED


def follow(live, href):
    """Press a link of the page."""
    link = f'document.querySelector(\'.bd-sidebar a[href="{href}"], .bd-main a[href="{href}"]\')'
    live.page.run(f"{link}.click()")


def test_a_visit(tab):
    live = Live(tab)
    live.run_cell(3)
    follow(live, "../intro.html")
    live.wait(f"{FRAME} && document.title.startsWith('norch')")

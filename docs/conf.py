# SPDX-License-Identifier: Apache-2.0
# The book: every Markdown page of the project, as it stands in the repository. scripts/docs builds it.
# The lists of docs/README.md are its table of contents.
import pathlib
import re
import sys

root = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(root / "docs"))
sys.dont_write_bytecode = True
from playground_links import with_links  # noqa: E402

# scripts/playground makes it. Without it the book has no links to it.
playground = (root / "build/playground/index.html").is_file()
contents = "docs/README"

project = "takt"
author = "the takt authors"
copyright = "the takt authors, Apache-2.0"
version_header = (root / "include/takt/core/version.hpp").read_text()
release = ".".join(re.search(rf"version_{part} = (\d+)", version_header)[1] for part in ("major", "minor", "patch"))

extensions = ["myst_parser"]
root_doc = "README"
include_patterns = ["*.md", "docs/**.md", "examples/**.md"]
exclude_patterns = ["build/**"]
myst_heading_anchors = 4

html_theme = "furo"
html_title = f"takt {release}"
html_show_sphinx = False
html_copy_source = False
html_static_path = ["book.css"]
html_css_files = ["book.css"]
pygments_style = "default"


def table_of_contents(text):
    """A hidden toctree for each list of links below a heading."""
    out = []
    for section in re.split(r"^## ", text, flags=re.M)[1:]:
        caption, _, body = section.partition("\n")
        links = re.findall(r"^- \[[^]]*\]\(([^)#:]+)\.md\)", body, flags=re.M)
        pages = [(root / "docs" / link).resolve().relative_to(root).as_posix() for link in links]
        if pages:
            out.append("\n```{toctree}\n:hidden:\n:caption: " + caption + "\n\n" + "\n".join(pages) + "\n```\n")
    return "".join(out)


def read_page(app, name, source):
    # The reference of headers is made by another tool and lies beside the book.
    up = "../" * name.count("/")
    source[0] = re.sub(r"\[([^]]*)\]\([./]*build/docs/reference/index\.html\)",
                       rf'<a href="{up}reference/index.html">\1</a>', source[0])
    address = up + "playground/index.html"
    source[0] = re.sub(r"\[([^]]*)\]\([./]*build/docs/playground/index\.html\)",
                       rf'<a href="{address}">\1</a>' if playground else r"\1", source[0])
    if playground:
        source[0] = with_links(source[0], (root / name).parent, address)
    if name == root_doc:
        app.env.note_dependency(contents + ".md")
        source[0] += table_of_contents((root / contents).with_suffix(".md").read_text())


def setup(app):
    # Pages are read anew when the playground comes or goes.
    app.add_config_value("playground_is_built", playground, "env")
    app.connect("source-read", read_page)
    return {"parallel_read_safe": True}

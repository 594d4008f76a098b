# SPDX-License-Identifier: Apache-2.0
"""Links from the book into the playground: below each block that shows a task-set file or a command about one, beside
each link to such a file, and beside its name in the first column of a table.

The marks of scripts/excerpts tell which file a block is from. The address holds the file itself, as
playground/src/share.ts reads it.
"""
import base64
import pathlib
import re
import shlex
import urllib.parse
import zlib

root = pathlib.Path(__file__).resolve().parent.parent
marked = re.compile(r"^<!-- (excerpt|takt) ([^\n]*) -->\n(```\w+\n.*?^```\n)", re.M | re.S)
first_cell = re.compile(r"^\| (`[^|]*`) \|", re.M)
named_file = re.compile(r"`([\w.-]+\.json)`")
linked_file = re.compile(r"\[[^]]*\]\(([^)#:]+\.json)\)")
rules = ("policy", "cpus")


def fragment(text, file, chosen):
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    packed = packer.compress(text.encode()) + packer.flush()
    words = {"set": base64.urlsafe_b64encode(packed).decode().rstrip("="), "file": file, **chosen}
    return "#" + urllib.parse.urlencode(words)


def task_set(path):
    """The text of a task-set file of the repository, or None."""
    if path.suffix != ".json" or not path.is_file():
        return None
    text = path.read_text()
    return text if re.search(r'"format"\s*:\s*"takt/1"', text) else None


def asked(kind, words, names):
    """The file that a block is about, and the rules that its command replaces. Notes which name stands for a file."""
    if kind == "excerpt":
        shown, _, name = words.partition(" as ")
        path = root / shown
        if name:
            names[name] = path
        return path, {}
    arguments = shlex.split(words.split(";")[0])
    chosen = {rule: arguments[at + 1] for rule in rules for at, one in enumerate(arguments[:-1]) if one == "--" + rule}
    files = [names.get(one, root / one) for one in arguments[1:] if one.endswith(".json")]
    # `compare` takes several rules of the processors; the page takes one.
    if "," in chosen.get("cpus", ""):
        del chosen["cpus"]
    return (files[0] if files else root), chosen


def link(page, text, file, chosen, words):
    address = (page + fragment(text, file, chosen)).replace("&", "&amp;")
    return f'<a href="{address}">{words}</a>'


def with_links(text, folder, page):
    """The text of a page of the book that lies in a folder; `page` is the address of the playground from there."""
    names, seen = {}, set()

    def below_block(match):
        path, chosen = asked(match[1], match[2], names)
        found = task_set(path)
        key = (path, tuple(sorted(chosen.items())))
        if found is None or key in seen:
            return match[0]
        seen.add(key)
        words = f"Open {path.name} in the playground"
        return f'{match[0]}\n<p class="playground">{link(page, found, path.name, chosen, words)}</p>\n'

    def beside_link(match):
        path = (folder / match[1]).resolve()
        found = task_set(path)
        return match[0] if found is None else f"{match[0]} ({link(page, found, path.name, {}, 'open')})"

    text = linked_file.sub(beside_link, marked.sub(below_block, text))
    return first_cell.sub(lambda cell: f"| {named_file.sub(beside_link, cell[1])} |", text)

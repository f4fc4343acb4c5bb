"""Makes the README the first page of the site, and links that leave docs/ links to the repository.

A <picture> becomes the theme's two images, because these follow the reader's switch between light and dark."""

import re
from pathlib import Path

from mkdocs.structure.files import File

LINK = re.compile(r"\]\((?!https?:|#)([^)\s]+)\)")
PICTURE = re.compile(r'<picture>\s*<source [^>]*srcset="([^"]+)">\s*<img src="([^"]+)" alt="([^"]+)">\s*</picture>')


def on_files(files, config):
    readme = Path(config["config_file_path"]).with_name("README.md").read_text(encoding="utf-8")
    files.append(File.generated(config, "index.md", content=LINK.sub(lambda link: _from_root(link, config), _images(readme))))
    return files


def on_page_markdown(markdown, page, config, files):
    return LINK.sub(lambda link: _from_docs(link, config), _images(markdown))


def _images(markdown):
    return PICTURE.sub(r"![\3](\1#only-dark) ![\3](\2#only-light)", markdown)


def _from_root(link, config):
    target = link.group(1)
    return f"]({target[5:]})" if target.startswith("docs/") else _in_repository(target, config)


def _from_docs(link, config):
    target = link.group(1)
    return _in_repository(target[3:], config) if target.startswith("../") else link.group(0)


def _in_repository(target, config):
    kind = "blob" if "." in target.split("#")[0].rsplit("/", 1)[-1] else "tree"
    return f"]({config['repo_url']}/{kind}/main/{target})"

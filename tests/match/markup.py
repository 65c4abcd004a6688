"""What is in an HTML page, without a browser."""

from html.parser import HTMLParser


class Parts(HTMLParser):
    """Which elements a page has; a start without its end is an error."""

    VOID = ("meta", "input", "br", "link", "img")

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.scripts: list[str] = []
        self.text = ""
        self.feed(text)
        self.close()
        assert not self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] == "script":
            self.scripts.append(data)
        elif self.open and self.open[-1] != "style":
            self.text += data


def loads_nothing(parts: Parts) -> None:
    """Nothing in the page is from elsewhere, no element acts by itself, all anchors are there."""
    for tag, attributes in parts.elements:
        assert tag not in ("link", "img", "iframe", "object", "embed", "base")
        for name in ("src", "href", "action", "xlink:href"):
            assert (attributes.get(name) or "#").startswith("#"), (tag, attributes)
        assert not [name for name in attributes if name.startswith("on")], (tag, attributes)
    ids = [attributes["id"] for _, attributes in parts.elements if "id" in attributes]
    assert len(ids) == len(set(ids))
    targets = [a["href"] for tag, a in parts.elements if tag == "a"]
    assert targets and all((target or "")[1:] in ids for target in targets)

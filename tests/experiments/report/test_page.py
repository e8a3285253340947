from html.parser import HTMLParser

from garden.experiments.report.claims import Claim
from garden.experiments.report.page import page_of, write_page
from garden.experiments.report.sections import (
    Findings,
    Section,
    Table,
    read_section,
    write_section,
)

SECTION = Section(
    name="small",
    title="Small & quick",
    command="garden reproduce small",
    paper="x < y on all graphs.",
    notes=("A quick run.",),
    findings=Findings(
        (Claim("x: fewer hops than y", ("G1",), ("G2", "G3")),),
        (Table("t", "A <small> table", ("strategy", "ratio"), (("x", "1.5"),), "2 seeds."),),
        (("picture", "Ratios"),),
    ),
)
OWN = Section("own", "Ours", "garden reproduce own", "")
WITHOUT_END = {"meta", "img"}


class Outline(HTMLParser):
    """Elements that are open, ids, links and cells of a page."""

    def __init__(self):
        super().__init__()
        self.open, self.ids, self.links, self.sources = [], [], [], []

    def handle_starttag(self, tag, attrs):
        found = dict(attrs)
        if tag not in WITHOUT_END:
            self.open.append(tag)
        self.ids += [found["id"]] if "id" in found else []
        self.links += [found["href"]] if "href" in found else []
        self.sources += [found["src"]] if "src" in found else []

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def outline_of(text):
    outline = Outline()
    outline.feed(text)
    outline.close()
    return outline


def test_section__what_is_written_is_read_again(tmp_path):
    write_section(tmp_path, SECTION)
    assert read_section(tmp_path) == SECTION
    assert "| x: fewer hops than y | mixed | G1 | G2, G3 | – |" in (
        (tmp_path / "small-claims.md").read_text("utf-8")
    )
    assert read_section(tmp_path / "elsewhere") is None


def test_page__is_well_formed_and_every_link_has_its_section():
    outline = outline_of(page_of([SECTION, OWN]))
    assert outline.open == []
    assert outline.ids == ["summary", "small", "own"]
    assert {link.removeprefix("#") for link in outline.links} <= set(outline.ids)


def test_page__needs_nothing_but_the_folder_it_lies_in():
    outline = outline_of(page_of([SECTION, OWN]))
    assert outline.sources == ["small/picture.svg"]
    assert all(link.startswith("#") for link in outline.links)


def test_page__text_is_escaped_and_the_summary_comes_first():
    text = page_of([SECTION, OWN])
    assert "Small &amp; quick" in text
    assert "A &lt;small&gt; table" in text
    summary = text[text.index('id="summary"') : text.index('<section id="small">')]
    assert "x &lt; y on all graphs." in summary
    assert '<td class="mixed">± mixed</td><td class="number">1</td><td class="number">2</td>' in (
        summary
    )
    assert "Nothing: the experiment is ours." in summary


def test_page__experiments_stand_in_the_order_given_and_missing_ones_are_left_out(tmp_path):
    for section in (SECTION, OWN):
        write_section(tmp_path / section.name, section)
    page = write_page(tmp_path, ["own", "absent", "small"])
    assert outline_of(page.read_text("utf-8")).ids == ["summary", "own", "small"]

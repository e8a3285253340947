"""The page in a real browser: what a person does on it, and what must never happen."""

import io
from pathlib import Path
from typing import Any

import matplotlib.image
import numpy as np
import pytest

from garden.cli.main import main

pytestmark = pytest.mark.browser

AXE = Path(__file__).parents[2] / "web" / "node_modules" / "axe-core" / "axe.min.js"
VIEWS = ("watch", "compare", "explain", "play", "own", "peers", "results")
GRAPH = "kaiser-hilgetag:n=60,alpha=10,beta=0.4,seed=3"
MIN_COLOURS = 50


def pixels(page: Any, clip: dict[str, float] | None = None) -> np.ndarray:
    """What is on the screen inside the picture, (height, width, 3), or inside a part of it."""
    shot = page.screenshot(clip=clip) if clip else page.locator("#stage").screenshot()
    return (matplotlib.image.imread(io.BytesIO(shot))[..., :3] * 255).astype(np.uint8)


def num_colours(picture: np.ndarray) -> int:
    """How many colours a picture has."""
    return len(np.unique(picture.reshape(-1, 3), axis=0))


def around(page: Any, node: int, radius: float = 14) -> dict[str, float]:
    """The square around a node, in pixels of the window."""
    box = page.locator("#stage").bounding_box()
    place = page.evaluate("(node) => window.garden.stage.place(node)", node)
    left, top = box["x"] + place["x"] - radius, box["y"] + place["y"] - radius
    return {"x": left, "y": top, "width": 2 * radius, "height": 2 * radius}


def paused_at_start(page: Any) -> None:
    """Wait for a walk, stop it and go back to its first hop."""
    page.wait_for_selector("#stage[data-holder]")
    if page.get_attribute("#play", "aria-label") == "Pause":
        page.click("#play")
    page.evaluate(
        "() => { const line = document.getElementById('timeline'); line.value = 0;"
        " line.dispatchEvent(new Event('input')); }"
    )


def test_page__shows_a_graph_and_what_changes_where_the_holder_is(desk):
    page = desk.open()
    paused_at_start(page)
    assert num_colours(pixels(page)) >= MIN_COLOURS
    holder = int(page.get_attribute("#stage", "data-holder"))
    place = around(page, holder)
    before = pixels(page, place)
    page.click("#step")
    assert int(page.get_attribute("#stage", "data-holder")) != holder
    after = pixels(page, place)
    assert np.mean(np.any(before != after, axis=-1)) > 0.1


def test_watch__a_message_is_played_to_its_end_and_replayed(desk):
    page = desk.open()
    page.wait_for_selector("#stage[data-holder]")
    page.select_option("#speed", "10")
    page.wait_for_function(
        "() => document.getElementById('timeline').value === "
        "document.getElementById('timeline').max && "
        "document.getElementById('play').ariaLabel === 'Play'"
    )
    answer = page.inner_text(".answer")
    assert answer.startswith(("Delivered in", "Given up after"))
    page.click("#replay")
    page.wait_for_function("() => document.querySelector('.answer').textContent.includes('holds')")


def test_watch__the_neighbours_are_buttons_whose_chances_sum_to_one(desk):
    page = desk.open()
    paused_at_start(page)
    shares = page.eval_on_selector_all(
        "#neighbours .bar", "bars => bars.map(bar => Number(bar.style.getPropertyValue('--share')))"
    )
    assert 0.98 < sum(shares) <= 1.001
    assert page.locator("#neighbours button.chosen").count() == 1


def test_watch__space_and_arrows_play_and_step(desk):
    page = desk.open()
    paused_at_start(page)
    page.focus("#panel")
    page.keyboard.press("ArrowRight")
    assert page.input_value("#timeline") == "1"
    page.keyboard.press("ArrowLeft")
    assert page.input_value("#timeline") == "0"
    page.keyboard.press("Space")
    page.wait_for_function("() => document.getElementById('timeline').value !== '0'")


def test_compare__strategies_race_on_a_pair_and_then_on_many(desk):
    page = desk.open("compare")
    page.wait_for_selector("#racers li")
    assert page.locator("#racers li").count() >= 2
    page.get_by_role("button", name="Race on 100 pairs").click()
    page.wait_for_selector(".many[data-done]")
    done = page.locator(".standings tbody td:nth-child(2)").all_inner_texts()
    assert set(done) == {"100"}
    assert page.locator(".many polyline").count() >= 2


def test_explain__colouring_by_distance_and_value_changes_the_picture(desk):
    page = desk.open("explain")
    pictures = []
    for label, kind in (
        ("True distance", "distance"),
        ("Score", "score"),
        ("Learned value", "value"),
    ):
        page.get_by_text(label, exact=True).click()
        page.wait_for_selector(f"#stage[data-coloured-by={kind}], .problem")
        page.wait_for_timeout(200)
        pictures.append(pixels(page))
    assert page.locator(".problem").count() == 0
    assert np.any(pictures[0] != pictures[1])
    place = page.evaluate("() => window.garden.stage.place(1)")
    page.locator("#stage").click(position=place)
    page.wait_for_selector("#node-details h2")
    assert page.locator("#node-details .count strong").inner_text().isdigit()


def play_to_the_end(page: Any, most: int) -> None:
    """Choose with Enter alone: the target where it is offered, else whoever was not visited yet."""
    visited: set[str] = set()
    for _ in range(most):
        page.wait_for_selector("#outcome, .neighbour:focus")
        if page.locator("#outcome").count():
            return
        nodes = page.eval_on_selector_all(
            ".neighbour",
            "all => all.map(one => [one.dataset.node, one.classList.contains('is-target')])",
        )
        goal = [node for node, is_target in nodes if is_target]
        fresh = [node for node, _ in nodes if node not in visited]
        wanted = (goal or fresh or [nodes[0][0]])[0]
        visited.add(wanted)
        for _ in range(len(nodes)):
            if page.evaluate("() => document.activeElement.dataset.node") == wanted:
                break
            page.keyboard.press("Tab")
        before = page.get_attribute("#stage", "data-holder")
        page.keyboard.press("Enter")
        page.wait_for_function(
            "(before) => document.getElementById('stage').dataset.holder !== before", arg=before
        )


def test_game__is_played_to_its_end_by_keyboard_alone(desk):
    page = desk.open("play")
    page.wait_for_selector("text=Puzzle of the day")
    page.focus("text=Puzzle of the day")
    page.keyboard.press("Enter")
    play_to_the_end(page, most=120)
    assert page.locator("#outcome").count() == 1
    assert page.locator(".path").count() == 3
    assert page.input_value("#share") != ""


TARGET = (0xD5, 0x5E, 0x00)  # the colour that nothing else in a light picture has


def holds(picture: np.ndarray, colour: tuple[int, int, int]) -> bool:
    """Whether some pixel of a picture is very near to a colour."""
    return bool(np.any(np.all(np.abs(picture.astype(int) - colour) < 12, axis=-1)))


def begun_far_from_the_target(page: Any) -> list[int]:
    """Begin games until one does not offer the target; the neighbours in the list's order."""
    for _ in range(20):
        page.click("text=Any pair")
        page.wait_for_selector("#neighbours .neighbour")
        if page.locator("#neighbours .is-target").count() == 0:
            nodes = "all => all.map(one => Number(one.dataset.node))"
            return list(page.eval_on_selector_all("#neighbours .neighbour", nodes))
        page.click("text=Start anew")
    pytest.fail("every game began beside its target")


def test_game__shows_a_player_the_neighbours_and_no_map(desk):
    page = desk.open("play")
    nodes = begun_far_from_the_target(page)
    page.wait_for_timeout(700)
    holder = int(page.get_attribute("#stage", "data-holder"))
    assert sorted(page.evaluate("() => window.garden.stage.shown()")) == sorted([holder, *nodes])
    assert not holds(pixels(page), TARGET)
    place = "(node) => { const { x, y } = window.garden.stage.place(node); return [x, y]; }"
    middle = np.array(page.evaluate(place, holder))
    across, down = (np.array([page.evaluate(place, node) for node in nodes]) - middle).T
    turns = np.arctan2(across / np.abs(across).max(), -down / np.abs(down).max()) % (2 * np.pi)
    assert np.all(np.diff(turns) > 0)  # clockwise from the top, in the list's order
    page.click("text=Give up")
    page.wait_for_selector("#outcome")
    page.wait_for_timeout(700)
    assert len(page.evaluate("() => window.garden.stage.shown()")) > len(nodes) + 1
    assert holds(pixels(page), TARGET)


def test_game__that_is_left_and_taken_up_again_hides_the_map_again(desk):
    page = desk.open("play")
    nodes = begun_far_from_the_target(page)
    page.click("#tabs a[data-view=explain]")
    page.wait_for_selector("#stage[data-coloured-by]")
    everybody = int(page.get_attribute("#stage", "data-nodes"))
    assert len(page.evaluate("() => window.garden.stage.shown()")) == everybody
    page.click("#tabs a[data-view=play]")
    page.wait_for_selector("#neighbours .neighbour")
    assert len(page.evaluate("() => window.garden.stage.shown()")) == len(nodes) + 1
    page.locator("#stage").click(position=page.evaluate("(n) => garden.stage.place(n)", nodes[0]))
    page.wait_for_function(
        "(node) => document.getElementById('stage').dataset.holder === String(node)", arg=nodes[0]
    )


@pytest.mark.parametrize("order", [VIEWS, VIEWS[::-1]], ids=["forwards", "backwards"])
def test_page__goes_from_each_tab_to_each_other_without_an_error(desk, order):
    page = desk.open(order[-1])
    for start in order:
        for view in order:
            page.click(f"#tabs a[data-view={start}]")
            page.wait_for_selector(f"body[data-view={start}]")
            page.wait_for_timeout(60)
            page.click(f"#tabs a[data-view={view}]")
            page.wait_for_selector(f"body[data-view={view}] #panel h1")
            page.wait_for_timeout(60)
    page.wait_for_timeout(500)


def ring_of(count: int, steps: tuple[int, ...]) -> str:
    """The edges of a ring with chords, as lines of a table."""
    return "\n".join(f"{i},{(i + step) % count}" for i in range(count) for step in steps) + "\n"


def test_page__on_a_graph_without_attributes_goes_by_a_strategy_that_needs_none(desk, tmp_path):
    page = desk.open("own")
    file = tmp_path / "bare.csv"
    file.write_text("source,target\n" + ring_of(20, (1, 3)))
    page.set_input_files("#file", file)
    page.wait_for_selector("#uploaded .answer")
    for view, ready in (("watch", "[data-holder]"), ("explain", "[data-coloured-by=score]")):
        page.click(f"#tabs a[data-view={view}]")
        page.wait_for_selector(f"#stage{ready}")
        page.wait_for_selector("#panel select")
        page.wait_for_timeout(300)
        assert page.locator(".problem").count() == 0
        off = page.locator("#panel option[disabled]").all_inner_texts()
        assert any(text.startswith("universal") for text in off)
        assert all("this graph has none" in text for text in off)
        assert page.eval_on_selector("#panel select", "s => s.selectedOptions[0].disabled") is False
    page.click("#tabs a[data-view=compare]")
    page.wait_for_selector("#racers li")
    assert page.locator(".problem").count() == 0
    assert page.locator(".tick-box input:disabled").count() > 0


def test_own__a_person_says_which_columns_are_meant(desk, tmp_path):
    page = desk.open("own")
    desk.refusals_expected = True
    file = tmp_path / "mine.csv"
    rows = (f"{i},{(i + 1) % 9},{(i + 2) % 9}" for i in range(9))
    file.write_text("who,whom,when\n" + "\n".join(rows) + "\n")
    page.set_input_files("#file", file)
    page.wait_for_selector("#which-columns")
    assert "source_column" not in page.inner_text("#panel")
    page.select_option("#choose-target_column", "when")
    page.click("text=Read it so")
    page.wait_for_selector("#uploaded .answer")
    assert "9 nodes, 9 edges" in page.inner_text("#uploaded")
    assert page.locator("#which-columns").count() == 0


def peer(name: str, x: float, y: float, **state: Any) -> dict[str, Any]:
    """A peer as the server tells of it."""
    return {"name": name, "host": "h0", "alive": True, "settled": True, "x": x, "y": y, **state}


def test_peers__shows_their_own_links_and_who_is_settled_dead_or_busy(desk):
    page = desk.page
    peers = [
        peer("Ada", -1, 0, under_way=0),
        peer("Ben", 1, 0, under_way=2, settled=False),
        peer("Cyd", 0, 1, under_way=0, alive=False, settled=False),
    ]
    links = {"links": [0, 1, 0, 2], "open": [True, False]}
    counts = {"delivered": 4, "under_way": 1}
    answers = [{"up": True, "message": "", "peers": peers, **links, **counts}]
    page.route("**/api/peers", lambda route: route.fulfill(json=answers[-1]))
    desk.open("peers")
    page.wait_for_selector("#stage[data-nodes='3']")
    names, values = (page.locator(f".facts {tag}").all_inner_texts() for tag in ("dt", "dd"))
    shown = dict(zip(names, values, strict=True))
    assert shown == {
        "peers up": "2",
        "peers down": "1",
        "settled": "1 of 2",
        "links open": "1 of 2",
        "people's messages under way": "1",
        "people's messages delivered": "4",
    }
    colours = {name: pixels(page, around(page, node, 3)) for node, name in enumerate("ABC")}
    assert holds(colours["A"], (0x00, 0x9E, 0x73))
    assert holds(colours["B"], (0xE6, 0x9F, 0x00))
    assert holds(colours["C"], TARGET)
    answers.append({"up": False, "message": "Nobody.", "peers": [], **links, **counts})
    page.wait_for_selector("text=Nobody.")
    assert not page.locator("#stage").is_visible()
    assert "`" not in page.inner_text("#panel")
    page.click("#tabs a[data-view=watch]")
    page.wait_for_selector("#stage[data-nodes='60']")


def test_own__a_good_file_is_shown_and_a_bad_one_refused_in_a_line(desk, tmp_path):
    page = desk.open("own")
    good = tmp_path / "ring.csv"
    ring = [f"node {i},node {(i + step) % 20}" for i in range(20) for step in (1, 3)]
    good.write_text("source,target\n" + "\n".join(ring) + "\n")
    page.set_input_files("#file", good)
    page.wait_for_selector("#uploaded .answer")
    assert "20 nodes, 40 edges" in page.inner_text("#uploaded")
    assert page.get_attribute("#stage", "data-nodes") == "20"
    desk.refusals_expected = True
    bad = tmp_path / "bad.graphml"
    bad.write_text("<graphml><graph></broken>")
    page.set_input_files("#file", bad)
    page.wait_for_selector("#upload-trouble .problem")
    said = page.inner_text("#upload-trouble")
    assert "Traceback" not in said
    assert "/" not in said.replace("</", "")


@pytest.mark.parametrize("kind", ["adapt", "train"])
def test_own__a_policy_is_taught_with_progress_and_downloaded(desk, kind):
    page = desk.open("own")
    page.click(f"#start-{kind}")
    page.wait_for_selector(".job-state[data-state=done]", timeout=150_000)
    with page.expect_download() as waiting:
        page.click("#download")
    assert Path(waiting.value.path()).stat().st_size > 0


def test_own__a_training_is_cancelled(desk):
    page = desk.open("own")
    page.click("#start-train")
    page.click("#cancel-job")
    page.wait_for_selector(".job-state[data-state=cancelled]", timeout=60_000)


def test_own__hostile_names_stay_text(desk, tmp_path):
    page = desk.open("own")
    desk.refusals_expected = True  # a strategy may refuse a graph without attributes
    names = ["<img src=x onerror=alert(1)>", "<script>alert(2)</script>", "a&b;'", "x" * 400]
    names += [f"plain {i}" for i in range(12)]
    ring = [f'"{names[i]}","{names[(i + step) % 16]}"' for i in range(16) for step in (1, 2)]
    file = tmp_path / "hostile.csv"
    file.write_text("source,target\n" + "\n".join(ring) + "\n")
    page.on("dialog", lambda dialog: desk.faults.append(f"dialog {dialog.message}"))
    page.set_input_files("#file", file)
    page.wait_for_selector("#uploaded .answer, #upload-trouble .problem")
    for view in ("watch", "explain", "play"):
        page.click(f"#tabs a[data-view={view}]")
        page.wait_for_selector("#panel h1")
        page.wait_for_timeout(300)
        assert page.locator("#panel img, #panel script").count() == 0


def test_walk_file__plays_from_a_disk_and_asks_nobody(desk, tmp_path):
    file = tmp_path / "walk.html"
    ends = ["--source", "0", "--target", "59", "--strategy", "beacons"]
    main(["route", GRAPH, *ends, "--html", str(file)])
    page = desk.page
    page.goto(file.as_uri())
    page.wait_for_selector("body[data-ready]")
    page.wait_for_function("() => document.querySelector('.answer').textContent.match(/^Deliv/)")
    assert num_colours(pixels(page)) >= MIN_COLOURS
    paused_at_start(page)
    assert page.locator("#neighbours button").count() > 0


@pytest.mark.parametrize("view", VIEWS)
def test_page__every_view_opens_on_a_phone_in_the_dark(phone, view):
    page = phone.open(view)
    page.wait_for_selector("#panel h1")
    assert page.evaluate("() => document.documentElement.scrollWidth") <= 390
    red, green, blue = page.evaluate(
        "() => getComputedStyle(document.body).backgroundColor.match(/[0-9]+/g).map(Number)"
    )
    assert max(red, green, blue) < 60


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_page__axe_finds_no_serious_fault(browser, page_url, scheme):
    if not AXE.exists():
        pytest.skip("axe-core is not installed: run npm ci in web/")
    context = browser.new_context(
        viewport={"width": 1280, "height": 800},
        color_scheme=scheme,
        bypass_csp=True,
        reduced_motion="reduce",
    )
    page = context.new_page()
    rules = "{}" if scheme == "light" else "{runOnly: ['color-contrast']}"
    found = []
    for view in VIEWS:
        page.goto(f"{page_url}/#{view}")
        page.wait_for_selector("body[data-ready]")
        page.wait_for_selector(f"body[data-view={view}] #panel h1")
        page.wait_for_function("() => !document.querySelector('#panel[aria-busy]')")
        page.wait_for_timeout(400)
        page.evaluate(AXE.read_text())
        report = page.evaluate(f"() => axe.run(document, {rules})")
        found += [
            f"{view}: {fault['id']} {fault['nodes'][0]['target']}"
            for fault in report["violations"]
            if fault["impact"] in {"serious", "critical"}
        ]
    context.close()
    assert found == []

"""How the tests are run: copies of the tree, the order, what is drawn, and the
closing line. `make check-all` calls pytest; by hand:
    .deps/tests/bin/python -m pytest tests/labs -k grade [-n 2] [--more]"""

import collections
import hashlib
import os
import subprocess
import time

import pytest

import support

BEGINNING, HOUR = time.monotonic(), 3600
LATER = set()  # what --more runs where its hour is not over


def pytest_addoption(parser):
    parser.addoption("--more", action="store_true",
                     help="run what is slow, and further cases of what is drawn: "
                     "those that begin within an hour; with -k, all")


@pytest.fixture(scope="session")
def root():
    """The tree itself: to read, and to run what was built."""
    return support.Tree()


@pytest.fixture(scope="module")
def tree(tmp_path_factory):
    """A copy of the tree with what was built, for the tests of one file."""
    return support.copy(tmp_path_factory.mktemp("copy") / "tree")


@pytest.fixture(scope="module")
def sources(tmp_path_factory):
    """A copy of the tree in which nothing has been built."""
    return support.copy(tmp_path_factory.mktemp("copy") / "tree", built=False)


@pytest.fixture
def fresh_tree(tmp_path):
    """As `tree`, for one test."""
    return support.copy(tmp_path / "tree")


def pytest_make_parametrize_id(val, argname):
    """A name that can be handed to programs, in pytest's variable."""
    return argname if len(str(val)) > 1000 else None


def changed_paths():
    """What the last commit or the reader has changed, a path a line."""
    return subprocess.run(
        "git diff --name-only HEAD~1; git ls-files -o --exclude-standard",
        shell=True, cwd=support.ROOT, capture_output=True, text=True).stdout


SEED = os.environ.get("SEED") or subprocess.run(
    ["git", "rev-parse", "--short=12", "HEAD"], cwd=support.ROOT,
    capture_output=True, text=True).stdout.strip() or "1"


def lot(item):
    return hashlib.sha256(f"{SEED} {item.nodeid}".encode()).digest()


def draw(items):
    """Of each test with a mark `drawn`: the cases whose parameter is a path
    that has changed, then as the commit's name draws them."""
    changes, cases = changed_paths(), {}
    for item in items:
        if item.get_closest_marker("drawn"):
            cases.setdefault(item.nodeid.split("[")[0], []).append(item)

    def order(item):
        names = [str(p) for p in item.callspec.params.values()]
        return not any(n in changes for n in names), lot(item)
    for group in cases.values():
        count = group[0].get_closest_marker("drawn").args[0]
        for item in sorted(group, key=order)[count:]:
            item.add_marker(pytest.mark.skip(
                f"not drawn by SEED={SEED}; make check-more"))


def seconds(item):
    mark = item.get_closest_marker("takes")
    if item.get_closest_marker("skip"):
        return 0
    return mark.args[0] if mark else 1


def put_in_turn(items):
    """As the commit's name draws them, first one case of each test."""
    items.sort(key=lot)
    tests = set()
    for item in items:
        test = item.nodeid.split("[")[0]
        if test in tests:
            LATER.add(item.nodeid)
        tests.add(test)
    items.sort(key=lambda item: item.nodeid in LATER)


def pytest_runtest_setup(item):
    if item.nodeid in LATER and time.monotonic() - BEGINNING > HOUR:
        pytest.skip(f"not within an hour of SEED={SEED}; "
                    "make check-more ONLY=test")


def group(item):
    """What runs one after another: a test that stands apart, or a file."""
    apart = item.get_closest_marker("apart")
    return item.nodeid if apart else item.nodeid.split("::")[0]


@pytest.hookimpl(tryfirst=True)  # xdist reads the groups behind it
def pytest_collection_modifyitems(config, items):
    if config.getoption("more"):
        items[:] = [i for i in items if i.get_closest_marker("slow") or
                    i.get_closest_marker("drawn")]
        if not config.option.keyword:
            put_in_turn(items)
    else:
        items[:] = [i for i in items if not i.get_closest_marker("slow")]
        draw(items)
    # A file's tests share its copy of the tree, so they stay together.
    total = collections.Counter()
    for item in items:
        if group(item) != item.nodeid:
            item.add_marker(pytest.mark.xdist_group(group(item)))
        total[group(item)] += seconds(item)
    if not LATER:
        items.sort(key=lambda item: -total[group(item)])


def pytest_unconfigure(config):
    """The last line: N passed, N failed, N skipped."""
    reporter = config.pluginmanager.get_plugin("terminalreporter")
    if not reporter or hasattr(config, "workerinput"):
        return
    count = {k: len(v) for k, v in reporter.stats.items()}
    print("{} passed, {} failed, {} skipped".format(
        count.get("passed", 0), count.get("failed", 0) + count.get("error", 0),
        count.get("skipped", 0)))

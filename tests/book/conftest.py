import shutil

import pytest

from book import building
from support import Tree


@pytest.fixture(scope="session")
def sample(tmp_path_factory):
    """The pages of the sample book, to look at."""
    return building.once(tmp_path_factory, "sample-pages",
                         lambda out: building.build(building.SAMPLE, out))


@pytest.fixture
def sample_tree(tmp_path):
    """The sample book's sources, to change."""
    shutil.copytree(building.SAMPLE, tmp_path / "tree")
    return Tree(tmp_path / "tree")


@pytest.fixture(scope="session")
def pages(tmp_path_factory):
    """The pages of the book, to look at."""
    return building.whole_book(tmp_path_factory)

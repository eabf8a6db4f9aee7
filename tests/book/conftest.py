import pytest

from book import building


@pytest.fixture(scope="session")
def sample(tmp_path_factory):
    """The pages of the sample book, to look at."""
    return building.once(tmp_path_factory, "sample-pages",
                         lambda out: building.build(building.SAMPLE, out))


@pytest.fixture(scope="session")
def pages(tmp_path_factory):
    """The pages of the book, to look at."""
    return building.whole_book(tmp_path_factory)

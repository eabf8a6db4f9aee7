"""The recorded tensors: whoever records them again gets what is committed."""

import pytest

FILE = "common/tensors/minilm.qkv"


@pytest.mark.slow
@pytest.mark.takes(60)
def test_recorded_again_they_are_the_same(root, sources):
    if not root.exists(".deps/model/stamp"):
        pytest.skip("no model: sh tools/setup/setup.sh model")
    (sources.path / FILE).unlink()
    sources.make("tensors", 0, "512 rows")
    again = (sources.path / FILE).read_bytes()
    assert again == (root.path / FILE).read_bytes()

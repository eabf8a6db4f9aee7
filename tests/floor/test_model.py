"""The floor of a shape: what the model says of round made-up rates is what a
reader works out by hand, and a bad file or word ends in one sentence."""

import json

import pytest

from support import ROOT, Tree

RATES = "tests/floor/made-up-floor.json"
MODEL = ROOT / "floor/model.py"
SHOW = "floor/show.py"


def model(shape, rates=ROOT / RATES):
    """What it says of a shape; of 100 multiprocessors."""
    return json.loads(Tree().ends(f"{MODEL} --json {rates} {shape}"))[shape]


def near(number):
    return pytest.approx(number, rel=1e-6)


def test_what_is_recorded_is_what_the_model_says():
    """Of the rates beside it, as far as their seven digits go."""
    def parts(its):
        for key, part in its.items():
            if isinstance(part, dict):
                yield from parts(part)
            else:
                yield key, near(part) if isinstance(part, float) else part

    for path in ROOT.glob("results/*/*/floor.json"):
        for shape, its in json.loads(path.read_text())["model"].items():
            assert dict(parts(its)) == dict(parts(model(shape, rates=path)))


@pytest.mark.parametrize("shape, tiles, busy, waves, us", [
    # 65 rows are 2 tiles, 65 keys 1 of 128; 204 tiles are 3 on the busiest. A
    # multiprocessor has 25,000 scores a us.
    ("2,51,65,64", 204, 100, 3, 1 + 3 * 64 * 128 / 25000),
    # Tiles of 1, 1, 2 and 2 times 128 keys: the longest binds one head, and
    # the sum a hundred.
    ("1,1,256,64,causal", 4, 4, 1, 1 + 64 * 256 / 25000),
    ("1,100,256,64,causal", 400, 100, 3, 1 + 6 * 64 * 128 / 25000),
])
def test_whole_tiles(shape, tiles, busy, waves, us):
    whole = model(shape)["whole"]
    assert (whole["tiles"], whole["busy"], whole["waves"]) == (
        tiles, busy, waves)
    assert whole["us"] == near(us)


def test_a_gpu_before_hopper(tmp_path):
    """Products of halves, no waits for wgmma, nothing beside it."""
    rates = Tree().json(RATES)
    del rates["rates"]["wgmma_shared_128_random"]
    del rates["waits"]["wgmma_128_1"], rates["beside"]
    file = Tree().write(tmp_path / "old.json", json.dumps(rates))
    its = model("10,1,10000,128", rates=file)
    assert its["products_us"] == near(512e9 / 400e6)
    assert its["chain"]["us"] is None
    assert its["ceiling_us"] == its["floor_us"]
    assert its["ceiling_binding"] == its["binding"] == "products"


@pytest.mark.parametrize("code, says, words", [
    # 1e9 scores, of which both units do 2e6 a us, and a launch
    (0, "10,1,10000,64 501 products beside softmax\n", "10,1,10000,64"),
    (2, "'huge' is no shape", "huge"), (2, "from 1 to 2147483647", "1,8,0,64")])
def test_what_is_typed(root, code, says, words):
    said = root.ends(f"{MODEL} {RATES} {words}", code, says)
    assert said.count("\n") == 1


@pytest.mark.parametrize("text, says", [
    (None, "Cannot read"), ('{"build_meta"', "not valid JSON"),
    ('{"build_meta": {"schema_version": 1}}', "has no figure launch/"),
    ('{"build_meta": {"schema_version": 2}}', "schema version 2"),
    ("[1]", "no build_meta"),
])
def test_a_file_that_is_no_record(tmp_path, text, says):
    if text:
        Tree(tmp_path).write("floor.json", text)
    said = Tree(tmp_path).ends(f"{MODEL} floor.json mission", 1, says)
    assert said.count("\n") == 1


def test_a_recorded_run_with_the_stages_shares(root, tmp_path):
    folder = Tree(tmp_path)
    root.ends(f"{SHOW} {tmp_path}", 3, "needs a GPU")
    folder.write("floor.json", root.read(RATES))
    folder.write("peers.json", json.dumps({
        "build_meta": {"schema_version": 1}, "peers": {"mission": {
            "contenders": {"stage14_overlap": {"graph": {"p50_us": 20.49}},
                           "torch": {"absent": "no"}}}}}))
    root.ends(
        f"{SHOW} {tmp_path} 10,1,10000,128 | tr -s ' '", 0, "No GPU was used",
        "\nMade-up GPU, 2026-01-02\n", "\nex2, exponentials 4.000 ",
        "\nmission: ceiling 2.049 us, by products beside softmax; floor 1.839 "
        "us, by launch; ",
        "\n stage14_overlap 20.49 us, 10.0 % of the ceiling\n",
        "\n10,1,10000,128: ceiling 667.7 us, by products beside softmax; "
        "floor 513 us, by products; sustained 1025 us",
        never="torch")
    folder.write("peers.json", '{"build_meta"')
    root.ends(f"{SHOW} {tmp_path}", 1, "not valid JSON")

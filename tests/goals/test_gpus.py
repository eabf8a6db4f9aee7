"""README's table of which stage runs on which GPU follows the kernels; or a
class would find out in the room that its cards don't run a stage."""

from support import STAGES, folder_of, stage


def test_table_follows_the_kernels(tree):
    """A stage for all is now for two, and the last, for Hopper, is for all."""
    kernel = folder_of(stage(3)) + "/kernel.cu"
    tree.write(kernel, "// which\n// architectures: 89 120\n"
               + tree.read(kernel))
    tree.edit(folder_of(STAGES[-1]) + "/kernel.cu",
              "\n// architectures: 90a\n", "\n")
    last = len(STAGES) - 1
    first = next(  # the first that Hopper alone runs
        n for n, s in enumerate(STAGES)
        if "\n// architectures: 90a\n"
        in tree.read(f"{folder_of(s)}/kernel.cu"))
    tree.ends("tools/readme/readme.py")
    after = tree.read("README.md")
    early = f"4 to {first - 1}, {last}"
    for gpu, stages in {
            "A100 | 8.0": f"0 to 2, {early}",
            "A10, RTX 30 | 8.6": f"0 to 2, {early}",
            "L4, L40S, RTX 40 | 8.9": f"0 to {first - 1}, {last}",
            "H100, H200 | 9.0": f"0 to 2, 4 to {last}",
            "RTX 50 | 12.0": f"0 to {first - 1}, {last}"}.items():
        assert f"| {gpu} | {stages} | " in after, after
    # What has results is named, and nothing else.
    assert "| H100, H200 | 9.0 | " in after and "| measured |\n" in after
    assert after.count("| never |\n") == 5
    words = " ".join(after.split())
    assert f"measures stages 0 to 2, {early} on them" in words
    assert f"runs stages 3, {first} to {last - 1} on the executor" in words
    tree.make("stage3 bench TARGET=gpu ARCH=86", 2,
              "needs compute capability 8.9 or 12.0")

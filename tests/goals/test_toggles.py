"""A toggle reaches the arm's name and nothing else does; or a learner would
time another kernel than the one that was asked for."""

import pytest

from support import ROOT, Tree

KERNEL = """\
// toggle FIRST: 0 1
#ifndef FIRST
#define FIRST 1
#endif
// toggle SECOND: 1 2 16 (detail)
#ifndef SECOND
#define SECOND 16
#endif
// toggle THIRD: 0 1
#ifndef THIRD
#define THIRD 0
#endif
#if THIRD && (FIRST || SECOND < 2)
#error "THIRD=1 needs FIRST=0 and SECOND of 2 or more"
#endif
#include <never_found.h>
"""


@pytest.fixture(scope="module")
def fake(tmp_path_factory):
    tree = Tree(tmp_path_factory.mktemp("fake"))
    tree.write("stage99_fake/kernel.cu", KERNEL)
    return tree


def asked(tree, verb, settings=""):
    ran = tree.run(f"{ROOT}/tools/toggles/toggles.py {verb} stage99_fake "
                   + settings)
    return ran.code, ran.text.rstrip("\n")


@pytest.mark.parametrize("settings, arm", [
    ("", "default"),
    ("FIRST=0", "FIRST-0"),
    ("FIRST=1", "default"),
    ("SECOND=16 THIRD=0", "default"),
    ("THIRD=1 FIRST=0", "FIRST-0.THIRD-1"),
    ("FIRST=0 THIRD=1 SECOND=2", "FIRST-0.SECOND-2.THIRD-1")])
def test_arm(fake, settings, arm):
    assert asked(fake, "arm", settings) == (0, arm)


def test_values_are_listed(fake):
    assert asked(fake, "list") == (
        0, "FIRST 1 0 1\nSECOND 16 1 2 16\nTHIRD 0 0 1")


def test_the_kernel_rules_out_in_its_own_words(fake):
    assert asked(fake, "allowed", "THIRD=1") == (
        1, "THIRD=1 needs FIRST=0 and SECOND of 2 or more")
    assert asked(fake, "allowed", "THIRD=1 FIRST=0") == (0, "")

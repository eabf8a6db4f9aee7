GOALS = {
    "all": None,
}

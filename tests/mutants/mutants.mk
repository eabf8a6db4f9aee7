# What makes mistakes by rules.
TEST_NEEDS += $(MUTATE)

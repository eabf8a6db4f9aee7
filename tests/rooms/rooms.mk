# What tests/rooms/rooms.lua reads the calls from.
TEST_NEEDS += $(SIMT_OBJECTS) $(CPU_HARNESS)

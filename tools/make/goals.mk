# The goals that are about the whole tree.

.PHONY: help doctor setup downloads clean readme size
help: $(if $(CUDA_INCLUDE),build)
	@tools/make/help.sh
doctor: | need-python
	@tools/doctor/doctor.py
# OFFLINE, from a folder that `downloads` has filled; DIR is that folder.
setup:
	@OFFLINE=$(call quoted,$(OFFLINE)) tools/setup/setup.sh
downloads:
	@tools/setup/downloads.sh $(call quoted,$(DIR))
clean:
	rm -rf $(BUILD)
# The measured parts of README.md, from the results that the book cites.
readme:
	@tools/readme/readme.py

# Lines written by hand, by folder, and how large all of it is.
size:
	@tools/size/size.py

# Is DIR, a folder of recorded runs, whole and honest?
.PHONY: results-check results-pack
results-check:
	@tools/results/check.py $(call quoted,$(DIR))
# The arms of a run, in one file.
results-pack:
	@tools/results/pack.py $(call quoted,$(DIR))

# After a kernel's source has changed: which recorded results still hold.
.PHONY: carry
carry: | need-nvcc
	@for ledger in results/*/*/machine-code.json; do \
	  tools/results/carry.py "$${ledger%/*}" 90a || exit; done

# make diff-stage1: what stage 1 changes against stage 0.
diff-%:
	@tools/diff/diff.py stages $* $(STAGES)

# With -B, make asks here for the sources, too; and, where something older was
# built, for those that have moved since.
.DEFAULT:
	@[ -e '$@' ] || case '$@' in common/*.c | further/*.c) ;; *) false ;; esac || \
	{ case '$@' in \
	stage*) echo "There is no $@; the stages here: $(STAGES)." >&2;; \
	lab*) echo "There is no $@; the labs here ('make labs' says more):\
	 $(filter lab%,$(LABS))." >&2;; \
	*) echo "There is no goal '$@'; 'make' alone lists them." >&2;; \
	esac; exit 2; }

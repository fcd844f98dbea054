# The commands of a maintainer. Whoever uses paco needs ./run and ./test alone.
.PHONY: release

# Packages, wheel, source, list of parts and sums of the tag that is checked out.
release:
	tools/release build/release-$(shell sed -n 's/^project(paco VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)

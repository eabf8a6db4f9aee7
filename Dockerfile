# The executor, the labs and the book without a GPU, on x86-64 and on aarch64.
# The tree outside is the tree inside, so what you write stays; .deps is a volume
# that begins as the image's own:
#   docker build -t attention .
#   docker run -it -v "$PWD:/home/reader/attention" \
#     -v attention-deps:/home/reader/attention/.deps attention
# For both: docker buildx build --platform linux/amd64,linux/arm64 .
FROM debian:bookworm-20251229@sha256:c66c66fac809bfb56a8001b12f08181a49b6db832d2c8ddabe22b6374264055f
RUN useradd --create-home --shell /bin/bash reader
WORKDIR /home/reader/attention
COPY --chown=reader . .
# Debian's packages and all else that tools/setup/pins.conf names, by the command
# of README.md for a machine that has no make.
RUN sh tools/setup/setup.sh && rm -r /var/lib/apt/lists && \
    chown reader . && chown -R reader .deps
USER reader
RUN make doctor
CMD ["bash"]

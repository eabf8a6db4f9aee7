# The executor, the labs and the book without a GPU, on x86-64 and on aarch64:
#   docker build -t attention . && docker run -it attention
# For both: docker buildx build --platform linux/amd64,linux/arm64 .
FROM debian:bookworm-20251229
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

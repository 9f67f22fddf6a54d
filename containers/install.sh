#!/bin/sh
# Install docmt into an image of Debian 12 that has this checkout in /opt/docmt: the Dockerfile and docmt.def call this.
#
# TORCH and EXTRAS are the arguments of the image.
set -eu
cd /opt/docmt
export DEBIAN_FRONTEND=noninteractive

apt-get update -q
apt-get install -qy --no-install-recommends ca-certificates git python3-venv

python3 -m venv /opt/venv
pip() { /opt/venv/bin/pip "$@" --no-cache-dir -c pins.txt; }
if [ -n "${TORCH-}" ]; then pip install -q --no-deps --index-url "https://download.pytorch.org/whl/$TORCH" torch; fi
pip install -q -e ".${EXTRAS:+[$EXTRAS]}"

# On GPUs parts of a training are compiled, for which triton needs a C compiler and Python's headers.
if ! grep -q '^Version: .*+cpu$' /opt/venv/lib/python3*/site-packages/torch-*.dist-info/METADATA; then
    apt-get install -qy --no-install-recommends gcc libc6-dev python3-dev
fi
rm -rf /var/lib/apt/lists/*

# The user of the image cannot write compiled code beside the code.
/opt/venv/bin/python -m compileall -q docmt
chmod -R a+rX /opt/docmt

# Any user may write here, whatever number of a user a container is started with.
useradd --create-home --uid 1000 docmt
mkdir -p /work
chmod 1777 /home/docmt /work
/opt/venv/bin/python containers/check.py

"""Tokens a second of updates of each model on a GPU, and the share of its matrix rate that they reach.

    python benchmarks/gpu.py [--device cuda]

Models of 6 + 6 layers, 512/2048/8, a vocabulary of 32,000, batches of 12 segments of 15 sentences of about 25 words.
The measurements are those of `docmt preflight --gpu` (docmt/devicecheck/speed.py), here as a table in Markdown. With
`--device cpu` models and batches are small: a trial of the script.
"""

import argparse

from docmt.devicecheck.findings import DeviceFinding
from docmt.devicecheck.sizes import size_for
from docmt.devicecheck.speed import speeds
from docmt.nn.device import choose_device


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default="cuda", choices=["auto", "cpu", "cuda"])
    device = choose_device(parser.parse_args().device)
    print("| model | type | target tokens a second | share of the matrix rate | peak MiB |")
    print("|---|---|---|---|---|")
    for result in speeds(device, size_for(device)):
        if isinstance(result, DeviceFinding):
            print(f"| {result.check} | {result.subject} | {result.measured} | | |", flush=True)
            continue
        numbers = f"{result.tokens_per_s:,.0f} | {result.matrix_share:.2f} | {result.memory_mib:,.0f}"
        print(f"| {result.kind} | {result.precision} | {numbers} |", flush=True)


if __name__ == "__main__":
    main()

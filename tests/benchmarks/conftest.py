import sys

from helpers.support import ROOT

sys.path.append(str(ROOT / "benchmarks"))

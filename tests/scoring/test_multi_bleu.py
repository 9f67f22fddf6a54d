"""The families of tokenised lines against multi-bleu.perl: the words, letters and counts of the script, on any text."""

import random
import shutil
import subprocess

import pytest
from helpers.support import docmt

from docmt.scoring.bleu import FAMILIES, bleu, line_counts

CASED = "Übung macht den Meister , sagt Ärztin Öz gern .", "Дом стоит у реки давно ."
LOWER = "übung macht den meister , sagt ärztin öz gern .", "дом стоит у реки давно ."

SPACES = [" "] * 8 + ["\t", "\v", "\f", "\r", "  "]
"""White space of ASCII, at which the script parts words."""
INSIDE = ["\u00a0", "\u3000", "\u0085", "\u2028", "\u1680", "\u202f", "\x1c", "\x1d", "\x1f", "\0", "\ufeff", "\u200b"]
"""Characters of which Python takes most, and the script none, as white space."""
WORDS = ["the", "The", "THE", "Öl", "öl", "дом", "Дом", "İ", "i", "ΣΑΣ", "σας", "ß", "ẞ", "é", "中", "x.", "0"]

ORACLE = r"""
use strict; use warnings; use List::Util qw(min max);
my ($lower, $file, @files) = @ARGV;
sub read_lines { open(my $stream, '<', shift) or die; map { chomp; $lower ? lc : $_ } <$stream> }
sub ngrams {
  my ($n, @words) = @_; my %counts;
  $counts{join ' ', @words[$_ .. $_ + $n - 1]}++ for 0 .. @words - $n;
  %counts
}
my @lines = read_lines($file); my @references = map { [read_lines($_)] } @files;
my ($length, $reference_length, @right, @all) = (0, 0); @right = @all = (0) x 5;
for my $line (0 .. $#lines) {
  my @words = split ' ', $lines[$line]; my @translations = map { [split ' ', $_->[$line]] } @references;
  $length += @words;
  my @lengths = sort { abs(@words - $a) <=> abs(@words - $b) || $a <=> $b } map { scalar @$_ } @translations;
  $reference_length += $lengths[0];
  for my $n (1 .. 4) {
    my %ours = ngrams($n, @words); my %most;
    for (@translations) { my %theirs = ngrams($n, @$_); $most{$_} = max($theirs{$_}, $most{$_} // 0) for keys %theirs }
    $all[$n] += $_ for values %ours;
    $right[$n] += min($ours{$_}, $most{$_} // 0) for keys %ours;
  }
}
my $bleu = 0;
if (min(@right[1 .. 4]) > 0) {
  my $logarithm = 0; $logarithm += log($right[$_] / $all[$_]) / 4 for 1 .. 4;
  $bleu = exp($logarithm + min(0, 1 - $reference_length / $length));
}
printf "%d %d %d %d %d %d %d %d %d %d %.2f", $length, $reference_length, @right[1 .. 4], @all[1 .. 4], 100 * $bleu;
"""
"""What the script is defined to count: words between white space of bytes, letters A to Z, the nearest reference."""


def drawn(draw: random.Random) -> str:
    parts = [draw.choice(WORDS) + draw.choice(SPACES + INSIDE) for _ in range(draw.randint(0, 12))]
    return draw.choice(["", *SPACES]) + "".join(parts)


def changed(line: str, draw: random.Random) -> str:
    """With some characters replaced by words or spaces."""
    return "".join(character if draw.random() < 0.95 else draw.choice(WORDS + SPACES + INSIDE) for character in line)


@pytest.mark.parametrize("family", ["tokenized", "tokenized_lower"])
@pytest.mark.parametrize("seed", range(4))
def test_counts_and_scores_are_those_of_perl_on_bytes(tmp_path, family, seed):
    if shutil.which("perl") is None:
        pytest.skip("needs perl")
    draw = random.Random(seed)
    hypotheses = [drawn(draw) for _ in range(20)]
    streams = [[changed(line, draw) for line in hypotheses] for _ in range(1 + seed % 3)]
    files = [tmp_path / str(number) for number in range(1 + len(streams))]
    for file, lines in zip(files, [hypotheses, *streams], strict=True):
        file.write_bytes("".join(line + "\n" for line in lines).encode())
    command = ["perl", "-e", ORACLE, "1" if FAMILIES[family].lowercase else "", *files]
    *counts, score = subprocess.run(command, capture_output=True, check=True, text=True).stdout.split()
    metric = FAMILIES[family].metric("en")
    assert line_counts(metric, hypotheses, streams).sum(axis=0).tolist() == list(map(int, counts))
    assert f"{bleu(metric, hypotheses, streams, 's')['score']:.2f}" == score


@pytest.mark.parametrize(("family", "score"), [("tokenized_lower", "55.73"), ("tokenized", "36.21")])
def test_letters_beyond_ascii_keep_their_case(family, score, tmp_path):
    """The numbers are those that the script prints, with -lc and without."""
    for name, lines in (("hypothesis", CASED), ("reference", LOWER)):
        (tmp_path / name).write_text("".join(line + "\n" for line in lines), encoding="utf-8")
    files = "--hypotheses", "hypothesis", "--reference", "reference"
    printed = docmt("score", *files, "--family", family, cwd=tmp_path, check=True).stdout
    assert f" {score} " in printed.splitlines()[1]
    assert "|tok:multi-bleu|" in printed

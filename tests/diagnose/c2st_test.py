#!/usr/bin/env python3
"""Compares epsfree's C2ST with the same test made with scikit-learn, on the same samples.

c2st_test.py PROGRAM [all]: exits 0 if the means over ten seeds (forty where both sets are of one distribution) agree within 0.01 and epsfree takes less processor time, for
every case; 1 if not; 77 if NumPy or scikit-learn is missing.
"""
import subprocess
import sys
import tempfile
import time
import warnings

try:
    import numpy as np
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.model_selection import KFold, cross_val_score
    from sklearn.neural_network import MLPClassifier
except ImportError as missing:
    print(f"c2st_test.py: {missing}")
    sys.exit(77)

# Where nothing can be told apart the outcome of one seed varies by 0.01, and means over ten by too much to hold 0.01 against.
NUM_SEEDS, NUM_SEEDS_OF_THE_SAME = 10, 40
COUNT = 1000


def scikit_learn(first, second, seed):
    """The C2ST of the sbibm benchmark (Lueckmann et al. 2021), with rows as samples."""
    mean, std = first.mean(axis=0), first.std(axis=0, ddof=1)
    points = np.concatenate([(first - mean) / std, (second - mean) / std])
    labels = np.concatenate([np.zeros(len(first)), np.ones(len(second))])
    units = 10 * first.shape[1]
    classifier = MLPClassifier(activation="relu", hidden_layer_sizes=(units, units), max_iter=1000, solver="adam",
                               random_state=seed)
    folds = KFold(n_splits=5, shuffle=True, random_state=seed)
    return cross_val_score(classifier, points, labels, cv=folds, scoring="accuracy").mean()


def cases(rng, all_of_them):
    """Name and both sets. scikit-learn takes a minute for some in five dimensions: these only where asked for."""
    def normal(dim):
        return rng.normal(size=(COUNT, dim))

    sign = rng.choice([-1.0, 1.0], size=(COUNT, 1))
    yield "the same Gaussian, 2 dimensions", normal(2), normal(2)
    yield "shifted by two deviations, 2 dimensions", normal(2), normal(2) + [2, 0]
    yield "far apart, 5 dimensions, other units", normal(5) * 100, (normal(5) + 3) * 100
    if not all_of_them:
        return
    yield "a mode missing, 2 dimensions", normal(2) + 2 * sign, normal(2) + 2
    yield "shifted by half a deviation, 5 dimensions", normal(5), normal(5) + [0.5, 0, 0, 0, 0]
    yield "too narrow by 1.5, 5 dimensions", normal(5), normal(5) / 1.5


def write(path, samples):
    with open(path, "w", encoding="ascii") as file:
        file.write(f"{samples.shape[1]} {samples.shape[0]}\n")
        np.savetxt(file, samples, fmt="%.17g")


def main(program, all_of_them):
    warnings.simplefilter("ignore", ConvergenceWarning)
    rng = np.random.default_rng(1)
    bad = False
    for name, first, second in cases(rng, all_of_them):
        num_seeds = NUM_SEEDS_OF_THE_SAME if name.startswith("the same") else NUM_SEEDS
        with tempfile.TemporaryDirectory() as folder:
            write(folder + "/first", first)
            write(folder + "/second", second)
            lines = subprocess.run([program, folder + "/first", folder + "/second", str(num_seeds)], check=True,
                                   capture_output=True, text=True).stdout.split()
        ours, ours_seconds = np.array(lines[0::2], float), sum(map(float, lines[1::2]))
        start = time.process_time()
        theirs = np.array([scikit_learn(first, second, seed) for seed in range(1, num_seeds + 1)])
        theirs_seconds = time.process_time() - start
        difference = ours.mean() - theirs.mean()
        wrong = abs(difference) > 0.01 or ours_seconds >= theirs_seconds
        bad |= wrong
        print(f"{'BAD ' if wrong else 'ok  '} {name}: epsfree {ours.mean():.4f} +- {ours.std():.4f} in {ours_seconds:.2f} s, "
              f"scikit-learn {theirs.mean():.4f} +- {theirs.std():.4f} in {theirs_seconds:.2f} s")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], "all" in sys.argv[2:]))

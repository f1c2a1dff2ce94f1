"""Runs epsfree and sbi on the same problems with the same budgets; see README.md."""
import argparse
import itertools
import json
import os
import pathlib
import platform
import signal
import statistics
import sys
import tempfile
import time
import warnings

import numpy as np

from libraries import NUM_ROUNDS, methods, run_sbi
from problems import NAMES, problem as make_problem
from references import References

NUM_SAMPLES = 2000  # of each side of a C2ST
HEADER = ("problem", "library", "method", "simulations", "training s", "all s", "CPU s", "C2ST", "nats", "failed")


def c2st(a, b):
    """How well a classifier tells two sets of samples apart: 0.5 is not at all. With the network of sbibm."""
    from sklearn.model_selection import cross_val_score
    from sklearn.neural_network import MLPClassifier

    mean, std = b.mean(0), b.std(0)
    data = (np.concatenate([a, b]) - mean) / std
    labels = np.repeat([0, 1], [len(a), len(b)])
    units = 10 * a.shape[1]
    classifier = MLPClassifier((units, units), max_iter=300, random_state=1)
    order = np.random.default_rng(1).permutation(len(data))
    return cross_val_score(classifier, data[order], labels[order], cv=3).mean()


def accuracy(problem, answer):
    """C2ST and nats: the KL divergence where the exact density is known, else the cross-entropy, from which
    that differs by a constant of the problem. Infinite where the answer excludes a sample."""
    if problem.reference is None:
        return {"nats": -float(answer.log_prob(problem.truth[None])[0])}
    chosen = np.random.default_rng(1).permutation(len(problem.reference))[:NUM_SAMPLES]
    log = answer.log_prob(problem.reference)
    nats = -log.mean() if problem.log_density is None else (problem.log_density - log).mean()
    return {"nats": float(nats), "c2st": float(c2st(answer.sample(NUM_SAMPLES), problem.reference[chosen]))}


def measure(problem, budget, seed, function, limit):
    """One inference and its score, or what went wrong."""
    def late(*_):
        raise TimeoutError(f"over {limit} s")

    signal.signal(signal.SIGALRM, late)
    signal.alarm(limit)
    before = time.process_time()
    try:
        answer = function(problem, budget, seed)
        cpu = time.process_time() - before
        return dict(simulations=answer.num_simulations, training=answer.training, total=answer.total, cpu=cpu,
                    **accuracy(problem, answer))
    except Exception as error:  # noqa: BLE001: a failure is a result
        return {"error": f"{type(error).__name__}: {str(error)[:200]}"}
    finally:
        signal.alarm(0)


def table(records):
    """Medians over the seeds as a table of Markdown; accuracy with its worst seed."""
    groups = {}
    for record in records:
        groups.setdefault((record["problem"], record["library"], record["method"]), []).append(record)
    lines = ["| " + " | ".join(HEADER) + " |", "|---" * 3 + "|---:" * (len(HEADER) - 3) + "|"]
    for key, runs in groups.items():
        good = [run for run in runs if "error" not in run]

        def middle(field, form):
            values = [run[field] for run in good if field in run]
            if not values:
                return "-"
            text = format(statistics.median(values), form)
            worst = field in ("c2st", "nats") and len(values) > 1
            return f"{text} ({max(values):{form}})" if worst else text

        cells = [middle("simulations", ".0f"), middle("training", ".2f"), middle("total", ".2f"),
                 middle("cpu", ".2f"), middle("c2st", ".3f"), middle("nats", ".3f"),
                 f"{len(runs) - len(good)} of {len(runs)}"]
        lines.append("| " + " | ".join([*key, *cells]) + " |")
    return "\n".join(lines)


def machine():
    """What the seconds were measured on."""
    name = platform.processor() or platform.machine()
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines() if os.path.exists("/proc/cpuinfo") else []:
        if line.startswith("model name"):
            name = line.split(":", 1)[1].strip()
            break
    return f"{name}, {os.cpu_count()} cores"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--problems", nargs="*", default=list(NAMES), choices=NAMES)
    parser.add_argument("--budget", type=int, default=2000, help="simulations of each inference")
    parser.add_argument("--seeds", nargs="*", type=int, default=[1, 2, 3])
    parser.add_argument("--rounds", type=int, default=NUM_ROUNDS, help="of sbi's sequential forms")
    parser.add_argument("--threads", type=int, default=os.cpu_count() or 1, help="of torch")
    parser.add_argument("--methods", nargs="*", help="only those whose name contains one of these words")
    parser.add_argument("--reference", help="directory of reference posteriors; by default EPSFREE_REFERENCE")
    parser.add_argument("--limit", type=int, default=1800, help="seconds after which an inference has failed")
    parser.add_argument("--out", help="file of JSON lines that every result is added to; those in it are kept")
    parser.add_argument("--alone", action="store_true", help="epsfree only: sbi need not be installed")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    out = pathlib.Path(arguments.out).resolve() if arguments.out else None
    records = [json.loads(line) for line in out.read_text().splitlines()] if out and out.exists() else []
    done = {(r["problem"], r["library"], r["method"], r["seed"], r["budget"]) for r in records}
    references = References(arguments.reference)
    chosen = [m for m in methods(arguments.alone, arguments.rounds)
              if not arguments.methods or any(word in f"{m[0]} {m[1]}" for word in arguments.methods)]
    python = f"Python {platform.python_version()}, NumPy {np.__version__}"
    print(f"{machine()}; {python}; reference posteriors: {references}")
    os.chdir(tempfile.mkdtemp())  # sbi writes logs where it stands
    if not arguments.alone:
        import torch
        torch.set_num_threads(arguments.threads)
        print(f"torch {torch.__version__}, {torch.get_num_threads()} threads; warming up", flush=True)
        run_sbi(make_problem("two_moons", references, 1), 200, 1)
    for library, method, function in chosen:
        for seed, name in itertools.product(arguments.seeds, arguments.problems):
            if (name, library, method, seed, arguments.budget) in done:
                continue
            problem = make_problem(name, references, seed)
            result = measure(problem, arguments.budget, seed, function, arguments.limit)
            record = dict(problem=name, library=library, method=method, seed=seed, budget=arguments.budget,
                          source=problem.source, **result)
            records.append(record)
            print(json.dumps(record), file=sys.stderr, flush=True)
            if out:
                with open(out, "a", encoding="utf-8") as file:
                    file.write(json.dumps(record) + "\n")
    order = {name: place for place, name in enumerate(NAMES)}
    records = [r for r in records if r["budget"] == arguments.budget]
    records.sort(key=lambda r: (order[r["problem"]], r["library"], r["method"], r["seed"]))
    print(f"\n{arguments.budget} simulations, medians over the seeds (worst in brackets)\n")
    print(table(records))
    print("\nCompared with: " + "; ".join(sorted({f"{r['problem']}: {r['source']}" for r in records})))
    print("nats: KL divergence where the posterior is exact, else cross-entropy (smaller is better); "
          "without a reference, of the true parameters alone")


if __name__ == "__main__":
    main()

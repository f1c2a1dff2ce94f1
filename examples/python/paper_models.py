"""The four experiments of the paper, each in a line or two.

    python paper_models.py [folder for pictures]
"""
import sys

import epsfree

BUDGETS = {"mixture": 600, "linear-regression": 600, "lotka-volterra": 1000, "mg1-queue": 1000}


def main(folder=None):
    for name, budget in BUDGETS.items():
        model = epsfree.models[name]
        posterior = epsfree.infer(model, num_simulations=budget, seed=1, progress=False)
        print(f"{name}: {model.description}")
        for parameter, truth in zip(model.names, model.truth):
            found = posterior.describe()[parameter]
            print(f"  {parameter:12} {found['mean']:8.3f} ± {found['std']:.3f}   true {truth:.3f}")
        if folder is not None:
            figure, _ = posterior.plot(truth=model.truth)
            figure.savefig(f"{folder}/{name}.png", dpi=100)


if __name__ == "__main__":
    main(*sys.argv[1:])

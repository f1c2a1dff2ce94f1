"""Pictures of posteriors and of how they were learnt. Needs matplotlib."""
from __future__ import annotations

from typing import TYPE_CHECKING, Sequence

import numpy as np

from .errors import InputError
from .kinds import Numbers, Seed

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    from .estimator import AmortisedPosterior
    from .posterior import Posterior
    from .summary import Summary

_LEVELS = (0.393, 0.865, 0.989)  # of 1, 2 and 3 standard deviations of a Gaussian in two dimensions
_GRID = 80
_GRID_OF_CUT = 30  # where each point of the density is an integral
_NUM_SAMPLES = 2000
_COLOURS = ("#1f5fa8", "#c1531c", "#2e7d4f", "#7b4ea3")
_TRUTH = "#b3001b"


def _matplotlib():
    try:
        import matplotlib.pyplot as pyplot
    except ImportError as error:
        raise ImportError("plots need matplotlib: pip install epsfree[plot]") from error
    return pyplot


def _limits(posteriors, truth, dims):
    """Wide enough for all of each posterior that can be seen, and for the truth."""
    low, high = np.full(len(dims), np.inf), np.full(len(dims), -np.inf)
    for posterior in posteriors:
        ends = posterior.quantile([0.0005, 0.9995])[:, dims]
        low, high = np.minimum(low, ends[0]), np.maximum(high, ends[1])
    if truth is not None:
        low, high = np.minimum(low, truth[dims]), np.maximum(high, truth[dims])
    margin = 0.06 * (high - low)
    return low - margin, high + margin


def _levels(density, masses):
    """The density above which lies each share of the mass."""
    ordered = np.sort(density.ravel())[::-1]
    total = np.cumsum(ordered)
    levels = [ordered[min(np.searchsorted(total, m * total[-1]), ordered.size - 1)] for m in masses]
    return sorted(set(levels))


def _density(posterior, dims, axes):
    """The marginal density on a grid: exact from the mixture, or None where there is no density."""
    part = posterior.marginal([int(d) for d in dims])
    if not part.has_log_prob:
        return None
    mesh = np.meshgrid(*axes, indexing="ij")
    points = np.column_stack([m.ravel() for m in mesh])
    return np.exp(part.log_prob(points)).reshape(mesh[0].shape)


def _smoothed(draws, axes):
    """A density from samples: their histogram, smoothed by a Gaussian of one bin in each direction."""
    edges = [np.concatenate([[a[0] - (a[1] - a[0]) / 2], a + (a[1] - a[0]) / 2]) for a in axes]
    density, _ = np.histogramdd(draws, bins=edges, density=True)
    kernel = np.exp(-0.5 * (np.arange(-4, 5) / 1.3) ** 2)
    kernel /= kernel.sum()
    for axis in range(density.ndim):
        density = np.apply_along_axis(lambda row: np.convolve(row, kernel, "same"), axis, density)
    return density


def _grid_size(posterior, dims):
    if posterior.dim - len(dims) <= 1:
        return _GRID
    part = posterior.marginal([int(d) for d in dims])
    return _GRID_OF_CUT if part._core.log_prob_is_integral else _GRID


def _draw(posterior, dims, low, high, draws):
    """Axes and the density over them."""
    axes = [np.linspace(low[d], high[d], _grid_size(posterior, dims)) for d in dims]
    density = _density(posterior, dims, axes)
    if density is not None:
        return axes, density
    axes = [np.linspace(low[d], high[d], 50) for d in dims]
    return axes, _smoothed(draws[:, list(dims)], axes)


def pairplot(posteriors: Posterior | AmortisedPosterior | Sequence[Posterior | AmortisedPosterior],
             truth: Numbers | None = None, names: Sequence[str] | None = None,
             labels: Sequence[str] | None = None, prior: bool = False, samples: bool = True,
             limits: tuple[Numbers, Numbers] | None = None, num_samples: int = _NUM_SAMPLES, seed: Seed = 1,
             figsize: tuple[float, float] | None = None, title: str | None = None) -> tuple[Figure, NDArray[np.object_]]:
    """A corner plot: each parameter on the diagonal, each pair below it.

    Contours hold 39, 86 and 99% of the mass (one, two and three standard deviations of a Gaussian)
    and are exact: they are computed from the mixture. Posteriors that are samples, and marginals of
    priors that are images of others, are smoothed histograms.

    Parameters
    ----------
    posteriors
        One posterior, or several over the same parameters.
    truth
        The true parameters, where known.
    names
        Labels of the axes; by default the parameters' names.
    labels
        One for each posterior, for a legend.
    prior
        Whether to draw the prior on the diagonal.
    samples
        Whether to draw samples below the contours of the first posterior.
    limits
        (low, high), each a vector; by default what can be seen of the posteriors.

    Returns
    -------
    The figure and its axes, an array of dim x dim.

    >>> import matplotlib; matplotlib.use("agg")
    >>> import epsfree
    >>> model = epsfree.models["mixture"]
    >>> figure, axes = epsfree.pairplot(model.exact_posterior(), truth=[0.0])
    >>> axes.shape
    (1, 1)
    """
    pyplot = _matplotlib()
    if not isinstance(posteriors, (list, tuple)):
        posteriors = [posteriors]
    # Of one that holds for any observation: at the default one.
    posteriors = [p.at() if hasattr(p, "at") else p for p in posteriors]
    if not posteriors or len({p.dim for p in posteriors}) != 1:
        raise InputError("pairplot: expected posteriors over the same parameters")
    dim = posteriors[0].dim
    names = list(names or posteriors[0].names)
    if len(names) != dim:
        raise InputError(f"pairplot: got {len(names)} names, expected {dim}")
    if truth is not None:
        truth = np.asarray(truth, dtype=float).reshape(-1)
        if truth.size != dim:
            raise InputError(f"pairplot: truth has shape {truth.shape}, expected ({dim},)")
    low, high = _limits(posteriors, truth, list(range(dim))) if limits is None else (
        np.broadcast_to(np.asarray(end, dtype=float), (dim,)) for end in limits)
    size = figsize or (max(2.2 * dim, 3.4), max(2.2 * dim, 3.4))
    figure, axes = pyplot.subplots(dim, dim, figsize=size, squeeze=False)
    for number, posterior in enumerate(posteriors):
        colour = _COLOURS[number % len(_COLOURS)]
        has_density = posterior.marginal([0]).has_log_prob
        draws = posterior.sample((num_samples if has_density else max(num_samples, 20000),), seed=seed)
        for i in range(dim):
            (grid,), density = _draw(posterior, (i,), low, high, draws)
            axes[i, i].plot(grid, density, color=colour, lw=1.5,
                            label=labels[number] if labels and i == 0 else None)
            axes[i, i].fill_between(grid, density, color=colour, alpha=0.15, lw=0)
            for j in range(i):
                if samples and number == 0:
                    axes[i, j].plot(draws[:num_samples, j], draws[:num_samples, i], ".", ms=1.2,
                                    color=colour, alpha=0.25, rasterized=True)
                (across, up), density = _draw(posterior, (j, i), low, high, draws)
                axes[i, j].contour(across, up, density.T, levels=_levels(density, _LEVELS),
                                   colors=[colour], linewidths=1.1)
    if prior:
        _draw_prior(axes, posteriors[0], low, high, seed)
    _dress(axes, names, truth, low, high)
    if labels:
        handles, texts = axes[0, 0].get_legend_handles_labels()
        figure.legend(handles, texts, loc="upper right", frameon=False)
    if title:
        figure.suptitle(title)
    figure.tight_layout(h_pad=0.4, w_pad=0.4)
    return figure, axes


def _draw_prior(axes, posterior, low, high, seed):
    draws = posterior.prior.sample((200000,), seed=seed)
    for i in range(len(axes)):
        grid = np.linspace(low[i], high[i], 60)
        width = grid[1] - grid[0]
        edges = np.concatenate([[grid[0] - width / 2], grid + width / 2])
        counts, _ = np.histogram(draws[:, i], bins=edges)
        axes[i, i].plot(grid, counts / (len(draws) * width), color="0.5", lw=1, ls="--")


def _dress(axes, names, truth, low, high):
    """Limits, labels and the truth."""
    dim = len(axes)
    for i in range(dim):
        for j in range(dim):
            axis = axes[i, j]
            if j > i:
                axis.axis("off")
                continue
            axis.set_xlim(low[j], high[j])
            axis.tick_params(labelsize=8, labelbottom=i == dim - 1, labelleft=j == 0 and i > 0)
            axis.locator_params(nbins=4)
            if i == j:
                axis.set_yticks([])
                axis.set_ylim(bottom=0)
                for side in ("left", "right", "top"):
                    axis.spines[side].set_visible(False)
            else:
                axis.set_ylim(low[i], high[i])
            if i == dim - 1:
                axis.set_xlabel(names[j])
            if j == 0 and i > 0:
                axis.set_ylabel(names[i])
            if truth is None:
                continue
            axis.axvline(truth[j], color=_TRUTH, lw=0.9)
            if j < i:
                axis.axhline(truth[i], color=_TRUTH, lw=0.9)


def plot_history(summary: Summary | None, figsize: tuple[float, float] = (8, 3)) -> tuple[Figure, tuple[Axes, Axes]]:
    """How an inference went: the training loss of each round, and how far the proposal moved.

    >>> import matplotlib; matplotlib.use("agg")
    >>> import epsfree
    >>> posterior = epsfree.infer("mixture", num_simulations=200, seed=1)
    >>> figure, axes = posterior.plot_history()
    """
    pyplot = _matplotlib()
    if summary is None:
        raise InputError("plot_history: this posterior has no summary of a run")
    figure, (left, right) = pyplot.subplots(1, 2, figsize=figsize)
    rounds = summary.rounds
    trained = [r for r in rounds if r.get("loss_history")]
    for k, each in enumerate(trained):
        history = each["loss_history"]
        steps = np.linspace(0, each["num_steps"], len(history) + 1)[1:]
        left.plot(steps, [float(v) for v in history], color=_COLOURS[0],
                  alpha=(k + 1) / len(trained), label=f"{each['phase']} {each['round']}")
    left.set_xlabel("training step")
    left.set_ylabel("loss")
    if trained:
        left.legend(frameon=False, fontsize=8)
    else:
        left.text(0.5, 0.5, "no network was trained", ha="center", va="center",
                  transform=left.transAxes, color="0.4")
    moved = [(r["round"], r["proposal_change"]) for r in rounds if r.get("proposal_change") is not None]
    if moved:
        right.semilogy([m[0] for m in moved], [max(float(m[1]), 1e-12) for m in moved], "o-",
                       color=_COLOURS[0])
    right.set_xlabel("round")
    right.set_ylabel("change of the proposal (KL)")
    spent = right.twinx()
    spent.plot([r["round"] for r in rounds],
               np.cumsum([r["simulations"]["total"] for r in rounds]), color="0.6", ls="--")
    spent.set_ylabel("simulations so far", color="0.4")
    figure.tight_layout()
    return figure, (left, right)

"""An epidemic in a closed population: the simulator of sir.toml.

Infected people infect others and recover, each at their own rate, in continuous time (Gillespie).
"""
import math
import random

POPULATION = 500
FIRST_INFECTED = 5
DAYS = 60.0


def simulate(theta, seed):
    """theta: infection rate and recovery rate per day. Returns the statistics, a list of numbers.

    Everything random must come from the seed, so that a simulation can be repeated.
    """
    infection, recovery = theta
    if not (infection > 0 and recovery > 0):
        raise ValueError(f"rates must be positive, got {theta}")
    rng = random.Random(seed)
    susceptible, infected, time = POPULATION - FIRST_INFECTED, FIRST_INFECTED, 0.0
    peak, peak_day = infected, 0.0
    while infected > 0:
        infection_rate = infection * susceptible * infected / POPULATION
        total = infection_rate + recovery * infected
        time += rng.expovariate(total)
        if time > DAYS:
            break
        if rng.random() * total < infection_rate:
            susceptible -= 1
            infected += 1
            if infected > peak:
                peak, peak_day = infected, time
        else:
            infected -= 1
    ever_infected = POPULATION - susceptible
    return [math.log(peak), peak_day, ever_infected / POPULATION]

"""Compare gen with a loop of `helm template`, in one run: median wall and CPU seconds of each case.

Use: GEN_CACHE=FOLDER compare.py GEN HELMLOOP ONE   in a folder that holds environments/. HELMLOOP is a shell script that renders the same charts
once an environment with `helm template --include-crds --kube-version`; ONE changes one value of one environment.
"""
import os
import resource
import shutil
import statistics
import subprocess
import sys
import time

gen, helmloop, one = sys.argv[1:4]
cache = os.environ["GEN_CACHE"]


def measure(command, times, before=lambda: None):
    walls, cpus = [], []
    for _ in range(times):
        before()
        was, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.time()
        subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
        walls.append(time.time() - start)
        now = resource.getrusage(resource.RUSAGE_CHILDREN)
        cpus.append(now.ru_utime + now.ru_stime - was.ru_utime - was.ru_stime)
    return statistics.median(walls), statistics.median(cpus)


def change():
    subprocess.run(["sh", one], check=True)


render = [gen, "render", "-q"]
subprocess.run(render, stdout=subprocess.DEVNULL, check=True)  # fills the cache
helm = measure(["sh", helmloop], 3)

def cold():
    shutil.rmtree("output", ignore_errors=True)
    shutil.rmtree(cache + ".cold", ignore_errors=True)


cases = {
    "helm template loop": helm,
    "cold full render": measure([*render, "--cache", cache + ".cold"], 3, cold),
    "warm full render": measure(render, 7, lambda: shutil.rmtree("output", ignore_errors=True)),
    "one value changed": measure(render, 7, change),
    "nothing changed": measure(render, 7),
    "start (gen version)": measure([gen, "version"], 7),
}
for name, (wall, cpu) in cases.items():
    print(f"{name:20} wall {wall:6.3f} s  CPU {cpu:6.3f} s  helm/this: wall {helm[0] / wall:5.1f}  CPU {helm[1] / cpu:5.1f}")

"""Make a fleet of 100 environments (one group, three sites, 12 components each) and measure what rendering it takes.

Use: fleet100.py GEN CHARTS [FOLDER]   GEN is the program, CHARTS a folder of packed public charts (NAME-VERSION.tgz, as BenchmarkRealFleet
wants them), FOLDER where the fleet is made (a temporary one where it is not said). Prints wall and CPU seconds, peak memory, the size and
number of files, and the files that one changed value in one environment touches.
"""
import glob
import os
import shutil
import subprocess
import sys
import tempfile
import time

COUNT = int(os.environ.get("COUNT", "100"))
SITES = ["east", "north", "west"]
CHARTS = ["cilium", "cert-manager", "external-secrets", "sealed-secrets", "argo-cd", "metrics-server", "ingress-nginx", "metallb"]

FLEET = """apiVersion: gen/v1
kind: Fleet
git: {url: "https://git.example.internal/fleet.git", branch: main, path: "output/{env}"}
argocd: {in: cluster}
components:
"""

GROUP = """apiVersion: gen/v1
kind: Group
name: all
components:
  metrics-server: {values: {replicas: 2}}
"""

SITE = """apiVersion: gen/v1
kind: Site
name: %s
facts:
  network: {dns: [10.0.%d.2]}
  vault: {address: "https://vault.example.internal", path: secret}
"""

ENVIRONMENT = """apiVersion: gen/v1
kind: Environment
name: env%(n)03d
groups: [all]
site: %(site)s
rebuilt: seldom
versions: {talos: 1.13.6, kubernetes: 1.36.2}
facts:
  domain: env%(n)03d.example.internal
  network: {nodes: 10.%(net)d.0.0/24, gateway: 10.%(net)d.0.1, pods: 10.244.0.0/16, services: 10.96.0.0/12}
  controlPlane: {endpoint: "https://10.%(net)d.0.10:6443", vip: 10.%(net)d.0.10}
  nodes:
    - {name: cp1, role: controlplane, address: 10.%(net)d.0.11/24, link: ens18, disk: /dev/sda}
    - {name: w1, role: worker, address: 10.%(net)d.0.21/24, link: ens18, disk: /dev/sda}
    - {name: w2, role: worker, address: 10.%(net)d.0.22/24, link: ens18, disk: /dev/sda}
  loadBalancer: {addresses: [10.%(net)d.0.30/32], announce: {l2: {links: ["^ens"]}}}
  frontProxy: none
  vault: {mount: kubernetes-env%(n)03d}
  acme:
    server: https://acme.example.internal/directory
    email: platform@example.internal
    solver: dns01
    dns01: {rfc2136: {nameserver: "10.%(net)d.0.2:53", tsigKeyName: e, tsigAlgorithm: HMACSHA256, tsigSecretSecretRef: {name: dns-tsig, key: key}}}
"""

PAGE = """apiVersion: v1
kind: ConfigMap
metadata: {name: page}
data: {index.html: hello}
"""


def write(name, text):
    os.makedirs(os.path.dirname(name), exist_ok=True)
    with open(name, "w") as file:
        file.write(text)


def make(charts):
    fleet = FLEET
    for name in CHARTS:
        archive = glob.glob(os.path.join(charts, name + "-[v0-9]*.tgz"))[0]
        os.makedirs("environments/charts", exist_ok=True)
        shutil.copy(archive, f"environments/charts/{name}.tgz")
        fleet += f"  {name}: {{chart: {{path: charts/{name}.tgz}}}}\n"
    write("environments/fleet.yaml", fleet + "  page: {manifests: page, namespace: page}\n")
    write("environments/page/page.yaml", PAGE)
    write("environments/groups/all.yaml", GROUP)
    for i, site in enumerate(SITES):
        write(f"environments/sites/{site}.yaml", SITE % (site, i))
    for n in range(1, COUNT + 1):
        write(f"environments/env{n:03}.yaml", ENVIRONMENT % {"n": n, "net": 120 + n, "site": SITES[n % len(SITES)]})


def stamps():
    found = {}
    for folder, _, files in os.walk("output"):
        for name in files:
            path = os.path.join(folder, name)
            stat = os.stat(path)
            found[path] = (stat.st_ino, stat.st_mtime_ns, stat.st_size)
    return found


def run(label, *command):
    """Run one program and print what it took; the peak is read from a child of its own, which waits for it."""
    begun = time.time()
    child = os.fork()
    if child == 0:
        quiet = os.open(os.devnull, os.O_WRONLY)
        os.dup2(quiet, 1)
        os.execvp(command[0], command)
    _, status, usage = os.wait4(child, 0)
    if status:
        sys.exit(f"{' '.join(command)}: status {status}")
    if label:
        print(f"{label:34} wall {time.time() - begun:6.1f} s  CPU {usage.ru_utime + usage.ru_stime:6.1f} s  peak {usage.ru_maxrss // 1024:5} MiB", flush=True)


def main():
    gen, charts = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
    folder = sys.argv[3] if len(sys.argv) > 3 else tempfile.mkdtemp()
    os.makedirs(folder, exist_ok=True)
    os.chdir(folder)
    os.environ["GEN_CACHE"] = os.path.abspath("cache")
    make(charts)
    run("", gen, "charts", "lock")
    render = [gen, "render", "-q"]
    run("cold full", *render)
    shutil.rmtree("output")
    run("warm full", *render)
    time.sleep(2.5)  # younger files are read again
    run("nothing changed, files read", *render)
    run("nothing changed", *render)
    before = stamps()
    with open("environments/env050.yaml", "a") as file:
        file.write("components:\n  metrics-server: {values: {replicas: 3}}\n")
    run("one value in one environment", *render)
    after = stamps()
    size = sum(stat[2] for stat in after.values())
    print(f"output: {len(after)} files, {size / 1e6:.0f} MB; cache {sum(os.path.getsize(os.path.join(d, f)) for d, _, fs in os.walk('cache') for f in fs) / 1e6:.0f} MB")
    print("touched:", *sorted(path for path in after if after[path] != before.get(path)), sep="\n  ")


main()

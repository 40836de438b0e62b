#!/bin/sh
# Renders every chart archive of environments/charts three times with Helm. A folder of the same name beside an archive stands in for it.
for environment in 1 2 3; do
	for chart in environments/charts/*.tgz; do
		[ -d "${chart%.tgz}" ] && chart=${chart%.tgz}
		"${HELM:-helm}" template --include-crds --kube-version 1.36.2 x "$chart" >/dev/null || exit 1
	done
done

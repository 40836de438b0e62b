#!/bin/sh
# Gives one value of the environment env2 another number: the last lines of its file are its components.
sed -i '/^components:/,$d' environments/env2.yaml
printf 'components:\n  metrics-server:\n    values: {replicas: %s}\n' "$(($(date +%s) % 90 + 2))" >>environments/env2.yaml

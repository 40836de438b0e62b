local hs = {status = "Progressing", message = "waiting for the application"}
local s, spec = obj.status or {}, obj.spec or {}
local sync, health, op = s.sync or {}, s.health or {}, s.operationState
local function same(a, b)
  return a ~= nil and b ~= nil and a.repoURL == b.repoURL and a.path == b.path and a.chart == b.chart and a.targetRevision == b.targetRevision
end
-- the verdict shown must be about what is asked for now, not about the source before
local function current()
  local seen = sync.comparedTo or {}
  if spec.sourceHydrator ~= nil then return true end
  if spec.sources ~= nil then
    if seen.sources == nil or #seen.sources ~= #spec.sources then return false end
    for i = 1, #spec.sources do if not same(seen.sources[i], spec.sources[i]) then return false end end
    return true
  end
  return spec.source == nil or same(seen.source, spec.source)
end
if health.status == "Suspended" then
  hs.status = "Suspended"
elseif sync.status == "Synced" and health.status == "Healthy" and current() and (op == nil or op.phase == "Succeeded") then
  hs.status = "Healthy"
end
hs.message = health.message or (op ~= nil and op.message) or hs.message
return hs

local hs = {status = "Progressing", message = "waiting for the API server to establish the kind"}
local conditions, refusal = (obj.status or {}).conditions or {}, nil
for _, c in ipairs(conditions) do
  local text = c.message or c.reason or ""
  if c.type == "Terminating" and c.status == "True" then
    return {status = "Progressing", message = "is being deleted: " .. text}
  elseif c.type == "NamesAccepted" and c.status == "False" then
    refusal = "its names are not accepted: " .. text
  elseif c.type == "NonStructuralSchema" and c.status == "True" then
    refusal = refusal or "its schema is refused: " .. text
  elseif c.type == "Established" and c.status == "True" then
    hs = {status = "Healthy", message = "the kind is served"}
  elseif c.type == "Established" and text ~= "" then
    hs.message = "waiting for the API server to establish the kind: " .. text
  end
end
if refusal ~= nil then
  hs = {status = "Degraded", message = refusal}
end
return hs

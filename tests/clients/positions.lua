-- Random positions of at most six pieces, the same in each run.
local rows = tonumber(os.getenv("ROWS") or 8)
local squares, board = rows * rows / 2, rows .. "x" .. rows
math.randomseed(1)
local paths = {}
for i = 1, 20000 do
  local taken, lists = {}, {W = {}, B = {}}
  local pieces = math.random(2, 6)
  for k = 1, pieces do
    local side = k == 1 and "W" or k == 2 and "B" or (math.random(2) == 1 and "W" or "B")
    local square
    repeat square = math.random(rows / 2 + 1, squares - rows / 2) until not taken[square]
    taken[square] = true
    table.insert(lists[side], (math.random(2) == 1 and "K" or "") .. square)
  end
  paths[i] = "/api/" .. board .. "/position?fen=" .. (math.random(2) == 1 and "W" or "B") ..
    ":W" .. table.concat(lists.W, ",") .. ":B" .. table.concat(lists.B, ",")
end
local at = 0
request = function() at = at % #paths + 1; return wrk.format("GET", paths[at]) end

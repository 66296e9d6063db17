-- Lets wrk ask for the paths in the file $PATHS one after the other, again and again.
local paths = {}
for line in io.lines(os.getenv("PATHS")) do
	paths[#paths + 1] = line
end
local at = 0

request = function()
	at = at % #paths + 1
	return wrk.format("GET", paths[at])
end

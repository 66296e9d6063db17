-- Lets wrk ask for the paths in the file $PATHS one after the other, again and again; with $ONCE until
-- each was answered.
local paths = {}
for line in io.lines(os.getenv("PATHS")) do
	paths[#paths + 1] = line
end
local at = 0

request = function()
	at = at % #paths + 1
	return wrk.format("GET", paths[at])
end

if os.getenv("ONCE") then
	local answered = 0
	response = function()
		answered = answered + 1
		if answered >= #paths then
			wrk.thread:stop()
		end
	end
end

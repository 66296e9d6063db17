-- Waits for errors of the language server, and writes their lines and rules down.
local error_only = { severity = vim.diagnostic.severity.ERROR }
vim.wait(60000, function() return #vim.diagnostic.get(0, error_only) > 0 end, 20)
local lines = {}
for _, found in ipairs(vim.diagnostic.get(0, error_only)) do
  table.insert(lines, (found.lnum + 1) .. " " .. found.code)
end
vim.fn.writefile(lines, "/tmp/errors")

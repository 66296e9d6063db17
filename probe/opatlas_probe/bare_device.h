#pragma once

#include <string>
#include <vector>

// Makes the bare device serve these operators of `aten`.
void serve(const std::vector<std::string>& names);

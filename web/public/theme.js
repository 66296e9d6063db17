// Before the first paint, so that a chosen theme does not flash the other one.
try {
	const theme = localStorage.getItem("opatlas.theme");
	if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
} catch {
	// Without storage the system's theme holds.
}

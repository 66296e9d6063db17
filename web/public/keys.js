// Keeps what is typed after `/`, or Ctrl-K, until the program is there to search for it.
(() => {
	const kept = { isOpen: false, isEntered: false, text: "" };
	const press = (event) => {
		const { key, ctrlKey, metaKey, altKey, target } = event;
		if (target.closest?.("input, textarea, select")) return;
		if ((ctrlKey || metaKey) && key.toLowerCase() === "k") kept.isOpen = true;
		else if (ctrlKey || metaKey || altKey) return;
		else if (!kept.isOpen && key === "/" && localStorage.getItem("opatlas.letters") !== "off") {
			kept.isOpen = true;
		} else if (!kept.isOpen) return;
		else if (key === "Escape") Object.assign(kept, { isOpen: false, isEntered: false, text: "" });
		else if (key === "Backspace") kept.text = kept.text.slice(0, -1);
		else if (key === "Enter") kept.isEntered = true;
		else if (key.length === 1) kept.text += key;
		else return;
		event.preventDefault();
	};
	document.addEventListener("keydown", press);
	window.opatlasKeys = () => {
		document.removeEventListener("keydown", press);
		delete window.opatlasKeys;
		return kept;
	};
})();

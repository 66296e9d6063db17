const KEY = "opatlas.letters";

/** Whether keys without Ctrl or Alt do something; who speaks to the computer may not want that. */
export function hasLetters(): boolean {
	try {
		return localStorage.getItem(KEY) !== "off";
	} catch {
		return true;
	}
}

/** Turns such keys on or off; this browser keeps it. */
export function setLetters(isOn: boolean): void {
	try {
		if (isOn) localStorage.removeItem(KEY);
		else localStorage.setItem(KEY, "off");
	} catch {
		// A browser that stores nothing leaves them on.
	}
}

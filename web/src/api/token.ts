const KEY = "opatlas.token";

/** How long a token is kept: until the window closes, or until it is taken away. */
export type Keeping = "session" | "browser";

/** The token, where one was entered. Without storage there is none. */
export function currentToken(): { secret: string; keeping: Keeping } | undefined {
	try {
		const inSession = sessionStorage.getItem(KEY);
		if (inSession) return { secret: inSession, keeping: "session" };
		const inBrowser = localStorage.getItem(KEY);
		return inBrowser ? { secret: inBrowser, keeping: "browser" } : undefined;
	} catch {
		return undefined;
	}
}

/** Keeps a token, and forgets the one before. */
export function keepToken(secret: string, keeping: Keeping): void {
	forgetToken();
	(keeping === "session" ? sessionStorage : localStorage).setItem(KEY, secret);
}

export function forgetToken(): void {
	sessionStorage.removeItem(KEY);
	localStorage.removeItem(KEY);
}

/** The request with the token, where there is one and nobody set another. */
export function authorized(request: Request): Request {
	const token = currentToken();
	if (!token || request.headers.has("Authorization")) return request;
	const headers = new Headers(request.headers);
	headers.set("Authorization", `Bearer ${token.secret}`);
	return new Request(request, { headers });
}

import type { components } from "./schema";

/** A problem document (RFC 9457), as every error of the API is. */
export type Problem = components["schemas"]["Problem"];

/** What a request failed with: the server's problem document, or that it could not be reached. */
export class ApiError extends Error {
	readonly problem: Problem;

	constructor(problem: Problem) {
		super(problem.detail || problem.title);
		this.name = "ApiError";
		this.problem = problem;
	}

	/** The status of the answer; 0 where there was none. */
	get status(): number {
		return this.problem.status;
	}
}

function isProblem(value: unknown): value is Problem {
	return typeof value === "object" && value !== null && "title" in value && "status" in value;
}

/** The error for an answer that is not fine. */
export function errorOf(response: Response, body: unknown): ApiError {
	if (isProblem(body)) return new ApiError(body);
	return new ApiError({
		type: "about:blank",
		title: response.statusText || "The request failed",
		status: response.status,
		detail: `The server answered with status ${response.status} and no explanation.`,
		request_id: response.headers.get("x-request-id") ?? "",
	});
}

/** The error for a request that got no answer. */
export function unreachable(): ApiError {
	return new ApiError({
		type: "about:blank",
		title: "The server is not reachable",
		status: 0,
		detail: "No answer. Check that `opatlas serve` is running and that the network is up.",
		request_id: "",
	});
}

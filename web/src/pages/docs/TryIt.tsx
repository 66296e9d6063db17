import { useState } from "react";
import { raw } from "../../api/client";
import { currentToken } from "../../api/token";
import { Button, Copy, Select } from "../../components/controls";
import { ErrorView } from "../../components/States";
import { count } from "../../lib/format";
import { addressOf, curl, type Draft, headersOf, type Operation } from "../../lib/openapi";
import styles from "./Docs.module.css";

/** How many letters of an answer are shown. */
const SHOWN = 100_000;
/** The headers of an answer that are shown. */
const HEADERS = ["content-type", "etag", "cache-control", "x-request-id", "www-authenticate"];

interface Answer {
	status: number;
	headers: [string, string][];
	text: string;
	milliseconds: number;
}

interface Props {
	operation: Operation;
	draft: Draft;
	onDraft: (draft: Draft) => void;
}

/** The request as a command, and a button that makes it. */
export function TryIt({ operation, draft, onDraft }: Props) {
	const [answer, setAnswer] = useState<Answer>();
	const [error, setError] = useState<unknown>();
	const [isBusy, setBusy] = useState(false);
	const command = curl(location.origin, operation, draft, currentToken() !== undefined);
	const media = new Set(
		operation.responses.flatMap(({ status, content }) =>
			status.startsWith("2") ? Object.keys(content) : [],
		),
	);
	const lacking = addressOf(operation, draft).match(/\{[^}]+\}/g);
	const send = async () => {
		setBusy(true);
		setError(undefined);
		try {
			setAnswer(await made(operation, draft));
		} catch (failure) {
			setAnswer(undefined);
			setError(failure);
		} finally {
			setBusy(false);
		}
	};
	return (
		<div className={styles.part}>
			<h3>Try it</h3>
			<div className={styles.command}>
				<pre>{command}</pre>
				<Copy text={command}>Copy</Copy>
			</div>
			<div className={styles.actions}>
				{media.size > 1 && (
					<Select
						label="Accept"
						value={draft.accept}
						options={[...media].map((value) => ({ value, label: value }))}
						onChange={(accept) => onDraft({ ...draft, accept })}
					/>
				)}
				<Button primary disabled={isBusy || lacking !== null} onClick={() => void send()}>
					{isBusy ? "Waiting …" : `Send ${operation.method}`}
				</Button>
				{lacking && <span className="muted">Still needed: {lacking.join(", ")}</span>}
				{operation.method === "DELETE" && <strong>This deletes what it names.</strong>}
			</div>
			{error !== undefined && <ErrorView error={error} />}
			{answer && <Shown answer={answer} />}
		</div>
	);
}

async function made(operation: Operation, draft: Draft): Promise<Answer> {
	const began = performance.now();
	const response = await raw(addressOf(operation, draft), {
		method: operation.method,
		headers: headersOf(operation, draft),
		body: operation.body ? draft.body : null,
	});
	const text = await response.text();
	const isJson = /[/+]json$/.test(response.headers.get("content-type")?.split(";")[0] ?? "");
	return {
		status: response.status,
		headers: HEADERS.flatMap((name) => {
			const value = response.headers.get(name);
			return value === null ? [] : [[name, value] satisfies [string, string]];
		}),
		text: isJson && text.length < SHOWN ? JSON.stringify(JSON.parse(text), null, 2) : text,
		milliseconds: Math.round(performance.now() - began),
	};
}

function Shown({ answer: { status, headers, text, milliseconds } }: { answer: Answer }) {
	return (
		<div className={styles.answer}>
			<p role="status">
				<strong data-fine={status < 400}>{status}</strong> after {count(milliseconds)} ms,{" "}
				{count(text.length)} letters
			</p>
			<dl className={styles.headers}>
				{headers.map(([name, value]) => (
					<div key={name}>
						<dt>{name}</dt>
						<dd>{value}</dd>
					</div>
				))}
			</dl>
			<section className={styles.text} tabIndex={0} aria-label="Answer">
				<pre>{text.slice(0, SHOWN)}</pre>
			</section>
			{text.length > SHOWN && <p className="muted">Only the beginning is shown.</p>}
		</div>
	);
}

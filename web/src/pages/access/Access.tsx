import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate, useRouterState } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { accessQuery, canRead, projectsQuery } from "../../api/queries";
import { currentToken, forgetToken, type Keeping, keepToken } from "../../api/token";
import { Badge, type Tone } from "../../components/Badge";
import { Button, Field, Segments, Select, TextInput } from "../../components/controls";
import { Card, Page, Section } from "../../components/Page";
import { Async } from "../../components/States";
import styles from "./Access.module.css";
import { type RightVerdict, whatOf, wordsOf } from "./rights";

/** A place for a token, and what can be done with it and without. */
export default function Access() {
	const [token, setToken] = useState(currentToken);
	const queries = useQueryClient();
	const navigate = useNavigate();
	const back = useRouterState({ select: (state) => state.location.state.back });
	const changed = () => {
		setToken(currentToken());
		// What was refused or allowed before may be otherwise now.
		queries.clear();
	};
	const entered = () => {
		changed();
		if (back !== undefined) void navigate({ href: back });
	};
	return (
		<Page
			title="Access"
			lead="If the server requires a token, enter it here. The page sends it with every request to this server and to no other server."
		>
			<Section title="Your token">
				<Card>
					{token && (
						<div className={styles.kept}>
							<p>
								A token is stored{" "}
								{token.keeping === "session" ? "until this window closes" : "in this browser"}:{" "}
								<code>{masked(token.secret)}</code>
							</p>
							<Button
								onClick={() => {
									forgetToken();
									changed();
								}}
							>
								Forget it
							</Button>
						</div>
					)}
					{(token === undefined || back !== undefined) && <Enter onKept={entered} />}
				</Card>
			</Section>
			<Rights key={token?.secret ?? ""} hasToken={token !== undefined} />
		</Page>
	);
}

/** Enough of a token to know it by. */
const masked = (secret: string) => `${secret.slice(0, 12)}…${secret.slice(-2)}`;

const KEEPINGS = [
	{ value: "session", label: "Until the window closes" },
	{ value: "browser", label: "In this browser" },
] as const;

function Enter({ onKept }: { onKept: () => void }) {
	const [secret, setSecret] = useState("");
	const [keeping, setKeeping] = useState<Keeping>("session");
	const [fault, setFault] = useState<string>();
	const submit = (event: FormEvent) => {
		event.preventDefault();
		const trimmed = secret.trim();
		// Other letters cannot stand in a header.
		if (!/^[\x21-\x7e]+$/.test(trimmed)) {
			setFault("This is not a token. Paste the text that `opatlas token create` printed.");
			return;
		}
		try {
			keepToken(trimmed, keeping);
			onKept();
		} catch {
			setFault("This browser does not store data for this page. Allow it to store site data.");
		}
	};
	return (
		<form className={styles.form} onSubmit={submit}>
			<Field label="Token">
				{(id) => (
					<TextInput
						id={id}
						type="password"
						placeholder="opatlas_…"
						className={styles.secret}
						aria-describedby={fault ? `${id}-fault` : undefined}
						value={secret}
						onChange={setSecret}
					/>
				)}
			</Field>
			<Segments label="Keep it" value={keeping} options={KEEPINGS} onChange={setKeeping} />
			<Button type="submit" primary disabled={secret.trim() === ""}>
				Use it
			</Button>
			{fault && (
				<p role="alert" className={styles.fault}>
					{fault}
				</p>
			)}
			<p className={styles.how}>
				The operator of the server creates tokens with <code>opatlas token create</code>. On a shared
				computer, keep the token only until the window closes.
			</p>
		</form>
	);
}

const TONES: Record<RightVerdict, Tone> = {
	allowed: "good",
	"token-required": "warning",
	"not-allowed": "error",
};

function Rights({ hasToken }: { hasToken: boolean }) {
	const anywhere = useQuery(accessQuery(hasToken, undefined));
	const isReader = anywhere.data !== undefined && canRead(anywhere.data);
	// Who may not read would only be refused the list.
	const projects = useQuery({ ...projectsQuery, enabled: isReader });
	const names = projects.data?.map(({ name }) => name) ?? [];
	const [chosen, setChosen] = useState<string>();
	const project = chosen ?? names[0];
	const query = useQuery({
		...accessQuery(hasToken, project),
		enabled: anywhere.isFetched && !projects.isLoading,
	});
	return (
		<Section
			title={hasToken ? "Allowed with this token" : "Allowed without a token"}
			actions={
				project !== undefined &&
				names.length > 1 && (
					<Select
						label="In project"
						value={project}
						options={names.map((name) => ({ value: name, label: name }))}
						onChange={setChosen}
					/>
				)
			}
		>
			<Async query={query}>
				{({ token, tokens_for, rights }) => (
					<>
						{token === "invalid" && (
							<p role="alert" className={styles.fault}>
								The server does not accept this token: it is unknown, revoked or expired. Forget it
								and enter another one.
							</p>
						)}
						{tokens_for === "nothing" && <p>This server does not require a token.</p>}
						<ul className={styles.rights} aria-label="Rights">
							{rights.map(({ action, verdict }) => (
								<li key={action}>
									<strong className="mono">{action}</strong>
									<span>{whatOf(action)}</span>
									<Badge tone={TONES[verdict]}>{wordsOf(verdict)}</Badge>
								</li>
							))}
						</ul>
						{!isReader && (
							<p className="muted">
								The other pages need <code>read</code>.
							</p>
						)}
					</>
				)}
			</Async>
		</Section>
	);
}

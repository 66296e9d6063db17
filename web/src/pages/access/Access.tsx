import { useQuery, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { projectsQuery } from "../../api/queries";
import { currentToken, forgetToken, type Keeping, keepToken } from "../../api/token";
import { Badge, type Tone } from "../../components/Badge";
import { Button, Field, Segments, Select, TextInput } from "../../components/controls";
import { Card, Page, Section } from "../../components/Page";
import { Async } from "../../components/States";
import styles from "./Access.module.css";
import { RIGHTS, type Standing } from "./rights";

/** A place for a token, and what can be done with it and without. */
export default function Access() {
	const [token, setToken] = useState(currentToken);
	const queries = useQueryClient();
	const changed = () => {
		setToken(currentToken());
		// What was refused or allowed before may be otherwise now.
		queries.clear();
	};
	return (
		<Page
			title="Access"
			lead="Where the server wants tokens, enter yours here; this page sends it with every request to this server, and to no other."
		>
			<Section title="Your token">
				<Card>
					{token ? (
						<div className={styles.kept}>
							<p>
								A token is kept{" "}
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
					) : (
						<Enter onKept={changed} />
					)}
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
			setFault("A token is one word of plain letters, as `opatlas token create` prints it.");
			return;
		}
		try {
			keepToken(trimmed, keeping);
			onKept();
		} catch {
			setFault("This browser keeps nothing for this page: allow it to store site data.");
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
				Whoever runs the server makes tokens: <code>opatlas token create</code>. On a computer that
				others use as well, keep it only until the window closes.
			</p>
		</form>
	);
}

const TONES: Record<Standing, Tone> = {
	allowed: "good",
	"needs a token": "warning",
	"not with this token": "error",
	unknown: "plain",
};

function Rights({ hasToken }: { hasToken: boolean }) {
	const projects = useQuery(projectsQuery);
	const [chosen, setChosen] = useState<string>();
	const project = chosen ?? projects.data?.[0]?.name ?? "pytorch";
	const query = useQuery({
		queryKey: ["rights", hasToken, project],
		staleTime: 0,
		queryFn: () => Promise.all(RIGHTS.map((right) => right.ask(project))),
		enabled: !projects.isLoading,
	});
	const names = projects.data?.map(({ name }) => name) ?? [];
	return (
		<Section
			title={hasToken ? "What this token allows" : "What is open without a token"}
			actions={
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
				{(standings) => (
					<>
						{hasToken && standings.every((standing) => standing === "needs a token") && (
							<p role="alert" className={styles.fault}>
								The server does not know this token, or it was revoked or has expired. Forget it and
								enter another.
							</p>
						)}
						{!hasToken && standings.every((standing) => standing === "allowed") && (
							<p>This server wants no token: everything is open from here.</p>
						)}
						<ul className={styles.rights} aria-label="Rights">
							{RIGHTS.map(({ action, what }, at) => {
								const standing = standings[at] ?? "unknown";
								return (
									<li key={action}>
										<strong className="mono">{action}</strong>
										<span>{what}</span>
										<Badge tone={TONES[standing]}>{standing}</Badge>
									</li>
								);
							})}
						</ul>
						{standings[0] !== "allowed" && (
							<p className="muted">
								Without <code>read</code> the other pages have nothing to show.
							</p>
						)}
						<p className="muted">
							Downloads by a link carry no token: where the server wants one for reading, take files
							with the commands on the API page.
						</p>
					</>
				)}
			</Async>
		</Section>
	);
}

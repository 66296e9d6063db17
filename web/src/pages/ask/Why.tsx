import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Button, Copy, Field } from "../../components/controls";
import { Card, Facts, Page, Section } from "../../components/Page";
import { Prose } from "../../components/Prose";
import { Async } from "../../components/States";
import { understood } from "../../lib/message";
import { useGivenFile } from "../../lib/useGivenFile";
import { rulePath } from "../../nav";
import styles from "./Ask.module.css";
import { type AskAnswer, askQuery } from "./queries";

const EXAMPLES = [
	"NotImplementedError: The operator 'aten::_linalg_eigh.eigenvalues' is not currently implemented for the MPS device.",
	"RuntimeError: derivative for aten::grid_sampler_2d_backward is not implemented",
	"F.relu(x, inplace=True)",
] as const;

const BEGINNING = { name: "message", text: "" };

/** What an error message means, and what to do. */
export default function Why() {
	const { file, setFile, asked, unkept, compare } = useGivenFile(BEGINNING);
	const ask = (text: string) => {
		if (text.trim() !== "") compare({ name: "message", text });
	};
	const query = useQuery({ ...askQuery(asked?.text ?? ""), enabled: asked !== undefined });
	return (
		<Page
			title="Why"
			heading="Why does it fail?"
			lead="Paste an error message, a warning or a call in Python. Opatlas says what it means and what to do."
		>
			<form
				className={styles.given}
				onSubmit={(event) => {
					event.preventDefault();
					ask(file.text);
				}}
			>
				<Field label="What your terminal shows">
					{(id) => (
						<textarea
							id={id}
							className={styles.text}
							rows={7}
							spellCheck={false}
							value={file.text}
							onChange={(event) => setFile({ ...file, text: event.target.value })}
							onKeyDown={(event) => {
								if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) ask(file.text);
							}}
						/>
					)}
				</Field>
				<div className={styles.choice}>
					<Button primary type="submit">
						Explain
					</Button>
					{asked && unkept === undefined && <Copy text={location.href}>Copy link</Copy>}
				</div>
				{unkept && <p role="status">{unkept}</p>}
			</form>
			{asked ? (
				<Async query={query}>{(answer) => <AnswerView answer={answer} text={asked.text} />}</Async>
			) : (
				<Section title="Examples">
					<ul className={styles.examples}>
						{EXAMPLES.map((text) => (
							<li key={text}>
								<button type="button" onClick={() => ask(text)}>
									{text}
								</button>
							</li>
						))}
					</ul>
				</Section>
			)}
		</Page>
	);
}

/** The answer first: what it is, what to do, why. */
function AnswerView({ answer, text }: { answer: AskAnswer; text: string }) {
	return (
		<>
			<section className={styles.answer} data-kind={answer.kind} aria-label="Answer" aria-live="polite">
				<h2 className={styles.says}>
					<Prose text={answer.title} />
				</h2>
				<p>
					<Prose text={answer.cause} />
				</p>
			</section>
			{answer.advice.length > 0 && (
				<Section title="What to do">
					<ol className={styles.advice}>
						{answer.advice.map(({ releases, text }) => (
							<li key={text}>
								{releases && <strong>{releases}: </strong>}
								<Prose text={text} />
							</li>
						))}
					</ol>
				</Section>
			)}
			{answer.misleads && (
				<p>
					<strong>Do not be misled: </strong>
					<Prose text={answer.misleads} />
				</p>
			)}
			<Section title="What was read" note={answer.kind}>
				<Card>
					<pre className={styles.message}>
						{understood(text, answer.read).map(({ text, what }, at) =>
							what ? (
								<mark key={at} title={what}>
									{text}
								</mark>
							) : (
								text
							),
						)}
					</pre>
				</Card>
				<Facts items={facts(answer)} />
			</Section>
		</>
	);
}

function facts(answer: AskAnswer) {
	const { operator, key, way, release, fails_in, fixed_in, rule, links } = answer;
	const items: [string, React.ReactNode][] = [];
	if (operator) items.push(["Operator", <code>{operator}</code>]);
	if (key) items.push(["Dispatch key", <code>{key}</code>]);
	if (way !== "none") items.push(["Where", way]);
	if (release) items.push(["Your release", release]);
	if (fails_in) items.push(["Fails up to", fails_in]);
	if (fixed_in) items.push(["Works from", fixed_in]);
	if (rule) items.push(["Rule", <Link to={rulePath(rule)}>{rule}</Link>]);
	if (links.length > 0) items.push(["Read more", <More links={links} />]);
	return items;
}

function More({ links }: Pick<AskAnswer, "links">) {
	return links.map(({ title, path }, at) => (
		<span key={path}>
			{at > 0 && ", "}
			<Link to={path}>{title}</Link>
		</span>
	));
}

import { useState } from "react";
import { Field, Select } from "../../components/controls";
import { Prose } from "../../components/Prose";
import {
	type Draft,
	exampleOf,
	type Operation,
	type Parameter,
	type Schema,
	slot,
	typeWords,
} from "../../lib/openapi";
import styles from "./Docs.module.css";
import { SchemaTree } from "./SchemaTree";
import { TryIt } from "./TryIt";

interface Props {
	operation: Operation;
	schemas: Record<string, Schema>;
}

/** An operation: its parameters as a form, its body, a command, and what it answers. */
export function OperationDetail({ operation, schemas }: Props) {
	const [draft, setDraft] = useState<Draft>(() => beginning(operation, schemas));
	const { parameters, body, responses } = operation;
	const put = (parameter: Parameter, value: string) =>
		setDraft({ ...draft, values: { ...draft.values, [slot(parameter)]: value } });
	return (
		<div className={styles.detail}>
			{operation.description && (
				<p className={styles.text}>
					<Prose text={operation.description} />
				</p>
			)}
			{parameters.length > 0 && (
				<div className={styles.part}>
					<h3>Parameters</h3>
					<ul className={styles.parameters}>
						{parameters.map((parameter) => (
							<li key={slot(parameter)}>
								<ParameterField
									parameter={parameter}
									value={draft.values[slot(parameter)] ?? ""}
									onChange={(value) => put(parameter, value)}
								/>
							</li>
						))}
					</ul>
				</div>
			)}
			{body && (
				<div className={styles.part}>
					<h3>Body</h3>
					<p className={styles.text}>
						<Prose text={body.description} />
					</p>
					<Select
						label="Media type"
						value={draft.media}
						options={Object.keys(body.content).map((media) => ({ value: media, label: media }))}
						onChange={(media) =>
							setDraft({ ...draft, media, body: bodyExample(operation, schemas, media) })
						}
					/>
					<Field label="Text">
						{(id) => (
							<textarea
								id={id}
								className={styles.body}
								spellCheck={false}
								rows={Math.min(14, draft.body.split("\n").length + 1)}
								value={draft.body}
								onChange={(event) => setDraft({ ...draft, body: event.target.value })}
							/>
						)}
					</Field>
					{draft.media && body.content[draft.media]?.schema && (
						<details>
							<summary>Shape of the body</summary>
							<SchemaTree schema={body.content[draft.media]?.schema ?? {}} schemas={schemas} />
						</details>
					)}
				</div>
			)}
			<TryIt operation={operation} draft={draft} onDraft={setDraft} />
			<div className={styles.part}>
				<h3>Answers</h3>
				<ul className={styles.responses}>
					{responses.map(({ status, description, content }) => (
						<li key={status}>
							<p>
								<strong className="num">{status}</strong> <Prose text={description} />{" "}
								<span className="muted">{Object.keys(content).join(", ")}</span>
							</p>
							{content["application/json"]?.schema && (
								<details>
									<summary>Shape: {typeWords(content["application/json"].schema)}</summary>
									<SchemaTree schema={content["application/json"].schema} schemas={schemas} />
								</details>
							)}
						</li>
					))}
				</ul>
			</div>
		</div>
	);
}

/** The media type that a body is first shown as: what people write by hand before all. */
function firstMedia(operation: Operation): string | undefined {
	const known = Object.keys(operation.body?.content ?? {});
	return (
		["application/yaml", "application/json"].find((media) => known.includes(media)) ?? known[0]
	);
}

function bodyExample(
	operation: Operation,
	schemas: Record<string, Schema>,
	media: string | undefined,
): string {
	const content = media === undefined ? undefined : operation.body?.content[media];
	const value = content?.example ?? (content?.schema && exampleOf(content.schema, schemas));
	if (value === undefined || value === null) return "";
	return typeof value === "string" ? value : JSON.stringify(value, null, 2);
}

function beginning(operation: Operation, schemas: Record<string, Schema>): Draft {
	const media = firstMedia(operation);
	const values: Record<string, string> = {};
	for (const parameter of operation.parameters) {
		const example = parameter.example ?? parameter.schema.example;
		if (parameter.in === "path" && example !== undefined) values[slot(parameter)] = String(example);
	}
	const answers = operation.responses.find(({ status }) => status.startsWith("2"))?.content ?? {};
	const accept = "application/json" in answers ? "application/json" : Object.keys(answers)[0];
	return { values, media, body: bodyExample(operation, schemas, media), accept };
}

interface FieldProps {
	parameter: Parameter;
	value: string;
	onChange: (value: string) => void;
}

function ParameterField({ parameter, value, onChange }: FieldProps) {
	const { name, schema, required, description } = parameter;
	const choices = schema.enum?.map(String);
	const example = parameter.example ?? schema.example;
	const limits = [
		schema.default !== undefined && `${JSON.stringify(schema.default)} by default`,
		schema.maximum !== undefined && `at most ${schema.maximum}`,
	].filter(Boolean);
	return (
		<>
			<Field label={`${name} · ${parameter.in}${required ? ", required" : ""}`}>
				{(id) =>
					choices ? (
						<select
							id={id}
							className={styles.input}
							value={value}
							onChange={(event) => onChange(event.target.value)}
						>
							<option value="">–</option>
							{choices.map((choice) => (
								<option key={choice}>{choice}</option>
							))}
						</select>
					) : (
						<input
							id={id}
							className={styles.input}
							autoComplete="off"
							spellCheck={false}
							placeholder={example === undefined ? typeWords(schema) : String(example)}
							value={value}
							onChange={(event) => onChange(event.target.value)}
						/>
					)
				}
			</Field>
			<p className={styles.about}>
				<Prose text={description ?? ""} />
				{limits.length > 0 && <span className="muted"> ({limits.join(", ")})</span>}
			</p>
		</>
	);
}

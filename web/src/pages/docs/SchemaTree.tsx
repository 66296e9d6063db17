import { Prose } from "../../components/Prose";
import { nameOf, resolve, type Schema, typeWords } from "../../lib/openapi";
import styles from "./Docs.module.css";

interface Props {
	schema: Schema;
	schemas: Record<string, Schema>;
	/** The schemas around it, which it is not opened in again. */
	within?: readonly string[];
}

/** The parts of a schema that has further schemas in it: of a list its items, of a choice all. */
function parts(schema: Schema): Schema[] {
	const choices = schema.oneOf ?? schema.anyOf ?? schema.allOf;
	if (choices) return choices;
	if (schema.items) return [schema.items];
	if (typeof schema.additionalProperties === "object") return [schema.additionalProperties];
	return [];
}

/** A schema's fields with types and what they mean; nested ones open on demand. */
export function SchemaTree({ schema, schemas, within = [] }: Props) {
	const name = nameOf(schema);
	const real = resolve(schema, schemas);
	const inside = name === undefined ? within : [...within, name];
	const fields = Object.entries(real.properties ?? {});
	if (fields.length === 0) {
		const nested = parts(real).filter((part) => hasFields(part, schemas));
		if (nested.length === 0) return <p className={styles.about}>{typeWords(real)}</p>;
		return nested.map((part) => (
			<SchemaTree key={typeWords(part)} schema={part} schemas={schemas} within={inside} />
		));
	}
	return (
		<ul className={styles.tree}>
			{fields.map(([field, value]) => {
				const opens = hasFields(value, schemas) && !isWithin(value, inside);
				return (
					<li key={field}>
						<code className={styles.field}>{field}</code>{" "}
						<span className={styles.type}>{typeWords(value)}</span>
						{value.description && (
							<span className={styles.about}>
								{" "}
								<Prose text={value.description} />
							</span>
						)}
						{opens && (
							<details>
								<summary>fields</summary>
								<SchemaTree schema={value} schemas={schemas} within={inside} />
							</details>
						)}
					</li>
				);
			})}
		</ul>
	);
}

function hasFields(schema: Schema, schemas: Record<string, Schema>): boolean {
	const real = resolve(schema, schemas);
	return real.properties !== undefined || parts(real).some((part) => hasFields(part, schemas));
}

function isWithin(schema: Schema, within: readonly string[]): boolean {
	const name = nameOf(schema);
	if (name !== undefined && within.includes(name)) return true;
	return parts(schema).some((part) => isWithin(part, within));
}

import { useQuery } from "@tanstack/react-query";
import { type Signatures, signaturesQuery } from "../../api/queries";
import { Card, Section } from "../../components/Page";
import { Async } from "../../components/States";
import { usePlace } from "../../layout/place";
import { boundIn } from "../../lib/signatures";
import { Code } from "./Code";
import styles from "./Declarations.module.css";

/** How Python and C++ call the operator. */
export function CallSection({ operator }: { operator: string }) {
	const place = usePlace();
	const query = useQuery(signaturesQuery(place, operator));
	return (
		<Section id="call" title="Call it" note="as declared for Python and C++">
			<Async query={query}>
				{(signatures) => <Calls signatures={signatures} />}
			</Async>
		</Section>
	);
}

/** The declarations of an operator for Python and C++. */
export function Calls({ signatures }: { signatures: Signatures }) {
	return (
		<div className={styles.columns}>
			<Card>
				<Python signatures={signatures} />
			</Card>
			<Card>
				<Cpp signatures={signatures} />
			</Card>
		</div>
	);
}

function Python({ signatures }: { signatures: Signatures }) {
	const stubs = [signatures.pyi_function, signatures.pyi_method].flatMap((stub) => stub ?? []);
	const lines = stubs.filter((stub): stub is string => stub !== null);
	return (
		<div className={styles.list}>
			<p>{boundIn(signatures)}</p>
			{lines.length > 0 && <Code title="Python, type stub" text={lines.join("\n")} />}
			<Parsed name="function" text={signatures.python_function} />
			<Parsed name="method" text={signatures.python_method} />
			<Deprecated signatures={signatures} />
		</div>
	);
}

/** Signatures that old callers may still use. */
function Deprecated({ signatures }: { signatures: Signatures }) {
	const forms = signatures.deprecated ?? [];
	if (forms.length === 0) return null;
	const lines = forms.flatMap(({ python_function, python_method }) =>
		[python_function, python_method].filter((text) => text != null),
	);
	return <Code title="Python, deprecated signatures" text={lines.join("\n")} />;
}

function Parsed({ name, text }: { name: string; text: string | undefined | null }) {
	return text ? <Code title={`Python, argument parser (${name})`} text={text} /> : null;
}

function Cpp({ signatures }: { signatures: Signatures }) {
	const of = (lines: string[] | null | undefined) => (lines ?? []).map((line) => `${line};`);
	const functions = of(signatures.functions);
	const methods = of(signatures.methods);
	return (
		<div className={styles.list}>
			{functions.length > 0 && (
				<Code title="C++, functions in namespace at" text={functions.join("\n")} />
			)}
			{methods.length > 0 && (
				<Code title="C++, methods of at::Tensor" text={methods.join("\n")} />
			)}
			{signatures.dispatcher && (
				<Code title="C++, dispatcher (unboxed)" text={`${signatures.dispatcher};`} />
			)}
		</div>
	);
}

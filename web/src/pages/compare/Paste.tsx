import { useMutation, useQuery } from "@tanstack/react-query";
import { type ChangeEvent, useEffect, useState } from "react";
import { raw } from "../../api/client";
import { releasesQuery, ruleQuery } from "../../api/queries";
import { Button, Field, Select } from "../../components/controls";
import { ErrorView, Loading } from "../../components/States";
import { isChangeRule } from "../../lib/ruleset";
import { stringify } from "../../lib/search";
import type { CompareSearch } from "../../routes/compare";
import styles from "./Choose.module.css";
import { ComparisonView } from "./ComparisonView";
import { CopyMarkdown } from "./CopyMarkdown";
import { bodyOf, compareTexts, type Texts } from "./queries";

const EXAMPLE: Texts = {
	base: `- func: blend(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor
  dispatch:
    CPU, CUDA: blend
    MPS: blend_mps

- func: center(Tensor self, int dim=-1) -> Tensor
`,
	head: `- func: blend(Tensor self, Tensor end, *, Scalar alpha=1, bool exact=False) -> Tensor
  dispatch:
    CPU, CUDA: blend

- func: center(Tensor self, SymInt dim=-1) -> Tensor
`,
};

/** An entry for what may be a schema alone. */
const asEntries = (text: string) => (/^\s*(- |#)/.test(text) ? text : `- func: ${text}\n`);

interface Props {
	search: CompareSearch;
	set: (change: CompareSearch, replace?: boolean) => void;
}

/** Two texts beside each other, compared on demand. Nothing is stored. */
export function Paste({ search, set }: Props) {
	const told = useQuery({ ...ruleQuery(search.rule ?? ""), enabled: search.rule !== undefined });
	const rule = told.data && isChangeRule(told.data) ? told.data : undefined;
	const [texts, setTexts] = useState(EXAMPLE);
	const [release, setRelease] = useState<string>();
	const releases = useQuery(releasesQuery);
	const { profile } = search;
	const comparing = useMutation({
		mutationFn: (texts: Texts) => compareTexts(texts, release, profile),
	});
	const compare = comparing.mutate;
	useEffect(() => {
		if (!rule?.example) return;
		const { old, new: after } = rule.example;
		const sides = { base: asEntries(old), head: asEntries(after) };
		setTexts(sides);
		compare(sides);
	}, [rule, compare]);
	const newest = releases.data?.find(({ newest }) => newest)?.name;
	const asked = comparing.variables;
	useEffect(() => {
		if (asked) compare(asked);
	}, [profile]);
	if (search.rule !== undefined && told.isPending) return <Loading />;
	return (
		<div className={styles.paste}>
			<div className={styles.texts}>
				<Text
					label="Base, the older side"
					value={texts.base}
					onChange={(base) => setTexts((old) => ({ ...old, base }))}
				/>
				<Text
					label="Head, the newer side"
					value={texts.head}
					onChange={(head) => setTexts((old) => ({ ...old, head }))}
				/>
			</div>
			<div className={styles.actions}>
				<Select
					label="Release whose rules apply"
					any={newest ? `${newest}, the newest` : "the newest"}
					value={release}
					options={[...(releases.data ?? [])]
						.reverse()
						.filter(({ newest }) => !newest)
						.map(({ name }) => ({ value: name, label: name }))}
					onChange={setRelease}
				/>
				<Button primary disabled={comparing.isPending} onClick={() => compare(texts)}>
					{comparing.isPending ? "Comparing …" : "Compare"}
				</Button>
				{comparing.data && asked && (
					<CopyMarkdown
						ask={(part, max_chars) =>
							raw(`/v1/compare${stringify({ profile, release, max_chars, part })}`, {
								method: "POST",
								body: JSON.stringify(bodyOf(asked)),
								headers: { "Content-Type": "application/json", Accept: "text/markdown" },
							})
						}
					/>
				)}
			</div>
			{comparing.isError && (
				<ErrorView error={comparing.error} retry={asked && (() => compare(asked))} />
			)}
			{comparing.data && (
				<ComparisonView
					comparison={comparing.data}
					search={search}
					set={set}
					isBehind={comparing.isPending}
				/>
			)}
		</div>
	);
}

interface TextProps {
	label: string;
	value: string;
	onChange: (text: string) => void;
}

function Text({ label, value, onChange }: TextProps) {
	const take = async (event: ChangeEvent<HTMLInputElement>) => {
		const file = event.target.files?.[0];
		if (file) onChange(await file.text());
	};
	return (
		<div className={styles.text}>
			<Field label={label}>
				{(id) => (
					<textarea
						id={id}
						rows={12}
						spellCheck={false}
						autoComplete="off"
						value={value}
						onChange={(event) => onChange(event.target.value)}
					/>
				)}
			</Field>
			<input
				type="file"
				accept=".yaml,.yml"
				aria-label={`File for: ${label}`}
				className={styles.file}
				onChange={(event) => void take(event)}
			/>
		</div>
	);
}

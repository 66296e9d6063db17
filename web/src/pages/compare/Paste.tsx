import { useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { raw } from "../../api/client";
import { releasesQuery, ruleQuery } from "../../api/queries";
import { Button, Copy, Field, FileButton, Select } from "../../components/controls";
import { ErrorView, Loading } from "../../components/States";
import { isChangeRule } from "../../lib/ruleset";
import { stringify } from "../../lib/search";
import type { Sides } from "../../lib/sides";
import type { CompareSearch } from "../../routes/compare";
import styles from "./Choose.module.css";
import { ComparisonView } from "./ComparisonView";
import { CopyMarkdown } from "./CopyMarkdown";
import { bodyOf, pastedQuery } from "./queries";
import { TooLong } from "./TooLong";
import { usePasted } from "./usePasted";

const EXAMPLE: Sides = {
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

/** Two texts beside each other, compared on demand. Nothing is stored unless one says so. */
export function Paste({ search, set }: Props) {
	const told = useQuery({ ...ruleQuery(search.rule ?? ""), enabled: search.rule !== undefined });
	const rule = told.data && isChangeRule(told.data) ? told.data : undefined;
	const example = useMemo(() => {
		if (!rule?.example) return undefined;
		const { old, new: after } = rule.example;
		return { base: asEntries(old), head: asEntries(after) };
	}, [rule]);
	const { texts, setTexts, asked, unkept, compare } = usePasted(EXAMPLE, example);
	const releases = useQuery(releasesQuery);
	const { profile, fail_on, release } = search;
	const query = useQuery({
		...pastedQuery(asked ?? EXAMPLE, release, { profile, fail_on }),
		enabled: asked !== undefined,
	});
	const comparison = asked && query.data;
	const newest = releases.data?.find(({ newest }) => newest)?.name;
	if (search.rule !== undefined && told.isPending) return <Loading />;
	return (
		<div className={styles.paste}>
			<div className={styles.texts}>
				<Text
					label="Base (old)"
					value={texts.base}
					onChange={(base) => setTexts({ ...texts, base })}
				/>
				<Text
					label="Head (new)"
					value={texts.head}
					onChange={(head) => setTexts({ ...texts, head })}
				/>
			</div>
			<div className={styles.actions}>
				<Select
					label="Rules of release"
					any={newest ? `${newest}, the newest` : "the newest"}
					value={release}
					options={[...(releases.data ?? [])]
						.reverse()
						.filter(({ newest }) => !newest)
						.map(({ name }) => ({ value: name, label: name }))}
					onChange={(release) => set({ release })}
				/>
				<Button primary disabled={query.isFetching} onClick={() => compare(texts)}>
					{query.isFetching ? "Comparing …" : "Compare"}
				</Button>
				{comparison && unkept === undefined && <Copy text={location.href}>Copy link</Copy>}
				{comparison && (
					<CopyMarkdown
						ask={(part, max_chars) =>
							raw(`/v1/compare${stringify({ profile, fail_on, release, max_chars, part })}`, {
								method: "POST",
								body: JSON.stringify(bodyOf(asked)),
								headers: { "Content-Type": "application/json", Accept: "text/markdown" },
							})
						}
					/>
				)}
			</div>
			{unkept?.kind === "broken" && (
				<p role="status">
					The address does not contain two readable files. It may have been cut off.
				</p>
			)}
			{unkept?.kind === "long" && asked && <TooLong sides={asked} bytes={unkept.bytes} />}
			{asked && query.isError && (
				<ErrorView error={query.error} retry={() => query.refetch()} />
			)}
			{comparison && (
				<ComparisonView
					comparison={comparison}
					search={search}
					set={set}
					isBehind={query.isPlaceholderData}
					texts={query.isPlaceholderData ? undefined : asked}
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
	const [chosen, setChosen] = useState<string>();
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
			<FileButton
				label={`Choose a file for ${label}`}
				accept=".yaml,.yml"
				chosen={chosen}
				onFile={(file) => {
					setChosen(file.name);
					void file.text().then(onChange);
				}}
			>
				Choose a file …
			</FileButton>
		</div>
	);
}

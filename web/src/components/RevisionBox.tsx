import { useQuery } from "@tanstack/react-query";
import { type UseComboboxState, type UseComboboxStateChangeOptions, useCombobox } from "downshift";
import {
	type HTMLAttributes,
	type KeyboardEvent,
	useEffect,
	useId,
	useMemo,
	useRef,
	useState,
} from "react";
import { type NameItem, namesBefore, namesQuery } from "../api/queries";
import { count, day } from "../lib/format";
import { placeAddress, placeTitle } from "../lib/history";
import { isNamed, titleOf } from "../lib/revisions";
import { useRested } from "../lib/useRested";
import controls from "./controls.module.css";
import styles from "./RevisionBox.module.css";

/** How many revisions are listed at once; words find the others. */
const LISTED = 50;
/** How long after the last letter the server is asked, in milliseconds. */
const REST = 120;

interface Props {
	label: string;
	project: string;
	/** The address of the chosen revision. */
	value: string | undefined;
	/** What choosing nothing is called; without it something is always chosen. */
	any?: string;
	/** Whether the label is for screen readers alone. */
	bare?: boolean;
	onChange: (address: string | undefined) => void;
}

/**
 * A choice of one of a project's revisions, however many: what is typed is looked for in labels,
 * commits, subjects and dates.
 */
export function RevisionBox({ label, project, value, any, bare = false, onChange }: Props) {
	const id = useId();
	const [text, setText] = useState<string>();
	const isOpen = text !== undefined;
	const close = () => setText(undefined);
	const shown = value === undefined ? "" : titleOf(value);
	const field = (
		<span className={styles.box}>
			<Input
				id={id}
				label={bare ? label : undefined}
				project={project}
				shown={shown}
				placeholder={any ?? "choose a revision"}
				text={text}
				setText={setText}
				value={value}
				any={any}
				onChoose={(address) => {
					close();
					if (address !== value) onChange(address);
				}}
			/>
		</span>
	);
	if (bare) return field;
	return (
		<span className={controls.field} data-open={isOpen || undefined}>
			<label id={`${id}-label`} htmlFor={id} className={controls.fieldName}>
				{label}
			</label>
			{field}
		</span>
	);
}

interface InputProps {
	id: string;
	label: string | undefined;
	project: string;
	shown: string;
	placeholder: string;
	/** What is typed; nothing while the list is closed. */
	text: string | undefined;
	setText: (text: string | undefined) => void;
	value: string | undefined;
	any: string | undefined;
	onChoose: (address: string | undefined) => void;
}

/** One line of the list; without a revision it is the choice of none. */
interface Option {
	item: NameItem | undefined;
}

const NONE: readonly NameItem[] = [];
const ANY: Option = { item: undefined };
const { stateChangeTypes: changed } = useCombobox;

/** What differs from the usual combobox: only Enter and a click choose, and a click never closes. */
function reduce(
	state: UseComboboxState<Option>,
	{ type, changes }: UseComboboxStateChangeOptions<Option>,
) {
	switch (type) {
		case changed.InputClick:
			return { ...changes, isOpen: true };
		case changed.InputBlur:
			return { ...changes, selectedItem: state.selectedItem };
		case changed.MenuMouseLeave:
			return { ...changes, highlightedIndex: state.highlightedIndex };
		default:
			return changes;
	}
}

function Input({ id, label, project, shown, text, setText, ...rest }: InputProps) {
	const { placeholder, value, any, onChoose } = rest;
	const isOpen = text !== undefined;
	const words = useRested(text ?? "", REST).trim();
	const found = useQuery({
		...namesQuery(project, words, LISTED),
		enabled: isOpen,
		placeholderData: namesBefore(project),
	});
	const items = found.data?.items ?? NONE;
	const hasAny = any !== undefined && words === "";
	const options = useMemo(() => {
		const listed = items.map((item) => ({ item }));
		return hasAny ? [ANY, ...listed] : listed;
	}, [hasAny, items]);
	const [active, setActive] = useState(-1);
	const input = useRef<HTMLInputElement>(null);
	// With words the first is meant; without, what is chosen.
	useEffect(() => {
		const chosen = options.findIndex(({ item }) =>
			item === undefined ? value === undefined : value !== undefined && isNamed(item, value),
		);
		setActive(words === "" ? chosen : options.length > 0 ? 0 : -1);
	}, [words, options, value, isOpen]);
	const { getInputProps, getMenuProps, getItemProps } = useCombobox<Option>({
		items: options,
		itemToString: (option) => (option?.item ? placeTitle(option.item) : ""),
		inputId: id,
		labelId: `${id}-label`,
		menuId: `${id}-list`,
		getItemId: (at) => `${id}-${at}`,
		isOpen,
		inputValue: text ?? shown,
		selectedItem: null,
		highlightedIndex: active,
		stateReducer: reduce,
		scrollIntoView: () => {},
		onHighlightedIndexChange: ({ highlightedIndex }) => setActive(highlightedIndex),
		onIsOpenChange: ({ isOpen: opens }) => setText(opens ? (text ?? "") : undefined),
		onInputValueChange: ({ type, inputValue }) => {
			if (type === changed.InputChange) setText(inputValue);
		},
		onSelectedItemChange: ({ selectedItem }) => {
			if (selectedItem) onChoose(selectedItem.item && placeAddress(selectedItem.item));
		},
	});
	const press = (event: KeyboardEvent<HTMLInputElement>) => {
		// What was typed a moment ago may not have been looked for yet.
		const isLate = words !== (text ?? "").trim() || found.isPlaceholderData;
		if (event.key === "Enter" && isOpen && (isLate || active < 0)) event.preventDefault();
		else if (event.key === "Escape" && isOpen) return event.stopPropagation();
		// Escape would empty a closed field.
		else if (event.key !== "Escape") return;
		(event.nativeEvent as { preventDownshiftDefault?: boolean }).preventDownshiftDefault = true;
	};
	return (
		<>
			<input
				className={`${controls.control} ${styles.input}`}
				type="text"
				spellCheck={false}
				placeholder={isOpen && shown !== "" ? shown : placeholder}
				title={shown || undefined}
				{...getInputProps({ ref: input, "aria-label": label, onKeyDown: press })}
			/>
			{isOpen && (
				<List
					input={input}
					menu={getMenuProps({ "aria-label": label ?? "Revisions" }, { suppressRefError: true })}
					itemProps={(item, index) => getItemProps({ item, index })}
					options={options}
					any={any}
					active={active}
					note={noteOf(found, items.length)}
				/>
			)}
		</>
	);
}

/** What stands under the list: that there are more, or none, or that it could not be had. */
function noteOf(
	{ data, error }: { data: { total: number } | undefined; error: Error | null },
	listed: number,
): string {
	if (error) return error.message;
	if (!data) return "Loading …";
	if (data.total === 0) return "No revision has these words.";
	return data.total > listed
		? `${listed} of ${count(data.total)}: type a label, commit, subject or date`
		: "";
}

interface ListProps {
	input: { current: HTMLInputElement | null };
	/** What makes an element the list, and one in it a choice. */
	menu: HTMLAttributes<HTMLElement>;
	itemProps: (option: Option, at: number) => HTMLAttributes<HTMLElement>;
	options: readonly Option[];
	any: string | undefined;
	active: number;
	note: string;
}

/** The list under the field, above everything else, so that nothing cuts it. */
function List({ input, menu, itemProps, options, any, active, note }: ListProps) {
	const box = useRef<HTMLDivElement>(null);
	useEffect(() => {
		const place = () => {
			const field = input.current?.getBoundingClientRect();
			if (!field || !box.current) return;
			const { style, offsetWidth } = box.current;
			style.top = `${field.bottom + 4}px`;
			style.left = `${Math.max(8, Math.min(field.left, innerWidth - offsetWidth - 8))}px`;
			style.maxHeight = `${Math.max(160, innerHeight - field.bottom - 16)}px`;
		};
		box.current?.showPopover();
		place();
		window.addEventListener("resize", place);
		window.addEventListener("scroll", place, { capture: true, passive: true });
		return () => {
			window.removeEventListener("resize", place);
			window.removeEventListener("scroll", place, { capture: true });
		};
	}, [input]);
	useEffect(() => {
		box.current?.querySelector(`[data-at="${active}"]`)?.scrollIntoView({ block: "nearest" });
	}, [active, options]);
	return (
		<div
			ref={box}
			popover="manual"
			className={styles.popup}
			// The field keeps the focus, so that a click does not close the list first.
			onMouseDown={(event) => event.preventDefault()}
		>
			<div {...menu} className={styles.list} hidden={options.length === 0}>
				{options.map((option, at) => (
					<div
						key={option.item ? `${option.item.kind} ${placeAddress(option.item)}` : ""}
						{...itemProps(option, at)}
						data-at={at}
						className={styles.option}
					>
						<Name item={option.item} any={any} />
					</div>
				))}
			</div>
			{note !== "" && (
				<p className={styles.note} role="status">
					{note}
				</p>
			)}
		</div>
	);
}

function Name({ item, any }: { item: NameItem | undefined; any: string | undefined }) {
	if (item === undefined) return <span className={styles.any}>{any}</span>;
	const { commit, date, labels, label } = item;
	const others = labels.filter((other) => other !== label);
	return (
		<>
			<span className={styles.name}>{placeTitle(item)}</span>
			{others.length > 0 && <span className={styles.others}>{others.slice(0, 3).join(", ")}</span>}
			{date && <span className={styles.date}>{day(date)}</span>}
			{commit && <span className={styles.subject}>{commit.subject}</span>}
		</>
	);
}

const whole = new Intl.NumberFormat("en");
const dates = new Intl.DateTimeFormat("en", { dateStyle: "medium" });

/** `3,171` */
export const count = (value: number): string => whole.format(value);

/** `1 operator`, `3 operators` */
export const counted = (value: number, noun: string): string =>
	`${count(value)} ${noun}${value === 1 ? "" : "s"}`;

/** `21 Nov 2026`, or the text itself where it is no date. */
export function day(iso: string): string {
	const date = new Date(iso);
	return Number.isNaN(date.getTime()) ? iso : dates.format(date);
}

/** A share as per cent with one digit; no more than 99.9 while something is missing. */
export function percent(part: number, whole: number): string {
	if (whole === 0) return "–";
	return perCent((part / whole) * 100);
}

/** Per cent as every page shows them: rounded down, so that the same share reads the same. */
export function perCent(value: number): string {
	// What a division makes a little less than a tenth is that tenth.
	const tenths = Math.floor(value * 10 + 1e-9);
	return `${(tenths / 10).toFixed(tenths === 1000 ? 0 : 1)} %`;
}

/** The first digits of a digest. */
export const shortDigest = (digest: string): string => digest.replace("sha256:", "").slice(0, 12);

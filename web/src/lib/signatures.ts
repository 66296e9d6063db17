import type { Signatures } from "../api/queries";

/** Where Python binds an operator, in a sentence. */
export function boundIn({ name, bound }: Pick<Signatures, "name" | "bound">): string {
	const base = name.split(".")[0] ?? name;
	const places = [
		bound.torch && `torch.${base}`,
		bound.Tensor && `Tensor.${base}`,
		bound.module !== null && `torch._C.${bound.module}.${base}`,
	].filter((place): place is string => typeof place === "string");
	if (places.length === 0) return `Python has no binding; call torch.ops.aten.${dotted(name)}.`;
	const joined = places.join(" and ");
	return bound.overload
		? `Python calls it as ${joined}.`
		: `${joined} calls other overloads; call this one as torch.ops.aten.${dotted(name)}.`;
}

const dotted = (name: string) => (name.includes(".") ? name : `${name}.default`);

/** The keys that are offered first: those that have a kernel, and the one for backends outside the tree. */
export function offeredKeys(declared: readonly string[]): string[] {
	return [...new Set([...declared, "PrivateUse1"])];
}

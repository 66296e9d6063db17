import { useNavigate } from "@tanstack/react-router";
import { toFile } from "../lib/givenFile";
import { WHY } from "../nav";

/** What is kept of a message that is too long for an address; the last error in it counts. */
const KEPT = 32 << 10;

/** Opens the page that explains a message. */
export function useExplain(): (message: string) => void {
	const navigate = useNavigate();
	return (message) => {
		const open = async () => {
			const whole = await toFile({ name: "message", text: message });
			const kept =
				typeof whole === "string"
					? whole
					: await toFile({ name: "message", text: message.slice(-KEPT) });
			void navigate({ to: WHY, hash: typeof kept === "string" ? kept : "" });
		};
		void open();
	};
}

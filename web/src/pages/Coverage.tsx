import { VerdictMark } from "../components/VerdictMark";
import { Card, Facts, Page, Section } from "../components/Page";
import { VERDICTS } from "../lib/verdicts";

/** What every figure of coverage means. */
export default function Coverage() {
	return (
		<Page
			title="How coverage is counted"
			lead="One definition for every figure: home page, backends, gaps, badges, support, histories and trends."
		>
			<Section id="verdicts" title="Verdicts">
				<Card>
					<Facts
						items={VERDICTS.map(({ name, short, meaning }) => [
							short,
							<span key={name}>
								<VerdictMark verdict={name} /> {meaning}
							</span>,
						])}
					/>
				</Card>
			</Section>
			<Section id="share" title="Coverage of a key">
				<p>
					Coverage is the share of applicable operators with the verdict runs, decomposes or falls
					back. Unknown counts neither as working nor as failing. Operators that autogen adds are
					counted apart. Pages show the share with one digit,
					rounded down. Badges and reports show whole per cent: the answers are rounded so that they
					add up to 100 %, and then the verdicts of each answer so that they add up to it.
				</p>
			</Section>
			<Section id="others" title="Operators of other backends">
				<p>
					Some operators belong to other backends: only a library such as cuDNN, MIOpen, MPS or
					oneDNN has them, or they take sparse, quantized or nested tensors. If such an operator
					fails on a backend, it is not a gap. It is not counted, and pages show how many there
					are. An operator that works, or whose support is unknown, is always counted.
				</p>
			</Section>
			<Section id="calls" title="What a kernel calls">
				<p>
					A table entry says which kernel runs. A verdict says whether a call works: it follows
					what the kernel calls. Calls of generated kernels follow from the files. Calls of
					composite kernels written in C++ were recorded by running PyTorch's own operator tests on
					a device without kernels of its own.
				</p>
			</Section>
			<Section id="out-of-tree" title="Backends outside PyTorch">
				<p>
					A backend is part of PyTorch if empty.memory_format has a kernel on its key. Of other
					backends only declared kernels count, and all else is unknown, until the revision has a
					backend file or an observation of the backend. HIP has the verdicts of CUDA.
				</p>
			</Section>
		</Page>
	);
}

import { extractPages } from '../assemble/extract-pages.js';
import { corruptDocument } from '../document/failure/document-failure.js';
import { type DocumentWarning, warningsOf } from '../document/failure/document-warnings.js';
import { guard } from '../document/failure/guard.js';
import { openDocument } from '../document/open/open-document.js';
import { writeDocument } from '../document/write/write-document.js';
import type { OperationOutcome, OperationRun, OutputFile } from '../operation.js';
import { PartNames } from './part-names.js';
import { planParts } from './plan-parts.js';
import type { SplitOptions } from './split.js';

/** Writes the parts one after the other; what the options say is checked before the first is written. */
export async function runSplit(run: OperationRun<SplitOptions>): Promise<OperationOutcome> {
  const [file] = run.inputs;
  if (file === undefined) throw new Error('A split has one input.');
  const source = await openDocument(file, 0, { pagesBefore: 0, maxPages: run.maxPages });
  const plan = await guard(corruptDocument(0), async () => planParts(source, run.options, run.maxPages));
  if (plan.count !== null) run.budget.plan(plan.count);
  const isPart = plan.count !== 1;
  const names = new PartNames(file.name, source.pages.length);
  const outputs: OutputFile[] = [];
  const warnings = new Set<DocumentWarning>();
  let done = 0;
  for await (const part of plan.parts) {
    const { document, warnings: losses } = await extractPages(source, part.pages, { isPart });
    const at = { directory: run.outputDirectory, budget: run.budget, index: outputs.length, input: 0 };
    outputs.push(await writeDocument(document, { ...at, name: names.take(part), pages: part.pages.length }));
    for (const warning of [...losses, ...(part.warning === null ? [] : [part.warning])]) warnings.add(warning);
    done += part.pages.length;
    run.report(done, plan.pages);
  }
  const lost = await guard(corruptDocument(0), async () => warningsOf(source.document));
  return { outputs, warnings: [...new Set([...source.warnings, ...warnings, ...lost])] };
}

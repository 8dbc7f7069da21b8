import type { z } from 'zod';
import type { DocumentWarning } from './document/failure/document-warnings.js';
import type { OutputBudget } from './document/write/output-budget.js';

export const operationNames = ['merge', 'split', 'pages', 'rotate', 'watermark'] as const;
export type OperationName = (typeof operationNames)[number];

/** One document to work on: where its bytes lie, and what its owner calls it. */
export interface InputFile {
  readonly path: string;
  readonly name: string;
  /** What opens it if it is encrypted; `null` if nothing was sent with it. */
  readonly password: string | null;
  /** The pages to take of it, in their order, as `parsePageSelection` reads them; `null` is all. */
  readonly pages: string | null;
}

/** One finished document. `path` lies in the output directory of its task; `pages` is its number of pages. */
export interface OutputFile {
  readonly path: string;
  readonly name: string;
  readonly mediaType: string;
  readonly pages: number;
}

/** What an operation is given when it runs. Its options have passed its schema. */
export interface OperationRun<Options> {
  readonly options: Options;
  readonly inputs: readonly InputFile[];
  readonly outputDirectory: string;
  /** The most pages that all inputs of the run may have together. */
  readonly maxPages: number;
  /** What the outputs may come to; every output is counted in it before it is written. */
  readonly budget: OutputBudget;
  report(done: number, total: number): void;
}

/** What an operation made. `warnings` are what a careful person would want to know about the outputs. */
export interface OperationOutcome {
  readonly outputs: readonly OutputFile[];
  readonly warnings: readonly DocumentWarning[];
}

/** Why a request is refused before it becomes a job. */
export interface InputRefusal {
  /** JSON pointer (RFC 6901) to what is at fault, in `/options` or `/inputs` of the request. */
  readonly path: string;
  /** What is wrong with it, said of the value, without a full stop: `names input 3, of 2 inputs`. */
  readonly message: string;
}

/** The code of an operation, loaded. */
export interface LoadedOperation<Options> {
  run(run: OperationRun<Options>): Promise<OperationOutcome>;
}

/** All that may be known of an operation without loading a PDF library. */
export interface OperationDeclaration<Options = unknown> {
  readonly name: OperationName;
  readonly optionsSchema: z.ZodType<Options>;
  readonly minInputs: number;
  /** `null`: as many as a request may carry. */
  readonly maxInputs: number | null;
  /** Where a request says which pages it means: with each of its inputs, or in an option. */
  readonly pagesAreNamedBy: 'inputs' | { readonly option: string };
  /** What the options and the number of the inputs have against each other; `null` when nothing. Left out: nothing ever. */
  checkInputs?(options: Options, inputCount: number): InputRefusal | null;
  readonly progress: {
    readonly unit: 'inputs' | 'pages';
    /** The total as far as it is known before the inputs are opened; 0 when only the documents tell. */
    total(options: Options, inputCount: number): number;
  };
  /** Loads the code that does the work, and the PDF library with it. Only the child process calls this. */
  load(): Promise<LoadedOperation<Options>>;
}

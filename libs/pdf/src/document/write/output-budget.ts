import { DocumentFailed, outputsTooLarge, tooManyOutputs } from '../failure/document-failure.js';

/** What the outputs of one run may come to: how many, and how many bytes together. */
export interface OutputLimits {
  readonly maxOutputs: number;
  readonly maxOutputBytes: number;
}

/** Counts the outputs of one run, so that it ends before one too many is written. */
export class OutputBudget {
  private outputs = 0;
  private bytes = 0;

  constructor(private readonly limits: OutputLimits) {}

  /** Refuses a run that is going to make more outputs than it may, before the first is made. @throws DocumentFailed */
  plan(outputs: number): void {
    const { maxOutputs } = this.limits;
    if (outputs > maxOutputs) throw new DocumentFailed(tooManyOutputs(outputs, maxOutputs));
  }

  /** Counts one output of so many bytes that is about to be written. @throws DocumentFailed when it is one too many or too large */
  spend(bytes: number): void {
    this.plan(this.outputs + 1);
    const { maxOutputBytes } = this.limits;
    if (this.bytes + bytes > maxOutputBytes)
      throw new DocumentFailed(outputsTooLarge(this.bytes + bytes, maxOutputBytes));
    this.outputs += 1;
    this.bytes += bytes;
  }
}

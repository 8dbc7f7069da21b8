import { PDFDocument } from 'pdf-lib';
import { Assembly } from './assembly.js';
import { carryAttachments } from './carry-attachments.js';
import { carryDescription } from './carry-description.js';
import { carryOpenAction } from './carry-open-action.js';
import { flattenForm } from './flatten/flatten-form.js';
import { carryForm } from './form/carry-form.js';
import { carryPageLabels } from './labels/carry-page-labels.js';
import { carryLayers } from './layers/carry-layers.js';
import { carryDestinations } from './links/carry-destinations.js';
import { carryOutline } from './outline/carry-outline.js';
import type { OutlineStyle } from './outline/outline-styles.js';
import { chooseUsedResources } from './prune/choose-used-resources.js';
import { carryStructure } from './structure/carry-structure.js';

/** What there is to choose about a new document. */
export interface AssemblyOptions {
  /** `flat` without it. */
  readonly outline?: OutlineStyle;
  /** Whether it is one of several parts of its source. */
  readonly isPart?: boolean;
  /** Whether form fields become a part of their pages. */
  readonly flatten?: boolean;
}

/** An assembly that keeps all that can be kept. The same sources always make the same bytes. */
export async function beginAssembly({
  outline = 'flat',
  isPart = false,
  flatten = false,
}: AssemblyOptions = {}): Promise<Assembly> {
  const document = await PDFDocument.create({ updateMetadata: false });
  const carriers = [
    carryDescription(document),
    carryDestinations(document),
    flatten ? flattenForm(document) : carryForm(document),
    carryAttachments(document, isPart),
    carryStructure(document),
    carryOutline(document, outline),
    carryPageLabels(document),
    carryOpenAction(document),
    carryLayers(document),
  ];
  return new Assembly(document, carriers, chooseUsedResources);
}

import type { PDFObject } from 'pdf-lib';
import { PDFArray, PDFDict, PDFName, PDFNull } from 'pdf-lib';
import type { RewriteDict } from '../object-copier.js';

/** What a link has in place of a destination of its source; `null` when it is to lead nowhere. */
export type LeadDestination = (destination: PDFObject | undefined) => PDFObject | null;

const [S, D, SD, Next, Subtype, Dest, GoTo, Link] = ['S', 'D', 'SD', 'Next', 'Subtype', 'Dest', 'GoTo', 'Link'].map(
  (name) => PDFName.of(name),
) as [PDFName, PDFName, PDFName, PDFName, PDFName, PDFName, PDFName, PDFName];

/** Longer chains of actions are cut where one of them leads nowhere. */
const mostSteps = 32;

/**
 * Leads every link anew: the `Dest` of link annotations, and actions that go to a page wherever they stand. A link that leads nowhere loses its
 * `Dest`, and stays as it is drawn; an action that leads nowhere gives its place to the actions that follow it, or to nothing. Other actions,
 * such as those that open a URI or go to another file, stay as they are.
 */
export function rewriteLinks(lead: LeadDestination): RewriteDict {
  return (dict) => {
    if (dict.get(S) === GoTo) return leadAction(dict, lead);
    return dict.has(Dest) && dict.get(Subtype) === Link ? leadAnnotation(dict, lead) : dict;
  };
}

function leadAnnotation(annotation: PDFDict, lead: LeadDestination): PDFDict {
  const destination = lead(annotation.get(Dest));
  const led = annotation.clone();
  if (destination === null) led.delete(Dest);
  else led.set(Dest, destination);
  return led;
}

function leadAction(action: PDFDict, lead: LeadDestination): PDFDict | typeof PDFNull {
  let steps: PDFObject[] = [action];
  for (let tried = 0; tried < mostSteps; tried += 1) {
    const [first, ...rest] = steps;
    const step = action.context.lookup(first);
    const led = step instanceof PDFDict ? leadStep(step, lead) : null;
    if (led !== null) return rest.length === 0 ? led : withNext(led, [...nextOf(led), ...rest]);
    steps = step instanceof PDFDict ? [...nextOf(step), ...rest].slice(0, mostSteps) : rest;
  }
  return PDFNull;
}

function leadStep(step: PDFDict, lead: LeadDestination): PDFDict | null {
  if (step.get(S) !== GoTo) return step;
  const destination = lead(step.get(D));
  if (destination === null) return null;
  const led = step.clone();
  led.set(D, destination);
  led.delete(SD);
  return led;
}

function withNext(action: PDFDict, next: PDFObject[]): PDFDict {
  const led = action.clone();
  led.set(Next, action.context.obj(next));
  return led;
}

function nextOf(action: PDFDict): PDFObject[] {
  const next = action.get(Next);
  const found = action.context.lookup(next);
  if (found instanceof PDFArray)
    return Array.from({ length: Math.min(found.size(), mostSteps) }, (_, at) => found.get(at));
  return next === undefined ? [] : [next];
}

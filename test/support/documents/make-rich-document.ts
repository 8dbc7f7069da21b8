import { addAnnotations } from './make-annotations.js';
import { addAttachments } from './make-attachments.js';
import { addDestinations } from './make-destinations.js';
import { makeDocument } from './make-document.js';
import { addForm } from './make-form.js';
import { addLabels } from './make-labels.js';
import { addLayers } from './make-layers.js';
import { addLinks } from './make-links.js';
import { addOutline } from './make-outline.js';
import { addStructure } from './make-structure.js';

/**
 * Three pages with all that a merge should keep: a form of six fields, an outline, named destinations, page labels, attachments, layers, tagged
 * structure, links and annotations. Names of fields, destinations, attachments and layers are the same in each such document, what they mean is
 * its own: the document's name is in the values. For the table of the research, 2.2.
 */
export async function makeRichDocument(name: string): Promise<Uint8Array> {
  return makeDocument(
    name,
    3,
    addForm({ text: `text of ${name}`, isChecked: name < 'B', radio: name < 'B' ? 'red' : 'blue' }),
    addOutline([
      { title: `${name} first`, to: { page: 0 }, items: [{ title: `${name} named`, to: { named: 'target' } }] },
      { title: `${name} last`, to: { action: 2 } },
    ]),
    addDestinations({ start: 0, target: 1 }),
    addLabels([
      { from: 0, style: 'r' },
      { from: 1, style: 'D', prefix: `${name}-`, start: 5 },
    ]),
    addAttachments({ 'notes.txt': `notes of ${name}`, [`${name}.txt`]: name }),
    addLayers([
      { name: 'Shown', page: 2, isVisible: true },
      { name: 'Hidden', page: 2, isVisible: false },
    ]),
    addStructure(),
    addLinks([
      { from: 0, to: { page: 2 } },
      { from: 0, to: { named: 'target' } },
    ]),
    addAnnotations(2),
  );
}

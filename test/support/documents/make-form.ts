import {
  type PDFContext,
  PDFDict,
  type PDFDocument,
  PDFHexString,
  PDFName,
  type PDFObject,
  type PDFRef,
  StandardFonts,
} from 'pdf-lib';
import { type Addition, makeDocument } from './make-document.js';

/** What the fields of a form are filled with. */
export interface FormValues {
  readonly text?: string;
  readonly isChecked?: boolean;
  readonly radio?: 'red' | 'blue';
  readonly choice?: 'Norway' | 'Peru';
  /** What all names begin with: a parent field of this name holds the others. Without it the names are those of the next form. */
  readonly parent?: string;
}

const appearanceBox = [0, 0, 120, 20];
/** ISO 32000-1, tables 226 and 230: flags of fields, by their bit. */
const radioFlags = (1 << 14) | (1 << 15);
const pushButtonFlag = 1 << 16;
const comboFlag = 1 << 17;

/**
 * A form of six terminal fields on the first two pages, one of each kind: `name` (text), `agree` (checkbox), `colour` (a radio group with a
 * widget on either page), `country` (choice), `send` (button) and `approval` (signature, not signed). Each widget shows the value that
 * its field has. Row 1 of the research: two such forms in one document clash in all names.
 */
export function addForm(values: FormValues = {}): Addition {
  const { text = 'Ada', isChecked = true, radio = 'red', choice = 'Norway', parent } = values;
  return (document) => {
    const { context } = document;
    const font = context.register(context.obj({ Type: 'Font', Subtype: 'Type1', BaseFont: StandardFonts.Helvetica }));
    const form = { document, context, resources: context.obj({ Font: { Helv: font } }) };
    const fields = [
      addField(form, 0, 300, { T: textString('name'), FT: 'Tx', V: textString(text) }, { N: drawnText(form, text) }),
      addCheckbox(form, isChecked),
      addRadioGroup(form, radio),
      addField(
        form,
        1,
        300,
        {
          T: textString('country'),
          FT: 'Ch',
          Ff: comboFlag,
          Opt: ['Norway', 'Peru'].map(textString),
          V: textString(choice),
        },
        { N: drawnText(form, choice) },
      ),
      addField(form, 1, 270, { T: textString('send'), FT: 'Btn', Ff: pushButtonFlag }, { N: drawnText(form, 'Send') }),
      addField(form, 1, 240, { T: textString('approval'), FT: 'Sig' }, { N: drawnText(form, '') }),
    ];
    const top = parent === undefined ? fields : [addParent(context, parent, fields)];
    const acroForm = { Fields: top, DR: form.resources, DA: PDFHexString.fromText('/Helv 12 Tf 0 g') };
    document.catalog.set(PDFName.of('AcroForm'), context.register(context.obj(acroForm)));
  };
}

/** A document of two pages with such a form, filled in. */
export async function makeForm(name: string, values: FormValues = {}): Promise<Uint8Array> {
  return makeDocument(name, 2, addForm(values));
}

interface Form {
  readonly document: PDFDocument;
  readonly context: PDFContext;
  readonly resources: PDFDict;
}

type Entries = Readonly<Record<string, string | number | PDFObject | PDFObject[] | Record<string, PDFObject>>>;

function addField(form: Form, page: number, y: number, entries: Entries, appearances: Entries): PDFRef {
  const { context } = form;
  const named = { ...entries, DA: PDFHexString.fromText('/Helv 12 Tf 0 g') };
  return addWidget(form, page, y, { ...named, AP: context.obj(appearances) });
}

function addWidget({ document, context }: Form, page: number, y: number, entries: Entries): PDFRef {
  const { ref, node } = document.getPage(page);
  const box = [30, y, 150, y + 20];
  const widget = context.register(
    context.obj({ Type: 'Annot', Subtype: 'Widget', Rect: box, F: 4, P: ref, ...entries }),
  );
  node.addAnnot(widget);
  return widget;
}

function addCheckbox(form: Form, isChecked: boolean): PDFRef {
  const state = PDFName.of(isChecked ? 'Yes' : 'Off');
  const appearances = { N: { Yes: drawnText(form, 'X'), Off: drawnText(form, '') } };
  return addField(form, 0, 270, { T: textString('agree'), FT: 'Btn', V: state, AS: state }, appearances);
}

function addRadioGroup(form: Form, chosen: 'red' | 'blue'): PDFRef {
  const { context } = form;
  const group = context.nextRef();
  const kids = (['red', 'blue'] as const).map((colour, page) =>
    addWidget(form, page, 210, {
      Parent: group,
      AS: PDFName.of(colour === chosen ? colour : 'Off'),
      AP: context.obj({ N: { [colour]: drawnText(form, 'o'), Off: drawnText(form, '') } }),
    }),
  );
  const entries = { FT: 'Btn', Ff: radioFlags, T: textString('colour'), V: PDFName.of(chosen), Kids: kids };
  context.assign(group, context.obj(entries));
  return group;
}

function addParent(context: PDFContext, name: string, fields: readonly PDFRef[]): PDFRef {
  const parent = context.register(context.obj({ T: textString(name), Kids: [...fields] }));
  for (const field of fields) {
    const dict = context.lookup(field);
    if (dict instanceof PDFDict) dict.set(PDFName.of('Parent'), parent);
  }
  return parent;
}

function drawnText({ context, resources }: Form, text: string): PDFRef {
  const content = text === '' ? '' : `/Tx BMC q BT /Helv 12 Tf 0 g 2 5 Td (${text}) Tj ET Q EMC`;
  const entries = { Type: 'XObject', Subtype: 'Form', BBox: appearanceBox, Resources: resources };
  return context.register(context.stream(content, entries));
}

function textString(text: string): PDFHexString {
  return PDFHexString.fromText(text);
}

import { chooseOperation, multipartSubmission } from './job-submission.js';

function read(fields: Readonly<Record<string, string>>) {
  return multipartSubmission(Object.entries(fields).map(([field, text]) => ({ kind: 'text', field, text }))).read();
}

function choose(operation: string, options: Readonly<Record<string, unknown>>, inputs = 1) {
  const references = Array.from({ length: inputs }, (_, part) => ({ part }));
  return chooseOperation({ operation, options, inputs: references, metadata: {} });
}

describe('a multipart submission', () => {
  it('with a field that is not JSON names the field', () => {
    expect(() => read({ operation: 'merge', options: '{by' })).toThrow(/^\/options: the field options is not JSON: /);
  });

  it('with an unknown field says which there are', () => {
    expect(() => read({ colour: 'red' })).toThrow(
      '/colour: unknown field; there are operation, options, metadata, inputs, files',
    );
  });
});

describe('the operation of a submission', () => {
  it('with ranges and without by says that by is missing', () => {
    expect(() => choose('split', { ranges: ['1'] })).toThrow('/options/ranges: "by" is missing');
  });

  it('without options takes none, and says so', () => {
    expect(() => choose('merge', { quality: 9 })).toThrow('/options/quality: unknown field; there are none');
  });

  it('with too many inputs says how many it takes', () => {
    expect(() => choose('split', { by: 'pages' }, 2)).toThrow('/inputs: split takes at most one input, not 2');
  });
});

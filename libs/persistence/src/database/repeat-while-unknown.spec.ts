import { repeatWhileUnknown } from './repeat-while-unknown.js';

const outage = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
const defect = new Error('defect');
const forever = new AbortController().signal;

function failing(errors: readonly Error[]) {
  const left = [...errors];
  return async () => {
    const error = left.shift();
    if (error !== undefined) throw error;
    return 'written';
  };
}

describe('a fenced write', () => {
  it('is repeated through an outage until it has its answer', async () => {
    const told: unknown[] = [];
    const options = { until: forever, onError: (error: unknown) => void told.push(error) };
    expect(await repeatWhileUnknown(failing([outage, outage]), options)).toBe('written');
    expect(told).toEqual([outage, outage]);
  });

  it('that fails for another reason is given up after five tries', async () => {
    let told = 0;
    const write = failing(Array.from({ length: 6 }, () => defect));
    await expect(repeatWhileUnknown(write, { until: forever, onError: () => (told += 1) })).rejects.toBe(defect);
    expect(told).toBe(4);
  });

  it('is tried once more when its time is up, and then throws the last error', async () => {
    const ending = new AbortController();
    const write = failing([outage, outage]);
    const repeated = repeatWhileUnknown(write, { until: ending.signal, onError: () => ending.abort() });
    await expect(repeated).rejects.toBe(outage);
    expect(await write()).toBe('written');
  });
});

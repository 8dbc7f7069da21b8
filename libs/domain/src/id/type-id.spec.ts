import { typeId, uuidOf } from './type-id.js';

const uuid = '0193a5c0-7b1e-7c3d-8a9b-0123456789ab';

describe('TypeID', () => {
  it('gives the stored UUID back', () => {
    expect(uuidOf('job', typeId('job', uuid))).toBe(uuid);
  });

  it.each([
    ['00000000000000000000000000', '00000000-0000-0000-0000-000000000000'],
    ['7zzzzzzzzzzzzzzzzzzzzzzzzz', 'ffffffff-ffff-ffff-ffff-ffffffffffff'],
    ['01h455vb4pex5vsknk084sn02q', '01890a5d-ac96-774b-bcce-b302099a8057'],
  ])('has the suffix %p for %p, as the vectors of the specification say', (suffix, stored) => {
    expect(typeId('job', stored)).toBe(`job_${suffix}`);
    expect(uuidOf('job', `job_${suffix}`)).toBe(stored);
  });

  it.each([
    '',
    'job',
    'job_',
    typeId('file', uuid),
    `${typeId('job', uuid)}x`,
    typeId('job', uuid).toUpperCase(),
    uuid,
    `_${typeId('job', uuid).slice(4)}`,
    typeId('job', uuid).slice(4),
    `a_${typeId('job', uuid)}`,
    'job_8zzzzzzzzzzzzzzzzzzzzzzzzz',
    'job_1234567890123456789012345u',
    'job_1234567890123456789012345',
  ])('is nobody for %p', (text) => {
    expect(uuidOf('job', text)).toBeNull();
  });
});

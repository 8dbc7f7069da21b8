import { typeId, uuidOf } from './type-id.js';

const uuid = '0193a5c0-7b1e-7c3d-8a9b-0123456789ab';

describe('TypeID', () => {
  it('gives the stored UUID back', () => {
    expect(uuidOf('job', typeId('job', uuid))).toBe(uuid);
  });

  it.each([
    '',
    'job',
    'job_',
    typeId('file', uuid),
    `${typeId('job', uuid)}x`,
    typeId('job', uuid).toUpperCase(),
    uuid,
  ])('is nobody for %p', (text) => {
    expect(uuidOf('job', text)).toBeNull();
  });
});

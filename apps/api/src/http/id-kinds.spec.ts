import { typeId } from '#libs/domain';
import { pathId } from './path-id.js';
import { queryId } from './query-id.js';

const uuid = '01890a5d-ac96-774b-bcce-b302099a8057';
const file = typeId('file', uuid);

describe('an id of another kind', () => {
  it('in a path is 404 and says what it is the id of (contract 6.1)', () => {
    expect(() => pathId('job', file)).toThrow(`${file} is the id of a file; the id of a job begins with job_`);
  });

  it('in a query is 400 and names the parameter (contract 6.1)', () => {
    expect(() => queryId('evt', 'event_id', file)).toThrow(`query event_id: ${file} is the id of a file`);
  });

  it('is told apart from what is no id', () => {
    expect(() => pathId('job', 'nonsense')).toThrow('nonsense is no id: the id of a job begins with job_');
  });

  it.each(['job_123', `job_${'u'.repeat(26)}`, 'job_'])(
    'is told what follows the prefix when that is right: %s',
    (id) => {
      expect(() => pathId('job', id)).toThrow(`${id} is no id: job_ is followed by 26 characters`);
    },
  );
});

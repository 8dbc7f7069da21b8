import { isolationLines } from './report.js';
import { Sample } from './sample.js';

describe('isolationLines', () => {
  const times = (...values: number[]): Sample => new Sample(values);

  it('holds the ratios of each round against the endpoints alone, and tells a missed target', () => {
    const rounds = [
      { alone: times(10), bad: times(11), returning: times(20) },
      { alone: times(20), bad: times(20), returning: times(28) },
      { alone: times(10), bad: times(90), returning: times(15) },
    ];
    const lines = isolationLines({ endpoints: 17, backlog: 1_000, rounds });
    expect(lines.slice(0, 4)).toEqual([
      expect.stringMatching(/three bad ones.* p95: 1\.10 \(target at most 1\.2: ok; median of 1\.10, 1\.00, 9\.00\)/),
      expect.stringMatching(/three bad ones.* p99: 1\.10 \(target at most 1\.5: ok/),
      expect.stringMatching(/owed 1000 .* p95: 1\.50 \(target at most 1\.2: MISSED/),
      expect.stringMatching(/owed 1000 .* p99: 1\.50 \(target at most 1\.5: ok/),
    ]);
  });
});

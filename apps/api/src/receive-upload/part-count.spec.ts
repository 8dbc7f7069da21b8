import fc from 'fast-check';
import { boundaryOf, PartCount } from './part-count.js';

const body = '--b\r\nA: 1\r\n\r\none\r\n--b\r\n\r\n--\r\n-b\r\n--b\r\n\r\n\r\n--b--\r\n';

describe('PartCount', () => {
  it('counts the parts, however the body is cut into chunks', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: body.length })), (cuts) => {
        const count = new PartCount('b');
        const places = [0, ...[...cuts].sort((a, b) => a - b), body.length];
        places.slice(1).forEach((end, index) => count.take(Buffer.from(body.slice(places[index], end))));
        expect(count.parts).toBe(3);
      }),
    );
  });

  it('counts a part behind the closing delimiter too', () => {
    const count = new PartCount('b');
    count.take(Buffer.from(`${body}--b\r\n\r\nlate\r\n--b--`));
    expect(count.parts).toBeGreaterThan(3);
  });
});

describe('boundaryOf', () => {
  it.each([
    ['multipart/form-data; boundary=abc', 'abc'],
    ['multipart/form-data; charset=utf-8; Boundary="a b"; x=y', 'a b'],
    ['multipart/form-data', ''],
  ])('reads %s', (contentType, boundary) => expect(boundaryOf(contentType)).toBe(boundary));
});

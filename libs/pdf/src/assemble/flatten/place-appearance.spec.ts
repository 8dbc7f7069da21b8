import { PDFContext } from 'pdf-lib';
import { placeAppearance } from './place-appearance.js';

const rectangle = { x: 100, y: 200, width: 40, height: 20 };

function placed(entries: Record<string, number[]>, box = rectangle): readonly number[] | null {
  return placeAppearance(PDFContext.create().obj(entries), box);
}

describe('an appearance', () => {
  it('of the size of its rectangle is moved', () => {
    expect(placed({ BBox: [0, 0, 40, 20] })).toEqual([1, 0, 0, 1, 100, 200]);
  });

  it('is stretched to its rectangle, wherever its box lies and whichever corners that names', () => {
    expect(placed({ BBox: [10, 5, 30, 15] })).toEqual([2, 0, 0, 2, 80, 190]);
    expect(placed({ BBox: [30, 15, 10, 5] })).toEqual([2, 0, 0, 2, 80, 190]);
  });

  it('is fitted as its matrix turns it', () => {
    expect(placed({ BBox: [0, 0, 20, 40], Matrix: [0, 1, -1, 0, 40, 0] })).toEqual([1, 0, 0, 1, 100, 200]);
  });

  it('without a surface, or without a box, is not placed', () => {
    expect(placed({})).toBeNull();
    expect(placed({ BBox: [0, 0, 0, 20] })).toBeNull();
    expect(placed({ BBox: [0, 0, 40, 20], Matrix: [0, 0, 0, 0, 0, 0] })).toBeNull();
    expect(placed({ BBox: [0, 0, 40, 20] }, { ...rectangle, width: 0 })).toBeNull();
    expect(placed({ BBox: [0, 0, 1e-12, 20] })).toBeNull();
  });
});

/** Passes on at most one report for each percent, and the last. */
export function onlyNewPercents(report: (done: number, total: number) => void): (done: number, total: number) => void {
  let lastPercent = -1;
  return (done, total) => {
    const percent = Math.floor((done * 100) / total);
    if (percent === lastPercent) return;
    lastPercent = percent;
    report(done, total);
  };
}

/** What was measured in one round, by name. */
export type Round<Name extends string, T> = Readonly<Record<Name, T>>;

/**
 * Measures everything once in each of so many rounds, one after the other. The order turns around from round to round, so that what else the
 * machine does weighs on all of them.
 *
 * @param tell is given each round when it is over
 */
export async function measureRounds<Name extends string, T>(
  rounds: number,
  measures: Readonly<Record<Name, () => Promise<T>>>,
  tell: (round: Round<Name, T>, number: number) => void = () => undefined,
): Promise<Round<Name, T>[]> {
  const names = Object.keys(measures) as Name[];
  const measured: Round<Name, T>[] = [];
  for (let number = 1; number <= rounds; number += 1) {
    const round = {} as Record<Name, T>;
    for (const name of number % 2 === 1 ? names : names.toReversed()) round[name] = await measures[name]();
    measured.push(round);
    tell(round, number);
  }
  return measured;
}

import { failpointNames } from '#libs/failpoints';
import type { HistoryEntry } from '../support/history.js';
import { admissionPoints } from './break-admission.js';
import { deliveryPoints } from './break-delivery.js';
import type { Judgement } from './facts.js';
import { judgeAdmission } from './judge-admission.js';
import { judgeDelivery } from './judge-delivery.js';
import { judgeKills } from './judge-kills.js';
import { receiverPatterns } from './receiver-conduct.js';
import { runAdmission } from './run-admission.js';
import { leaseMarginMs, runDelivery, timeoutMs } from './run-delivery.js';
import { endpointNames, type FaultRun, runUnderFaults } from './run-under-faults.js';

/** One way to break things under load, and what must hold all the same. */
export interface Scenario {
  readonly about: string;
  /** How many processes of each app it starts when nothing else is asked for. */
  readonly processes: Pick<FaultRun, 'apis' | 'workers' | 'dispatchers'>;
  readonly run: (run: FaultRun) => Promise<void>;
  readonly judge: (history: readonly HistoryEntry[], kills: number) => Judgement;
}

/** With fewer kills a moment may be missed by chance. */
const killsForEveryPoint = 100;

function expected<T>(points: readonly T[], kills: number): readonly T[] {
  return kills < killsForEveryPoint ? [] : points;
}

/** All scenarios, by name. */
export const scenarios: Readonly<Record<string, Scenario>> = {
  kills: {
    about: 'SIGKILL of api, worker and dispatcher, with Kafka',
    processes: { apis: 2, workers: 2, dispatchers: 2 },
    run: runUnderFaults,
    judge: (history, kills) =>
      judgeKills(history, { endpoints: endpointNames, kills, points: expected(failpointNames, kills) }),
  },
  admission: {
    about:
      'SIGKILL and SIGSTOP of api and the end of its sessions in Postgres, while requests of every kind are retried',
    processes: { apis: 3, workers: 1, dispatchers: 0 },
    run: runAdmission,
    judge: (history, faults) => judgeAdmission(history, { faults, points: expected(admissionPoints, faults) }),
  },
  delivery: {
    about:
      'SIGKILL and SIGSTOP of dispatchers and crashes of Postgres and Kafka, while webhooks go to receivers of every kind',
    processes: { apis: 1, workers: 0, dispatchers: 3 },
    run: runDelivery,
    judge: (history, faults) =>
      judgeDelivery(history, {
        faults,
        points: expected(deliveryPoints, faults),
        endpoints: receiverPatterns,
        leaseMarginMs,
        timeoutMs,
      }),
  },
};

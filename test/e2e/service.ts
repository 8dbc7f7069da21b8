import { ApiClient } from '../support/api-client.js';
import { Cluster, type ClusterOptions } from '../support/cluster.js';
import type { SupervisedProcess } from '../support/supervisor.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';
import { checkAnswer } from './check-answer.js';

/** Every e2e suite starts one; starting processes takes seconds. */
export const startTimeoutMs = 90_000;

/** The product as its users meet it: API processes, a worker, a dispatcher, and a receiver of webhooks of theirs. */
export class Service {
  #accounts = 0;

  private constructor(
    readonly cluster: Cluster,
    readonly receiver: WebhookReceiver,
  ) {}

  /** Two API processes, a worker and a dispatcher unless told otherwise. */
  static async start(options: ClusterOptions = {}): Promise<Service> {
    const [cluster, receiver] = await Promise.all([Cluster.start({ apis: 2, ...options }), WebhookReceiver.open()]);
    return new Service(cluster, receiver);
  }

  /** A client with the key of a new account, at the first API process. Every answer it gets is held against its declaration. */
  async newAccount(): Promise<ApiClient> {
    this.#accounts += 1;
    return this.client(await this.cluster.createKey(`account-${this.#accounts}`));
  }

  client(apiKey: string, api = 0): ApiClient {
    return new ApiClient(this.cluster.apiUrls[api] ?? '', apiKey, checkAnswer);
  }

  /** The same key at each API process. */
  everywhere({ apiKey }: ApiClient): ApiClient[] {
    return this.cluster.apiUrls.map((_, api) => this.client(apiKey, api));
  }

  /** Log lines of API processes that tell of an answer 5xx or of an error. */
  apiFailures(): string[] {
    return this.#apis()
      .flatMap(({ logs }) => logs)
      .filter(({ fields, stream }) => stream === 'stderr' || isFailure(fields ?? {}))
      .map(({ text }) => text);
  }

  /**
   * Stops everything.
   *
   * @param options.mayFail whether the suite makes an API process fail
   * @throws when an API process failed or ended all the same, so that the suite fails whatever its tests saw
   */
  async stop({ mayFail = false } = {}): Promise<void> {
    const failures = mayFail ? [] : [...this.#apiEnds(), ...this.apiFailures()];
    await this.receiver.close();
    await this.cluster.stop();
    if (failures.length > 0) throw new Error(`the API failed:\n${failures.join('\n')}`);
  }

  #apis(): SupervisedProcess[] {
    return this.cluster.apiUrls.map((_, index) => this.cluster.process(`api-${index + 1}`));
  }

  /** Ends of API processes but those that they were told to come to. */
  #apiEnds(): string[] {
    return this.#apis().flatMap(({ spec, end = { code: 0, signal: null } }) =>
      end.code === 0 ? [] : [`${spec.name} ended: ${end.code ?? end.signal}`],
    );
  }
}

const errorLevel = 50;

function isFailure({ level, status }: Readonly<Record<string, unknown>>): boolean {
  return Number(level ?? 0) >= errorLevel || Number(status ?? 0) >= 500;
}

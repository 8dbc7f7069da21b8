import type { AddressGuard } from '#libs/domain';
import { Dispatcher, Pool } from 'undici';
import { AddressRefused } from './address-refused.js';
import type { ResolveHost } from './resolve-host.js';
import { vettingLookup } from './vetting-lookup.js';

/** What an agent reaches its targets with. */
export interface GuardedAgentOptions {
  readonly guard: AddressGuard;
  readonly resolve: ResolveHost;
  /** How many origins may have kept connections at once; beyond it those that were used longest ago are closed. */
  readonly mostOrigins?: number;
  /** Certificate authorities that are trusted instead of those of the system, PEM. */
  readonly ca?: string;
}

const mostOriginsUnlessTold = 1_000;
const connectTimeoutMs = 5_000;
const keepAliveMs = 4_000;
/** However long a receiver offers to keep a connection. */
const longestKeepAliveMs = 30_000;
const mostHeaderBytes = 32 * 1024;

/**
 * The only way out of this service by HTTP: one pool of kept connections for each origin, closed when it is not used any more. Follows no
 * redirects, knows no proxy and no cookies, speaks HTTP/1.1. A pool connects only to addresses that the guard lets pass for its scheme and
 * host, vetted at the moment of the connection.
 */
export class GuardedAgent extends Dispatcher {
  /** In the order of their last use. */
  readonly #pools = new Map<string, Pool>();
  /** Those that take no more requests and have some open. */
  readonly #closing = new Set<Pool>();
  readonly #options: GuardedAgentOptions;

  constructor(options: GuardedAgentOptions) {
    super();
    this.#options = options;
  }

  /** How many origins have a pool now. */
  get origins(): number {
    return this.#pools.size;
  }

  /** @throws AddressRefused when the origin is refused as it is written */
  override dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    const origin = String(options.origin);
    const pool = this.#pools.get(origin) ?? this.#open(origin);
    this.#pools.delete(origin);
    this.#pools.set(origin, pool);
    const isReady = pool.dispatch(options, handler);
    this.#closeSurplus();
    return isReady;
  }

  /** Lets open requests end. */
  override async close(): Promise<void> {
    await Promise.all(this.#take().map((pool) => pool.close()));
  }

  /** Ends every connection and request now. */
  override async destroy(): Promise<void> {
    await Promise.all(this.#take().map((pool) => pool.destroy()));
  }

  #take(): readonly Pool[] {
    const pools = [...this.#pools.values(), ...this.#closing];
    this.#pools.clear();
    return pools;
  }

  #open(origin: string): Pool {
    const pool = guardedPool(origin, this.#options);
    const closeWhenUnused = (): void => {
      if (pool.stats.connected === 0 && pool.stats.size === 0) this.#close(origin, pool);
    };
    pool.on('disconnect', (_, targets, error) => {
      if (isAbort(error)) this.#retire(origin, pool, targets);
      else closeWhenUnused();
    });
    pool.on('connectionError', () => setImmediate(closeWhenUnused));
    return pool;
  }

  /**
   * After an abort undici would connect anew, for the request that was aborted: the client that held it is destroyed before it does, and its
   * pool, which would not notice, takes no more requests.
   */
  #retire(origin: string, pool: Pool, targets: readonly Dispatcher[]): void {
    for (const target of targets) if (target !== pool) void target.destroy();
    this.#close(origin, pool);
  }

  #closeSurplus(): void {
    const { mostOrigins = mostOriginsUnlessTold } = this.#options;
    if (this.#pools.size <= mostOrigins) return;
    for (const [origin, pool] of this.#pools) {
      if (pool.stats.size > 0) continue;
      this.#close(origin, pool);
      if (this.#pools.size <= mostOrigins) return;
    }
  }

  #close(origin: string, pool: Pool): void {
    if (this.#pools.get(origin) === pool) this.#pools.delete(origin);
    if (pool.closed || pool.destroyed) return;
    this.#closing.add(pool);
    const forget = (): void => void this.#closing.delete(pool);
    pool.close().then(forget, forget);
  }
}

function isAbort(error: Error): boolean {
  return 'code' in error && error.code === 'UND_ERR_INFO' && error.message === 'aborted';
}

function guardedPool(origin: string, { guard, resolve, ca }: GuardedAgentOptions): Pool {
  const verdict = guard.vetUrl(origin);
  if (verdict.kind === 'refused') throw new AddressRefused(verdict);
  return new Pool(origin, {
    connect: {
      timeout: connectTimeoutMs,
      ...(ca === undefined ? {} : { ca }),
      ...(verdict.kind === 'name' ? { lookup: vettingLookup(guard, verdict.requires, resolve) } : {}),
    },
    pipelining: 1,
    headersTimeout: 0,
    bodyTimeout: 0,
    keepAliveTimeout: keepAliveMs,
    keepAliveMaxTimeout: longestKeepAliveMs,
    maxHeaderSize: mostHeaderBytes,
  });
}

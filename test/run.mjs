// Builds, starts one Postgres and, where it can be had, one Kafka broker for all suites, runs jest, and says at its end what was not run.
import { spawn, spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const root = new URL('..', import.meta.url).pathname;
const suites = {
  kafka: { pattern: '\\.kafka\\.spec\\.ts$', needs: 'Kafka' },
  broker: { pattern: '\\.broker\\.spec\\.ts$', needs: 'a Kafka broker of its own' },
  kcat: { pattern: '\\.kcat\\.broker\\.spec\\.ts$', needs: 'kcat' },
  root: { pattern: '\\.root\\.spec\\.ts$', needs: 'a file system of its own' },
  foreign: { pattern: '\\.foreign\\.spec\\.ts$', needs: 'Python and Go' },
};

const usage = `Builds and runs every suite on a Postgres of its own, and on Kafka where it can be had.

  npm test [-- PATH ...] [OPTIONS]

  PATH                   only suites whose path has this in it, such as test/e2e/job.spec.ts
  OPTIONS                those of jest, such as --testNamePattern RULE

REQUIRE_KAFKA=true and REQUIRE_FOREIGN=true refuse to run without what those suites need.`;

if (process.argv.slice(2).some((word) => word === '--help' || word === '-h')) {
  console.log(usage);
  process.exit(0);
}

build();
const { startTestPostgres } = await import('../dist/test/support/postgres.js');
const { kafkaAvailability, startKafkaBroker } = await import('../dist/test/support/kafka-broker.js');
const { foreignAvailability } = await import('../dist/test/support/foreign-availability.js');

const missing = await missingSuites();
const required = {
  kafka: 'REQUIRE_KAFKA',
  broker: 'REQUIRE_KAFKA',
  kcat: 'REQUIRE_FOREIGN',
  foreign: 'REQUIRE_FOREIGN',
};
const missed = missing.filter(({ name }) => process.env[required[name]] === 'true');
if (missed.length > 0) {
  for (const { suite, reason } of missed) console.error(`required, but not to be had: ${suite} (${reason})`);
  console.log('0 passed, 1 failed');
  process.exit(1);
}

const directory = await mkdtemp(join(tmpdir(), 'pdfonce-tests-'));
const postgres = await startTestPostgres();
const kafka = missing.some(({ name }) => name === 'kafka') ? null : await startKafkaBroker();
let failed = true;
try {
  failed = await runJest();
} finally {
  await kafka?.stop();
  await postgres.stop();
  await rm(directory, { recursive: true, force: true });
}
process.exit(failed ? 1 : 0);

function build() {
  const { status } = spawnSync(process.execPath, ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.build.json'], {
    cwd: root,
    stdio: 'inherit',
  });
  if (status !== 0) process.exit(1);
}

async function missingSuites() {
  const any = await kafkaAvailability();
  const own = await kafkaAvailability({ own: true });
  const foreign = foreignAvailability();
  return [
    ...(any.available ? [] : [{ name: 'kafka', suite: `suites ${suites.kafka.pattern}`, reason: any.reason }]),
    ...(own.available ? [] : [{ name: 'broker', suite: `suites ${suites.broker.pattern}`, reason: own.reason }]),
    ...(hasKcat() ? [] : [{ name: 'kcat', suite: `suites ${suites.kcat.pattern}`, reason: 'no kcat' }]),
    ...(foreign.available
      ? []
      : [{ name: 'foreign', suite: `suites ${suites.foreign.pattern}`, reason: foreign.reason }]),
    ...((await mayMount())
      ? []
      : [{ name: 'root', suite: `suites ${suites.root.pattern}`, reason: 'mounting is refused' }]),
  ];
}

function hasKcat() {
  return spawnSync('kcat', ['-V']).status === 0;
}

async function mayMount() {
  const place = await mkdtemp(join(tmpdir(), 'pdfonce-mount-'));
  const isMounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', place]).status === 0;
  if (isMounted) spawnSync('umount', [place]);
  await rm(place, { recursive: true, force: true });
  return isMounted;
}

async function runJest() {
  const report = join(directory, 'report.json');
  const ignored = missing.flatMap(({ name }) => ['--testPathIgnorePatterns', suites[name].pattern]);
  const args = ['--experimental-vm-modules', '--no-warnings', 'node_modules/jest/bin/jest.js'];
  const jest = spawn(
    process.execPath,
    [...args, '--json', `--outputFile=${report}`, '--maxWorkers=2', ...ignored, ...process.argv.slice(2)],
    {
      cwd: root,
      stdio: ['ignore', 'ignore', 'inherit'],
      env: {
        ...process.env,
        TEST_DATABASE_URL: postgres.url,
        ...(kafka === null ? {} : { KAFKA_BROKERS: kafka.brokers.join(',') }),
      },
    },
  );
  const code = await new Promise((resolve) => jest.once('close', resolve));
  return summarise(report, code);
}

async function summarise(report, code) {
  const { numPassedTests, numFailedTests, numFailedTestSuites, numRuntimeErrorTestSuites } = JSON.parse(
    await readFile(report, 'utf8'),
  );
  const failures = numFailedTests + (numFailedTests === 0 ? numFailedTestSuites : numRuntimeErrorTestSuites);
  for (const { suite, reason } of missing) console.log(`not run: ${suite}: ${reason}`);
  console.log(`${numPassedTests} passed, ${failures} failed`);
  return code !== 0 || failures > 0;
}

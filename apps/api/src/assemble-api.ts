import { AddressGuard } from '#libs/domain';
import {
  ApiKeyStore,
  BatchReader,
  DeliveryReader,
  EndJob,
  EndpointStore,
  EventReader,
  EventStore,
  FileStore,
  AdmissionStore,
  JobReader,
  ObjectStore,
  RecoveryStore,
  RedeliveryStore,
  UsageStore,
} from '#libs/persistence';
import { AdmitBatch } from './admit-batch/admit-batch.js';
import { EndedBatch } from './admit-batch/ended-batch.js';
import { AdmitJob } from './admit-job/admit-job.js';
import { AdmitTogether } from './admit-job/admit-together.js';
import { EndedJob } from './admit-job/ended-job.js';
import { ResolveInputs } from './admit-job/resolve-inputs.js';
import { AnswerWhenEnded } from './answer-when-ended/answer-when-ended.js';
import { AwaitWork } from './answer-when-ended/await-work.js';
import type { ApiParts } from './api-parts.js';
import { assembleDecision } from './assemble-decision.js';
import { CancelJob } from './cancel-job/cancel-job.js';
import { SendOutput } from './download-output/send-output.js';
import type { DecideOnce } from './idempotency/decide-once.js';
import { IssueApiKey } from './manage-api-keys/issue-api-key.js';
import { CreateEndpoint } from './manage-endpoints/create-endpoint.js';
import { PingEndpoint } from './manage-endpoints/ping-endpoint.js';
import { RotateSecret } from './manage-endpoints/rotate-secret.js';
import { SwitchEndpoint } from './manage-endpoints/switch-endpoint.js';
import { UpdateEndpoint } from './manage-endpoints/update-endpoint.js';
import { addressProblem } from './manage-endpoints/vet-address.js';
import { AttemptedDelivery } from './read-deliveries/attempted-delivery.js';
import { ReceiveParts } from './receive-upload/receive-parts.js';
import { StoreUpload } from './receive-upload/store-upload.js';
import { RecoverEndpoint } from './recover-endpoint/recover-endpoint.js';
import { Redeliver } from './redeliver/redeliver.js';
import { FindFiles } from './upload-file/find-files.js';
import { UploadFile } from './upload-file/upload-file.js';

/** Makes the objects that the controllers need, each once. */
export function assembleApi(parts: ApiParts): readonly object[] {
  const { database, keyring, links } = parts;
  const readers = {
    keys: new ApiKeyStore(database),
    files: new FileStore(database),
    jobs: new JobReader(database),
    batches: new BatchReader(database),
    endpoints: new EndpointStore(database),
    deliveries: new DeliveryReader(database),
    recoveries: new RecoveryStore(database),
  };
  return [
    keyring,
    links,
    ...Object.values(readers),
    ...[new EventReader(database), new UsageStore(database)],
    ...creating(parts, readers),
    ...waiting(parts, readers),
  ];
}

interface Readers {
  readonly keys: ApiKeyStore;
  readonly files: FileStore;
  readonly jobs: JobReader;
  readonly batches: BatchReader;
  readonly endpoints: EndpointStore;
  readonly deliveries: DeliveryReader;
  readonly recoveries: RecoveryStore;
}

/** What accepts work, on the pool for admission. */
function creating(parts: ApiParts, { keys: apiKeys, files, jobs, endpoints, recoveries }: Readers): readonly object[] {
  const { admissionDatabase: database, announcer, commandRoute, config, keyring, links } = parts;
  const { decide, entrance } = assembleDecision(parts);
  const admissions = new AdmissionStore(database, commandRoute);
  const findFiles = new FindFiles(files, () => Date.now());
  const inputs = new ResolveInputs(findFiles, jobs, new AddressGuard(config.INPUT_ALLOW), keyring);
  const admitTogether = new AdmitTogether(admissions, Math.ceil(config.DATABASE_POOL / 2));
  return [
    entrance,
    findFiles,
    receiving(parts),
    new AdmitJob(decide, inputs, admitTogether, links, announcer),
    new AdmitBatch(decide, inputs, admissions, announcer),
    new CancelJob(decide, ending(parts), links, announcer),
    new UploadFile(decide, files, config.FILE_TTL),
    new IssueApiKey(decide, apiKeys),
    new RecoverEndpoint(decide, recoveries),
    new Redeliver(decide, new RedeliveryStore()),
    ...managingEndpoints(parts, endpoints, decide),
  ];
}

function managingEndpoints(parts: ApiParts, endpoints: EndpointStore, decide: DecideOnce): readonly object[] {
  const { announcer, config, database, eventRoute, keyring } = parts;
  const guard = new AddressGuard(config.WEBHOOK_ALLOW);
  const kept = { endpoints, keyring, addressProblem: (url: string) => addressProblem(guard, url) };
  const telling = { endpoints, keyring, events: new EventStore(eventRoute), announcer };
  return [
    new CreateEndpoint(decide, kept),
    new UpdateEndpoint(database, kept),
    new RotateSecret(decide, kept),
    new SwitchEndpoint(decide, telling),
    new PingEndpoint(decide, telling),
  ];
}

function ending({ config, eventRoute, links }: ApiParts): EndJob {
  const { JOB_TTL: jobMs, ARTIFACT_TTL: artifactMs, IDEMPOTENCY_TTL: keyMs } = config;
  return new EndJob({ events: new EventStore(eventRoute), links, retention: { jobMs, artifactMs, keyMs } });
}

function receiving({ database, blobs, config }: ApiParts): ReceiveParts {
  const uploads = new StoreUpload(database, new ObjectStore(), blobs, config.MAX_FILE_SIZE);
  return new ReceiveParts(uploads, { maxRequestBytes: config.MAX_REQUEST_SIZE, timeoutMs: config.UPLOAD_TIMEOUT });
}

function waiting({ blobs, links, log }: ApiParts, readers: Readers): readonly object[] {
  const { keys, jobs, batches, deliveries } = readers;
  const awaitWork = new AwaitWork(jobs, log);
  const sendOutput = new SendOutput(blobs);
  const ended = {
    job: new EndedJob(jobs, links, sendOutput),
    batch: new EndedBatch(batches),
    dlv: new AttemptedDelivery(deliveries),
  };
  return [awaitWork, sendOutput, new AnswerWhenEnded(awaitWork, keys, ended)];
}

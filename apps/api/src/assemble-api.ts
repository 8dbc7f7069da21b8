import { AddressGuard } from '#libs/domain';
import {
  ApiKeyStore,
  DeliveryReader,
  EndpointStore,
  EventReader,
  FileStore,
  IdempotencyStore,
  JobAdmissionStore,
  JobReader,
  ObjectStore,
  UsageStore,
} from '#libs/persistence';
import { AdmitJob } from './admit-job/admit-job.js';
import { AnswerWhenEnded } from './admit-job/answer-when-ended.js';
import { AwaitJobs } from './admit-job/await-jobs.js';
import { FindFiles } from './admit-job/find-files.js';
import { ResolveInputs } from './admit-job/resolve-inputs.js';
import type { ApiParts } from './api-parts.js';
import { SendOutput } from './download-output/send-output.js';
import { DecideOnce } from './idempotency/decide-once.js';
import { CreateEndpoint } from './manage-endpoints/create-endpoint.js';
import { addressProblem } from './manage-endpoints/vet-address.js';
import { ReceiveParts } from './receive-upload/receive-parts.js';
import { StoreUpload } from './receive-upload/store-upload.js';
import { UploadFile } from './upload-file/upload-file.js';

/** Makes the objects that the controllers need, each once. */
export function assembleApi(parts: ApiParts): readonly object[] {
  const { database, keyring, links } = parts;
  const readers = {
    keys: new ApiKeyStore(database),
    files: new FileStore(database),
    jobs: new JobReader(database),
    endpoints: new EndpointStore(database),
  };
  return [
    keyring,
    links,
    ...Object.values(readers),
    ...[new DeliveryReader(database), new EventReader(database), new UsageStore(database)],
    ...creating(parts, readers),
    ...waiting(parts, readers),
  ];
}

interface Readers {
  readonly keys: ApiKeyStore;
  readonly files: FileStore;
  readonly jobs: JobReader;
  readonly endpoints: EndpointStore;
}

/** What accepts work, on the pool for admission. */
function creating(parts: ApiParts, { files, jobs, endpoints }: Readers): readonly object[] {
  const { admissionDatabase: database, announcer, commandRoute, config, keyring, links } = parts;
  const guard = new AddressGuard(config.WEBHOOK_ALLOW);
  const keys = new IdempotencyStore(database);
  const decide = new DecideOnce(keys, keyring);
  const keyTtlMs = config.IDEMPOTENCY_TTL;
  const admissions = new JobAdmissionStore(database, commandRoute);
  return [
    receiving(parts),
    new AdmitJob(decide, new ResolveInputs(new FindFiles(files), jobs), admissions, links, announcer),
    new UploadFile(decide, database, keys, files, { keyTtlMs, fileTtlMs: config.FILE_TTL }),
    new CreateEndpoint(decide, {
      ...{ database, keys, endpoints, keyring, keyTtlMs },
      addressProblem: (url) => addressProblem(guard, url),
    }),
  ];
}

function receiving({ database, blobs, config }: ApiParts): ReceiveParts {
  const uploads = new StoreUpload(database, new ObjectStore(), blobs, config.MAX_FILE_SIZE);
  return new ReceiveParts(uploads, { maxRequestBytes: config.MAX_REQUEST_SIZE, timeoutMs: config.UPLOAD_TIMEOUT });
}

function waiting({ blobs, links, log }: ApiParts, { keys, jobs }: Readers): readonly object[] {
  const awaitJobs = new AwaitJobs(jobs, log);
  const sendOutput = new SendOutput(blobs);
  return [awaitJobs, sendOutput, new AnswerWhenEnded(awaitJobs, jobs, keys, links, sendOutput)];
}

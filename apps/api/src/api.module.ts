import { AddressAllowList, AddressGuard, OutputLinks, SecretKeyring } from '#libs/domain';
import {
  ApiKeyStore,
  Database,
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
import { type DynamicModule, Module, type Provider } from '@nestjs/common';
import { AdmitJobController } from './admit-job/admit-job.controller.js';
import { AdmitJob } from './admit-job/admit-job.js';
import { AnswerWhenEnded } from './admit-job/answer-when-ended.js';
import { AwaitJobs } from './admit-job/await-jobs.js';
import { ResolveInputs } from './admit-job/resolve-inputs.js';
import type { ApiParts } from './api-parts.js';
import { DescribeController } from './describe/describe.controller.js';
import { DownloadOutputController } from './download-output/download-output.controller.js';
import { SendOutput } from './download-output/send-output.js';
import { HealthController, kafkaConnected } from './health/health.controller.js';
import { DecideOnce } from './idempotency/decide-once.js';
import { CreateEndpoint } from './manage-endpoints/create-endpoint.js';
import { ManageEndpointsController } from './manage-endpoints/manage-endpoints.controller.js';
import { addressProblem } from './manage-endpoints/vet-address.js';
import { ReadDeliveriesController } from './read-deliveries/read-deliveries.controller.js';
import { ReadEventsController } from './read-events/read-events.controller.js';
import { ReadJobController } from './read-job/read-job.controller.js';
import { ReadUsageController } from './read-usage/read-usage.controller.js';
import { ReceiveParts } from './receive-upload/receive-parts.js';
import { StoreUpload } from './receive-upload/store-upload.js';
import { UploadFileController } from './upload-file/upload-file.controller.js';
import { UploadFile } from './upload-file/upload-file.js';

/** The only wiring of the API. */
@Module({})
export class ApiModule {
  static register(parts: ApiParts): DynamicModule {
    return {
      module: ApiModule,
      controllers: [
        AdmitJobController,
        DescribeController,
        DownloadOutputController,
        HealthController,
        ManageEndpointsController,
        ReadDeliveriesController,
        ReadEventsController,
        ReadJobController,
        ReadUsageController,
        UploadFileController,
      ],
      providers: [...stores(parts), ...useCases(parts)],
    };
  }
}

function stores({ database, admissionDatabase, keyring, links, isKafkaConnected }: ApiParts): Provider[] {
  return [
    { provide: Database, useValue: database },
    { provide: SecretKeyring, useValue: keyring },
    { provide: OutputLinks, useValue: links },
    { provide: kafkaConnected, useValue: isKafkaConnected },
    { provide: ApiKeyStore, useValue: new ApiKeyStore(database) },
    { provide: DeliveryReader, useValue: new DeliveryReader(database) },
    { provide: EndpointStore, useValue: new EndpointStore(database) },
    { provide: EventReader, useValue: new EventReader(database) },
    { provide: FileStore, useValue: new FileStore(database) },
    { provide: IdempotencyStore, useValue: new IdempotencyStore(admissionDatabase) },
    { provide: JobReader, useValue: new JobReader(database) },
    { provide: UsageStore, useValue: new UsageStore(database) },
  ];
}

function useCases(parts: ApiParts): Provider[] {
  const { admissionDatabase, announcer, blobs, commandRoute, config, database, keyring, links, log } = parts;
  const guard = new AddressGuard(AddressAllowList.parse(config.WEBHOOK_ALLOW));
  return [
    {
      provide: ReceiveParts,
      useFactory: () => {
        const uploads = new StoreUpload(database, new ObjectStore(), blobs, config.MAX_FILE_SIZE);
        return new ReceiveParts(uploads, {
          maxRequestBytes: config.MAX_REQUEST_SIZE,
          timeoutMs: config.UPLOAD_TIMEOUT,
        });
      },
    },
    {
      provide: DecideOnce,
      inject: [IdempotencyStore],
      useFactory: (keys: IdempotencyStore) => new DecideOnce(keys, keyring),
    },
    {
      provide: AdmitJob,
      inject: [DecideOnce, FileStore, JobReader],
      useFactory: (decide: DecideOnce, files: FileStore, jobs: JobReader) =>
        new AdmitJob(
          decide,
          new ResolveInputs(files, jobs),
          new JobAdmissionStore(admissionDatabase, commandRoute),
          links,
          announcer,
        ),
    },
    { provide: AwaitJobs, inject: [JobReader], useFactory: (jobs: JobReader) => new AwaitJobs(jobs, log) },
    { provide: SendOutput, useValue: new SendOutput(blobs) },
    {
      provide: AnswerWhenEnded,
      inject: [AwaitJobs, JobReader, ApiKeyStore, SendOutput],
      useFactory: (waits: AwaitJobs, jobs: JobReader, keys: ApiKeyStore, sendOutput: SendOutput) =>
        new AnswerWhenEnded(waits, jobs, keys, links, sendOutput),
    },
    {
      provide: UploadFile,
      inject: [DecideOnce, IdempotencyStore, FileStore],
      useFactory: (decide: DecideOnce, keys: IdempotencyStore, files: FileStore) =>
        new UploadFile(decide, admissionDatabase, keys, files, {
          keyTtlMs: config.IDEMPOTENCY_TTL,
          fileTtlMs: config.FILE_TTL,
        }),
    },
    {
      provide: CreateEndpoint,
      inject: [DecideOnce, IdempotencyStore, EndpointStore],
      useFactory: (decide: DecideOnce, keys: IdempotencyStore, endpoints: EndpointStore) =>
        new CreateEndpoint(decide, {
          database: admissionDatabase,
          keys,
          endpoints,
          keyring,
          keyTtlMs: config.IDEMPOTENCY_TTL,
          addressProblem: (url) => addressProblem(guard, url),
        }),
    },
  ];
}

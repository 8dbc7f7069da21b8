import { type DynamicModule, Module } from '@nestjs/common';
import { AdmitBatchController } from './admit-batch/admit-batch.controller.js';
import { AdmitJobController } from './admit-job/admit-job.controller.js';
import type { ApiParts } from './api-parts.js';
import { assembleApi } from './assemble-api.js';
import { CancelJobController } from './cancel-job/cancel-job.controller.js';
import { DescribeController } from './describe/describe.controller.js';
import { DownloadOutputController } from './download-output/download-output.controller.js';
import { ManageApiKeysController } from './manage-api-keys/manage-api-keys.controller.js';
import { ActOnEndpointController } from './manage-endpoints/act-on-endpoint.controller.js';
import { ManageEndpointsController } from './manage-endpoints/manage-endpoints.controller.js';
import { ReadBatchController } from './read-batch/read-batch.controller.js';
import { ReadDeliveriesController } from './read-deliveries/read-deliveries.controller.js';
import { ReadEventsController } from './read-events/read-events.controller.js';
import { ReadJobController } from './read-job/read-job.controller.js';
import { ReadUsageController } from './read-usage/read-usage.controller.js';
import { RecoverEndpointController } from './recover-endpoint/recover-endpoint.controller.js';
import { RedeliverController } from './redeliver/redeliver.controller.js';
import { UploadFileController } from './upload-file/upload-file.controller.js';

/** The API as a part of an application. */
@Module({})
export class ApiModule {
  static register(parts: ApiParts): DynamicModule {
    return {
      module: ApiModule,
      controllers: [
        ActOnEndpointController,
        AdmitBatchController,
        AdmitJobController,
        CancelJobController,
        DescribeController,
        DownloadOutputController,
        ManageApiKeysController,
        ManageEndpointsController,
        ReadBatchController,
        ReadDeliveriesController,
        ReadEventsController,
        ReadJobController,
        ReadUsageController,
        RecoverEndpointController,
        RedeliverController,
        UploadFileController,
      ],
      providers: assembleApi(parts).map((instance) => ({ provide: instance.constructor, useValue: instance })),
    };
  }
}

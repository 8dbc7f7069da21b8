import { RequestRefused, routes } from '#libs/contract';
import { FileStore } from '#libs/persistence';
import { Controller, Param, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { found } from '../http/found.js';
import { Handles } from '../http/handles.js';
import { notFound } from '../http/not-found.js';
import { pathId } from '../http/path-id.js';
import type { RequestBody } from '../http/read-bodies.js';
import { callerOf } from '../http/request-context.js';
import { sendAnswer } from '../http/send-answer.js';
import { createIntent } from '../idempotency/create-intent.js';
import { ReceiveParts } from '../receive-upload/receive-parts.js';
import { fileView } from './file-view.js';
import { FindFiles } from './find-files.js';
import { UploadFile, uploadIdentity } from './upload-file.js';

/** Uploads files, reads what is known of them and deletes them. */
@Controller()
export class UploadFileController {
  constructor(
    private readonly parts: ReceiveParts,
    private readonly uploadFile: UploadFile,
    private readonly files: FileStore,
    private readonly findFiles: FindFiles,
  ) {}

  @Handles(routes.uploadFile)
  async create(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const body = request.body as RequestBody;
    if (body?.kind !== 'multipart')
      throw new RequestRefused('unsupported_media_type', 'send multipart/form-data with one part named file');
    const parts = await this.parts.receive(request);
    sendAnswer(reply, await this.uploadFile.upload(createIntent(request, uploadIdentity(parts)), parts));
  }

  @Handles(routes.readFile)
  async read(@Param('file_id') id: string, @Req() request: FastifyRequest) {
    return fileView(found(await this.files.find(callerOf(request).accountId, pathId('file', id)), id));
  }
  @Handles(routes.deleteFile)
  async delete(@Param('file_id') id: string, @Req() request: FastifyRequest): Promise<void> {
    const fileId = pathId('file', id);
    if (!(await this.files.delete(callerOf(request).accountId, fileId))) throw notFound(id);
    this.findFiles.forget(fileId);
  }
}

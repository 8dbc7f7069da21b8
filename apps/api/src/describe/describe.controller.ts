import { openApiDocument, version } from '#libs/contract';
import { OutputLinks } from '#libs/domain';
import { operations } from '#libs/pdf';
import { Controller, Get, Param, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { found } from '../http/found.js';
import { prefersDocument } from '../http/prefers-document.js';
import { asyncApi } from './async-api.js';
import { docsPage } from './docs-page.js';
import { errorPage } from './error-page.js';
import { explainError } from './explain-error.js';
import { pageHeaders } from './html.js';

/** The API about itself, generated from the declarations that validate. */
@Controller()
export class DescribeController {
  constructor(private readonly links: OutputLinks) {}

  @Get('/openapi.json')
  openApi() {
    const schemas = Object.fromEntries(
      Object.values(operations).map((operation) => [operation.name, operation.optionsSchema]),
    );
    return openApiDocument({ version, url: this.links.publicUrl, operations: schemas });
  }

  @Get('/asyncapi.json')
  asyncApi() {
    return asyncApi();
  }

  @Get('/docs')
  docs(@Res() reply: FastifyReply): void {
    void reply.headers(pageHeaders).send(docsPage(version));
  }

  @Get('/docs/errors/:code')
  error(@Param('code') code: string, @Req() request: FastifyRequest, @Res() reply: FastifyReply): void {
    const error = found(explainError(code), code);
    void reply.header('vary', 'Accept');
    if (prefersDocument(request.headers.accept, 'text/html')) void reply.headers(pageHeaders).send(errorPage(error));
    else void reply.header('content-type', 'application/json; charset=utf-8').send(error);
  }
}

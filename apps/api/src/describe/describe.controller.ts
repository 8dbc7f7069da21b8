import { jobErrors, openApiDocument, requestErrors, version } from '#libs/contract';
import { OutputLinks } from '#libs/domain';
import { operations } from '#libs/pdf';
import { Controller, Get, Header, Param } from '@nestjs/common';
import { found } from '../http/page.js';

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

  @Get('/docs/errors/:code')
  @Header('content-type', 'application/json; charset=utf-8')
  error(@Param('code') code: string) {
    const entries: Readonly<Record<string, object>> = { ...requestErrors, ...jobErrors };
    return { code, ...found(Object.hasOwn(entries, code) ? (entries[code] ?? null) : null, code) };
  }
}

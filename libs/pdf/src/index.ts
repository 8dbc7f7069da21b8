export { DocumentPool } from './document-pool.js';
export type { DocumentPoolLog, DocumentPoolOptions } from './document-pool.js';
export type { DocumentResult, DocumentTask } from './document-task.js';
export { documentFailureCodes } from './document/document-failure.js';
export type { DocumentFailure, DocumentFailureCode } from './document/document-failure.js';
export { operationNames } from './operation.js';
export type { InputFile, OperationDeclaration, OperationName, OutputFile } from './operation.js';
export { operations } from './operations.js';
export { createTaskDirectory, removeOrphanedDirectories, removeProcessDirectory } from './work-directory.js';

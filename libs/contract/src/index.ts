export { adviceTexts } from './errors/advice.js';
export { type JobErrorEntry, jobErrors } from './errors/job-errors.js';
export {
  type FieldProblem,
  type Problem,
  problemOf,
  type Refusal,
  refusedAt,
  refusedByJob,
  refusedFor,
  RequestRefused,
} from './errors/problem.js';
export { type ErrorEntry, type RequestErrorCode, requestErrors } from './errors/request-errors.js';
export { misplacedKey, readAs, validate } from './errors/validate.js';
export { asyncApiDocument, type DescribedTopic } from './records/async-api.js';
export { recordHeadersSchema } from './records/record-headers.js';
export { eventBodySchema, jobSubmittedSchema } from './resources/event-data.js';
export { aboutRoutes } from './routes/about-routes.js';
export { openApiDocument } from './routes/openapi.js';
export { type InputReference, type JobRequest, jobRequestSchema, noQuerySchema } from './routes/requests.js';
export {
  type EndpointPatch,
  endpointPatchSchema,
  type EndpointRequest,
  endpointRequestSchema,
  rotationRequestSchema,
} from './routes/endpoint-request.js';
export { type ApiKeyRequest, apiKeyRequestSchema } from './routes/api-key-request.js';
export { type BatchItemRequest, batchRequestSchema } from './routes/batch-request.js';
export { type RecoveryRequest, recoveryRequestSchema } from './routes/recovery-request.js';
export { type Route, type Scope, scopes } from './routes/route.js';
export { type RouteName, routes } from './routes/routes.js';
export { parseSetting, type RateLimit, SettingProblem } from './settings/parse-setting.js';
export { type Environment, readSettings, type Settings, SettingsError } from './settings/settings.js';
export { version } from './version.js';

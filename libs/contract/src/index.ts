export { type JobErrorCode, jobErrors, type RequestErrorCode, requestErrors } from './errors/catalogue.js';
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
export { validate } from './errors/validate.js';
export { aboutRoutes } from './routes/about-routes.js';
export { openApiDocument } from './routes/openapi.js';
export {
  type EndpointRequest,
  endpointRequestSchema,
  type InputReference,
  type JobRequest,
  jobRequestSchema,
} from './routes/requests.js';
export { type Route, type Scope, scopes } from './routes/route.js';
export { type RouteName, routes } from './routes/routes.js';
export {
  type Environment,
  readSettings,
  type SettingName,
  type Settings,
  settings,
  SettingsError,
} from './settings/settings.js';
export { version } from './version.js';

import { accountRoutes } from './account-routes.js';
import { batchRoutes } from './batch-routes.js';
import { fileRoutes } from './file-routes.js';
import { jobRoutes } from './job-routes.js';
import { recoveryRoutes } from './recovery-routes.js';
import { webhookRoutes } from './webhook-routes.js';

/** Every route of the API. */
export const routes = {
  ...jobRoutes,
  ...batchRoutes,
  ...fileRoutes,
  ...webhookRoutes,
  ...recoveryRoutes,
  ...accountRoutes,
} as const;

/** The name of a route. */
export type RouteName = keyof typeof routes;

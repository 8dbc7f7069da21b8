export { armFailpoints, type FailpointName, failpointNames, reach } from './failpoint.js';
